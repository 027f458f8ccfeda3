//! Requests as Python functions: the text of `python/bellmino/_requests.py`.

use std::fmt::Write;

use bellmino_lab::request::{RequestKind, kinds, shown_fields};
use serde_json::Value;

const HEAD: &str = r#""""Requests as functions. Made by `bellmino schema --python`, which a test compares; do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bellmino._ask import Callback, GameLike, PathLike, asked
from bellmino._progress import Progress
"#;

/// The module.
pub fn module() -> String {
    let functions: Vec<String> = RequestKind::ALL.iter().map(function).collect();
    format!("{HEAD}\n\n{}", functions.join("\n\n"))
}

/// A parameter of a function.
struct Parameter<'a> {
    name: &'a str,
    /// Its type and its default.
    declared: String,
    help: String,
    is_required: bool,
    /// Whether it may be given by its place though it need not be given.
    is_by_place: bool,
}

impl Parameter<'_> {
    /// The name as Python can write it.
    fn written(&self) -> String {
        let is_keyword = ["from", "global", "in", "is", "lambda", "not", "pass"].contains(&self.name);
        if is_keyword { format!("{}_", self.name) } else { self.name.to_owned() }
    }
}

fn function(kind: &RequestKind) -> String {
    let schema = kind.fields();
    let mut parameters: Vec<Parameter<'_>> = shown_fields(&schema)
        .map(|(name, property, is_required)| parameter(name, property, is_required))
        .collect();
    parameters.sort_by_key(|parameter| (!parameter.is_required, !parameter.is_by_place));
    let name = kind.name.replace('-', "_");
    let mut text = format!("def {name}(\n");
    let mut is_by_name = false;
    for parameter in &parameters {
        if !parameter.is_required && !parameter.is_by_place && !is_by_name {
            text += "    *,\n";
            is_by_name = true;
        }
        let _ = writeln!(text, "    {}: {},", parameter.written(), parameter.declared);
    }
    if !is_by_name {
        text += "    *,\n";
    }
    text += "    threads: int | None = None,\n    progress: Progress = None,\n";
    // Each step of training is told, and may be the last.
    let has_steps = schema["x-steps"] == true;
    if has_steps {
        text += "    callback: Callback = None,\n";
    }
    text += ") -> dict[str, Any]:\n";
    let about = schema["description"].as_str().unwrap_or_default();
    let _ = writeln!(text, "    \"\"\"{about}.\n");
    for parameter in &parameters {
        for (number, line) in
            wrapped(&format!("`{}`: {}.", parameter.written(), parameter.help)).iter().enumerate()
        {
            let _ = writeln!(text, "    {}{line}", if number == 0 { "" } else { "    " });
        }
    }
    if has_steps {
        text += "    `callback`: Called with each step of the learning curve; when it gives `False`, training stops with what it has.\n";
    }
    let _ = writeln!(text, "    \"\"\"\n    return asked(\"{}\", locals())", kind.name);
    text
}

fn parameter<'a>(name: &'a str, property: &Value, is_required: bool) -> Parameter<'a> {
    let kinds = kinds(property);
    let is_file =
        ["FILE", "DIR"].iter().any(|what| property["x-value"].as_str().is_some_and(|x| x.starts_with(what)));
    let of = if name == "game" {
        "GameLike"
    } else if kinds.contains(&"array") {
        "str | Iterable[str]"
    } else if kinds.contains(&"boolean") {
        "bool"
    } else if kinds.contains(&"integer") {
        "int"
    } else if kinds.contains(&"number") {
        "float"
    } else if is_file {
        "PathLike"
    } else {
        "str"
    };
    let declared = match &property["default"] {
        _ if is_required => of.to_owned(),
        Value::Bool(_) => "bool = False".to_owned(),
        Value::Number(number) => format!("{of} = {number}"),
        Value::String(text) => format!("{of} = {text:?}"),
        _ => format!("{of} | None = None"),
    };
    let help = property["description"].as_str().unwrap_or_default().replace('\n', " ");
    Parameter { name, declared, help, is_required, is_by_place: property["x-by-place"] == true }
}

/// Lines of at most 100 characters.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + 1 + word.len() > 100 {
            lines.push(word.to_owned());
        } else {
            let gap = if lines[last].is_empty() { "" } else { " " };
            lines[last] += &format!("{gap}{word}");
        }
    }
    lines
}
