//! See `bellmino_fuzz::fumen`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| bellmino_fuzz::fumen(text));
