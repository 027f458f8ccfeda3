//! Games against dealers that mean ill, by a beam search that learns.

use std::fmt;

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{AnyColumns, Match, Placement, ReplayText};
use bellmino_search::well::{Hunt, Lessons, WellDealer, WellJudge};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Chance, Context, Event, GameChoice, Request, RequestError, VERSION, named, number};
use crate::clock::per_second;
use crate::resources::ResourceKind;

/// Search for a long game against a dealer without chance, such as those of HATETRIS
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HuntRequest {
    /// The game.
    #[serde(flatten)]
    pub game: GameChoice,

    /// The dealer, instead of the game's: mild, hatetris, brzustowski, burgiel or lovetris
    #[serde(default)]
    #[schemars(extend("x-value" = "D"))]
    pub dealer: Option<String>,

    /// Wells that are kept of each number of pieces
    #[serde(default = "width")]
    #[schemars(range(min = 1, max = 10_000_000), extend("x-value" = "N"))]
    pub width: u32,

    /// End after so many pieces [default: when every well has died, or after 100,000]
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000_000), extend("x-value" = "N"))]
    pub pieces: Option<u32>,

    /// End after so many seconds
    #[serde(default)]
    #[schemars(range(min = 0.001, max = 1e9), extend("x-value" = "S"))]
    pub seconds: Option<f64>,

    /// Judge wells by values that were learned before, instead of by features made by hand
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE"))]
    pub values: Option<String>,

    /// First learn values in so many searches, each judged by what the ones before have learned
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000), extend("x-value" = "N"))]
    pub learn: u32,

    /// Wells that are kept while learning
    #[serde(default = "learn_width")]
    #[schemars(range(min = 1, max = 1_000_000), extend("x-value" = "N", "x-needs" = ["learn"]))]
    pub learn_width: u32,

    /// So many pieces later a well is judged by what came of it
    #[serde(default = "lag")]
    #[schemars(range(min = 1, max = 10_000), extend("x-value" = "N", "x-needs" = ["learn"]))]
    pub lag: u32,

    /// Chance in the judgement while learning, in 1/256 of a row
    #[serde(default = "jitter")]
    #[schemars(range(min = 0, max = 100_000), extend("x-value" = "N", "x-needs" = ["learn"]))]
    pub jitter: u32,

    /// Keep what was learned
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-needs" = ["learn"]))]
    pub keep_values: Option<String>,

    /// Write the best game so far as keys; FILE.part is the search on its way
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-short" = "o"))]
    pub output: Option<String>,

    /// Go on with FILE.part of an interrupted search; needs an output
    #[serde(default)]
    #[schemars(extend("x-needs" = ["output"], "x-excludes" = ["learn"]))]
    pub resume: bool,

    /// Save FILE.part every so many seconds
    #[serde(default = "five_minutes")]
    #[schemars(range(min = 0.0, max = 1e9), extend("x-value" = "S", "x-needs" = ["output"]))]
    pub save_every: f64,

    /// The seed.
    #[serde(flatten)]
    pub chance: Chance,
}

fn width() -> u32 {
    1000
}

fn learn_width() -> u32 {
    100
}

fn lag() -> u32 {
    8
}

fn jitter() -> u32 {
    256
}

fn five_minutes() -> f64 {
    300.0
}

/// No search is longer unless it is asked for.
const MOST_PIECES: u32 = 100_000;

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HuntAnswer {
    /// The game.
    pub game: String,
    /// The version of the program.
    pub version: &'static str,
    /// Rows of the best game.
    pub rows: u32,
    /// Its pieces, up to the last that cleared a row.
    pub pieces: u32,
    /// Pieces after which the search ended.
    pub depth: u32,
    /// Whether every well had died by then: else there may be more to find.
    pub is_over: bool,
    /// Wells that were looked at.
    pub wells: u64,
    /// The keys of the best game.
    pub keys: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Wells looked at per second.
    pub wells_per_second: f64,
}

impl fmt::Display for HuntAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = if self.is_over { "every well has died" } else { "the search goes on from there" };
        writeln!(out, "{}", self.keys)?;
        write!(
            out,
            "{} rows with {} pieces; {} wells looked at, {} pieces deep: {why}",
            self.rows,
            self.pieces,
            number(self.wells as f64),
            self.depth
        )
    }
}

impl Request for HuntRequest {
    const NAME: &'static str = "hunt";
    type Answer = HuntAnswer;

    fn answer(&self, context: &Context<'_>) -> Result<HuntAnswer, RequestError> {
        let game = with_dealer(&self.game, self.dealer.as_ref()).load_placement(context)?;
        for (field, name) in [("output", &self.output), ("keep_values", &self.keep_values)] {
            context.outputs.check_field(field, name.as_ref())?;
        }
        let begin = context.clock.now();
        let mut judge = self.judge(&game, context)?;
        self.learn(&game, &mut judge, context)?;
        let question = question(&game, &judge);
        let mut hunt = self.begun(&game, question, context)?;
        self.go(&game, &mut hunt, &judge, question, context)?;
        let best = hunt.best();
        let keys = keys(&game, &best.placements)?;
        let seconds = context.clock.since(begin).as_secs_f64();
        Ok(HuntAnswer {
            game: self.game.describe(game.name()),
            version: VERSION,
            rows: best.rows,
            pieces: best.placements.len() as u32,
            depth: hunt.pieces(),
            is_over: hunt.layer().is_empty(),
            wells: hunt.seen(),
            keys,
            seconds,
            wells_per_second: per_second(hunt.seen(), seconds),
        })
    }
}

impl HuntRequest {
    fn judge(&self, game: &PlacementGame, context: &Context<'_>) -> Result<WellJudge, RequestError> {
        let dealer = WellDealer::new(game).map_err(RequestError::input)?;
        let Some(name) = &self.values else {
            let is_blank = self.learn > 0;
            return Ok(if is_blank {
                WellJudge::blank(game, &dealer)
            } else {
                WellJudge::linear(game, &dealer)
            });
        };
        let refuse = |why: &dyn fmt::Display| RequestError::field("values", format!("{name}: {why}"));
        let bytes = context.resources.read(ResourceKind::Tuples, name).map_err(|why| refuse(&why))?;
        WellJudge::from_bytes(game, &dealer, &bytes).map_err(|why| refuse(&why))
    }

    /// Search after search, each learning from its own wells.
    fn learn(
        &self,
        game: &PlacementGame,
        judge: &mut WellJudge,
        context: &Context<'_>,
    ) -> Result<(), RequestError> {
        context.tell(Event::Begin { what: "searches to learn from", parts: self.learn.into() });
        for round in 0..self.learn {
            let hunt = Hunt::new(game, self.learn_width as usize).map_err(RequestError::input)?;
            let mut hunt = hunt.with_jitter(self.jitter, self.chance.seed.wrapping_add(round.into()));
            let mut lessons = Lessons::new(self.lag as usize, 1.0);
            lessons.attend(&hunt, judge);
            while hunt.pieces() < self.most_pieces() && context.go_on() && hunt.advance(judge, threads()) {
                lessons.attend(&hunt, judge);
            }
            if hunt.layer().is_empty() {
                lessons.attend(&hunt, judge);
            }
            let what = format!("{} rows at a width of {}", hunt.best_rows(), self.learn_width);
            context.tell(Event::Now { what, left: None });
            if !context.done(1) {
                break;
            }
        }
        context.tell(Event::End);
        match &self.keep_values {
            Some(name) => context.outputs.write(name, &judge.to_bytes()),
            None => Ok(()),
        }
    }

    fn most_pieces(&self) -> u32 {
        self.pieces.unwrap_or(MOST_PIECES)
    }

    fn part(&self) -> Option<String> {
        self.output.as_ref().map(|output| format!("{output}.part"))
    }

    /// The search from its beginning, or from where it was left.
    fn begun(
        &self,
        game: &PlacementGame,
        question: u64,
        context: &Context<'_>,
    ) -> Result<Hunt, RequestError> {
        let Some(part) = self.part().filter(|_| self.resume) else {
            return Hunt::new(game, self.width as usize).map_err(RequestError::input);
        };
        if !context.resources.has(&part) {
            let why = format!("there is no {part} to go on with; ask without {}", named("resume"));
            return Err(RequestError::field("resume", why));
        }
        let refuse = |why: &dyn fmt::Display| RequestError::field("resume", format!("{part}: {why}"));
        let bytes = context.resources.read(ResourceKind::Table, &part).map_err(|why| refuse(&why))?;
        let hunt = Hunt::from_bytes(game, question, &bytes).map_err(|why| refuse(&why))?;
        if hunt.width() != self.width as usize {
            return Err(refuse(&format!(
                "it keeps {} wells; give {} {}",
                hunt.width(),
                named("width"),
                hunt.width()
            )));
        }
        Ok(hunt)
    }

    /// Goes on with a search to its end.
    fn go(
        &self,
        game: &PlacementGame,
        hunt: &mut Hunt,
        judge: &WellJudge,
        question: u64,
        context: &Context<'_>,
    ) -> Result<(), RequestError> {
        let begin = context.clock.now();
        let elapsed = || context.clock.since(begin).as_secs_f64();
        let (mut saved, mut written) = (0.0, 0);
        context.tell(Event::Begin { what: "pieces", parts: self.pieces.unwrap_or(0).into() });
        while hunt.pieces() < self.most_pieces()
            && self.seconds.is_none_or(|seconds| elapsed() < seconds)
            && context.done(u64::from(hunt.pieces() > 0))
            && hunt.advance(judge, threads())
        {
            if hunt.pieces().is_multiple_of(16) {
                let what = format!("{} rows after {} pieces", hunt.best_rows(), hunt.pieces());
                context.tell(Event::Now { what, left: None });
            }
            if elapsed() - saved >= self.save_every {
                saved = elapsed();
                self.save(game, hunt, question, &mut written, context)?;
            }
        }
        context.tell(Event::End);
        self.save(game, hunt, question, &mut written, context)?;
        match self.part().filter(|_| hunt.layer().is_empty()) {
            Some(part) => context.outputs.remove(&part).map_err(RequestError::run),
            None => Ok(()),
        }
    }

    /// Writes the best game, if it is better than the one written, and the search on its way.
    fn save(
        &self,
        game: &PlacementGame,
        hunt: &Hunt,
        question: u64,
        written: &mut u32,
        context: &Context<'_>,
    ) -> Result<(), RequestError> {
        let (Some(output), Some(part)) = (&self.output, self.part()) else { return Ok(()) };
        let best = hunt.best();
        if best.rows > *written {
            *written = best.rows;
            context.outputs.write(output, format!("{}\n", keys(game, &best.placements)?).as_bytes())?;
        }
        if hunt.layer().is_empty() { Ok(()) } else { context.outputs.write(&part, &hunt.to_bytes(question)) }
    }
}

/// The game with this dealer in place of its own.
pub(super) fn with_dealer(choice: &GameChoice, dealer: Option<&String>) -> GameChoice {
    let mut choice = choice.clone();
    choice.set.extend(dealer.map(|dealer| format!("dealer.kind={dealer}")));
    choice
}

/// A number for the game and who judges.
fn question(game: &PlacementGame, judge: &WellJudge) -> u64 {
    let text = game.to_toml();
    let bytes = text.bytes().chain(judge.to_bytes());
    // FNV-1a.
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The keys that play these placements.
fn keys(game: &PlacementGame, placements: &[Placement]) -> Result<String, RequestError> {
    let unplayable = || RequestError::run("a placement of the search is none of the game");
    let mut played: Match<AnyColumns> = Match::new(game.clone(), 0, 0);
    let mut strokes = Vec::new();
    for placement in placements {
        strokes.extend(played.strokes_to(*placement).ok_or_else(unplayable)?);
        played.play(placement).map_err(|_| unplayable())?;
    }
    Ok(ReplayText::Raw.write(&strokes))
}

fn threads() -> usize {
    rayon::current_num_threads()
}
