//! Requests from JSON: every field is held against the schema of its type, so that a refusal names it.

use bellmino_data::numbers::grouped;
use bellmino_engine::suggestion;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::RequestError;

/// The JSON Schema of a type, as a value.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings =
        schemars::generate::SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Reads a request from a JSON object. Unknown fields, wrong types and numbers out of range are refused by name.
pub fn read<T: JsonSchema + DeserializeOwned>(value: Value) -> Result<T, RequestError> {
    let Value::Object(fields) = &value else {
        return Err(RequestError::input("a request is a JSON object"));
    };
    let schema = schema_of::<T>();
    check_fields(&schema, fields)?;
    serde_json::from_value(value).map_err(RequestError::input)
}

/// Holds the fields of a request against its schema.
pub(super) fn check_fields(schema: &Value, fields: &Map<String, Value>) -> Result<(), RequestError> {
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    for (name, value) in fields {
        let Some(property) = properties.get(name) else {
            let hint = suggestion(name, properties.keys().map(String::as_str));
            return Err(RequestError::input(format!("there is no option `{name}`; {hint}")));
        };
        if !fits(property, value) {
            return Err(RequestError::field(name, format!("give {}, not {value}", wanted(property))));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match required.into_iter().find(|name| !fields.contains_key(*name)) {
        Some(missing) => {
            Err(RequestError::field(missing, format!("is missing; give {}", wanted(&properties[missing]))))
        }
        None => Ok(()),
    }
}

/// Whether a value is what a property may be.
fn fits(property: &Value, value: &Value) -> bool {
    if let Some(choices) = choices(property) {
        return choices.contains(&value) || (is_optional(property) && value.is_null());
    }
    if let Some(any) = property["anyOf"].as_array() {
        return any.iter().any(|one| fits(one, value));
    }
    let is = |kind: &str| match kind {
        "integer" => value.as_u64().is_some() || value.as_i64().is_some(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.as_array().is_some_and(|list| list.iter().all(|one| fits(&property["items"], one))),
        "object" => value.is_object(),
        _ => true,
    };
    let kinds = kinds(property);
    if !kinds.is_empty() && !kinds.iter().any(|kind| is(kind)) {
        return false;
    }
    let Some(number) = value.as_f64() else { return true };
    let bound = |key: &str| property[key].as_f64();
    bound("minimum").is_none_or(|least| number >= least)
        && bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMinimum").is_none_or(|least| number > least)
        && bound("exclusiveMaximum").is_none_or(|most| number < most)
}

/// The fields of a request that people fill in, and whether each has to be there.
pub fn shown_fields(schema: &Value) -> impl Iterator<Item = (&String, &Value, bool)> {
    let required = &schema["required"];
    let properties = schema["properties"].as_object().into_iter().flatten();
    let shown = properties.filter(|(_, property)| property["x-no-flag"] != true);
    shown.map(move |(name, property)| {
        let is_required = required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
        (name, property, is_required)
    })
}

/// The types of a property.
pub fn kinds(property: &Value) -> Vec<&str> {
    match &property["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    }
}

fn is_optional(property: &Value) -> bool {
    kinds(property).contains(&"null")
        || property["anyOf"].as_array().is_some_and(|any| any.iter().any(|one| one["type"] == "null"))
}

/// The values of a property that has only some.
fn choices(property: &Value) -> Option<Vec<&Value>> {
    if let Some(list) = property["enum"].as_array() {
        return Some(list.iter().collect());
    }
    if let Some(any) = property["anyOf"].as_array() {
        return any.iter().find_map(choices);
    }
    let list = property["oneOf"].as_array()?;
    list.iter().map(|one| one.get("const")).collect()
}

/// What a property may be, in words.
fn wanted(property: &Value) -> String {
    if let Some(choices) = choices(property) {
        let names: Vec<String> =
            choices.iter().filter_map(|one| one.as_str()).map(|name| format!("`{name}`")).collect();
        return match &names[..] {
            [] => "nothing".to_owned(),
            [only] => only.clone(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        };
    }
    let kinds = kinds(property);
    let kind = kinds.iter().find(|kind| **kind != "null").copied().unwrap_or("something else");
    let noun = match kind {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a text",
        "boolean" => "true or false",
        "array" => "a list",
        other => other,
    };
    let bound = |key: &str| property[key].as_f64().map(|bound| grouped(bound, decimals(bound)));
    match (bound("minimum"), bound("maximum"), bound("exclusiveMinimum")) {
        (Some(least), Some(most), _) => format!("{noun} from {least} to {most}"),
        (Some(least), None, _) => format!("{noun} of at least {least}"),
        (None, Some(most), _) => format!("{noun} of at most {most}"),
        (None, None, Some(least)) => format!("{noun} above {least}"),
        _ => noun.to_owned(),
    }
}

fn decimals(bound: f64) -> usize {
    if bound.fract() == 0.0 { 0 } else { 3 }
}
