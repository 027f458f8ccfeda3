//! See `bellmino_fuzz::record`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| bellmino_fuzz::record(text));
