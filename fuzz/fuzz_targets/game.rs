//! See `bellmino_fuzz::game`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| bellmino_fuzz::game(text));
