//! How long the rest of an evaluation will take, said once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;

use bellmino_lab::request::EvaluateRequest;

use crate::output::number;

/// When it is said.
const AFTER: Duration = Duration::from_secs(4);

/// What takes no longer than this needs no words.
const SHORT: Duration = Duration::from_secs(8);

/// Knows how far an evaluation is.
pub struct WaitForecast {
    total: u64,
    /// What would make it shorter.
    hints: String,
    begin: Instant,
    done: AtomicU64,
    is_said: AtomicBool,
}

impl WaitForecast {
    /// An evaluation that begins now.
    pub fn new(request: &EvaluateRequest) -> WaitForecast {
        let (total, begin, hints) = (request.parts(), Instant::now(), hints(request));
        WaitForecast { total, hints, begin, done: AtomicU64::new(0), is_said: AtomicBool::new(false) }
    }

    /// So many more games are done; what there is to say about the rest, once.
    pub fn words(&self, games: u64) -> Option<String> {
        if self.is_said.load(Ordering::Relaxed) {
            return None;
        }
        let done = self.done.fetch_add(games, Ordering::Relaxed) + games;
        let elapsed = self.begin.elapsed();
        if elapsed < AFTER || self.is_said.swap(true, Ordering::Relaxed) {
            return None;
        }
        sentence(done, self.total, elapsed, &self.hints)
    }
}

/// What there is to say of the rest after so many of the games.
fn sentence(done: u64, total: u64, elapsed: Duration, hints: &str) -> Option<String> {
    let seconds = elapsed.as_secs();
    let of_all = number(total as f64);
    if done == 0 {
        return Some(format!(
            "no game of {of_all} has ended after {seconds} s. Shorter: {hints}; Ctrl-C ends with what is known"
        ));
    }
    let left = elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64);
    (left > SHORT).then(|| {
        let (done, left) = (number(done as f64), HumanDuration(left));
        format!("{done} of {of_all} games after {seconds} s; the rest takes about {left}. Shorter: {hints}; Ctrl-C ends with what is known")
    })
}

/// What would make an evaluation shorter.
fn hints(request: &EvaluateRequest) -> String {
    let mut hints = vec![match request.losses {
        Some(_) => "fewer --losses".to_owned(),
        None => "fewer --games".to_owned(),
    }];
    if request.round.pieces.is_none() {
        hints.push("--pieces MAX, which stops each game".to_owned());
    }
    if request.players.iter().any(|player| player.starts_with("bot")) {
        hints.push("fewer --nodes for the bot".to_owned());
    }
    if request.players.len() > 1 {
        hints.push("fewer players".to_owned());
    }
    hints.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn hints_of(words: &[&str]) -> String {
        let cli = Cli::try_parse_from([&["bellmino", "evaluate"], words].concat()).unwrap();
        let Command::Evaluate(args) = cli.command else { unreachable!() };
        hints(&args.0)
    }

    #[test]
    fn the_rest_is_estimated_from_what_is_done() {
        let say = |done, total, seconds| sentence(done, total, Duration::from_secs(seconds), "fewer --games");
        let words = say(10, 1000, 4).unwrap();
        assert!(words.starts_with("10 of 1,000 games after 4 s; the rest takes about 7 minutes"), "{words}");
        assert!(words.contains("Shorter: fewer --games; Ctrl-C"), "{words}");
        assert_eq!(say(900, 1000, 4), None);
        assert!(say(0, 1000, 5).unwrap().starts_with("no game of 1,000 has ended after 5 s."));
        assert_eq!(say(1000, 1000, 60), None);
    }

    #[test]
    fn hints_name_what_can_be_changed() {
        assert_eq!(hints_of(&["classic", "--player", "lowest", "--pieces", "9"]), "fewer --games");
        assert_eq!(
            hints_of(&["classic", "--player", "weights:bcts", "--losses", "30"]),
            "fewer --losses, --pieces MAX, which stops each game"
        );
        let bots = hints_of(&["blitz", "--player", "bot", "--player", "bot:2"]);
        assert!(bots.contains("fewer --nodes for the bot, fewer players"), "{bots}");
    }
}
