//! The page's sessions without a page, and the lab's own answers.

use bellmino_engine::placement::{Board, Grid, Match, Placement};
use bellmino_engine::{AnyMatch, Game, PlacementGame, below, guideline};
use bellmino_exact::{Objective, PlacementValue, Silent, SolveSettings, Table, solve};
use bellmino_lab::{BuiltIn, Opponent, Player, Playthrough, SolvePlan};
use bellmino_page::{
    BuiltInCollection, Collection, ExplorePosition, GameOrder, LibraryError, QuietDesk, Shelf, SolveOrder,
    SolvedGame, Source, WatchSession, WatchedMove,
};
use serde_json::Value;

use crate::dice::Dice;
use crate::pair::{Asked, Compared, near, same, same_bits, words};

/// Placements that are watched of each game.
const WATCHED: usize = 60;

/// A collection that holds one game.
struct OneGame(Game);

impl Collection for OneGame {
    fn game(&self, _: &str, _: &[String]) -> Result<Game, LibraryError> {
        Ok(self.0.clone())
    }

    fn games(&self) -> Vec<Game> {
        vec![self.0.clone()]
    }

    fn player(&self, name: &str, game: &Game) -> Result<Player, LibraryError> {
        BuiltInCollection.player(name, game)
    }

    fn plan<'a>(
        &self,
        game: &'a PlacementGame,
        asked: SolveSettings,
        dealer: &str,
        player: Option<&str>,
    ) -> Result<SolvePlan<'a>, LibraryError> {
        BuiltInCollection.plan(game, asked, dealer, player)
    }

    fn weights_names(&self) -> Vec<String> {
        vec![]
    }

    fn table(&self, name: &str) -> Result<Table, LibraryError> {
        BuiltInCollection.table(name)
    }

    fn table_of(&self, name: &str, game: &PlacementGame) -> Result<Table, LibraryError> {
        BuiltInCollection.table_of(name, game)
    }

    fn tables(&self) -> Vec<String> {
        vec![]
    }
}

/// A machine that is watched plays the game of the arena, and what is shown of it is what happened.
pub(super) fn watched_and_played(asked: &Asked) -> Result<Compared, String> {
    let mut dice = Dice::new(asked.seed, 17 << 32);
    let names = match &asked.game {
        Game::Placement(_) => ["lowest", "random", "fewest-holes", "weights:lee4"],
        Game::Guideline(_) => ["random", "weights:lee4", "weights:snes-sprint", "weights:lee4"],
    };
    let name = dice.pick(&names);
    let Ok(player) = Player::load(name, &asked.game, None, &BuiltIn) else {
        return Ok(Compared::default());
    };
    let (library, shelf) = (OneGame(asked.game.clone()), Shelf::default());
    let source = Source { library: &library, shelf: &shelf, desk: &QuietDesk };
    let (mut session, _) =
        WatchSession::open("random", &[], &[name.to_owned()], asked.seed, &source).map_err(words)?;
    let mut shown: Vec<WatchedMove> = Vec::new();
    while shown.len() < WATCHED {
        let moves = session.moves(0, (WATCHED - shown.len()).min(7) as u32, &QuietDesk).map_err(words)?;
        if moves.is_empty() {
            break;
        }
        shown.extend(moves);
    }
    match &asked.game {
        Game::Placement(game) => {
            let played = Playthrough::<Match, _>::placement(
                game.clone(),
                &player,
                &Opponent::Random,
                (asked.seed, 0),
                None,
            );
            follow(played.map_err(words)?, &shown, |game: &Match| {
                game.board().to_board(game.game()).to_string()
            })
        }
        Game::Guideline(game) => {
            let played = Playthrough::guideline(game.rules(), &player, asked.seed, 0).map_err(words)?;
            follow(played, &shown, |game: &guideline::Match| {
                // The page draws as many rows as it has.
                game.position().board.to_text()
            })
        }
    }
}

/// Plays on beside what was shown.
fn follow<M: AnyMatch, P: bellmino_lab::Plays<M>>(
    mut played: Playthrough<M, P>,
    shown: &[WatchedMove],
    drawn: impl Fn(&M) -> String,
) -> Result<Compared, String> {
    for (number, step) in shown.iter().enumerate() {
        let what = |what: &str| format!("{what} of move {number}");
        let turn = played.next().ok_or_else(|| what("no move on the other road instead"))?.map_err(words)?;
        let totals = played.game().totals();
        same_bits(&what("points"), step.points, turn.points)?;
        same_bits(&what("score"), step.score, totals.score)?;
        same(&what("pieces and rows"), &(step.pieces, step.lines), &(totals.pieces, totals.lines))?;
        same(&what("whether it ended the game"), &step.end.is_some(), &played.outcome().is_some())?;
        if !step.fatal {
            same(&what("board"), &rows(step.board.iter().rev()), &rows(drawn(played.game()).lines()))?;
        }
    }
    if shown.len() < WATCHED {
        same("moves after the end", &played.next().is_none(), &true)?;
    }
    Ok(Compared { games: 1, moves: shown.len() as u64 })
}

/// Filled and empty cells from the top, without the empty rows above.
fn rows(rows: impl Iterator<Item = impl AsRef<str>>) -> Vec<String> {
    let filled =
        |row: String| row.chars().map(|cell| if cell == '.' { '.' } else { '#' }).collect::<String>();
    let all = rows.map(|row| filled(row.as_ref().to_owned()));
    all.skip_while(|row| row.bytes().all(|cell| cell == b'.')).collect()
}

/// A game solved and looked at by the explorer, and solved by the lab: figures, and every placement in random play.
pub(super) fn explored_and_solved(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement().filter(|game| game.width() * game.height() <= 12) else {
        return Ok(Compared::default());
    };
    if game.pieces().len() > 3 {
        return Ok(Compared::default());
    }
    let mut dice = Dice::new(asked.seed, 18 << 32);
    let objective = dice.pick(&[Objective::Discounted(0.7), Objective::Survive, Objective::Horizon(4)]);
    let hold = dice.once_in(3);
    let order = SolveOrder {
        game: GameOrder { text: Some(asked.text.clone()), ..GameOrder::default() },
        objective: objective.to_string(),
        hold,
        ..SolveOrder::default()
    };
    let (solved, told) =
        SolvedGame::solve(&order, &OneGame(asked.game.clone()), &QuietDesk).map_err(words)?;
    // The game's own previews are the least that is known.
    let settings = SolveSettings {
        preview: game.previews(),
        hold,
        keep_stages: matches!(objective, Objective::Horizon(_)),
        ..SolveSettings::new(objective)
    };
    let by_lab = solve(game, &settings, &Silent).map_err(words)?;
    let (report, table) = (&by_lab.report, &by_lab.table);
    same("boards", &told["boards"].as_u64(), &Some(report.boards))?;
    same("states", &told["states"].as_u64(), &Some(report.states))?;
    let number = |value: &Value| value.as_f64().ok_or_else(|| format!("{value} is no number"));
    let around = 2.0 * report.error_bound + 1e-12;
    near("value", number(&told["value"])?, report.value.ok_or("infinite")?, around)?;
    for (number, (name, value)) in report.value_by_first_piece.iter().enumerate() {
        let shown = &told["by_first_piece"][number];
        same("first piece", &shown[0].as_str(), &Some(name.as_str()))?;
        match value {
            Some(value) => near(name, shown[1].as_f64().ok_or("no value")?, *value, around)?,
            None => same(name, &shown[1].is_string(), &true)?,
        }
    }
    let mut all = Compared { games: 1, moves: report.states };
    if !hold && game.previews() == 0 && !matches!(objective, Objective::Horizon(_)) {
        all.moves += look(asked, game, &solved, table, around)?;
    }
    Ok(all)
}

/// Random play on the explorer's own words, each placement with what the lab says of it.
fn look(
    asked: &Asked,
    game: &PlacementGame,
    solved: &SolvedGame,
    table: &Table,
    around: f64,
) -> Result<u64, String> {
    let mut chance = bellmino_engine::stream(asked.seed, bellmino_engine::Purpose::Player, 0);
    let mut played: Match = Match::new(game.clone(), asked.seed, 0);
    let mut looked = 0;
    while played.outcome().is_none() && played.stats().pieces < 20 {
        let board: Board = played.board().to_board(game);
        let piece = played.current().ok_or("no piece")?;
        let Some(known) = table.placement_values(&board, piece.into()) else { break };
        let text = board.to_string();
        let position = ExplorePosition {
            board: text.lines().rev().map(str::to_owned).collect(),
            queue: vec![piece],
            // What the dealer remembers: a bag, a sequence, the last piece.
            dealt: None,
            ..ExplorePosition::default()
        };
        let Ok(seen) = solved.look(&position) else { break };
        let list = seen["placements"].as_array().ok_or("the explorer does not know the board")?;
        same("number of placements", &list.len(), &known.len())?;
        for (shown, PlacementValue { placement, value, lines, points, fatal, .. }) in list.iter().zip(&known)
        {
            let Placement { rotation, column, row, .. } = *placement;
            let at = |key: &str| shown[key].as_u64();
            let place = (at("rotation"), at("column"), at("row"));
            same("placement", &place, &(Some(rotation.into()), Some(column.into()), Some(row.into())))?;
            same("rows", &at("lines"), &Some(u64::from(*lines)))?;
            same("fatal", &shown["fatal"].as_bool(), &Some(*fatal))?;
            same_bits("points", shown["points"].as_f64().ok_or("no points")?, *points)?;
            match shown["value"].as_f64() {
                Some(shown) => near("value of a placement", shown, *value, around)?,
                None => same("value of a placement is a number", &value.is_finite(), &false)?,
            }
            looked += 1;
        }
        if let Some(best) = seen["best"].as_u64() {
            let of = |one: &PlacementValue| if one.fatal { f64::NEG_INFINITY } else { one.value };
            let most = known.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
            let best = known.get(best as usize).ok_or("the best is none of them")?;
            near("value of the best placement", of(best), most, around + 1e-9 * most.abs())?;
        }
        let list = played.placements();
        played.play(&list[below(&mut chance, list.len())]).map_err(words)?;
    }
    Ok(looked)
}
