//! Watching: one or two players on the same pieces, placement by placement; a person may be one of them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bellmino_engine::placement::{Grid, Placement};
use bellmino_engine::{
    Game, Generator, GuidelineGame, Outcome, Override, PlacementGame, Purpose, guideline, placement, stream,
};
use bellmino_exact::{self as exact, Objective, Silent, Table};
use bellmino_lab::{AtWork, Chooser, Mind, Player, PlayerError, Plays};
use bellmino_learn::{Afterstate, Controller};
use bellmino_search::{Bot, Budget};
use serde::Serialize;
use serde_json::{Value, json};

use crate::analyse;
use crate::picture::{Picture, colours};
use crate::store::Store;

/// The most placements in one answer.
const MAX_MOVES: u32 = 200;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_millis(80);

/// The bot's strengths: how many placements it looks at for each move.
const BOTS: [(&str, u64); 3] = [("bot", 20_000), ("bot:quick", 2_000), ("bot:strong", 200_000)];

/// Simpler players of guideline games.
const OTHERS: [&str; 8] = [
    "weights:sprint4",
    "weights:snes-sprint",
    "weights:snes-blitz",
    "weights:snes-keys",
    "weights:dellacherie",
    "fewest-holes",
    "lowest",
    "random",
];

/// How many of a player's candidates are shown.
const MAX_CANDIDATES: usize = 5;

/// The players of one game.
pub struct Watch {
    sides: Vec<Side>,
}

/// One placement and what came of it, as the page shows it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Move {
    /// The piece's name.
    pub piece: String,
    /// Its colour.
    pub colour: String,
    /// Its cells, `[column, row]`.
    pub cells: Vec<[usize; 2]>,
    /// The rows that were full, from the bottom.
    pub cleared: Vec<usize>,
    /// The board after, rows from the bottom.
    pub board: Vec<String>,
    /// Points of this placement.
    pub points: f64,
    /// Points so far.
    pub score: f64,
    /// Rows so far.
    pub lines: u64,
    /// Pieces so far.
    pub pieces: u64,
    /// Whether it ended the game.
    pub fatal: bool,
    /// How the game ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// The number under which the finished game was kept (guideline games).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<i64>,
    /// What was considered, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// The held piece after it (guideline games).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hold: Option<String>,
    /// The piece to place after it and the next ones (guideline games).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub queue: String,
    /// What was cleared, in words (guideline games).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub clear: String,
}

/// A placement that was considered.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    /// Its cells.
    pub cells: Vec<[usize; 2]>,
    /// What the player thinks it is worth.
    pub value: f64,
}

impl Watch {
    /// Opens a game; also what the page needs to draw it.
    pub fn open(
        name: &str,
        set: &[String],
        players: &[String],
        seed: u64,
        trained: &dyn Fn(&str) -> Option<PathBuf>,
        store: &Store,
    ) -> Result<(Watch, Value), String> {
        if !(1..=2).contains(&players.len()) {
            return Err("one or two players can be watched".to_owned());
        }
        let game = game(name, set)?;
        let sides = players
            .iter()
            .map(|player| Side::new(&game, player, seed, trained, store))
            .collect::<Result<_, _>>()?;
        let shown = describe(&game);
        Ok((Watch { sides }, shown))
    }

    /// Plays up to `count` placements of a machine; an empty list means that the game is over.
    pub fn moves(&mut self, side: usize, count: u32) -> Result<Vec<Move>, String> {
        let begin = Instant::now();
        let side = self.side(side)?;
        let mut moves = Vec::new();
        while moves.len() < count.min(MAX_MOVES) as usize && begin.elapsed() < PATIENCE {
            let step = match side {
                Side::Placement(side) => side.step()?,
                Side::Guideline(side) => side.step()?,
            };
            let Some(step) = step else { break };
            moves.push(step);
        }
        Ok(moves)
    }

    /// The piece of a human and where it may be placed.
    pub fn options(&mut self, side: usize) -> Result<Value, String> {
        Ok(match self.side(side)? {
            Side::Placement(side) => side.options(),
            Side::Guideline(side) => side.options(),
        })
    }

    /// Places a human's piece.
    pub fn place(&mut self, side: usize, option: usize) -> Result<Move, String> {
        match self.side(side)? {
            Side::Placement(side) => side.choose(option),
            Side::Guideline(side) => side.choose(option),
        }
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

/// What the page needs to draw a game, and who can play it.
pub fn describe(game: &Game) -> Value {
    match game {
        Game::Placement(game) => {
            let pieces: Vec<Value> = game
                .pieces()
                .iter()
                .zip(colours(game))
                .map(|(piece, colour)| {
                    let cells: Vec<_> = piece.rotations()[0].cells().map(|(x, y)| [x, y]).collect();
                    json!({ "name": piece.name(), "colour": char::from(colour), "cells": cells })
                })
                .collect();
            let players: Vec<String> = ["random", "lowest", "fewest-holes"]
                .into_iter()
                .map(str::to_owned)
                .chain(bellmino_learn::BUILT_IN_CONTROLLERS.iter().map(|(name, _)| format!("weights:{name}")))
                .filter(|name| Player::of_placement(name, game).is_ok())
                .chain((game.width() * game.height() <= MAX_EXACT).then(|| EXACT.to_owned()))
                .collect();
            json!({
                "name": game.name(),
                "title": game.title(),
                "kind": "placement",
                "width": game.width(),
                "height": game.height(),
                "pieces": pieces,
                "players": players,
                "score": game.score().entries(),
                "small": game.width() * game.height() <= MAX_SMALL,
            })
        }
        Game::Guideline(game) => json!({
            "name": game.name(),
            "title": game.title(),
            "kind": "guideline",
            "width": guideline::WIDTH,
            "height": 20,
            "pieces": [],
            "players": BOTS.map(|(name, _)| name).into_iter().chain(OTHERS).collect::<Vec<_>>(),
            "small": false,
        }),
    }
}

/// The player of an exact solution.
const EXACT: &str = "exact";

/// The most cells of a board that is solved when somebody wants to watch it: a matter of a tenth of a second.
const MAX_EXACT: usize = 16;

/// The best play for points, each worth 1 % less than the one before.
fn table(game: &PlacementGame) -> Result<Table, String> {
    if game.width() * game.height() > MAX_EXACT {
        return Err("this board is too large to be solved at once".to_owned());
    }
    let settings = exact::SolveSettings::new(Objective::Discounted(0.99));
    exact::solve(game, &settings, &Silent).map(|solution| solution.table).map_err(|error| error.to_string())
}

/// The most cells of a board that the explorer offers.
const MAX_SMALL: usize = 24;

enum Side {
    Placement(Box<PlacementSide>),
    Guideline(Box<GuidelineSide>),
}

impl Side {
    fn new(
        game: &Game,
        player: &str,
        seed: u64,
        trained: &dyn Fn(&str) -> Option<PathBuf>,
        store: &Store,
    ) -> Result<Side, String> {
        Ok(match game {
            Game::Placement(game) => {
                Side::Placement(Box::new(PlacementSide::new(game, player, seed, trained)?))
            }
            Game::Guideline(game) => {
                Side::Guideline(Box::new(GuidelineSide::new(game, player, seed, store.clone())?))
            }
        })
    }
}

/// One player of a placement game.
struct PlacementSide {
    game: placement::Match,
    /// None for a human.
    player: Option<(Arc<Chooser>, AtWork)>,
    /// The weights, if it has some: to show what it thinks of its candidates.
    controller: Option<Controller>,
    colours: Vec<u8>,
    choosing: Generator,
    picture: Picture,
}

impl PlacementSide {
    fn new(
        game: &PlacementGame,
        player: &str,
        seed: u64,
        trained: &dyn Fn(&str) -> Option<PathBuf>,
    ) -> Result<PlacementSide, String> {
        let controller = player.strip_prefix("weights:").and_then(Controller::built_in);
        let named = |name: &str| Player::of_placement(name, game).map_err(|error| error.to_string());
        let player = match player {
            "human" => None,
            EXACT => Some(Player::of_table(EXACT, table(game)?)),
            name if name.starts_with("run:") => {
                let path = trained(&name["run:".len()..]).ok_or_else(|| format!("there is no `{name}`"))?;
                Some(named(&format!("weights:{}", path.display()))?)
            }
            // Players from files are for the command line: a page names only what the lab lists.
            name if name.contains(['/', '\\']) => return Err(format!("there is no player `{name}`")),
            name => Some(named(name)?),
        };
        let player = match player {
            Some(player) => {
                let chooser = player.chooser().map_err(|error| error.to_string())?;
                Some((chooser.clone(), AtWork::new(chooser.clone(), None)))
            }
            None => None,
        };
        Ok(PlacementSide {
            game: placement::Match::new(game.clone(), seed, 0),
            player,
            controller,
            colours: colours(game),
            choosing: stream(seed, Purpose::Player, 0),
            picture: Picture::new(game.width()),
        })
    }

    /// The machine places a piece.
    fn step(&mut self) -> Result<Option<Move>, String> {
        if self.game.outcome().is_some() {
            return Ok(None);
        }
        let candidates = self.candidates();
        let (_, player) = self.player.as_mut().ok_or("it is the person's turn")?;
        let turn = player.turn(&mut self.game, &mut self.choosing);
        Ok(turn.map(|turn| Move { candidates, ..self.shown(turn.placement, &turn.clear) }))
    }

    /// The best placements in the eyes of the table or the controller.
    fn candidates(&self) -> Vec<Candidate> {
        let (game, Some(piece)) = (self.game.game(), self.game.current()) else { return Vec::new() };
        let piece = usize::from(piece);
        let before = self.game.board().to_board(game);
        let mut list = Vec::new();
        if let Some(table) = self.player.as_ref().and_then(|(chooser, _)| chooser.table())
            && let Some(values) = table.placement_values(&before, piece)
        {
            let values = values.iter().filter(|one| !one.fatal);
            list.extend(values.map(|one| Candidate { cells: cells(game, one.placement), value: one.value }));
        }
        if let Some(controller) = &self.controller {
            self.game.board().outcomes(game, piece, |placement, landed| {
                let after = landed.board.to_board(game);
                let (before, cleared) = (&before, landed.cleared);
                let state = Afterstate { game, before, after: &after, placement, cleared };
                let terms = controller.features().iter().zip(controller.weights());
                let value = terms.map(|(feature, weight)| weight * feature.value(&state)).sum();
                list.push(Candidate { cells: cells(game, placement), value });
            });
        }
        list.sort_by(|a, b| b.value.total_cmp(&a.value));
        list.truncate(MAX_CANDIDATES);
        list
    }

    fn options(&mut self) -> Value {
        let game = self.game.game();
        let option = |placement: &Placement| json!({ "rotation": placement.rotation, "cells": cells(game, *placement) });
        let options: Vec<Value> = self.game.placements().iter().map(option).collect();
        let piece = self.game.current().map_or(0, usize::from);
        json!({
            "piece": game.pieces()[piece].name(),
            "colour": char::from(self.colours[piece]),
            "options": options,
            "end": self.end(),
        })
    }

    fn choose(&mut self, option: usize) -> Result<Move, String> {
        if self.player.is_some() {
            return Err("this player places its own pieces".to_owned());
        }
        if self.game.outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        let placement = self.game.placements().get(option).copied().ok_or("there is no such placement")?;
        let clear = self.game.play(&placement).map_err(|error| error.to_string())?;
        Ok(self.shown(placement, &clear))
    }

    /// A move that was just made.
    fn shown(&mut self, placement: Placement, clear: &placement::Clear) -> Move {
        let game = self.game.game();
        let piece = usize::from(placement.piece);
        let cells = cells(game, placement);
        let mut picture = self.picture.clone();
        picture.put(cells.iter().map(|&[x, y]| (x, y)), self.colours[piece]);
        let mut cleared = Vec::new();
        if !clear.fatal {
            cleared = picture.clear();
            self.picture = picture;
        }
        let stats = self.game.stats();
        Move {
            piece: game.pieces()[piece].name().to_owned(),
            colour: char::from(self.colours[piece]).to_string(),
            cells,
            cleared,
            board: self.picture.rows(),
            points: clear.points,
            score: stats.score,
            lines: stats.lines,
            pieces: stats.pieces,
            fatal: clear.fatal,
            end: self.end(),
            ..Move::default()
        }
    }

    fn end(&self) -> Option<String> {
        self.game.outcome()?;
        Some(match self.game.stuck_on() {
            Some(piece) => format!("no place for {}", self.game.game().pieces()[usize::from(piece)].name()),
            None => "something stayed above the top".to_owned(),
        })
    }
}

/// One player of a guideline game.
struct GuidelineSide {
    game: guideline::Match,
    who: Who,
    picture: Picture,
    /// What the game is called, who plays and with which pieces: for its record.
    name: String,
    player: String,
    seed: u64,
    placements: Vec<guideline::Placement>,
    store: Store,
}

/// Who plays a guideline game.
enum Who {
    Human,
    Bot(Box<Bot>, Budget),
    Other(Box<dyn Mind>, Generator),
}

impl GuidelineSide {
    fn new(game: &GuidelineGame, player: &str, seed: u64, store: Store) -> Result<GuidelineSide, String> {
        let (name, named) = (game.name().to_owned(), player.to_owned());
        let rules = *game.rules();
        let who = match (player, BOTS.iter().find(|(name, _)| *name == player)) {
            ("human", _) => Who::Human,
            (_, Some((_, nodes))) => Who::Bot(Box::new(Bot::for_rules(&rules)), Budget::nodes(*nodes)),
            _ if OTHERS.contains(&player) => {
                let refuse = |error: PlayerError| error.to_string();
                let mind = Player::of_guideline(player, None).and_then(|player| player.mind(&rules));
                Who::Other(mind.map_err(refuse)?, stream(seed, Purpose::Player, 0))
            }
            _ => return Err(format!("`{player}` does not play guideline games; `bot` does")),
        };
        let game = guideline::Match::new(rules, seed);
        Ok(GuidelineSide {
            game,
            who,
            picture: Picture::new(guideline::WIDTH),
            name,
            player: named,
            seed,
            placements: vec![],
            store,
        })
    }

    fn step(&mut self) -> Result<Option<Move>, String> {
        if self.game.outcome().is_some() {
            return Ok(None);
        }
        let view = self.game.view();
        let (placement, candidates) = match &mut self.who {
            Who::Human => return Err("it is the person's turn".to_owned()),
            Who::Other(mind, choosing) => {
                let thought = mind.think(&view, choosing);
                let Some(best) = thought.best() else { return Ok(None) };
                (best.placement, Vec::new())
            }
            Who::Bot(bot, budget) => {
                let thought = bot.think(&view, *budget, None);
                let Some(best) = thought.candidates.first() else { return Ok(None) };
                let shown = thought.candidates.iter().take(MAX_CANDIDATES);
                let shown = shown
                    .map(|one| Candidate { cells: guideline_cells(&one.placement), value: one.value })
                    .collect();
                (best.placement, shown)
            }
        };
        Ok(Some(Move { candidates, ..self.put(&placement)? }))
    }

    fn options(&mut self) -> Value {
        let current = self.game.current();
        let options: Vec<Value> = self
            .game
            .placements()
            .iter()
            .map(|placement| {
                // The other piece at hand comes after the turns of the current one.
                let held = if placement.piece == current { 0 } else { 4 };
                json!({
                    "rotation": placement.orientation as u8 + held,
                    "cells": guideline_cells(placement),
                    "colour": placement.piece.letter(),
                    "spin": placement.spin,
                })
            })
            .collect();
        let end = self.end();
        json!({
            "piece": current.letter(),
            "colour": current.letter(),
            "options": options,
            "end": end,
            "hold": self.game.position().hold.map(guideline::Piece::letter),
            "queue": letters(self.game.queue()),
        })
    }

    fn choose(&mut self, option: usize) -> Result<Move, String> {
        if !matches!(self.who, Who::Human) {
            return Err("this player places its own pieces".to_owned());
        }
        let placement = self.game.placements().get(option).copied().ok_or("there is no such placement")?;
        self.put(&placement)
    }

    fn put(&mut self, placement: &guideline::Placement) -> Result<Move, String> {
        let clear = self.game.play(placement).map_err(|error| error.to_string())?;
        let cells = guideline_cells(placement);
        self.picture.put(cells.iter().map(|&[x, y]| (x, y)), placement.piece.letter() as u8);
        let cleared = self.picture.clear();
        self.placements.push(*placement);
        let stats = *self.game.stats();
        Ok(Move {
            piece: placement.piece.letter().to_string(),
            colour: placement.piece.letter().to_string(),
            cells,
            cleared,
            board: self.picture.rows(),
            points: f64::from(clear.points),
            score: stats.score as f64,
            lines: u64::from(stats.lines),
            pieces: u64::from(stats.pieces),
            fatal: false,
            end: self.end(),
            kept: self.keep(),
            candidates: Vec::new(),
            hold: self.game.position().hold.map(|piece| piece.letter().to_string()),
            queue: letters(self.game.queue()),
            clear: clear.to_string(),
        })
    }

    /// Keeps the finished game, so that it can be analysed; a full disk does not stop the show.
    fn keep(&self) -> Option<i64> {
        self.game.outcome()?;
        let placements = self.placements.clone();
        let rules = *self.game.rules();
        let mut record =
            guideline::Record::of_placements(&self.name, rules, self.seed, 0, placements).ok()?;
        record.player = Some(self.player.clone());
        let player = match self.who {
            Who::Human => "you, in a contest",
            _ => &self.player,
        };
        analyse::keep(&self.store, &record, player).ok()
    }

    fn end(&self) -> Option<String> {
        let stats = self.game.stats();
        self.game.outcome().map(|outcome| match outcome {
            Outcome::Goal => format!("goal reached with {} pieces", stats.pieces),
            Outcome::ToppedOut => "topped out".to_owned(),
        })
    }
}

/// The cells of a guideline placement.
pub fn guideline_cells(placement: &guideline::Placement) -> Vec<[usize; 2]> {
    let on_board = |(x, y): (i8, i8)| Some([usize::try_from(x).ok()?, usize::try_from(y).ok()?]);
    placement.cells().into_iter().filter_map(on_board).collect()
}

/// Pieces as letters.
pub fn letters(pieces: &[guideline::Piece]) -> String {
    pieces.iter().map(|piece| piece.letter()).collect()
}

/// The cells of a placement.
pub fn cells(game: &PlacementGame, placement: Placement) -> Vec<[usize; 2]> {
    let (left, bottom) = (usize::from(placement.column), usize::from(placement.row));
    placement.shape(game).cells().map(|(x, y)| [left + x, bottom + y]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_lab::{Opponent, Playthrough};

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        (folder, store)
    }

    #[test]
    fn a_watched_game_is_the_one_of_the_command_line() {
        let game = game("small", &[]).unwrap();
        let game = game.placement().unwrap();
        let player = Player::of_placement("weights:lee4", game).unwrap();
        let (mut watch, _) =
            Watch::open("small", &[], &["weights:lee4".to_owned()], 5, &|_| None, &store().1).unwrap();
        let mut playthrough = Playthrough::<placement::Match, _>::placement(
            game.clone(),
            &player,
            &Opponent::Random,
            (5, 0),
            None,
        )
        .unwrap();
        let mut expected = Vec::new();
        while let Some(turn) = playthrough.next()
            && expected.len() < 50
        {
            let after = playthrough.game().board().to_board(game).to_string();
            expected.push((turn.placement, playthrough.game().stats().score, after));
        }
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
            let (placement, score, rows) = expected;
            assert_eq!(shown.score, *score);
            assert_eq!(shown.cells, cells(game, *placement));
            let drawn: Vec<String> = rows.lines().rev().map(str::to_owned).collect();
            for (y, row) in drawn.iter().enumerate() {
                let colours = shown.board.get(y).map_or("", String::as_str);
                let filled: String =
                    colours.chars().map(|cell| if cell == '.' { '.' } else { '#' }).collect();
                assert_eq!(format!("{filled:.<0$}", game.width()), *row);
            }
        }
    }

    #[test]
    fn a_person_and_a_machine_get_the_same_pieces() {
        let players = ["human".to_owned(), "lowest".to_owned()];
        let (mut watch, _) = Watch::open("mini", &[], &players, 3, &|_| None, &store().1).unwrap();
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
    fn the_bot_finishes_a_sprint() {
        let (_folder, store) = store();
        let (mut watch, shown) =
            Watch::open("sprint", &[], &["bot:quick".to_owned()], 1, &|_| None, &store).unwrap();
        assert_eq!(shown["kind"], "guideline");
        let mut last = Move::default();
        loop {
            let moves = watch.moves(0, 50).unwrap();
            let Some(end) = moves.last() else { break };
            assert!(moves.iter().all(|step| step.cells.len() == 4 && !step.candidates.is_empty()));
            last = end.clone();
        }
        let (kept, record) = store.game(last.kept.unwrap()).unwrap().unwrap();
        assert_eq!((kept.player.as_str(), kept.state.as_str()), ("bot:quick", "goal"));
        assert_eq!(kept.pieces as u64, last.pieces);
        assert!(analyse::Played::read(&record).is_ok());
        assert!(last.lines >= 40 && last.end.as_deref().is_some_and(|end| end.contains("goal")), "{last:?}");
    }

    #[test]
    fn bad_requests_are_refused() {
        let open = |game: &str, set: &[&str], players: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
            Watch::open(game, &owned(set), &owned(players), 0, &|_| None, &store().1).map(|_| ()).unwrap_err()
        };
        assert!(open("bab", &[], &["lowest"]).contains("baby"));
        assert!(open("baby", &["board.height=99"], &["lowest"]).contains("height"));
        assert!(open("baby", &[], &["weights:/etc/passwd"]).contains("no player"));
        assert!(open("baby", &[], &[]).contains("one or two"));
        assert!(open("sprint", &[], &["exact"]).contains("`bot` does"));
        assert!(open("classic", &[], &["exact"]).contains("too large"));
        assert!(open("classic", &[], &["run:none"]).contains("no `run:none`"));
    }
}
