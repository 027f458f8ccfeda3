//! What is best here: the bot's choices in a position, each with the boards that follow, as the page draws them.

use bellmino_engine::RecordError;
use bellmino_engine::guideline::{ColourBoard, Piece, Placement, Rules, View};
use bellmino_lab::verdict::{choice_words, forecast_words, loss_words};
use bellmino_search::{Analysis, Budget, Choice, analyse};
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use crate::picture::{Picture, guideline_cells};
use crate::setup::{Mode, Setup, SetupError};

/// The most nodes a page may ask for: about a third of a second.
const MAX_NODES: u64 = 1_000_000;

/// How many choices are shown.
pub const CHOICES: usize = 3;

/// A position, and how long to think about it.
#[derive(Clone, Debug, Deserialize)]
pub struct BestOrder {
    /// Board, queue and held piece.
    #[serde(flatten)]
    setup: Setup,
    /// What the game is about.
    mode: Mode,
    /// Pieces placed so far.
    #[serde(default)]
    pieces: u32,
    /// Rows cleared so far.
    #[serde(default)]
    lines: u32,
    /// Points made so far; without them the points to come are told.
    #[serde(default)]
    score: Option<u64>,
    /// Whether the last clear keeps back-to-back alive.
    #[serde(default)]
    back_to_back: bool,
    /// Clears in a row so far.
    #[serde(default)]
    combo: u32,
    /// Placements to look at.
    #[serde(default)]
    nodes: Option<u64>,
}

/// Why a position is not judged.
#[derive(Debug, Error)]
pub enum BestError {
    /// No placement is possible.
    #[error("no placement is possible here")]
    Nothing,
    /// No piece was given.
    #[error("say which piece is in play and which come next, such as TIOSZ")]
    NoQueue,
    /// There is nothing left to play for.
    #[error("the game is over after so many pieces and lines")]
    Over,
    /// The position is none.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The rules refuse it.
    #[error(transparent)]
    Position(#[from] RecordError),
}

impl BestOrder {
    /// The best choices, as the page shows them.
    pub fn answer(&self) -> Result<Value, BestError> {
        let (view, colours) = self.view()?;
        let nodes = self.nodes.map_or(Budget::REVIEW, |nodes| Budget::nodes(nodes.clamp(100, MAX_NODES)));
        let analysis = analyse(&view, CHOICES, nodes).ok_or(BestError::Nothing)?;
        Ok(shown(&view, &colours, &analysis, self.score))
    }

    fn view(&self) -> Result<(View, ColourBoard), BestError> {
        let start = self.setup.start()?;
        let given = self.setup.queue.chars().filter_map(Piece::from_letter).count();
        if given == 0 {
            return Err(BestError::NoQueue);
        }
        let rules: Rules = self.mode.rules();
        let bag = bellmino_engine::guideline::Bag::new(0);
        let (game, colours) = start.game(rules, bag)?;
        let mut view = game.view();
        // What was not given is not known.
        view.queue.truncate(given);
        view.bag.clear();
        (view.pieces, view.lines) = (self.pieces, self.lines);
        (view.position.back_to_back, view.position.combo) = (self.back_to_back, self.combo);
        if view.is_done() {
            return Err(BestError::Over);
        }
        Ok((view, colours))
    }
}

/// The choices of an analysis as the page shows them, each with the line of play that follows.
pub fn shown(view: &View, colours: &ColourBoard, analysis: &Analysis, score: Option<u64>) -> Value {
    let choice = |(place, choice): (usize, &Choice)| {
        let words = if place == 0 { "best".to_owned() } else { choice_words(choice, analysis.coin) };
        json!({
            "piece": choice.placement.piece.letter(),
            "cells": guideline_cells(&choice.placement),
            "place": place_words(&choice.placement),
            "held": choice.held,
            "clear": choice.clear.to_string(),
            "words": words,
            "loss": choice.loss,
            "loss_words": loss_words(choice.loss, analysis.coin),
            "fatal": choice.fatal,
            "expected": choice.forecast.map(|forecast| forecast_words(&forecast, score)),
            "reasons": choice.reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "line": line(view, colours, &choice.line),
        })
    };
    json!({
        "coin": analysis.coin.name(),
        "expected": analysis.forecast.map(|forecast| forecast_words(&forecast, score)),
        "nodes": analysis.thought.nodes,
        "depth": analysis.thought.depth,
        "milliseconds": analysis.thought.time.as_millis() as u64,
        "choices": analysis.choices.iter().enumerate().map(choice).collect::<Vec<_>>(),
    })
}

/// Each placement of a line of play: the board before it, its cells, and the board after it.
fn line(view: &View, colours: &ColourBoard, placements: &[Placement]) -> Vec<Value> {
    let mut picture = Picture::of(colours);
    let mut view = view.clone();
    let mut shown = Vec::new();
    for placement in placements {
        let Ok(clear) = view.play(placement) else { break };
        let cells = guideline_cells(placement);
        let before = picture.rows();
        picture.put(cells.iter().map(|&[x, y]| (x, y)), placement.piece.letter() as u8);
        let cleared = picture.clear();
        shown.push(json!({
            "piece": placement.piece.letter(),
            "cells": cells,
            "place": place_words(placement),
            "before": before,
            "cleared": cleared,
            "after": picture.rows(),
            "clear": clear.to_string(),
        }));
    }
    shown
}

/// Where a placement lies, in words: `T in columns 4 to 6, on row 2`.
pub fn place_words(placement: &Placement) -> String {
    let cells = placement.cells();
    let column = |pick: fn(i8, i8) -> i8| cells.iter().map(|&(x, _)| x + 1).reduce(pick).unwrap_or(1);
    let (first, last) = (column(i8::min), column(i8::max));
    let row = cells.iter().map(|&(_, y)| y + 1).min().unwrap_or(1);
    let columns =
        if first == last { format!("column {first}") } else { format!("columns {first} to {last}") };
    format!("{} in {columns}, row {row}", placement.piece.letter())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Result<Value, String> {
        serde_json::from_str::<BestOrder>(text)
            .map_err(|error| error.to_string())?
            .answer()
            .map_err(|error| error.to_string())
    }

    /// A T-spin double that stands ready, in a game without an end, by somebody who says nothing else.
    #[test]
    fn the_best_is_found_and_drawn() {
        let board = r#"["GGGGGGGG.G", "GGGGGGG...", "......GG.."]"#;
        let told =
            asked(&format!(r#"{{"mode":"practice","board":{board},"queue":"TIO","nodes":3000}}"#)).unwrap();
        let best = &told["choices"][0];
        assert_eq!((&best["piece"], &best["clear"]), (&json!("T"), &json!("T-spin double")), "{best}");
        assert_eq!(best["place"], "T in columns 8 to 10, row 1");
        assert_eq!(
            (&best["loss"], &told["expected"], &told["coin"]),
            (&json!(0.0), &Value::Null, &json!("points"))
        );
        let line = best["line"].as_array().unwrap();
        assert_eq!(line[0]["cleared"], json!([0, 1]));
        assert_eq!(line[0]["after"], line[1]["before"]);
        let losses: Vec<f64> = told["choices"]
            .as_array()
            .unwrap()
            .iter()
            .map(|choice| choice["loss"].as_f64().unwrap())
            .collect();
        assert!(losses.is_sorted(), "{losses:?}");
    }

    #[test]
    fn games_with_an_end_have_an_expected_result() {
        let told = asked(r#"{"mode":"sprint","queue":"TIOSZ","hold":"L","nodes":2000}"#).unwrap();
        assert!(told["expected"].as_str().unwrap().contains("pieces"), "{told}");
        let told =
            asked(r#"{"mode":"blitz","queue":"TIOSZ","pieces":300,"score":80000,"nodes":2000}"#).unwrap();
        assert!(told["expected"].as_str().unwrap().ends_with(" points"), "{told}");
    }

    #[test]
    fn what_cannot_be_judged_is_refused() {
        let refused = |text: &str| asked(text).unwrap_err();
        assert!(refused(r#"{"mode":"blitz","queue":""}"#).contains("which piece"));
        assert!(refused(r#"{"mode":"blitz","queue":"TX"}"#).contains("no piece"));
        assert!(refused(r#"{"mode":"blitz","queue":"T","board":["GGGGGGGGGG"]}"#).contains("full"));
        assert!(refused(r#"{"mode":"sprint","queue":"T","lines":40}"#).contains("over"));
    }
}
