//! Guideline games: validated data.

use toml::{Table, Value};

use super::reader::Reader;
use crate::guideline::{Goal, Kicks, Rules, ScoreTable, Timing};

/// A guideline game: a name and its rules.
///
/// ```
/// use bellmino_engine::Game;
///
/// let game = Game::built_in("sprint", &["goal.lines=80".parse().unwrap()]).unwrap().unwrap();
/// assert_eq!(game.guideline().unwrap().rules().goal.lines, Some(80));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GuidelineGame {
    name: String,
    title: String,
    rules: Rules,
}

/// The most lines, pieces or seconds of a goal.
const MAX_GOAL: i64 = 1_000_000;

impl GuidelineGame {
    /// The stable name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title for people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The file that describes this game completely, every default written out.
    pub fn to_toml(&self) -> String {
        let Rules { kicks, score, previews, hold, goal, timing } = self.rules;
        let mut file = Table::new();
        file.insert("name".into(), self.name.as_str().into());
        file.insert("title".into(), self.title.as_str().into());
        file.insert("kind".into(), "guideline".into());
        file.insert("previews".into(), (previews as i64).into());
        file.insert("hold".into(), hold.into());
        file.insert("kicks".into(), kicks.name().into());
        let numbers = |entries: &[(&str, Option<u32>)]| -> Table {
            let given = entries.iter().filter_map(|(key, number)| Some((*key, (*number)?)));
            given.map(|(key, number)| (key.to_owned(), Value::from(i64::from(number)))).collect()
        };
        let Goal { lines, pieces, seconds } = goal;
        file.insert(
            "goal".into(),
            numbers(&[("lines", lines), ("pieces", pieces), ("seconds", seconds)]).into(),
        );
        let mut points = Table::new();
        match score.name() {
            Some(name) => {
                points.insert("table".into(), name.into());
            }
            None => {
                let list =
                    |points: &[u32]| Value::Array(points.iter().map(|&n| i64::from(n).into()).collect());
                for (key, value) in [
                    ("lines", list(&score.lines)),
                    ("mini", list(&score.mini)),
                    ("full", list(&score.full)),
                    ("perfect", list(&score.perfect)),
                ] {
                    points.insert(key.into(), value);
                }
                for (key, value) in single_points(&score) {
                    points.insert(key.into(), i64::from(value).into());
                }
            }
        }
        file.insert("score".into(), points.into());
        let times = times(&timing).map(|(key, time)| (key, Some(time)));
        file.insert("timing".into(), numbers(&times).into());
        file.to_string()
    }

    /// Reads a guideline game; problems go to the reader.
    pub(super) fn read(file: &Reader<'_>) -> Option<GuidelineGame> {
        file.only(&["name", "title", "kind", "previews", "hold", "kicks", "goal", "score", "timing"]);
        let default = Rules::PRACTICE;
        let name = super::placement::read_name(file);
        let title = if file.has("title") { file.string("title") } else { name };
        let most = Rules::MAX_PREVIEWS as i64;
        let previews = if file.has("previews") { file.integer("previews", 0..=most) } else { Some(5) };
        let hold = file.boolean("hold", default.hold);
        let kicks = file.choice("kicks", &Kicks::ALL.map(|kicks| (kicks.name(), kicks)));
        let goal = read_goal(&file.section("goal"));
        let score = read_score(&file.section("score"));
        let timing = read_timing(&file.section("timing"));
        let rules = Rules {
            kicks: kicks?,
            score: score?,
            previews: previews?,
            hold: hold?,
            goal: goal?,
            timing: timing?,
        };
        let (name, title) = (name?.to_owned(), title?.to_owned());
        match rules.check() {
            Ok(()) => Some(GuidelineGame { name, title, rules }),
            Err(problem) => {
                file.problem("", problem);
                None
            }
        }
    }
}

fn read_goal(section: &Reader<'_>) -> Option<Goal> {
    section.only(&["lines", "pieces", "seconds"]);
    let number = |key: &str| match section.has(key) {
        true => section.integer(key, 1..=MAX_GOAL).map(|number| Some(number as u32)),
        false => Some(None),
    };
    let (lines, pieces, seconds) = (number("lines"), number("pieces"), number("seconds"));
    Some(Goal { lines: lines?, pieces: pieces?, seconds: seconds? })
}

/// A named table, and whatever differs from it.
fn read_score(section: &Reader<'_>) -> Option<ScoreTable> {
    let mut known = vec!["table", "lines", "mini", "full", "perfect"];
    known.extend(single_points(&ScoreTable::SEED).map(|(key, _)| key));
    section.only(&known);
    let mut table = section.choice("table", &ScoreTable::NAMED)?;
    let mut sound = true;
    {
        let lists: [(&str, &mut [u32]); 4] = [
            ("lines", &mut table.lines),
            ("mini", &mut table.mini),
            ("full", &mut table.full),
            ("perfect", &mut table.perfect),
        ];
        for (key, list) in lists {
            if !section.has(key) {
                continue;
            }
            let most = f64::from(Rules::MAX_POINTS);
            let whole = |number: &f64| number.fract() == 0.0 && *number <= most;
            match section.numbers(key) {
                Some(numbers) if numbers.len() == list.len() && numbers.iter().all(whole) => {
                    list.iter_mut().zip(numbers).for_each(|(entry, number)| *entry = number as u32);
                }
                Some(_) => {
                    let wanted = format!("must be {} whole numbers from 0 to {most}", list.len());
                    section.problem(key, wanted);
                    sound = false;
                }
                None => sound = false,
            }
        }
    }
    let singles: [(&str, &mut u32, u32); 5] = [
        ("back_to_back_percent", &mut table.back_to_back_percent, Rules::MAX_PERCENT),
        ("combo", &mut table.combo, Rules::MAX_POINTS),
        ("perfect_back_to_back", &mut table.perfect_back_to_back, Rules::MAX_POINTS),
        ("soft_drop", &mut table.soft_drop, Rules::MAX_POINTS),
        ("hard_drop", &mut table.hard_drop, Rules::MAX_POINTS),
    ];
    for (key, entry, most) in singles {
        if section.has(key) {
            match section.integer(key, 0..=i64::from(most)) {
                Some(number) => *entry = number as u32,
                None => sound = false,
            }
        }
    }
    sound.then_some(table)
}

fn read_timing(section: &Reader<'_>) -> Option<Timing> {
    let mut timing = Timing::DEFAULT;
    section.only(&times(&timing).map(|(key, _)| key));
    let mut sound = true;
    let entries = [
        ("gravity", &mut timing.gravity),
        ("lock_delay", &mut timing.lock_delay),
        ("lock_limit", &mut timing.lock_limit),
        ("entry_delay", &mut timing.entry_delay),
    ];
    for (key, entry) in entries {
        if section.has(key) {
            match section.integer(key, 0..=i64::from(Rules::MAX_MILLISECONDS)) {
                Some(number) => *entry = number as u32,
                None => sound = false,
            }
        }
    }
    sound.then_some(timing)
}

/// The single numbers of a score table by their keys.
fn single_points(score: &ScoreTable) -> [(&'static str, u32); 5] {
    [
        ("back_to_back_percent", score.back_to_back_percent),
        ("combo", score.combo),
        ("perfect_back_to_back", score.perfect_back_to_back),
        ("soft_drop", score.soft_drop),
        ("hard_drop", score.hard_drop),
    ]
}

/// The times by their keys.
fn times(timing: &Timing) -> [(&'static str, u32); 4] {
    [
        ("gravity", timing.gravity),
        ("lock_delay", timing.lock_delay),
        ("lock_limit", timing.lock_limit),
        ("entry_delay", timing.entry_delay),
    ]
}
