//! How a timed game goes on, told beside its picture: rows that were cleared, finesse, and times to compare with the best.

use bellmino_engine::guideline::{FinesseFault, Input, Key, Position, Timed, Turn, WIDTH, fault};
use serde::Serialize;
use serde_json::{Value, json};

/// Rows between two times of a race.
const LINES: u32 = 10;

/// Milliseconds between two scores of a game against time.
const PERIOD: u64 = 30_000;

/// What is told of a game as it goes on.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// In a race the milliseconds at every ten rows; against time the points at every half minute.
    pub splits: Vec<u64>,
    /// How cleanly the keys were used.
    pub finesse: Finesse,
    /// The last placement that cleared rows.
    pub cleared: Option<ClearedRows>,
    /// The position before the first placement that was not looked at yet.
    #[serde(skip)]
    position: Position,
    /// Placements looked at.
    #[serde(skip)]
    seen: usize,
    #[serde(skip)]
    lines: u32,
    #[serde(skip)]
    score: u64,
}

/// Pieces that took more keys than they needed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Finesse {
    /// Pieces.
    pub pieces: usize,
    /// Those with a fault.
    pub faults: usize,
    /// Presses too many in all.
    pub extra: usize,
    /// The last fault, and which piece it was.
    pub last: Option<Value>,
}

/// The rows that a placement cleared, from the bottom, before they went.
#[derive(Clone, Debug, Serialize)]
pub struct ClearedRows {
    /// Which placement.
    pub piece: usize,
    /// The rows.
    pub rows: Vec<i8>,
}

impl Progress {
    /// Of a game as it stands; what happened before is not looked at.
    pub fn new(timed: &Timed) -> Progress {
        Progress {
            splits: Vec::new(),
            finesse: Finesse::default(),
            cleared: None,
            position: *timed.game().position(),
            seen: timed.placements().len(),
            lines: timed.game().stats().lines,
            score: timed.game().stats().score,
        }
    }

    /// Looks at the placements since the last time; whether there were any.
    pub fn notice(&mut self, timed: &Timed) -> bool {
        let placements = timed.placements();
        if placements.len() < self.seen {
            // Some were taken back.
            let Progress { finesse, .. } = std::mem::replace(self, Progress::new(timed));
            self.finesse = finesse;
            return false;
        }
        let before = self.seen;
        while self.seen < placements.len() {
            self.look(timed, self.seen);
            self.seen += 1;
        }
        self.position.hold = timed.game().position().hold;
        self.seen > before
    }

    /// The end of the game: the last score against time.
    pub fn finish(&mut self, timed: &Timed) {
        if timed.game().rules().goal.seconds.is_some() {
            self.pass_time(timed.time());
        }
    }

    fn look(&mut self, timed: &Timed, index: usize) {
        let (placement, lock, rules) =
            (timed.placements()[index], timed.locks()[index], timed.game().rules());
        let board = self.position.board;
        let until = timed.locks().get(index + 1).map_or(timed.log().len(), |next| next.entered);
        let pressed: Vec<Key> = timed
            .log()
            .get(lock.entered..until)
            .unwrap_or_default()
            .iter()
            .filter(|event| event.down)
            .map(|event| event.key)
            .collect();
        self.finesse.pieces += 1;
        if let Some(fault) = fault(&board, &placement, rules.kicks, &pressed) {
            self.finesse.faults += 1;
            self.finesse.extra += fault.presses - fault.shortest.len();
            self.finesse.last = Some(shown(&fault, index + 1, placement.piece.letter()));
        }
        let cells = placement.cells();
        let is_full = |y: &i8| {
            (0..WIDTH as i8).all(|x| cells.contains(&(x, *y)) || board.blocks(i32::from(x), i32::from(*y)))
        };
        let mut rows: Vec<i8> = cells.iter().map(|(_, y)| *y).filter(is_full).collect();
        rows.sort_unstable();
        rows.dedup();
        if !rows.is_empty() {
            self.cleared = Some(ClearedRows { piece: index + 1, rows });
        }
        if rules.goal.seconds.is_some() {
            self.pass_time(lock.at);
        }
        let clear = self.position.place_unchecked(&placement, &rules.score);
        let tens = self.lines / LINES;
        self.lines += u32::from(clear.lines);
        self.score += u64::from(clear.points);
        if rules.goal.lines.is_some() && self.lines / LINES > tens {
            self.splits.push(lock.at);
        }
    }

    /// Every period that has passed at this time ends with the present score.
    fn pass_time(&mut self, at: u64) {
        while (self.splits.len() as u64 + 1) * PERIOD <= at {
            self.splits.push(self.score);
        }
    }
}

/// A fault as the page shows it: the keys of the shortest way by name, and whether each is held.
fn shown(fault: &FinesseFault, piece: usize, letter: char) -> Value {
    let keys: Vec<(&str, bool)> = fault
        .shortest
        .iter()
        .map(|input| match input {
            Input::Left => ("left", false),
            Input::Right => ("right", false),
            Input::FarLeft(_) => ("left", true),
            Input::FarRight(_) => ("right", true),
            Input::Turn(Turn::Clockwise) => ("clockwise", false),
            Input::Turn(Turn::Counter) => ("counter", false),
            Input::Turn(Turn::Half) => ("half", false),
            Input::SoftDrop(_) => ("soft-drop", true),
            Input::Hold => ("hold", false),
            Input::HardDrop => ("hard-drop", false),
        })
        .collect();
    json!({ "piece": piece, "letter": letter, "presses": fault.presses, "keys": keys })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellmino_engine::guideline::{Board, Goal, Handling, Match, Rules, Start};

    fn tap(timed: &mut Timed, key: Key, at: u64) {
        timed.press(key, at);
        timed.release(key, at + 5);
    }

    #[test]
    fn faults_are_found_and_taps_without_one_are_not() {
        let start = Start { queue: "OOOO".to_owned(), ..Start::default() };
        let (game, _) = start.game(Rules::PRACTICE, bellmino_engine::guideline::Bag::new(1)).unwrap();
        let mut timed = Timed::new(game, Handling::DEFAULT);
        let mut progress = Progress::new(&timed);
        tap(&mut timed, Key::HardDrop, 100);
        assert!(progress.notice(&timed) && progress.finesse.faults == 0);
        for key in [Key::Right, Key::Right, Key::Right, Key::Right, Key::HardDrop] {
            let at = timed.time() + 20;
            tap(&mut timed, key, at);
        }
        assert!(progress.notice(&timed));
        assert!(!progress.notice(&timed));
        assert_eq!((progress.finesse.pieces, progress.finesse.faults, progress.finesse.extra), (2, 1, 3));
        let last = progress.finesse.last.unwrap();
        assert_eq!(last["keys"], json!([["right", true], ["hard-drop", false]]));
    }

    #[test]
    fn cleared_rows_and_splits_are_told() {
        let board = ["GGGGGG....", "GGGGGGG...", "GGGGGG...."].map(str::to_owned).to_vec();
        let start = Start { board, queue: "IIII".to_owned(), ..Start::default() };
        let rules = Rules { goal: Goal { lines: Some(40), ..Goal::default() }, ..Rules::PRACTICE };
        let (game, _) = start.game(rules, bellmino_engine::guideline::Bag::new(1)).unwrap();
        let mut timed = Timed::new(game, Handling::ADVANCED);
        let mut progress = Progress::new(&timed);
        timed.press(Key::Right, 0);
        timed.release(Key::Right, 400);
        tap(&mut timed, Key::HardDrop, 500);
        progress.notice(&timed);
        let cleared = progress.cleared.clone().unwrap();
        assert_eq!((cleared.piece, cleared.rows), (1, vec![2]));
        assert_eq!((progress.lines, progress.splits.len()), (1, 0));
        progress.lines = 9;
        progress.position.board = Board::from_rows([0b0000111111u16, 0b0001111111, 0b0000111111]);
        progress.seen = 0;
        progress.notice(&timed);
        assert_eq!(progress.splits, [500]);
    }

    #[test]
    fn against_time_the_score_of_every_half_minute_is_told() {
        let mut timed = Timed::new(Match::new(Rules::BLITZ, 3), Handling::DEFAULT);
        let mut progress = Progress::new(&timed);
        progress.score = 700;
        timed.advance_to(65_000);
        progress.finish(&timed);
        assert_eq!(progress.splits, [700, 700]);
    }
}
