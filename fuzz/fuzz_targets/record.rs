//! Any text as a record, replayed if it can be read.
#![no_main]

use bellmino_engine::guideline::Record;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(record) = Record::from_text(text) {
        let _ = record.replay(|_, _| {});
    }
});
