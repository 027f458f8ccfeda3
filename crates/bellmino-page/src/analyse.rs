//! Analysis of recorded games: every placement, what it cost, and what was better.

use std::sync::LazyLock;
use std::time::Duration;

use bellmino_engine::guideline::{ColourBoard, Fumen, FumenDiagram, Piece, Play, Record};
use bellmino_engine::{AnyRecord, RecordError};
use bellmino_exact::Watch;
use bellmino_lab::checksum::unsealed;
use bellmino_lab::verdict::{forecast_words, loss_words};
use bellmino_search::{Budget, Calibration, Forecast, Judgement, Step, Weights, review, steps};
use serde::Serialize;
use serde_json::{Value, json};

use crate::best::{CHOICES, place_words, shown};
use crate::desk::{Desk, Patience};
use crate::kept::RecordToKeep;
use crate::picture::{Picture, guideline_cells, letters};
use crate::replay::ReplayError;

/// The most pieces of a record that are looked at.
pub const MAX_STEPS: usize = 5000;

/// How long a game may be looked at.
const MAX_JUDGING: Duration = Duration::from_secs(300);

/// A recorded game taken apart: what was seen before each placement, and the placement.
pub struct GuidelineReplay {
    record: Record,
    /// The board at the beginning.
    colours: ColourBoard,
    steps: Vec<Step>,
    /// When each placement locked, in a timed game.
    times: Vec<u64>,
}

/// The verdict on one placement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// Which placement, from 0.
    pub step: usize,
    /// What values are counted in: `pieces`, `points`, or an objective where the game is solved.
    pub coin: String,
    /// The expected final result with the best placement; `null` in a game without an end.
    pub before: Option<f64>,
    /// The same after the placement: never better.
    pub after: Option<f64>,
    /// The first of these in words.
    pub expected: Option<String>,
    /// What was given away.
    pub loss: f64,
    /// The same in words, if it is anything to speak of.
    pub loss_words: Option<String>,
    /// Whether it was the whole game.
    pub fatal: bool,
    /// `best`, `good`, `inaccuracy`, `mistake` or `blunder`.
    pub grade: &'static str,
    /// What it does worse than the best one, as far as that has words.
    pub reasons: Vec<String>,
    /// The cells of the best placement.
    pub cells: Vec<[usize; 2]>,
    /// Its piece.
    pub piece: Option<char>,
}

impl GuidelineReplay {
    /// Takes a record apart by playing it again.
    pub fn new(record: Record) -> Result<GuidelineReplay, ReplayError> {
        let (_, colours) = record.opening()?;
        let mut steps = steps(&record)?;
        steps.truncate(MAX_STEPS);
        let times = match record.play {
            Play::Timed { .. } => {
                let (locks, _) = record.locks()?;
                locks.iter().map(|(_, lock)| lock.at).collect()
            }
            Play::Placements { .. } => vec![],
        };
        Ok(GuidelineReplay { record, colours, steps, times })
    }

    /// How many placements there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Every placement as the page shows it.
    pub fn shown(&self) -> Vec<Value> {
        let mut picture = Picture::of(&self.colours);
        let (mut score, mut lines) = (0, 0);
        self.steps
            .iter()
            .map(|Step { number, view, played: placement, .. }| {
                let before = picture.rows();
                let cells = guideline_cells(placement);
                picture.put(cells.iter().map(|&[x, y]| (x, y)), placement.piece.letter() as u8);
                let cleared = picture.clear();
                let clear = view.clone().play(placement).unwrap_or_default();
                score += u64::from(clear.points);
                lines += u32::from(clear.lines);
                json!({
                    "piece": placement.piece.letter(),
                    "cells": cells,
                    "before": before,
                    "cleared": cleared,
                    "hold": view.position.hold.map(Piece::letter),
                    "queue": letters(&view.queue),
                    "score": score,
                    "lines": lines,
                    "clear": clear.to_string(),
                    "place": place_words(placement),
                    "at": self.times.get(number - 1),
                })
            })
            .collect()
    }

    /// Looks at every placement, as `analyse` on the command line does; `tell` hears each verdict.
    pub fn judge(&self, desk: &dyn Desk, mut tell: impl FnMut(Judged)) -> Result<(), ReplayError> {
        let (patience, mut judged) = (Patience::new(desk, MAX_JUDGING), 0);
        review(&self.record, Budget::REVIEW, |judgement| {
            judged = judgement.number;
            tell(Judged::of(&judgement));
            patience.go_on() && judged < MAX_STEPS
        })?;
        if patience.is_over() && judged < self.len() {
            return Err(ReplayError::Slow { judged, of: self.len(), seconds: MAX_JUDGING.as_secs() });
        }
        Ok(())
    }

    /// One placement beside the best ones, with the boards that follow each. The same nodes give the same verdict as
    /// [`GuidelineReplay::judge`] does.
    pub fn look(&self, step: usize) -> Result<Value, ReplayError> {
        let unknown = || ReplayError::NoMove { of: self.len(), number: step + 1 };
        let at = self.steps.get(step).ok_or_else(unknown)?;
        let judgement = bellmino_search::judge(at, CHOICES, Budget::REVIEW).ok_or_else(unknown)?;
        let mut colours = self.colours.clone();
        for Step { played, .. } in &self.steps[..step] {
            colours.place(played);
        }
        let mut told = shown(&at.view, &colours, &judgement.analysis, Some(at.score));
        told["played"] = json!(judgement.place());
        told["verdict"] = json!(Judged::of(&judgement));
        Ok(told)
    }

    /// The game as a fumen, a page for each placement.
    pub fn fumen(&self) -> Result<String, ReplayError> {
        let mut cells = self.colours.clone();
        let mut pages = Vec::new();
        for Step { view, played: placement, .. } in &self.steps {
            pages.push(FumenDiagram {
                cells: cells.clone(),
                piece: Some(*placement),
                lock: true,
                guideline: true,
                comment: Some(quiz(view.position.hold, &view.queue)),
                ..FumenDiagram::default()
            });
            cells.place(placement);
        }
        pages.push(FumenDiagram {
            cells,
            guideline: true,
            comment: Some(String::new()),
            ..FumenDiagram::default()
        });
        Ok(Fumen { pages }.encode()?)
    }
}

impl Judged {
    fn of(judgement: &Judgement) -> Judged {
        let (played, best) = (judgement.played(), judgement.best());
        let Judgement { number, score, verdict, analysis, .. } = judgement;
        let result = |forecast: Option<Forecast>| match forecast? {
            Forecast::Pieces { pieces, .. } => Some(pieces),
            Forecast::Points { to_come } => Some(to_come + *score as f64),
        };
        Judged {
            step: number - 1,
            coin: analysis.coin.name().to_owned(),
            before: result(analysis.forecast),
            after: result(played.forecast),
            expected: analysis.forecast.map(|forecast| forecast_words(&forecast, Some(*score))),
            loss: played.loss,
            loss_words: loss_words(played.loss, analysis.coin),
            fatal: played.fatal,
            grade: if judgement.is_best() { "best" } else { verdict.name() },
            reasons: played.reasons.iter().map(ToString::to_string).collect(),
            cells: guideline_cells(&best.placement),
            piece: Some(best.placement.piece.letter()),
        }
    }
}

/// How moves are graded; another number judges games anew.
const GRADES: u32 = 2;

/// Who judges: another program, or one with other weights, comes to other verdicts.
pub fn judge() -> &'static str {
    static JUDGE: LazyLock<String> = LazyLock::new(|| {
        let made_of = [Calibration::shipped().write(), Weights::sprint().write(), Weights::blitz().write()];
        let sum = xxhash_rust::xxh3::xxh3_64(made_of.concat().as_bytes());
        format!("{} {GRADES} {sum:016x}", env!("CARGO_PKG_VERSION"))
    });
    &JUDGE
}

/// A game from a file, to be kept.
pub fn import(text: &str) -> Result<RecordToKeep, RecordError> {
    let text = unsealed(text).map_err(|changed| RecordError::Text(changed.to_string()))?;
    let record = AnyRecord::from_text(&text)?;
    RecordToKeep::new(&record, &format!("{} (file)", record.player().unwrap_or("somebody")))
}

/// The hold and queue as the comment that fumen tools read: `#Q=[T](I)OLJ`.
pub fn quiz(hold: Option<Piece>, queue: &[Piece]) -> String {
    let hold = hold.map(|piece| piece.letter().to_string()).unwrap_or_default();
    match queue {
        [] => format!("#Q=[{hold}]()"),
        [current, next @ ..] => format!("#Q=[{hold}]({}){}", current.letter(), letters(next)),
    }
}

/// A position from the first page of a fumen: board, queue and hold, as far as it tells.
pub fn read_fumen(text: &str) -> Result<Value, ReplayError> {
    let fumen = Fumen::decode(text)?;
    let page = fumen.pages.first().ok_or(ReplayError::NoPage)?;
    let rows: Vec<String> = (0..page.cells.height()).map(|y| page.cells.row_text(y)).collect();
    let comment = page.comment.as_deref().unwrap_or("");
    let (mut hold, mut queue) = (String::new(), String::new());
    if let Some((held, rest)) = comment.strip_prefix("#Q=[").and_then(|rest| rest.split_once(']')) {
        hold = held.to_owned();
        queue = rest.chars().filter(|letter| Piece::from_letter(*letter).is_some()).collect();
    }
    if queue.is_empty()
        && let Some(piece) = page.piece
    {
        queue = piece.piece.letter().to_string();
    }
    Ok(json!({ "board": rows, "queue": queue, "hold": hold }))
}

/// A position as a fumen.
pub fn write_fumen(board: &[String], queue: &str, hold: &str) -> Result<String, ReplayError> {
    let mut drawing: Vec<&str> = board.iter().map(String::as_str).collect();
    drawing.reverse();
    let cells: ColourBoard = drawing.join("\n").parse()?;
    let pieces = |text: &str| text.chars().filter_map(Piece::from_letter).collect::<Vec<_>>();
    let comment = Some(quiz(pieces(hold).first().copied(), &pieces(queue)));
    let page = FumenDiagram { cells, guideline: true, comment, ..FumenDiagram::default() };
    Ok(Fumen { pages: vec![page] }.encode()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::QuietDesk;
    use bellmino_engine::guideline::{Match, Rules};
    use bellmino_search::Bot;

    /// A game in which every piece goes to the first place the generator lists.
    fn played(pieces: usize) -> GuidelineReplay {
        let mut game = Match::new(Rules::BLITZ, 3);
        let mut placements = Vec::new();
        while placements.len() < pieces && game.outcome().is_none() {
            let placement = game.placements()[0];
            game.play(&placement).unwrap();
            placements.push(placement);
        }
        let record = Record::of_placements("blitz", Rules::BLITZ, 3, 0, placements).unwrap();
        GuidelineReplay::new(record).unwrap()
    }

    #[test]
    fn bad_placements_are_found_and_good_ones_are_not() {
        let careless = played(8);
        let mut grades = Vec::new();
        careless.judge(&QuietDesk, |verdict| grades.push(verdict.grade)).unwrap();
        assert_eq!(grades.len(), careless.len());
        assert!(grades.iter().any(|grade| matches!(*grade, "mistake" | "blunder")), "{grades:?}");

        // The bot agrees with itself.
        let mut game = Match::new(Rules::BLITZ, 3);
        let mut placements = Vec::new();
        for _ in 0..8 {
            let thought = Bot::for_rules(&Rules::BLITZ).think(&game.view(), Budget::REVIEW, None);
            placements.push(thought.candidates[0].placement);
            game.play(&thought.candidates[0].placement).unwrap();
        }
        let record = Record::of_placements("blitz", Rules::BLITZ, 3, 0, placements).unwrap();
        GuidelineReplay::new(record)
            .unwrap()
            .judge(&QuietDesk, |verdict| assert_eq!(verdict.grade, "best"))
            .unwrap();
    }

    /// One move by itself has the verdict of the whole review, whatever else is listed beside it.
    #[test]
    fn a_move_looked_at_alone_has_the_same_verdict() {
        let game = played(4);
        let mut verdicts = Vec::new();
        game.judge(&QuietDesk, |verdict| verdicts.push(json!(verdict))).unwrap();
        for (step, verdict) in verdicts.iter().enumerate() {
            let told = game.look(step).unwrap();
            assert_eq!(&told["verdict"], verdict);
            let played = told["played"].as_u64().unwrap() as usize;
            assert_eq!(told["choices"][played]["cells"], game.shown()[step]["cells"]);
        }
        assert!(game.look(4).unwrap_err().to_string().contains("moves 1 to 4, not 5"));
    }

    /// The lab and `analyse` on the command line give one verdict.
    #[test]
    fn the_lab_says_what_a_review_says() {
        let game = played(5);
        let mut lab = Vec::new();
        game.judge(&QuietDesk, |said| lab.push((said.step + 1, said.loss, said.grade))).unwrap();
        let mut command = Vec::new();
        review(&game.record, Budget::REVIEW, |one| {
            let grade = if one.is_best() { "best" } else { one.verdict.name() };
            command.push((one.number, one.played().loss, grade));
            true
        })
        .unwrap();
        assert_eq!(lab, command);
    }

    #[test]
    fn a_game_as_fumen_opens_as_its_first_position() {
        let game = played(5);
        let fumen = Fumen::decode(&game.fumen().unwrap()).unwrap();
        assert_eq!(fumen.pages.len(), 6);
        let first = read_fumen(&game.fumen().unwrap()).unwrap();
        assert_eq!(first["queue"], letters(&game.steps[0].view.queue));
        assert_eq!(first["board"], json!([]));
        let shown = game.shown();
        assert_eq!(shown.len(), 5);
    }

    #[test]
    fn positions_go_through_fumen_unchanged() {
        let board = ["TTT.GGGGGG".to_owned(), ".T........".to_owned()];
        let text = write_fumen(&board, "IOT", "L").unwrap();
        assert_eq!(read_fumen(&text).unwrap(), json!({ "board": board, "queue": "IOT", "hold": "L" }));
        assert!(read_fumen("nonsense").is_err());
        assert!(write_fumen(&["far too long a row".to_owned()], "", "").is_err());
        assert!(crate::replay::Replay::read("nonsense").is_err());
    }
}
