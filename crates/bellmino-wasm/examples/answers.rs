//! Answers a list of letters on stdin, one JSON value each, by one line each: the native twin of `tests/wasm/same.mjs`.

use std::io::{Read, stdin};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    stdin().read_to_string(&mut text)?;
    let letters: Vec<serde_json::Value> = serde_json::from_str(&text)?;
    for letter in letters {
        println!("{}", bellmino_wasm::answer(&letter.to_string()));
    }
    Ok(())
}
