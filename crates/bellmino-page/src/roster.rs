//! The roster: who can play a game, with names that explain themselves.

use bellmino_data::numbers::grouped;
use bellmino_engine::Game;
use bellmino_learn::Controller;
use serde::Serialize;

use crate::catalogue::{BOTS, EXACT, describe};
use crate::premises::Premises;

/// The most training runs that are offered.
const MAX_RUNS: usize = 40;

/// A player as the page offers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offered {
    /// The name by which it is asked for.
    name: String,
    /// What people call it.
    title: String,
    /// What it does, in a sentence.
    about: String,
}

/// Everybody who can play this game: those built in, one's own weights, and what training has made.
pub fn roster(premises: &dyn Premises, game: &Game) -> Vec<Offered> {
    let told = describe(game);
    let built_in = told["players"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
    let mut offered: Vec<Offered> = built_in.map(built_in_player).collect();
    let fits = |name: &str| premises.collection().player(name, game).is_ok();
    for name in premises.collection().weights_names() {
        let player = format!("weights:{name}");
        if fits(&player) {
            offered.push(Offered {
                title: format!("Your weights {name}"),
                about: "weighs features of the board by a file of yours".to_owned(),
                name: player,
            });
        }
    }
    for run in premises.runs().list().into_iter().take(MAX_RUNS) {
        let Some(name) = run["name"].as_str() else { continue };
        let player = format!("run:{name}");
        if fits(&player) {
            let word = |key: &str| run[key].as_str().unwrap_or("?").to_owned();
            offered.push(Offered {
                title: format!("Your run {name}"),
                about: format!("learned {} by {}, {} steps", word("game"), word("method"), run["steps"]),
                name: player,
            });
        }
    }
    offered
}

fn built_in_player(name: &str) -> Offered {
    let nodes = BOTS.iter().find(|(bot, _)| *bot == name).map_or(0, |(_, nodes)| *nodes);
    let sees =
        format!("looks several pieces ahead, at {} placements for each move", grouped(nodes as f64, 0));
    let (title, about) = match name {
        "bot" => ("The bot".to_owned(), sees),
        "bot:quick" => ("The bot, quick".to_owned(), sees),
        "bot:strong" => ("The bot, thinking long".to_owned(), sees),
        EXACT => {
            ("Exact best play".to_owned(), "this game is solved: on average nobody does better".to_owned())
        }
        "random" => ("By chance".to_owned(), "any placement, whatever comes of it".to_owned()),
        "lowest" => ("Lowest landing".to_owned(), "puts each piece as low as it goes".to_owned()),
        "fewest-holes" => ("Fewest holes".to_owned(), "covers as little as it can".to_owned()),
        _ => of_weights(name),
    };
    Offered { name: name.to_owned(), title, about }
}

/// A built-in controller by what its file says of it.
fn of_weights(name: &str) -> (String, String) {
    let controller = name.strip_prefix("weights:").and_then(Controller::built_in);
    let note = |key: &str| controller.as_ref().and_then(|controller| controller.note(key));
    let title = note("title").and_then(|title| title.as_str()).unwrap_or(name);
    let made = note("made").and_then(|made| made["by"].as_str().map(str::to_owned));
    let features = controller.as_ref().map_or(0, |controller| controller.features().len());
    let made = made.map(|by| format!("; found by {by}")).unwrap_or_default();
    (title.to_owned(), format!("weighs {features} features of the board{made}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_player_says_what_it_does() {
        for (name, _) in bellmino_engine::BUILT_IN {
            let game = bellmino_lab::load::built_in_game(name, &[]).unwrap();
            for player in describe(&game)["players"].as_array().unwrap() {
                let offered = built_in_player(player.as_str().unwrap());
                assert!(offered.title.len() >= 6 && !offered.title.contains(':'), "{offered:?}");
                assert!(offered.about.len() > 20, "{offered:?}");
            }
        }
        assert!(built_in_player("bot").about.contains("20,000"));
    }
}
