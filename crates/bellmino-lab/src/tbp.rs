//! The Tetris Bot Protocol: a bot that reads and writes JSON, one message a line.
//!
//! Nothing here reads or writes: lines come in, replies go out, so that the command, the tests and the fuzzer share it.
//!
//! A player that looks ahead thinks in a thread of its own from the moment a position is known to the next one, and no
//! longer than whoever hosts it allows (`MAX_NODES` of its thinker). A position is known when as many pieces are in the queue as at the
//! start: the thread does not begin between `play` and its `new_piece`. `suggest` takes the best so far.
//!
//! | a line that | gets |
//! |---|---|
//! | is not a JSON object with a text `type`, or is too long | nothing; the reason is noted |
//! | has an unknown type | nothing |
//! | has unknown fields | the answer to the rest |
//! | is `rules` | `ready`, or `error` if `randomizer` is no text |
//! | is `start` with a position no game can have | nothing; the reason is noted, and the bot waits for another |
//! | is `suggest` without a position, or without a piece to place | an empty list; the reason is noted |
//! | is `play` with a move that is not possible | nothing; the reason is noted, and the position stays |
//! | is `new_piece` with no piece, or without a position | nothing; the reason is noted |
//!
//! ```
//! use bellmino_engine::guideline::Rules;
//! use bellmino_lab::{Player, tbp::Protocol};
//!
//! let mut bot = Protocol::new(Rules::PRACTICE, &Player::of_guideline("weights:lee4", None)?)?;
//! assert!(bot.line(r#"{"type":"rules"}"#).messages[0].contains("ready"));
//! bot.line(r#"{"type":"start","hold":null,"queue":["I","O"],"combo":0,"back_to_back":false,"board":[]}"#);
//! let reply = bot.line(r#"{"type":"suggest"}"#);
//! assert!(reply.messages[0].contains(r#""type":"I""#));
//! # Ok::<(), bellmino_lab::PlayerError>(())
//! ```

use bellmino_engine::guideline::{
    Bag, Board, Goal, HEIGHT, Orientation, Piece, Placement, Position, Rules, Spin, View, WIDTH,
};
use bellmino_engine::{Generator, Purpose, stream};
use bellmino_search::{Forecast, Thought};
use serde_json::{Map, Value, json};

use crate::clock::Clock;
use crate::player::{MakeMind, Mind, Player, PlayerError, Ponders, StartPondering};
use crate::verdict::forecast_words;

/// A bot that speaks the protocol.
pub struct Protocol {
    rules: Rules,
    name: String,
    minds: MakeMind,
    /// Whether the front end deals from bags of seven.
    seven_bag: bool,
    game: Option<TbpGame>,
    generator: Generator,
    /// Who thinks while the front end is at it, if somebody can.
    pondering: Option<StartPondering>,
    clock: Clock,
}

/// A game under way.
struct TbpGame {
    view: View,
    brain: Brain,
    /// Pieces in the queue at the start.
    full: usize,
    /// Whether the thinker is looking at the present position.
    looking: bool,
    clock: Clock,
}

/// Who finds the answers.
enum Brain {
    /// One that answers when asked.
    Mind(Box<dyn Mind>),
    /// One that thinks all the time.
    Thinker(Box<dyn Ponders>),
}

impl TbpGame {
    fn new(view: View, minds: &MakeMind, pondering: Option<StartPondering>, clock: Clock) -> TbpGame {
        let mind = minds(&view.rules);
        let thinker = pondering.zip(mind.pondering()).and_then(|(start, how)| start(mind, how));
        let brain = thinker.map_or_else(|| Brain::Mind(minds(&view.rules)), Brain::Thinker);
        let mut session = TbpGame { full: view.queue.len(), view, brain, looking: false, clock };
        session.changed();
        session
    }

    /// The position has changed: if it is complete, it is time to think about it.
    fn changed(&mut self) {
        self.looking = false;
        if self.view.queue.len() >= self.full.max(1) {
            self.look();
        }
    }

    /// Lets the thinker, if there is one, look at the present position.
    fn look(&mut self) {
        if let Brain::Thinker(thinker) = &self.brain
            && !self.looking
        {
            thinker.look_at(self.seen());
            self.looking = true;
        }
    }

    /// The best so far.
    fn best(&mut self, generator: &mut Generator) -> Thought {
        self.look();
        let seen = self.seen();
        match &mut self.brain {
            Brain::Mind(mind) => {
                let begin = self.clock.now();
                let thought = mind.think(&seen, generator);
                Thought { time: self.clock.since(begin), ..thought }
            }
            Brain::Thinker(thinker) => thinker.best().unwrap_or_default(),
        }
    }

    /// The position as a player gets it.
    fn seen(&self) -> View {
        let mut seen = self.view.clone();
        // What lies beyond is of no use, and its bag belongs to the end of the queue.
        if seen.queue.len() > SEEN {
            seen.queue.truncate(SEEN);
            seen.bag.clear();
        }
        // A front end that plays on after the goal wants moves all the same.
        if seen.is_done() {
            seen.rules.goal = Goal::default();
        }
        seen
    }
}

/// The answer to a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Messages for the front end, one a line.
    pub messages: Vec<String>,
    /// What a person should know; never for the front end.
    pub note: Option<String>,
    /// The front end wants the bot to end.
    pub quit: bool,
}

/// The longest line that is read.
pub const MAX_LINE: usize = 1 << 20;

/// The most moves suggested.
const MAX_MOVES: usize = 32;

/// The longest queue that is kept.
const MAX_QUEUE: usize = 10_000;

/// How much of a long queue the bot looks at.
const SEEN: usize = 32;

impl Protocol {
    /// A bot for these rules; the front end sends the positions.
    pub fn new(rules: Rules, player: &Player) -> Result<Protocol, PlayerError> {
        let generator = stream(0, Purpose::Player, 0);
        let (name, minds) = (player.name().to_owned(), player.minds()?);
        let (pondering, clock) = (None, Clock::STOPPED);
        Ok(Protocol { rules, name, minds, seven_bag: false, game: None, generator, pondering, clock })
    }

    /// The same with somebody who thinks while the front end is at it, and a clock for the times that it tells.
    pub fn hosted(self, pondering: StartPondering, clock: Clock) -> Protocol {
        Protocol { pondering: Some(pondering), clock, ..self }
    }

    /// The message to begin with.
    pub fn info(&self) -> String {
        json!({
            "type": "info",
            "name": "Bellmino",
            "version": env!("CARGO_PKG_VERSION"),
            "author": "the authors of Bellmino",
            "features": ["randomizer", "move_info"],
        })
        .to_string()
    }

    /// Answers a line.
    pub fn line(&mut self, line: &str) -> Reply {
        if line.len() > MAX_LINE {
            return Reply::note(format!("ignored a line of {} bytes", line.len()));
        }
        if line.trim().is_empty() {
            return Reply::default();
        }
        let message = match serde_json::from_str(line) {
            Ok(Value::Object(message)) => message,
            Ok(_) => return Reply::note("ignored a line that is no JSON object"),
            Err(error) => return Reply::note(format!("ignored a line that is not JSON: {error}")),
        };
        let Some(kind) = message.get("type").and_then(Value::as_str) else {
            return Reply::note("ignored a message without a type");
        };
        let done = match kind {
            "rules" => return self.rules(&message),
            "suggest" => return self.suggest(),
            "start" => self.start(&message),
            "play" => self.play(&message),
            "new_piece" => self.new_piece(&message),
            "stop" => {
                self.game = None;
                Ok(())
            }
            "quit" => return Reply { quit: true, ..Reply::default() },
            _ => Ok(()),
        };
        Reply { note: done.err().map(|why| format!("ignored `{kind}`: {why}")), ..Reply::default() }
    }

    fn rules(&mut self, message: &Map<String, Value>) -> Reply {
        let randomizer = match message.get("randomizer") {
            None | Some(Value::Null) => "unknown",
            Some(Value::String(name)) => name,
            Some(_) => {
                let error = json!({ "type": "error", "reason": "unsupported_rules" }).to_string();
                let note = Some("`randomizer` must be a text".to_owned());
                return Reply { messages: vec![error], note, quit: false };
            }
        };
        self.seven_bag = randomizer == "seven_bag";
        Reply::message(&json!({ "type": "ready" }))
    }

    fn start(&mut self, message: &Map<String, Value>) -> Result<(), String> {
        self.game = None;
        let hold = match message.get("hold") {
            None | Some(Value::Null) => None,
            Some(letter) => Some(piece(letter)?),
        };
        let queue = list(message, "queue")?.iter().map(piece).collect::<Result<Vec<_>, _>>()?;
        if queue.len() > MAX_QUEUE {
            return Err(format!("a queue of {} pieces is too long", queue.len()));
        }
        let combo = match message.get("combo") {
            None | Some(Value::Null) => 0,
            Some(number) => number
                .as_u64()
                .and_then(|number| u32::try_from(number).ok())
                .ok_or_else(|| format!("`combo` is {}, not a whole number", short(number)))?,
        };
        let back_to_back = match message.get("back_to_back") {
            None | Some(Value::Null) => false,
            Some(value) => {
                value.as_bool().ok_or_else(|| format!("`back_to_back` is {}, not a boolean", short(value)))?
            }
        };
        let board = board(list(message, "board")?)?;
        let bag = self.bag(message.get("randomizer"));
        let position = Position { board, hold, back_to_back, combo };
        let view = View { rules: self.rules, position, queue, bag, pieces: 0, lines: 0 };
        self.game = Some(TbpGame::new(view, &self.minds, self.pondering, self.clock));
        Ok(())
    }

    /// The pieces left in the bag after the queue; none if that is not known.
    fn bag(&self, state: Option<&Value>) -> Vec<Piece> {
        let known = || {
            let state = state?.as_object()?;
            if !self.seven_bag || state.get("type")?.as_str()? != "seven_bag" {
                return None;
            }
            let mut bag: Vec<Piece> = state
                .get("bag_state")?
                .as_array()?
                .iter()
                .map(|letter| piece(letter).ok())
                .collect::<Option<_>>()?;
            let count = bag.len();
            bag.sort_unstable();
            bag.dedup();
            (bag.len() == count && count > 0).then_some(bag)
        };
        known().unwrap_or_default()
    }

    fn suggest(&mut self) -> Reply {
        let mut reply = Reply::default();
        let mut moves = vec![];
        let mut info = Value::Null;
        match &mut self.game {
            None => reply.note = Some("`suggest` without a position".to_owned()),
            Some(session) if session.view.queue.is_empty() => {
                reply.note = Some("`suggest` without a piece to place".to_owned());
            }
            Some(session) => {
                let thought = session.best(&mut self.generator);
                let ranked = thought.candidates.iter().map(|candidate| &candidate.placement);
                moves = ranked.take(MAX_MOVES).map(move_object).collect();
                if moves.is_empty() {
                    reply.note = Some("no placement is possible".to_owned());
                }
                let seconds = thought.time.as_secs_f64();
                let forecast = Forecast::of(&session.seen(), &thought);
                let words = forecast.map(|forecast| format!("; {}", forecast_words(&forecast, None)));
                info = json!({
                    "nodes": thought.nodes,
                    "nps": if seconds > 0.0 { (thought.nodes as f64 / seconds).round() } else { 0.0 },
                    "depth": thought.depth,
                    "extra": format!("{}{}", self.name, words.unwrap_or_default()),
                });
            }
        }
        let mut message = json!({ "type": "suggestion", "moves": moves });
        if !info.is_null() {
            message["move_info"] = info;
        }
        reply.messages.push(message.to_string());
        reply
    }

    fn play(&mut self, message: &Map<String, Value>) -> Result<(), String> {
        let session = self.game.as_mut().ok_or("there is no position")?;
        let placement = message.get("move").and_then(read_move).ok_or("`move` is no move")?;
        session.view.play(&placement).map_err(|error| error.to_string())?;
        session.changed();
        Ok(())
    }

    fn new_piece(&mut self, message: &Map<String, Value>) -> Result<(), String> {
        let session = self.game.as_mut().ok_or("there is no position")?;
        let piece = piece(message.get("piece").unwrap_or(&Value::Null))?;
        if session.view.queue.len() >= MAX_QUEUE {
            return Err("the queue is too long".to_owned());
        }
        session.view.queue.push(piece);
        let bag = &mut session.view.bag;
        if !bag.is_empty() {
            let before = bag.len();
            bag.retain(|&left| left != piece);
            if bag.len() == before {
                // Not what the front end promised: nothing is known any more.
                bag.clear();
            } else {
                Bag::refill(bag);
            }
        }
        session.changed();
        Ok(())
    }
}

impl Reply {
    fn note(note: impl Into<String>) -> Reply {
        Reply { note: Some(note.into()), ..Reply::default() }
    }

    fn message(message: &Value) -> Reply {
        Reply { messages: vec![message.to_string()], ..Reply::default() }
    }
}

/// A move as the protocol writes it.
pub fn move_object(placement: &Placement) -> Value {
    json!({
        "location": {
            "type": placement.piece.to_string(),
            "orientation": placement.orientation.name(),
            "x": placement.x,
            "y": placement.y,
        },
        "spin": placement.spin.name(),
    })
}

/// Reads a move; `None` if it is none. An absent spin is none.
pub fn read_move(value: &Value) -> Option<Placement> {
    let location = value.get("location")?;
    let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let orientation = word(location, "orientation")?;
    let spin = match value.get("spin") {
        None | Some(Value::Null) => Spin::None,
        Some(_) => {
            let spin = word(value, "spin")?;
            Spin::ALL.into_iter().find(|known| known.name() == spin)?
        }
    };
    let number = |key: &str, below: usize| {
        let number = usize::try_from(location.get(key)?.as_u64()?).ok()?;
        (number < below).then_some(number as i8)
    };
    Some(Placement {
        piece: piece(location.get("type")?).ok()?,
        orientation: Orientation::ALL.into_iter().find(|known| known.name() == orientation)?,
        x: number("x", WIDTH)?,
        y: number("y", HEIGHT)?,
        spin,
    })
}

/// A start message for a position, as a front end sends it; `bag` is what is left after the queue.
pub fn start_message(position: &Position, queue: &[Piece], bag: &[Piece]) -> String {
    let letters = |pieces: &[Piece]| pieces.iter().map(ToString::to_string).collect::<Vec<_>>();
    let cell = |filled: bool| if filled { json!("G") } else { Value::Null };
    let row = |y: usize| (0..WIDTH).map(|x| cell(position.board.contains(x, y))).collect::<Vec<_>>();
    json!({
        "type": "start",
        "hold": position.hold.map(|piece| piece.to_string()),
        "queue": letters(queue),
        "combo": position.combo,
        "back_to_back": position.back_to_back,
        "board": (0..HEIGHT).map(row).collect::<Vec<_>>(),
        "randomizer": { "type": "seven_bag", "bag_state": letters(bag) },
    })
    .to_string()
}

fn list<'a>(message: &'a Map<String, Value>, key: &str) -> Result<&'a [Value], String> {
    let list = message.get(key).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or_else(|| format!("`{key}` must be a list"))
}

fn piece(value: &Value) -> Result<Piece, String> {
    let mut letters = value.as_str().unwrap_or_default().chars();
    match (letters.next().and_then(Piece::from_letter), letters.next()) {
        (Some(piece), None) => Ok(piece),
        _ => Err(format!("{} is no piece", short(value))),
    }
}

/// A short board is empty above; one with filled cells above row 40 is refused, and so is a full row.
fn board(rows: &[Value]) -> Result<Board, String> {
    let mut board = Board::EMPTY;
    for (y, row) in rows.iter().enumerate() {
        let cells = row.as_array().filter(|cells| cells.len() == WIDTH);
        let cells = cells.ok_or_else(|| format!("row {y} of the board has not {WIDTH} cells"))?;
        for (x, cell) in cells.iter().enumerate() {
            let filled = match cell {
                Value::Null => false,
                Value::String(letter) if letter == "G" => true,
                other if piece(other).is_ok() => true,
                other => return Err(format!("row {y} has a cell {}", short(other))),
            };
            if filled && y >= HEIGHT {
                return Err(format!("row {y} of the board is above the top"));
            }
            if filled {
                board.insert(x, y);
            }
        }
        if y < HEIGHT && (0..WIDTH).all(|x| board.contains(x, y)) {
            return Err(format!("row {y} of the board is full"));
        }
    }
    Ok(board)
}

/// A value for a message, cut to a reasonable length.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 40 { text.chars().take(37).chain("...".chars()).collect() } else { text }
}
