//! Experiments: what their files say.

use serde::Deserialize;
use serde_json::Value;

use super::answer::Answer;
use super::plots::Plot;
use crate::failure::Failure;

/// One experiment: its question, its figures and what they say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// What it is about.
    pub title: String,
    /// What is asked.
    pub question: String,
    /// What came out. Figures stand in it by their names in braces, so that it cannot say other than the table.
    #[serde(default)]
    pub answer: String,
    /// The figures.
    #[serde(default)]
    pub figure: Vec<ExperimentFigure>,
    /// The plots.
    #[serde(default)]
    pub plot: Vec<Plot>,
}

/// One command, and the figure to take from its JSON; a command without a figure prepares the ones after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExperimentFigure {
    /// Its name in the answer; `{x}` as in the command.
    #[serde(default)]
    pub id: String,
    /// The heading that it stands under.
    #[serde(default)]
    pub group: String,
    /// What it is.
    #[serde(default)]
    pub what: String,
    /// Arguments; `{dir}` is a folder of this run, `{x}` each value of `each`, `{seed}` each of `seeds`.
    pub command: String,
    /// Where the figure is in the JSON, such as `/value`; it must be there.
    pub field: Option<String>,
    /// Where its interval is; `unknown` for a figure of chance that says nothing about others, such as a maximum.
    pub interval: Option<String>,
    /// What was reported; with `each` one for all, or one for each (`nan` for none).
    pub reported: Option<Reported>,
    /// How far a report may be off because it is rounded.
    #[serde(default)]
    pub tolerance: f64,
    /// The report's figure is the mean of so many games, of which chance is part.
    pub reported_games: Option<u32>,
    /// Where the standard deviation of one game is, for `reported_games`; `mean` if it is as large as the reported mean, as
    /// of games that last until a rare accident.
    pub sd: Option<String>,
    /// A remark.
    #[serde(default)]
    pub note: String,
    /// One row for each of these.
    #[serde(default)]
    pub each: Vec<Value>,
    /// The mean over these seeds, with its 95 % interval.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// What is printed is the figure times this.
    pub factor: Option<f64>,
    /// How many digits of it are known, where there is no interval to tell: six unless said otherwise.
    pub digits: Option<i32>,
}

/// What was reported.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Reported {
    /// One figure.
    One(f64),
    /// One for each row.
    Each(Vec<f64>),
}

impl Experiment {
    /// The experiment in a TOML file. `name` is what errors call it.
    pub fn read(name: &str, text: &str) -> Result<Experiment, Failure> {
        let experiment: Experiment =
            toml::from_str(text).map_err(|error| Failure::input(format!("{name}: {error}")))?;
        experiment.check().map_err(|why| Failure::input(format!("{name}: {why}")))?;
        Ok(experiment)
    }

    /// How many commands its figures run, at most.
    pub fn steps(&self) -> usize {
        self.figure.iter().map(|figure| figure.values().len() * figure.seeds.len().max(1)).sum()
    }

    fn check(&self) -> Result<(), String> {
        let mut ids: Vec<String> = Vec::new();
        for figure in &self.figure {
            let values = figure.values();
            if let Some(Reported::Each(list)) = &figure.reported
                && list.len() != values.len()
            {
                let (what, rows) = (&figure.what, values.len());
                return Err(format!("`{what}` has {} reported figures for {rows} rows", list.len()));
            }
            if figure.reported_games.is_some() != figure.sd.is_some() {
                return Err(format!("`{}` needs both `reported_games` and `sd`, or neither", figure.what));
            }
            for id in values.iter().map(|x| fill(&figure.id, x, "")).filter(|id| !id.is_empty()) {
                if ids.contains(&id) {
                    return Err(format!("two figures have the id `{id}`"));
                }
                ids.push(id);
            }
        }
        Answer::new(&self.answer).check(&ids)
    }
}

impl ExperimentFigure {
    /// The values of `{x}`; one that is empty if there is none.
    pub fn values(&self) -> Vec<String> {
        let all: Vec<String> = self.each.iter().map(super::plain).collect();
        if all.is_empty() { vec![String::new()] } else { all }
    }

    /// What was reported for the row of this number.
    pub fn reported(&self, row: usize) -> Option<f64> {
        let reported = match self.reported.as_ref()? {
            Reported::One(reported) => Some(*reported),
            Reported::Each(list) => list.get(row).copied(),
        };
        reported.filter(|reported| !reported.is_nan())
    }

    /// The commands of a row: one, or one for each seed.
    pub fn commands(&self, x: &str) -> Vec<String> {
        if self.seeds.is_empty() {
            return vec![fill(&self.command, x, "")];
        }
        self.seeds.iter().map(|seed| fill(&self.command, x, &seed.to_string())).collect()
    }
}

/// A text with its `{x}` and `{seed}` filled in.
pub fn fill(text: &str, x: &str, seed: &str) -> String {
    text.replace("{x}", x).replace("{seed}", seed)
}
