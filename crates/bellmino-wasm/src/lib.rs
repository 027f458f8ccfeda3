//! The lab in WebAssembly: requests in, answers out; and a page's own lab, with the messages that a page and a server exchange.
//!
//! [`answer`] answers one request. [`PageWorker`] is a lab for one page. The rest hands texts over the border: a page, a worker or
//! Node asks for room for its letter ([`letter`]), writes it there, calls [`ask`] or a function of [`border`], and reads as many
//! bytes from where [`reply`] says.
//!
//! ```
//! let text = bellmino_wasm::answer(r#"{ "name": "perft", "request": { "game": "baby", "depth": 4 } }"#);
//! assert!(text.contains(r#""nodes":15734"#));
//! let text = bellmino_wasm::answer(r#"{ "name": "perft", "request": { "game": "baby", "depth": 65 } }"#);
//! assert_eq!(text, r#"{"error":"`depth`: give a whole number from 0 to 64, not 65"}"#);
//! ```
//!
//! # Files
//! - `worker`: a page's own lab
//! - `hosted`: a room in it
//! - `border`: it, from the other side of the border

pub mod border;
mod hosted;
mod worker;

pub use worker::{PageWorker, WorkerHome};

use std::cell::RefCell;

use bellmino_lab::request::{Context, RequestError, RequestKind};
use serde_json::{Value, json};

/// Answers a letter: `name` says which request, `request` has its fields, as `bellmino schema` tells them. The answer is an
/// object with `answer`, or with `error` in words.
pub fn answer(letter: &str) -> String {
    let answered = serde_json::from_str(letter)
        .map_err(|error| RequestError::input(format!("this is no JSON: {error}")))
        .and_then(read);
    match answered {
        Ok(answer) => json!({ "answer": answer }),
        Err(error) => json!({ "error": error.to_string() }),
    }
    .to_string()
}

fn read(mut letter: Value) -> Result<Value, RequestError> {
    let request = letter.get_mut("request").map_or_else(|| json!({}), Value::take);
    let name = letter.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| RequestError::field("name", "say which request this is"))?;
    RequestKind::named(name)?.ask(request, &Context::default())
}

thread_local! {
    static LETTER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REPLY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for a letter of so many bytes: where it is to be written.
#[unsafe(no_mangle)]
pub extern "C" fn letter(bytes: usize) -> *mut u8 {
    LETTER.with_borrow_mut(|letter| {
        letter.clear();
        letter.resize(bytes, 0);
        letter.as_mut_ptr()
    })
}

/// Answers the letter that was written; how many bytes the reply has.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    reply_with(answer(&take_letter()))
}

/// The letter that was written.
fn take_letter() -> String {
    let letter = LETTER.with_borrow_mut(std::mem::take);
    String::from_utf8(letter).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Writes a letter, as whoever is on the other side does.
#[cfg(test)]
fn put_letter(text: &str) {
    LETTER.set(text.as_bytes().to_vec());
}

/// Lays down a reply; how many bytes it has.
fn reply_with(reply: impl Into<Vec<u8>>) -> usize {
    let reply = reply.into();
    let bytes = reply.len();
    REPLY.set(reply);
    bytes
}

/// Where the reply lies, until the next one.
#[unsafe(no_mangle)]
pub extern "C" fn reply() -> *const u8 {
    REPLY.with_borrow(Vec::as_ptr)
}
