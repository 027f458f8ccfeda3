//! A lab that is started as a user starts it, and pages of it without a browser.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A lab that is ended when the test is.
pub struct Lab {
    pub child: Child,
    /// The address with its token.
    pub url: String,
}

impl Lab {
    pub fn start(data: &Path) -> Lab {
        Lab::start_with(data, &[])
    }

    pub fn start_with(data: &Path, more: &[&str]) -> Lab {
        let mut child = Command::new(cargo_bin("bellmino"))
            .args(["lab", "--no-open", "--quiet", "--port", "0", "--data"])
            .arg(data)
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Lab { child, url: line.trim().to_owned() }
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://").split('/').next().unwrap()
    }

    pub fn token(&self) -> &str {
        self.url.split_once("?token=").map_or("", |(_, token)| token)
    }

    /// The cookie of whoever knows the token.
    pub fn cookie(&self) -> String {
        let port = self.address().rsplit(':').next().unwrap();
        format!("bellmino-{port}={}", self.token())
    }

    /// Ends it as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One page.
pub struct Page {
    pub socket: WebSocket<TcpStream>,
    next: u32,
}

impl Page {
    pub fn open(lab: &Lab) -> Page {
        Page::try_open(lab).unwrap()
    }

    pub fn try_open(lab: &Lab) -> Result<Page, String> {
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let stream = TcpStream::connect(lab.address()).map_err(|error| said(&error))?;
        stream.set_nodelay(true).map_err(|error| said(&error))?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(|error| said(&error))?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(|error| said(&error))?;
        let mut request =
            format!("ws://{}/socket", lab.address()).into_client_request().map_err(|error| said(&error))?;
        request.headers_mut().insert("Cookie", lab.cookie().parse().unwrap());
        let (socket, _) = tungstenite::client(request, stream).map_err(|error| said(&error))?;
        Ok(Page { socket, next: 1 })
    }

    /// Sends a message that wants no answer.
    pub fn tell(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// Sends a request; gives its number.
    pub fn ask(&mut self, what: &str, mut values: Value) -> u32 {
        let id = self.next;
        self.next += 1;
        values["do"] = json!(what);
        values["id"] = json!(id);
        self.tell(&values);
        id
    }

    /// The next message of the lab.
    pub fn hear(&mut self) -> Result<Value, String> {
        let begin = Instant::now();
        loop {
            // Pings come all the while.
            if begin.elapsed() > PATIENCE {
                return Err("nothing came but pings".to_owned());
            }
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    return serde_json::from_str(&text).map_err(|error| error.to_string());
                }
                Ok(Message::Close(frame)) => return Err(format!("closed: {frame:?}")),
                Ok(_) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    /// The first message that is wanted.
    pub fn until(&mut self, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            assert!(begin.elapsed() < PATIENCE, "the message did not come");
            let message = self.hear().unwrap();
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Asks and waits for the answer.
    pub fn request(&mut self, what: &str, values: Value) -> Result<Value, String> {
        let id = self.ask(what, values);
        let answer = self.until(|message| message["re"] == id);
        match answer["error"].as_str() {
            Some(why) => Err(why.to_owned()),
            None => Ok(answer["ok"].clone()),
        }
    }

    /// Sits down to a timed game.
    pub fn play(&mut self, mode: &str, seed: u64) {
        let hands = json!({ "das": 150, "arr": 75, "soft": 35, "cut": 100 });
        self.request("play-open", json!({ "mode": mode, "seed": seed, "hands": hands })).unwrap();
    }

    /// Presses a key for a moment; gives the number of its last event.
    pub fn tap(&mut self, key: &str, number: u32) -> u32 {
        for (down, number) in [(true, number), (false, number + 1)] {
            // A time of the future counts as now.
            self.tell(&json!({ "do": "key", "key": key, "down": down, "at": 1e15, "number": number }));
        }
        number + 1
    }

    /// Drops pieces in the middle until the game is over.
    pub fn top_out(&mut self) {
        for number in 0..40 {
            self.tap("hard-drop", 2 * number + 1);
        }
    }
}
