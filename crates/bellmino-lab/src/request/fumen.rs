//! Diagrams of the community in and out.

use bellmino_engine::guideline::{Fumen, FumenDiagram, Placement, Record, Spin};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Context, Request, RequestError};
use crate::resources::{ResourceKind, read_text};

/// Turn a fumen into text, or text or a record into a fumen
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FumenRequest {
    /// A fumen (`v115@...`, or an address that contains one) to read, or a file to write as a fumen: pages of text or a
    /// record of a game; `-` is stdin
    #[schemars(extend("x-positional" = true))]
    pub input: String,

    /// The pages or the record themselves; `input` is then only what messages call them
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-no-flag" = true))]
    pub text: Option<String>,
}

/// A diagram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FumenAnswer {
    /// As a fumen.
    pub fumen: String,
    /// Page by page.
    pub pages: Vec<FumenPage>,
    /// The pages as text, if a fumen came in.
    #[serde(skip)]
    pub text: Option<String>,
}

/// A page of a diagram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FumenPage {
    /// Rows from the top, with the letters of pieces.
    pub board: Vec<String>,
    /// The piece that is placed.
    pub piece: Option<String>,
    /// What is said.
    pub comment: Option<String>,
    /// Whether the piece is locked.
    pub lock: bool,
    /// Whether the board rises.
    pub rise: bool,
    /// Whether it is mirrored.
    pub mirror: bool,
}

impl Request for FumenRequest {
    const NAME: &'static str = "fumen";
    type Answer = FumenAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<FumenAnswer, RequestError> {
        let refuse =
            |error: &dyn std::fmt::Display| RequestError::input(format!("{}: {error}", shown(&self.input)));
        let text = match &self.text {
            Some(text) => text.clone(),
            None if is_fumen(&self.input) => self.input.clone(),
            None if context.resources.has(&self.input) => {
                read_text(context.resources, ResourceKind::Text, &self.input)
                    .map_err(|error| refuse(&error))?
            }
            None => return Err(refuse(&"is neither a fumen (`v115@...`) nor a file")),
        };
        let is_decoded = is_fumen(&text);
        let fumen = if is_decoded {
            Fumen::decode(&text).map_err(|error| refuse(&error))?
        } else if text.contains("version = ") {
            let record = Record::from_text(&text).map_err(|error| refuse(&error))?;
            of_record(&record).map_err(|error| refuse(&error))?
        } else {
            Fumen::from_text(&text).map_err(|error| refuse(&error))?
        };
        let page = |page: &FumenDiagram| FumenPage {
            board: page.cells.to_string().lines().map(str::to_owned).collect(),
            piece: page.piece.map(|piece| piece.to_string()),
            comment: page.comment.clone(),
            lock: page.lock,
            rise: page.rise,
            mirror: page.mirror,
        };
        Ok(FumenAnswer {
            fumen: fumen.encode().map_err(|error| refuse(&error))?,
            pages: fumen.pages.iter().map(page).collect(),
            text: is_decoded.then(|| fumen.to_text()),
        })
    }
}

fn is_fumen(text: &str) -> bool {
    ["v115@", "m115@", "d115@", "v110@"].iter().any(|mark| text.contains(mark))
}

/// The input for a message, cut to a reasonable length.
fn shown(input: &str) -> String {
    if input.chars().count() > 40 {
        input.chars().take(37).chain("...".chars()).collect()
    } else {
        input.to_owned()
    }
}

/// A page for every placement of a game, with what it scored.
fn of_record(record: &Record) -> Result<Fumen, bellmino_engine::RecordError> {
    let mut fumen = Fumen::default();
    let (_, mut cells) = record.opening()?;
    let mut score = 0;
    record.replay(|placement, game| {
        let points = game.stats().score - score;
        score = game.stats().score;
        let comment = (points > 0).then(|| format!("+{points} = {score}"));
        let piece = Some(Placement { spin: Spin::None, ..*placement });
        fumen.pages.push(FumenDiagram { cells: cells.clone(), piece, comment, ..FumenDiagram::default() });
        cells.place(placement);
    })?;
    fumen.pages.push(FumenDiagram { cells, ..FumenDiagram::default() });
    Ok(fumen)
}
