//! The lab's command line: what it prints, and what it refuses. The page itself is tested in `web/tests`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;

/// A lab that is ended when the test is.
struct Lab(Child, String);

impl Lab {
    fn start(data: &std::path::Path) -> Lab {
        let mut child = Command::new(cargo_bin("bellmino"))
            .args(["lab", "--no-open", "--quiet", "--port", "0", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Lab(child, line.trim().to_owned())
    }

    /// The status line of a request with these headers.
    fn get(&self, path: &str, headers: &str) -> String {
        let address = self.1.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nConnection: close\r\n{}\r\n\r\n",
            headers.replace("HERE", address)
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_lab_listens_on_loopback_and_serves_its_page_to_its_own_host_only() {
    let data = tempfile::tempdir().unwrap();
    let lab = Lab::start(data.path());
    assert!(lab.1.starts_with("http://127.0.0.1:"), "{}", lab.1);
    let page = lab.get("/", "Host: HERE");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<title>Bellmino</title>"), "{page}");
    assert!(page.to_ascii_lowercase().contains("content-security-policy: default-src 'self'"));
    assert!(lab.get("/src/app.js", "Host: HERE").contains("text/javascript"));
    assert!(lab.get("/../Cargo.toml", "Host: HERE").starts_with("HTTP/1.1 404"));
    assert!(lab.get("/", "Host: evil.example").starts_with("HTTP/1.1 403"));
    assert!(lab.get("/", "Host: HERE\r\nOrigin: http://evil.example").starts_with("HTTP/1.1 403"));
    assert!(data.path().join("lab.sqlite").is_file());
}

#[test]
fn a_damaged_store_is_refused_and_left_alone() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("lab.sqlite");
    fs::write(&file, "this is not a database at all").unwrap();
    let output = Command::new(cargo_bin("bellmino"))
        .args(["lab", "--no-open", "--port", "0", "--data"])
        .arg(data.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("lab.sqlite is damaged") && message.contains("--data DIR"), "{message}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "this is not a database at all");
}
