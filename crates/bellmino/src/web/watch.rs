//! Watching: one or two players on the same pieces, placement by placement; a person may be one of them.

use std::time::{Duration, Instant};

use bellmino_engine::{
    AnyColumns, DealerState, Game, Generator, Grid, Override, Placement, PlacementGame, Purpose, stream,
};
use bellmino_lab::Player;
use serde::Serialize;
use serde_json::{Value, json};

use super::picture::{Picture, colours};

/// The most placements in one answer.
const MAX_MOVES: u32 = 200;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_millis(80);

/// The players of one game.
pub struct Watch {
    sides: Vec<Side>,
}

/// One placement and what came of it, as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// The piece's name.
    piece: String,
    /// Its colour.
    colour: char,
    /// Its cells, `[column, row]`.
    cells: Vec<[usize; 2]>,
    /// The rows that were full, from the bottom.
    cleared: Vec<usize>,
    /// The board after, rows from the bottom.
    board: Vec<String>,
    /// Points of this placement.
    points: f64,
    /// Points so far.
    score: f64,
    /// Rows so far.
    lines: u64,
    /// Pieces so far.
    pieces: u64,
    /// Whether it ended the game.
    fatal: bool,
    /// How the game ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
}

impl Watch {
    /// Opens a game; also what the page needs to draw it.
    pub fn open(name: &str, set: &[String], players: &[String], seed: u64) -> Result<(Watch, Value), String> {
        if !(1..=2).contains(&players.len()) {
            return Err("one or two players can be watched".to_owned());
        }
        let game = game(name, set)?;
        let game = game.placement().ok_or("this game cannot be watched yet")?;
        let sides = players.iter().map(|player| Side::new(game, player, seed)).collect::<Result<_, _>>()?;
        let shown = describe(game);
        Ok((Watch { sides }, shown))
    }

    /// Plays up to `count` placements of a machine; an empty list means that the game is over.
    pub fn moves(&mut self, side: usize, count: u32) -> Result<Vec<Move>, String> {
        let begin = Instant::now();
        let side = self.side(side)?;
        let mut moves = Vec::new();
        while moves.len() < count.min(MAX_MOVES) as usize && begin.elapsed() < PATIENCE {
            let Some(step) = side.step()? else { break };
            moves.push(step);
        }
        Ok(moves)
    }

    /// The piece of a human and where it may be placed.
    pub fn options(&mut self, side: usize) -> Result<Value, String> {
        Ok(self.side(side)?.options())
    }

    /// Places a human's piece.
    pub fn place(&mut self, side: usize, option: usize) -> Result<Move, String> {
        self.side(side)?.choose(option)
    }

    fn side(&mut self, index: usize) -> Result<&mut Side, String> {
        self.sides.get_mut(index).ok_or_else(|| "there is no such player".to_owned())
    }
}

/// A built-in game with changes.
pub fn game(name: &str, set: &[String]) -> Result<Game, String> {
    let overrides = set
        .iter()
        .map(|text| text.parse::<Override>().map_err(|error| error.to_string()))
        .collect::<Result<Vec<_>, _>>()?;
    match Game::built_in(name, &overrides) {
        Some(game) => game.map_err(|error| error.to_string()),
        None => Err(Game::unknown(name)),
    }
}

/// What the page needs to draw a game.
pub fn describe(game: &PlacementGame) -> Value {
    let pieces: Vec<Value> = game
        .pieces()
        .iter()
        .zip(colours(game))
        .map(|(piece, colour)| {
            let cells: Vec<_> = piece.rotations()[0].cells().map(|(x, y)| [x, y]).collect();
            json!({ "name": piece.name(), "colour": char::from(colour), "cells": cells })
        })
        .collect();
    json!({
        "name": game.name(),
        "title": game.title(),
        "kind": "placement",
        "width": game.width(),
        "height": game.height(),
        "pieces": pieces,
        "score": game.score().entries(),
    })
}

/// One player of a placement game.
struct Side {
    game: PlacementGame,
    /// None for a human.
    player: Option<Player>,
    colours: Vec<u8>,
    dealing: Generator,
    choosing: Generator,
    state: DealerState,
    /// The piece at hand, once dealt.
    piece: Option<usize>,
    board: AnyColumns,
    picture: Picture,
    score: f64,
    lines: u64,
    pieces: u64,
    end: Option<String>,
}

impl Side {
    fn new(game: &PlacementGame, player: &str, seed: u64) -> Result<Side, String> {
        let player = match player {
            "human" => None,
            // Players from files are for the command line: a page names only what the lab lists.
            name if name.contains(['/', '\\']) => return Err(format!("there is no player `{name}`")),
            name => Some(Player::parse(name, game).map_err(|error| error.to_string())?),
        };
        Ok(Side {
            player,
            colours: colours(game),
            dealing: stream(seed, Purpose::Dealer, 0),
            choosing: stream(seed, Purpose::Player, 0),
            state: game.dealer().start(),
            piece: None,
            board: AnyColumns::empty(game),
            picture: Picture::new(game.width()),
            score: 0.0,
            lines: 0,
            pieces: 0,
            end: None,
            game: game.clone(),
        })
    }

    /// The piece to place.
    fn dealt(&mut self) -> usize {
        *self.piece.get_or_insert_with(|| {
            let deal = self.game.dealer().deal(self.state, &mut self.dealing);
            self.state = deal.next;
            usize::from(deal.piece)
        })
    }

    /// The machine places a piece.
    fn step(&mut self) -> Result<Option<Move>, String> {
        if self.end.is_some() {
            return Ok(None);
        }
        let piece = self.dealt();
        let player = self.player.as_ref().ok_or("it is the person's turn")?;
        match player.choose(&self.game, &self.board, piece, &mut self.choosing) {
            Some(placement) => Ok(Some(self.put(placement))),
            None => {
                self.end = Some(self.stuck(piece));
                Ok(None)
            }
        }
    }

    fn placements(&mut self) -> Vec<Placement> {
        let piece = self.dealt();
        let mut list = Vec::new();
        self.board.placements(&self.game, piece, |placement| list.push(placement));
        list
    }

    fn options(&mut self) -> Value {
        let piece = self.dealt();
        let list = if self.end.is_some() { Vec::new() } else { self.placements() };
        if list.is_empty() && self.end.is_none() {
            self.end = Some(self.stuck(piece));
        }
        let options: Vec<Value> = list
            .iter()
            .map(|placement| json!({ "rotation": placement.rotation, "cells": cells(&self.game, *placement) }))
            .collect();
        let name = self.game.pieces()[piece].name();
        json!({ "piece": name, "colour": char::from(self.colours[piece]), "options": options, "end": self.end })
    }

    fn choose(&mut self, option: usize) -> Result<Move, String> {
        if self.player.is_some() {
            return Err("this player places its own pieces".to_owned());
        }
        if self.end.is_some() {
            return Err("the game is over".to_owned());
        }
        let placement = self.placements().get(option).copied().ok_or("there is no such placement")?;
        Ok(self.put(placement))
    }

    fn put(&mut self, placement: Placement) -> Move {
        self.piece = None;
        let piece = usize::from(placement.piece);
        let cells = cells(&self.game, placement);
        let outcome = self.board.place_unchecked(&self.game, placement);
        let points = if outcome.fatal { 0.0 } else { self.game.score().points(outcome.lines()) };
        self.pieces += 1;
        self.score += points;
        self.lines += u64::from(outcome.lines());
        let mut picture = self.picture.clone();
        picture.put(cells.iter().map(|&[x, y]| (x, y)), self.colours[piece]);
        let mut cleared = Vec::new();
        if outcome.fatal {
            self.end = Some("something stayed above the top".to_owned());
        } else {
            self.board = outcome.board;
            cleared = picture.clear();
            self.picture = picture;
        }
        Move {
            piece: self.game.pieces()[piece].name().to_owned(),
            colour: char::from(self.colours[piece]),
            cells,
            cleared,
            board: self.picture.rows(),
            points,
            score: self.score,
            lines: self.lines,
            pieces: self.pieces,
            fatal: outcome.fatal,
            end: self.end.clone(),
        }
    }

    fn stuck(&self, piece: usize) -> String {
        format!("no place for {}", self.game.pieces()[piece].name())
    }
}

/// The cells of a placement.
pub fn cells(game: &PlacementGame, placement: Placement) -> Vec<[usize; 2]> {
    let (left, bottom) = (usize::from(placement.column), usize::from(placement.row));
    placement.shape(game).cells().map(|(x, y)| [left + x, bottom + y]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_lab::Playthrough;

    #[test]
    fn a_watched_game_is_the_one_of_the_command_line() {
        let game = game("small", &[]).unwrap();
        let game = game.placement().unwrap();
        let player = Player::parse("weights:lee4", game).unwrap();
        let (mut watch, _) = Watch::open("small", &[], &["weights:lee4".to_owned()], 5).unwrap();
        let expected: Vec<_> = Playthrough::new(game, &player, 5, 0).take(50).collect();
        let mut shown = Vec::new();
        while shown.len() < expected.len() {
            let moves = watch.moves(0, (expected.len() - shown.len()) as u32).unwrap();
            if moves.is_empty() {
                break;
            }
            shown.extend(moves);
        }
        assert_eq!(shown.len(), expected.len());
        for (shown, expected) in shown.iter().zip(&expected) {
            assert_eq!(shown.score, expected.total_score);
            assert_eq!(shown.cells, cells(game, expected.placement));
            let rows = expected.after.to_string();
            let drawn: Vec<String> = rows.lines().rev().map(str::to_owned).collect();
            for (y, row) in drawn.iter().enumerate() {
                let colours = shown.board.get(y).map_or("", String::as_str);
                let filled: String = colours.chars().map(|cell| if cell == '.' { '.' } else { '#' }).collect();
                assert_eq!(format!("{filled:.<1$}", game.width()), *row);
            }
        }
    }

    #[test]
    fn a_person_and_a_machine_get_the_same_pieces() {
        let players = ["human".to_owned(), "lowest".to_owned()];
        let (mut watch, _) = Watch::open("mini", &[], &players, 3).unwrap();
        assert!(watch.moves(0, 1).is_err(), "the person is not played for");
        assert!(watch.place(1, 0).is_err(), "the machine plays itself");
        for _ in 0..3 {
            let options = watch.options(0).unwrap();
            let machine = watch.moves(1, 1).unwrap();
            let Some(machine) = machine.first() else { break };
            assert_eq!(options["piece"], machine.piece.as_str());
            assert!(watch.place(0, 99).is_err());
            if watch.place(0, 0).unwrap().fatal {
                break;
            }
        }
    }

    #[test]
    fn bad_requests_are_refused() {
        let open = |game: &str, set: &[&str], players: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
            Watch::open(game, &owned(set), &owned(players), 0).map(|_| ()).unwrap_err()
        };
        assert!(open("bab", &[], &["lowest"]).contains("baby"));
        assert!(open("baby", &["board.height=99"], &["lowest"]).contains("height"));
        assert!(open("baby", &[], &["weights:/etc/passwd"]).contains("no player"));
        assert!(open("baby", &[], &[]).contains("one or two"));
    }
}
