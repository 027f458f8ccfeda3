//! What the command-line tests share.

use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

/// Runs the command with these words.
pub fn bellmino(words: &[&str]) -> Output {
    Command::cargo_bin("bellmino").unwrap().args(words).output().unwrap()
}

/// Runs it, expects success and returns what it printed.
pub fn stdout(words: &[&str]) -> String {
    let output = bellmino(words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?} failed: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it with `--json` and returns the object.
pub fn json(words: &[&str]) -> Value {
    let text = stdout(&[words, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words:?} printed no JSON ({error}): {text}"))
}

/// Runs it, expects exit status 2, nothing on stdout and no panic; returns what it said.
pub fn refused(words: &[&str]) -> String {
    let output = bellmino(words);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
    assert!(output.stdout.is_empty() && !error.contains("panicked"), "{words:?}: {error}");
    error
}
