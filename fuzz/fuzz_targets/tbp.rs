//! See `bellmino_fuzz::tbp`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| bellmino_fuzz::tbp(&String::from_utf8_lossy(data)));
