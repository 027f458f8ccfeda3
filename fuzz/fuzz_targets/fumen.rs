//! A fumen that can be read can be written and read again, the same.
#![no_main]

use bellmino_engine::guideline::Fumen;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for fumen in [Fumen::decode(text), Fumen::decode(&format!("v115@{text}")), Fumen::from_text(text)] {
        if let Ok(fumen) = fumen
            && let Ok(encoded) = fumen.encode()
        {
            let again = Fumen::decode(&encoded).expect("our own fumen").encode();
            assert_eq!(again, Ok(encoded));
        }
    }
});
