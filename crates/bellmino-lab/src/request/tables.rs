//! Recorded games as tables of games and moves.

use bellmino_data::numbers::grouped;
use bellmino_data::{Format, GameHead};
use bellmino_engine::AnyRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Context, Event, OpenTables, Request, RequestError, named};
use crate::recorded::bind_record;
use crate::resources::{ResourceKind, read_text};

/// Turn records, or the games of the lab, into tables of games and moves
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TablesRequest {
    /// Records, as `play --record` and the lab write them
    #[serde(default)]
    #[schemars(extend("x-positional" = true, "x-value" = "RECORDS", "x-needs" = ["output"]))]
    pub records: Vec<String>,

    /// The folder for the tables
    #[serde(default)]
    #[schemars(extend("x-value" = "DIR", "x-short" = "o"))]
    pub output: Option<String>,

    /// How tables are written.
    #[serde(flatten)]
    pub written: TablesFormat,
}

/// How tables are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TablesFormat {
    /// How tables are written: parquet or csv [default: parquet]
    #[serde(default)]
    #[schemars(extend("x-value" = "FORMAT"))]
    pub format: Option<Format>,
}

/// What tables hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TablesAnswer {
    /// Their folder.
    pub folder: String,
    /// Games.
    pub games: u64,
    /// Moves.
    pub moves: u64,
}

/// Games from elsewhere that go into tables.
pub type MoreGames<'a> = &'a mut dyn FnMut(&dyn OpenTables) -> Result<(), RequestError>;

impl TablesFormat {
    /// Begins tables.
    pub(super) fn begin(
        self,
        name: &str,
        context: &Context<'_>,
    ) -> Result<Box<dyn OpenTables>, RequestError> {
        context.outputs.tables(name, self.format.unwrap_or_default())
    }
}

/// Puts tables in their place and says what they hold.
pub(super) fn finish(
    tables: Box<dyn OpenTables>,
    is_interrupted: bool,
    context: &Context<'_>,
) -> Result<TablesAnswer, RequestError> {
    let (folder, games, moves) = tables.finish()?;
    let why = if is_interrupted { "interrupted; " } else { "" };
    let [shown_games, shown_moves] = [games, moves].map(|count| grouped(count as f64, 0));
    context.tell(Event::Notice(format!("{why}tables in {folder}: {shown_games} games, {shown_moves} moves")));
    Ok(TablesAnswer { folder, games, moves })
}

impl Request for TablesRequest {
    const NAME: &'static str = "tables";
    type Answer = TablesAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<TablesAnswer, RequestError> {
        if self.records.is_empty() {
            return Err(RequestError::input("nothing to make tables of: give records"));
        }
        self.make(context, &mut |_| Ok(()))
    }
}

impl TablesRequest {
    /// Makes tables of the records, and of games from elsewhere after them.
    pub fn make(&self, context: &Context<'_>, more: MoreGames<'_>) -> Result<TablesAnswer, RequestError> {
        let Some(folder) = &self.output else {
            return Err(RequestError::input(format!(
                "give a folder for the tables: {} DIR",
                named("output")
            )));
        };
        let tables = self.written.begin(folder, context)?;
        context.tell(Event::Begin { what: "records", parts: self.records.len() as u64 });
        for name in self.records.iter().take_while(|_| context.go_on()) {
            let refuse = |why: &dyn std::fmt::Display| RequestError::input(format!("{name}: {why}"));
            let text = read_text(context.resources, ResourceKind::Text, name).map_err(|why| refuse(&why))?;
            let record = AnyRecord::from_text(&text).map_err(|why| refuse(&why))?;
            let head = GameHead { source: Some(name.clone().into()), ..GameHead::default() };
            bind_record(tables.binder(), &record, head)
                .map_err(|why| refuse(&format!("{why}; no tables were written")))?;
            context.done(1);
        }
        context.tell(Event::End);
        more(&*tables)?;
        finish(tables, !context.go_on(), context)
    }
}
