//! A page's own lab from the other side of the border: one for each instance of the module.
//!
//! The worker that hosts it gives `page.now()`, the time in milliseconds, and `page.say(at, bytes)`, which hands a message to the page.
//! Texts go in as letters. What is kept goes in part by part ([`page_put`]) before the page says anything, and changes come out as a
//! JSON list of keys and contents ([`page_changed`]); when they are written down, or not, [`page_stored`] says so.

use std::cell::RefCell;
use std::sync::Arc;

use bellmino_page::MemoryArchive;
use serde_json::json;

use crate::worker::{PageWorker, WorkerHome};
use crate::{reply_with, take_letter};

/// What the worker that hosts the module gives it.
#[cfg(target_arch = "wasm32")]
mod home {
    #[link(wasm_import_module = "page")]
    unsafe extern "C" {
        pub safe fn now() -> f64;
        pub safe fn say(at: *const u8, bytes: usize);
    }
}

/// Elsewhere nobody hosts it.
#[cfg(not(target_arch = "wasm32"))]
mod home {
    pub fn now() -> f64 {
        0.0
    }

    pub fn say(_: *const u8, _: usize) {}
}

/// The worker on the other side.
struct Border;

impl WorkerHome for Border {
    fn now(&self) -> f64 {
        home::now()
    }

    fn say(&self, text: &str) {
        home::say(text.as_ptr(), text.len());
    }
}

thread_local! {
    static WORKER: RefCell<PageWorker> =
        RefCell::new(PageWorker::new(Arc::new(Border), MemoryArchive::default()));
}

/// Puts in a part that was kept: the letter is a JSON list of its key and its content. The reply is empty, or why it cannot be.
#[unsafe(no_mangle)]
pub extern "C" fn page_put() -> usize {
    let put = |(key, content): (String, String)| {
        WORKER.with_borrow(|worker| worker.put(&key, &content)).map_err(|why| why.to_string())
    };
    let done = serde_json::from_str(&take_letter()).map_err(|why| why.to_string()).and_then(put);
    reply_with(done.err().unwrap_or_default())
}

/// The page says the letter, at a time of day in milliseconds since 1970. The reply is empty, or why the page is heard no more.
#[unsafe(no_mangle)]
pub extern "C" fn page_hear(day: f64) -> usize {
    let letter = take_letter();
    WORKER.with_borrow_mut(|worker| {
        worker.set_day(day as i64);
        worker.hear(&letter);
        reply_with(worker.closed().map_or("", |fault| fault.reason))
    })
}

/// Lets time go by; 1 if this is to be called again within milliseconds.
#[unsafe(no_mangle)]
pub extern "C" fn page_tick() -> u32 {
    WORKER.with_borrow_mut(|worker| u32::from(worker.tick()))
}

/// Works for a while; 1 if there is more to do.
#[unsafe(no_mangle)]
pub extern "C" fn page_work() -> u32 {
    WORKER.with_borrow_mut(|worker| u32::from(worker.work()))
}

/// What is to be written down now, as a JSON list; no bytes if there is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn page_changed() -> usize {
    WORKER.with_borrow_mut(|worker| {
        if !worker.has_changed() {
            return reply_with("");
        }
        reply_with(json!(worker.changed()).to_string())
    })
}

/// It is written down, or not: then the letter says why.
#[unsafe(no_mangle)]
pub extern "C" fn page_stored() {
    let why = take_letter();
    WORKER.with_borrow_mut(|worker| worker.stored(Some(why.as_str()).filter(|why| !why.is_empty())));
}

/// All that is kept, as one file.
#[unsafe(no_mangle)]
pub extern "C" fn page_export() -> usize {
    WORKER.with_borrow(|worker| reply_with(worker.export()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{REPLY, put_letter};
    use serde_json::Value;

    fn reply() -> String {
        String::from_utf8(REPLY.take()).unwrap()
    }

    #[test]
    fn texts_go_in_and_come_out() {
        put_letter(r#"["setting/look", "{\"theme\":\"dark\"}"]"#);
        assert_eq!((page_put(), reply().as_str()), (0, ""));
        put_letter(r#"["elsewhere", "{}"]"#);
        assert!(page_put() > 0 && reply().contains("`elsewhere` is not known"));
        put_letter(r#"{ "id": 1, "do": "set", "key": "look", "value": { "size": 2 } }"#);
        assert_eq!(page_hear(1000.0), 0);
        let bytes = page_changed();
        let changed = reply();
        assert_eq!(changed.len(), bytes);
        let changed: Vec<(String, String)> = serde_json::from_str(&changed).unwrap();
        let look: Value = serde_json::from_str(&changed[0].1).unwrap();
        assert_eq!((changed.len(), look), (1, json!({ "theme": "dark", "size": 2 })));
        page_stored();
        assert_eq!((page_changed(), page_tick(), page_work()), (0, 0, 0));
        let bytes = page_export();
        let kept = REPLY.take();
        assert_eq!(kept.len(), bytes);
        assert!(MemoryArchive::import(&kept).is_ok());
        put_letter("no message");
        assert!(page_hear(1000.0) > 0);
        assert_eq!(reply(), "malformed message");
    }
}
