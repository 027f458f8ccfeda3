//! The flags of a request: made from its schema, so that a field is declared once, in its type.

use bellmino_lab::request::{Request, RequestError, Variants, kinds, merged, read, schema_of, shown_fields};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use crate::cli::Common;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// A request as its flags say.
#[derive(Clone, Debug)]
pub struct Flags<R>(pub R);

/// The flags of a request that stand before or after any command.
#[derive(Clone, Debug)]
pub struct GlobalFlags<R>(pub R);

impl<R: JsonSchema + DeserializeOwned> Args for Flags<R> {
    fn augment_args(command: Command) -> Command {
        fields::<R>()
            .iter()
            .filter(|field| !field.is_global)
            .fold(command, |command, field| command.arg(field.arg()))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<R: JsonSchema + DeserializeOwned> FromArgMatches for Flags<R> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        given(matches).map(Flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<R: JsonSchema + DeserializeOwned> Args for GlobalFlags<R> {
    fn augment_args(command: Command) -> Command {
        fields::<R>().iter().fold(command, |command, field| command.arg(field.arg().global(true)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<R: JsonSchema + DeserializeOwned> FromArgMatches for GlobalFlags<R> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        given(matches).map(GlobalFlags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The answer to a request, watched in the terminal.
pub fn answer<R: Request>(request: &R, common: &Common) -> Result<R::Answer, Failure> {
    Terminal::new(common).ask(request)
}

/// A command for each kind of a request that has several.
pub fn variant_commands<R: JsonSchema>() -> Vec<Command> {
    let variants = Variants::of(&schema_of::<R>());
    let command = |variant: &bellmino_lab::request::Variant| {
        let fields = fields_of(&variant.schema);
        let fields = fields.iter().filter(|field| !field.is_global);
        let command = Command::new(variant.name.clone()).about(variant.about.clone());
        fields.fold(command, |command, field| command.arg(field.arg()))
    };
    variants.iter().flat_map(|variants| variants.all.iter().map(command)).collect()
}

/// Reads a request from what was given to the command of one of its kinds.
pub fn variant_given<R: JsonSchema + DeserializeOwned>(name: &str, matches: &ArgMatches) -> Result<R, Error> {
    let variants = Variants::of(&schema_of::<R>());
    let chosen = variants.iter().flat_map(|variants| &variants.all).find(|one| one.name == name);
    let fields = chosen.map(|one| fields_of(&one.schema)).unwrap_or_default();
    let mut values = values(&fields, matches);
    values.extend(variants.map(|variants| (variants.field, Value::String(name.to_owned()))));
    checked(values)
}

/// The flag of one field of a request.
pub fn flag<R: JsonSchema>(name: &str) -> Arg {
    let fields = fields::<R>();
    fields.iter().find(|field| field.name == name).map_or_else(|| Arg::new(name.to_owned()), Field::arg)
}

/// What is wrong with a request, in the words of its flags.
pub fn refuse<R: JsonSchema>(error: &RequestError) -> Failure {
    let text = spelled::<R>(error);
    if error.is_input() { Failure::input(text) } else { Failure::run(anyhow::anyhow!(text)) }
}

fn spelled<R: JsonSchema>(error: &RequestError) -> String {
    let fields = fields::<R>();
    error.spelled(|name| {
        fields.iter().find(|field| field.name == name).map_or_else(|| name.to_owned(), Field::spelled)
    })
}

/// Reads the request from what was given on the command line.
fn given<R: JsonSchema + DeserializeOwned>(matches: &ArgMatches) -> Result<R, Error> {
    checked(values(&fields::<R>(), matches))
}

/// The same with one field given otherwise.
pub fn given_with<R: JsonSchema + DeserializeOwned>(
    matches: &ArgMatches,
    name: &str,
    value: String,
) -> Result<R, Error> {
    let mut values = values(&fields::<R>(), matches);
    values.insert(name.to_owned(), Value::String(value));
    checked(values)
}

/// The values of these fields, so far as they were given; a command need not have all of them.
fn values(fields: &[Field], matches: &ArgMatches) -> Map<String, Value> {
    fields.iter().filter_map(|field| Some((field.name.clone(), field.value(matches)?))).collect()
}

fn checked<R: JsonSchema + DeserializeOwned>(values: Map<String, Value>) -> Result<R, Error> {
    read(Value::Object(values))
        .map_err(|error| Error::raw(ErrorKind::ValueValidation, spelled::<R>(&error) + "\n"))
}

/// A field of a request as the command line has it.
struct Field {
    name: String,
    flag: String,
    short: Option<char>,
    help: String,
    value_name: Option<String>,
    kind: Takes,
    default: Option<String>,
    is_required: bool,
    is_positional: bool,
    is_global: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Switch,
    Number,
    Text,
    List,
}

/// The fields of a request that have flags.
fn fields<R: JsonSchema>() -> Vec<Field> {
    fields_of(&merged(schema_of::<R>()))
}

fn fields_of(schema: &Value) -> Vec<Field> {
    shown_fields(schema)
        .map(|(name, property, is_required)| Field::new(name, property, is_required))
        .collect()
}

impl Field {
    fn new(name: &str, property: &Value, is_required: bool) -> Field {
        let text = |key: &str| property[key].as_str().map(str::to_owned);
        let kinds = kinds(property);
        let kind = if kinds.contains(&"boolean") {
            Takes::Switch
        } else if kinds.contains(&"array") {
            Takes::List
        } else if kinds.contains(&"integer") || kinds.contains(&"number") {
            Takes::Number
        } else {
            Takes::Text
        };
        let default = match &property["default"] {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => {
                // A whole number is written as one.
                let whole = number.as_f64().filter(|whole| number.is_f64() && whole.fract() == 0.0);
                Some(whole.map_or_else(|| number.to_string(), |whole| whole.to_string()))
            }
            _ => None,
        };
        Field {
            name: name.to_owned(),
            flag: text("x-flag").unwrap_or_else(|| name.replace('_', "-")),
            short: text("x-short").and_then(|text| text.chars().next()),
            help: text("description").unwrap_or_default().replace('\n', " "),
            value_name: text("x-value"),
            kind,
            default,
            is_required,
            is_positional: property["x-positional"] == true,
            is_global: property["x-global"] == true,
        }
    }

    /// As it is written on the command line.
    fn spelled(&self) -> String {
        match self.short {
            _ if self.is_positional => self.name.to_uppercase(),
            Some(short) => format!("-{short}"),
            None => format!("--{}", self.flag),
        }
    }

    fn arg(&self) -> Arg {
        let mut arg = Arg::new(self.name.clone()).help(self.help.clone());
        if !self.is_positional {
            arg = arg.long(self.flag.clone()).short(self.short);
        }
        if let Some(default) = &self.default {
            arg = arg.default_value(default.clone());
        }
        if self.is_required && self.default.is_none() {
            arg = arg.required(true);
        }
        arg = match self.kind {
            Takes::Switch => return arg.action(ArgAction::SetTrue),
            Takes::List if self.is_positional => arg.action(ArgAction::Append).num_args(0..),
            Takes::List => arg.action(ArgAction::Append),
            Takes::Number => arg.allow_negative_numbers(true),
            Takes::Text => arg,
        };
        let value_name = self.value_name.clone().unwrap_or_else(|| self.name.to_uppercase());
        arg.value_name(value_name)
    }

    /// What was given, as JSON. A text where a number should be stays a text: the check of the request says what is right.
    fn value(&self, matches: &ArgMatches) -> Option<Value> {
        let text = || matches.try_get_one::<String>(&self.name).ok().flatten();
        match self.kind {
            Takes::Switch => matches.try_get_one(&self.name).ok().flatten().map(|is| Value::Bool(*is)),
            Takes::List => {
                let list = matches.try_get_many::<String>(&self.name).ok().flatten()?;
                Some(list.cloned().map(Value::String).collect())
            }
            Takes::Text => text().cloned().map(Value::String),
            Takes::Number => text().map(|text| number(text)),
        }
    }
}

fn number(text: &str) -> Value {
    if let Ok(whole) = text.parse::<u64>() {
        return whole.into();
    }
    let number = text.parse::<f64>().ok().and_then(Number::from_f64);
    number.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}
