//! The table of all pairs.

mod arena;
mod environments;
mod guideline;
mod page;
mod play;
mod records;
mod simulator;
mod solved;
mod tuples;
mod units;
mod variants;

use crate::pair::Pair;
use crate::random_game::GameSort::{Any, Guideline, Ten, Tiny};

/// Every pair of roads. A new one is tested by being listed.
pub const PAIRS: [Pair; 25] = [
    Pair {
        name: "match",
        about: "the match, on every board, and play by the rules cell by cell: pieces, placements, boards, points",
        sorts: &[Any, Tiny, Ten],
        games: 300,
        compare: play::match_and_plain,
    },
    Pair {
        name: "boards",
        about: "boards packed, by columns and ten wide, and the slow reference: placements and what they lead to",
        sorts: &[Any, Tiny, Ten],
        games: 300,
        compare: play::boards,
    },
    Pair {
        name: "perft",
        about: "the count of all games of some pieces, and the slow one",
        sorts: &[Tiny, Any],
        games: 100,
        compare: play::perft_counts,
    },
    Pair {
        name: "simulator",
        about: "the fast simulator, with and without vector instructions, and a match of the plain controller",
        sorts: &[Ten],
        games: 200,
        compare: simulator::simulator_and_match,
    },
    Pair {
        name: "tuples",
        about: "the game loop of learning and a match that is greedy by the same values",
        sorts: &[Tiny, Any, Ten],
        games: 100,
        compare: tuples::learner_and_match,
    },
    Pair {
        name: "tuple-choice",
        about: "the choice of a tuple value and the largest points plus value",
        sorts: &[Tiny, Any, Ten],
        games: 100,
        compare: tuples::choice_and_worth,
    },
    Pair {
        name: "arena",
        about: "the arena without tables, with tables, what stands in them, and matches played one by one",
        sorts: &[Any, Ten, Tiny],
        games: 100,
        compare: arena::with_and_without_tables,
    },
    Pair {
        name: "threads",
        about: "the arena and the solver on one thread and on three",
        sorts: &[Tiny, Ten, Guideline],
        games: 60,
        compare: arena::one_thread_and_several,
    },
    Pair {
        name: "records",
        about: "a match and its record, written, read and replayed",
        sorts: &[Any, Tiny, Ten],
        games: 200,
        compare: records::placement,
    },
    Pair {
        name: "solve",
        about: "the value of the solver and that of plain recursion, for every dealer, preview and hold",
        sorts: &[Tiny],
        games: 100,
        compare: solved::solver_and_recursion,
    },
    Pair {
        name: "reopened",
        about: "a table, and the same table written and read: every answer, and games played",
        sorts: &[Tiny],
        games: 60,
        compare: solved::reopened,
    },
    Pair {
        name: "players",
        about: "what a player is worth by the solver, over all pieces that can come in play, and by the mean of the arena",
        sorts: &[Tiny],
        games: 60,
        compare: solved::value_and_play,
    },
    Pair {
        name: "adversaries",
        about: "the value against the worst dealer, and games of its table against the table that deals",
        sorts: &[Tiny],
        games: 60,
        compare: solved::worst_and_play,
    },
    Pair {
        name: "mirror",
        about: "a game and its mirror image: values",
        sorts: &[Tiny],
        games: 60,
        compare: variants::mirror,
    },
    Pair {
        name: "scaled",
        about: "a dealer's weights and multiples of them: the same games, the same values",
        sorts: &[Tiny, Ten, Any],
        games: 100,
        compare: variants::scaled,
    },
    Pair {
        name: "moves",
        about: "guideline: the move generator and the slow reference",
        sorts: &[Guideline],
        games: 60,
        compare: guideline::moves_and_reference,
    },
    Pair {
        name: "guideline-records",
        about: "guideline: a match, and its record written, read and replayed",
        sorts: &[Guideline],
        games: 100,
        compare: guideline::match_and_record,
    },
    Pair {
        name: "keys",
        about: "guideline: timed play by keys and the match of placements, and random keys and the placements they make",
        sorts: &[Guideline],
        games: 60,
        compare: guideline::keys_and_placements,
    },
    Pair {
        name: "bot",
        about: "guideline: the bot at fixed nodes on one thread and on three",
        sorts: &[Guideline],
        games: 20,
        compare: guideline::bot_on_threads,
    },
    Pair {
        name: "guideline-arena",
        about: "guideline: the arena without tables, with tables, what stands in them, and matches played one by one",
        sorts: &[Guideline],
        games: 40,
        compare: guideline::arena,
    },
    Pair {
        name: "environments",
        about: "lanes of an environment and matches: boards, queues, masks, rewards, ends, game after game",
        sorts: &[Any, Tiny, Ten, Guideline],
        games: 80,
        compare: environments::lanes_and_matches,
    },
    Pair {
        name: "tuple-units",
        about: "tuples learned here, and by units that travel as bytes: the file and the curve",
        sorts: &[Tiny],
        games: 40,
        compare: units::training,
    },
    Pair {
        name: "game-units",
        about: "the arena here, and by units that travel as bytes; tuples, weights and simple players",
        sorts: &[Tiny, Any, Ten, Guideline],
        games: 60,
        compare: units::games,
    },
    Pair {
        name: "watch",
        about: "what the page's Watch shows of a machine's game, and the same game played in the lab",
        sorts: &[Tiny, Any, Ten, Guideline],
        games: 100,
        compare: page::watched_and_played,
    },
    Pair {
        name: "explore",
        about: "what the page's Explore says of a small game, and the lab's own solution",
        sorts: &[Tiny],
        games: 60,
        compare: page::explored_and_solved,
    },
];
