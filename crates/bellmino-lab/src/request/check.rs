//! Requests from JSON: every field is held against the schema of its type, so that a refusal names it.

use bellmino_data::numbers::grouped;
use bellmino_engine::suggestion;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::{RequestError, named};

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
    check_all(&schema_of::<T>(), fields)?;
    serde_json::from_value(value).map_err(RequestError::input)
}

/// Holds a request that was made in a program against its schema.
pub fn check<T: JsonSchema + Serialize>(request: &T) -> Result<(), RequestError> {
    match serde_json::to_value(request).map_err(RequestError::run)? {
        Value::Object(fields) => check_all(&schema_of::<T>(), &fields),
        _ => Err(RequestError::input("a request is a JSON object")),
    }
}

/// Holds the fields of a request against its schema, or against that of its kind if it has several.
fn check_all(schema: &Value, fields: &Map<String, Value>) -> Result<(), RequestError> {
    let Some(variants) = Variants::of(schema) else { return check_fields(schema, fields) };
    let mut others = fields.clone();
    others.shift_remove(&variants.field);
    check_fields(&variants.chosen(fields)?.schema, &others)
}

/// Holds fields against a schema.
fn check_fields(schema: &Value, fields: &Map<String, Value>) -> Result<(), RequestError> {
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
    if let Some(missing) = required.into_iter().find(|name| !fields.contains_key(*name)) {
        return Err(RequestError::field(
            missing,
            format!("is missing; give {}", wanted(&properties[missing])),
        ));
    }
    check_company(properties, fields)
}

/// Fields that need another one, and those that do not go with it. What is as it is by default is not given.
fn check_company(properties: &Map<String, Value>, fields: &Map<String, Value>) -> Result<(), RequestError> {
    let is_given = |name: &str| {
        let default = properties.get(name).map_or(&Value::Null, |property| &property["default"]);
        fields.get(name).is_some_and(|value| {
            !(value.is_null() || *value == Value::Bool(false) || is_same(value, default))
        })
    };
    for (name, property) in properties.iter().filter(|(name, _)| is_given(name)) {
        let list = |key: &str| property[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(missing) = list("x-needs").find(|other| !is_given(other)) {
            return Err(RequestError::input(format!(
                "{} needs {}; give it too",
                named(name),
                named(missing)
            )));
        }
        if let Some(other) = list("x-excludes").find(|other| is_given(other)) {
            return Err(RequestError::input(format!(
                "{} and {} do not go together; give one of them",
                named(name),
                named(other)
            )));
        }
    }
    Ok(())
}

/// Whether two values are the same; numbers are, whether or not they are written with a point.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().is_some_and(|number| other.as_f64() == Some(number))
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

/// A request of several kinds, such as training by several methods: one field says which, and others depend on it.
pub struct Variants {
    /// The field that says which.
    pub field: String,
    /// All of them.
    pub all: Vec<Variant>,
}

/// One of several kinds of a request.
pub struct Variant {
    /// Its name, which is the value of the field that says which.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The schema of such a request, with the fields that all have, and without the one that says which.
    pub schema: Value,
}

impl Variants {
    /// The kinds of a request, if it has several.
    pub fn of(schema: &Value) -> Option<Variants> {
        let list = schema["oneOf"].as_array()?;
        let field = list.first()?["properties"].as_object()?.iter().find(|(_, one)| one["const"].is_string());
        let field = field?.0.clone();
        let all = list.iter().filter_map(|one| Variant::new(schema, one, &field)).collect();
        Some(Variants { field, all })
    }

    /// The kind that these fields are of; fields of other kinds are refused.
    fn chosen(&self, fields: &Map<String, Value>) -> Result<&Variant, RequestError> {
        let names: Vec<String> = self.all.iter().map(|one| format!("`{}`", one.name)).collect();
        let right = listed(&names, "or");
        let Some(given) = fields.get(&self.field) else {
            return Err(RequestError::field(&self.field, format!("is missing; give {right}")));
        };
        let found = self.all.iter().find(|one| *given == one.name);
        let found =
            found.ok_or_else(|| RequestError::field(&self.field, format!("give {right}, not {given}")))?;
        for name in fields.keys().filter(|name| **name != self.field && !found.has(name)) {
            let others: Vec<String> =
                self.all.iter().filter(|one| one.has(name)).map(|one| one.name.clone()).collect();
            if !others.is_empty() {
                let why = format!("is for {}, not for {}", listed(&others, "and"), found.name);
                return Err(RequestError::field(name, why));
            }
        }
        Ok(found)
    }

    /// One schema with the fields of all kinds. What differs is told of each; nothing has a default that not all have.
    fn merged(&self, schema: &Value) -> Value {
        let about: Vec<String> = self.all.iter().map(|one| format!("{} ({})", one.name, one.about)).collect();
        let names: Vec<&str> = self.all.iter().map(|one| one.name.as_str()).collect();
        let mut properties = Map::new();
        properties.insert(
            self.field.clone(),
            json!({
                "type": "string",
                "enum": names,
                "description": about.join(", "),
                "x-positional": true,
                "x-by-place": true,
            }),
        );
        let common = schema["properties"].as_object().cloned().unwrap_or_default();
        let own = |one: &Variant| {
            let all = one.schema["properties"].as_object().cloned().unwrap_or_default();
            all.into_iter()
                .map(|(name, _)| name)
                .filter(|name| !common.contains_key(name))
                .collect::<Vec<_>>()
        };
        let mut names: Vec<String> = Vec::new();
        for name in self.all.iter().flat_map(own) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        properties.extend(common.clone());
        properties.extend(names.into_iter().map(|name| {
            let property = self.told(&name);
            (name, property)
        }));
        let mut merged = schema.clone();
        let required = merged["required"].as_array().cloned().unwrap_or_default();
        merged["required"] = [json!(self.field)].into_iter().chain(required).collect();
        merged["properties"] = Value::Object(properties);
        merged.as_object_mut().map(|merged| merged.shift_remove("oneOf"));
        merged
    }

    /// A field that not all kinds have, or not all in the same way.
    fn told(&self, name: &str) -> Value {
        let mut ways: Vec<(String, Vec<&str>)> = Vec::new();
        for one in self.all.iter().filter(|one| one.has(name)) {
            let property = &one.schema["properties"][name];
            let words = property["description"].as_str().unwrap_or_default().replace('\n', " ");
            let words = match &property["default"] {
                Value::Number(default) => format!("{words} [default: {default}]"),
                Value::String(default) => format!("{words} [default: {default}]"),
                _ => words,
            };
            match ways.iter_mut().find(|(known, _)| *known == words) {
                Some((_, names)) => names.push(&one.name),
                None => ways.push((words, vec![&one.name])),
            }
        }
        let words: Vec<String> =
            ways.iter().map(|(words, names)| format!("For {}: {words}", names.join(", "))).collect();
        let first = self.all.iter().find(|one| one.has(name));
        let mut property = first.map(|one| one.schema["properties"][name].clone()).unwrap_or_default();
        property["description"] = json!(words.join(". "));
        property["default"] = Value::Null;
        property
    }
}

impl Variant {
    fn new(schema: &Value, one: &Value, field: &str) -> Option<Variant> {
        let object = |value: &Value| value.as_object().cloned().unwrap_or_default();
        let name = one["properties"][field]["const"].as_str()?.to_owned();
        let about = one["description"].as_str().unwrap_or_default().replace('\n', " ");
        let mut properties = object(&schema["properties"]);
        properties.extend(object(&one["properties"]));
        properties.shift_remove(field);
        let mut whole = schema.clone();
        whole["properties"] = Value::Object(properties);
        whole.as_object_mut().map(|whole| whole.shift_remove("oneOf"));
        Some(Variant { name, about, schema: whole })
    }

    fn has(&self, field: &str) -> bool {
        self.schema["properties"].get(field).is_some()
    }
}

/// The schema of a request as one list of fields: those of all its kinds, if it has several.
pub fn merged(schema: Value) -> Value {
    match Variants::of(&schema) {
        Some(variants) => variants.merged(&schema),
        None => schema,
    }
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
        return listed(&names, "or");
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

/// Names as one writes them one after the other.
fn listed(names: &[String], word: &str) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

fn decimals(bound: f64) -> usize {
    if bound.fract() == 0.0 { 0 } else { 3 }
}
