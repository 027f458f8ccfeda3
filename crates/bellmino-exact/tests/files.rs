//! Tables as files: what is written is read, what is damaged is refused, what was interrupted goes on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use bellmino_engine::placement::Board;
use bellmino_engine::{Game, Override, PlacementGame};
use bellmino_exact::{
    Objective, Sides, Silent, Snapshot, SolveError, SolveMethod, SolveSettings, Table, TableError, Watch,
    solve, solve_between,
};

fn game(name: &str, overrides: &[&str]) -> PlacementGame {
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in(name, &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn bytes(table: &Table) -> Vec<u8> {
    let mut bytes = Vec::new();
    table.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn what_is_written_is_read() {
    let cases = [
        (game("baby", &[]), SolveSettings::new(Objective::Discounted(0.9))),
        (game("mini", &[]), SolveSettings { keep_stages: true, ..SolveSettings::new(Objective::Horizon(7)) }),
        (
            game("small", &["board.height=3", "dealer.weights=[1,1,2,1,1,1]"]),
            SolveSettings::new(Objective::Total),
        ),
        (
            game("classic", &["board.width=6", "board.height=6", "pieces.set=[\"O\"]"]),
            SolveSettings::new(Objective::Discounted(0.5)),
        ),
    ];
    for (game, settings) in cases {
        let table = solve(&game, &settings, &Silent).unwrap().table;
        let read = Table::read(bytes(&table)).unwrap();
        assert_eq!(read.game().to_toml(), game.to_toml());
        assert_eq!(read.finished(), table.finished());
        assert!(read.is_finished());
        let drawn = format!("{}#", ".".repeat(game.width() - 1));
        for board in [
            Board::new(game.width(), game.height()),
            Board::parse(game.width(), game.height(), &drawn).unwrap(),
        ] {
            for piece in 0..game.pieces().len() {
                assert_eq!(read.placement_values(&board, piece), table.placement_values(&board, piece));
            }
        }
        assert_eq!(bytes(&read), bytes(&table));
    }
}

#[test]
fn what_is_damaged_is_refused() {
    let whole =
        bytes(&solve(&game("mini", &[]), &SolveSettings::new(Objective::Total), &Silent).unwrap().table);
    assert!(Table::read(whole.clone()).is_ok());
    assert_eq!(Table::read(b"not a table at all".to_vec()).unwrap_err(), TableError::Foreign);
    assert_eq!(Table::read(Vec::new()).unwrap_err(), TableError::Foreign);
    for length in [8, 12, 15, 16, 100, whole.len() / 2, whole.len() - 1] {
        assert!(Table::read(whole[..length].to_vec()).is_err(), "{length} bytes");
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert!(matches!(Table::read(longer).unwrap_err(), TableError::Length { .. }));
    for place in (16..whole.len()).step_by(97) {
        let mut changed = whole.clone();
        changed[place] ^= 0x10;
        assert!(Table::read(changed).is_err(), "byte {place}");
    }
    let mut newer = whole;
    newer[8] = 9;
    assert_eq!(Table::read(newer).unwrap_err(), TableError::Version(9));
}

/// Stops after some questions and keeps what it is given.
struct Stopper {
    left: AtomicU32,
    kept: Mutex<Option<Vec<u8>>>,
}

impl Watch for Stopper {
    fn go_on(&self) -> bool {
        self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }

    fn wants_snapshot(&self) -> bool {
        true
    }

    fn snapshot(&self, snapshot: &Snapshot<'_>) {
        let mut bytes = Vec::new();
        snapshot.write(&mut bytes).unwrap();
        *self.kept.lock().unwrap() = Some(bytes);
    }
}

#[test]
fn an_interrupted_run_goes_on() {
    for (game, settings) in [
        (game("baby", &[]), SolveSettings::new(Objective::Discounted(0.9))),
        (
            game("baby", &["dealer.kind=bag"]),
            SolveSettings { hold: true, ..SolveSettings::new(Objective::Discounted(0.9)) },
        ),
        (game("baby", &[]), SolveSettings::new(Objective::Average)),
        (
            game("baby", &[]),
            SolveSettings { keep_stages: true, ..SolveSettings::new(Objective::Horizon(200)) },
        ),
        (
            game("mini", &["dealer.kind=bag"]),
            SolveSettings { method: SolveMethod::Value, ..SolveSettings::new(Objective::Total) },
        ),
    ] {
        let whole = solve(&game, &settings, &Silent).unwrap().report;
        let stopper = Stopper { left: AtomicU32::new(60), kept: Mutex::new(None) };
        let stopped = solve_between(&game, &settings, Sides::default(), None, &stopper);
        assert_eq!(stopped.unwrap_err(), SolveError::Interrupted);
        let part = Table::read(stopper.kept.into_inner().unwrap().unwrap()).unwrap();
        assert!(!part.is_finished() && part.finished().sweeps > 0);
        let resumed = solve_between(&game, &settings, Sides::default(), Some(&part), &Silent).unwrap().report;
        assert!(
            (resumed.value.unwrap() - whole.value.unwrap()).abs() <= resumed.error_bound + whole.error_bound
        );
        assert!(resumed.sweeps > part.finished().sweeps);
        assert_eq!(resumed.boards, whole.boards);
        let other = SolveSettings { objective: Objective::Discounted(0.8), ..settings };
        let refused = solve_between(&game, &other, Sides::default(), Some(&part), &Silent);
        assert_eq!(refused.unwrap_err(), SolveError::ForeignTable);
    }
}

#[test]
fn a_table_is_worth_what_it_says() {
    let game = game("baby", &[]);
    let settings = SolveSettings::new(Objective::Discounted(0.9));
    let solution = solve(&game, &settings, &Silent).unwrap();
    let table = Table::read(bytes(&solution.table)).unwrap();
    let sides = Sides { player: Some(&table), dealer: None };
    let again = solve_between(&game, &settings, sides, None, &Silent).unwrap().report;
    let (value, bound) = (solution.report.value.unwrap(), solution.report.error_bound);
    assert!((again.value.unwrap() - value).abs() <= again.error_bound + bound + 1e-8);
}
