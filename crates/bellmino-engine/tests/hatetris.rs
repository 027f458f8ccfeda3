//! HATETRIS against an oracle of its own, written from the rules in words: the public records, and random games key by key.

use std::collections::{BTreeMap, BTreeSet};

use bellmino_engine::placement::{AnyColumns, Grid, Match, Placement, ReplayText, Stroke, TenColumns};
use bellmino_engine::{Game, Override, PlacementGame, Purpose, below, stream};

/// Dealer, rows and keys of games that others have played.
const REPLAYS: &str = include_str!("data/hatetris-replays.txt");

/// The boxes of the rules, rows from the top.
const BOXES: [(char, [&str; 4]); 7] = [
    ('S', ["..../..##/.##./....", "..../.#../.##./..#.", "..../.##./##../....", ".#../.##./..#./...."]),
    ('Z', ["..../.##./..##/....", "..../..#./.##./.#..", "..../##../.##./....", "..#./.##./.#../...."]),
    ('O', ["..../.##./.##./...."; 4]),
    ('I', ["..../####/..../....", "..#./..#./..#./..#.", "..../..../####/....", ".#../.#../.#../.#.."]),
    ('L', ["..../.###/.#../....", "..../.##./..#./..#.", "..../..#./###./....", ".#../.#../.##./...."]),
    ('J', ["..../.##./.#../.#..", "..../###./..#./....", "..#./..#./.##./....", "..../.#../.###/...."]),
    ('T', ["..../.###/..#./....", "..../..#./.##./..#.", "..../.#../###./....", ".#../.##./.#../...."]),
];

/// A well as rows from the top, as the rules tell of it.
type Rows = Vec<Vec<bool>>;

/// A piece in the well: orientation, left column and top row of its box.
type At = (usize, i32, i32);

/// A game as the rules tell it, cell by cell. It shares nothing with the engine.
struct Oracle {
    dealer: String,
    well: Rows,
    score: u32,
    over: bool,
    piece: usize,
    at: At,
    /// Every well at the time a piece was dealt.
    wells: Vec<Rows>,
    /// Brzustowski's step, from 1, and the wells seen in it.
    step: usize,
    seen: Vec<Rows>,
}

impl Oracle {
    fn new(dealer: &str, width: usize, depth: usize) -> Oracle {
        let mut oracle = Oracle {
            dealer: dealer.to_owned(),
            well: vec![vec![false; width]; depth],
            score: 0,
            over: false,
            piece: 0,
            at: (0, 0, 0),
            wells: Vec::new(),
            step: 1,
            seen: Vec::new(),
        };
        oracle.deal();
        oracle
    }

    fn cells(piece: usize, (turn, x, y): At) -> Vec<(i32, i32)> {
        let mut cells = Vec::new();
        for (dy, row) in BOXES[piece].1[turn].split('/').enumerate() {
            for (dx, cell) in row.chars().enumerate() {
                if cell == '#' {
                    cells.push((x + dx as i32, y + dy as i32));
                }
            }
        }
        cells
    }

    fn fits(&self, piece: usize, at: At) -> bool {
        Oracle::cells(piece, at).iter().all(|&(x, y)| {
            let row = usize::try_from(y).ok().and_then(|y| self.well.get(y));
            let cell = usize::try_from(x).ok().and_then(|x| row?.get(x));
            cell == Some(&false)
        })
    }

    /// The well after a lock and the rows cleared; `None` if that ends the game.
    fn locked(&self, piece: usize, at: At) -> Option<(Rows, u32)> {
        let mut well = self.well.clone();
        for (x, y) in Oracle::cells(piece, at) {
            well[y as usize][x as usize] = true;
        }
        if well[3].contains(&true) {
            return None;
        }
        let depth = well.len();
        well.retain(|row| row.contains(&false));
        let cleared = depth - well.len();
        let mut all = vec![vec![false; self.well[0].len()]; cleared];
        all.extend(well);
        Some((all, cleared as u32))
    }

    fn entered(&self) -> At {
        (0, (self.well[0].len() as i32 - 4) / 2, 0)
    }

    /// Every place at which a piece can lock, by its cells.
    fn locks(&self, piece: usize) -> BTreeMap<BTreeSet<(i32, i32)>, At> {
        let mut locks = BTreeMap::new();
        let mut seen = BTreeSet::from([self.entered()]);
        let mut open = vec![self.entered()];
        while let Some(at) = open.pop() {
            for stroke in Stroke::ALL {
                let next = moved(at, stroke);
                if self.fits(piece, next) {
                    if seen.insert(next) {
                        open.push(next);
                    }
                } else if stroke == Stroke::Down {
                    locks.insert(Oracle::cells(piece, at).into_iter().collect(), at);
                }
            }
        }
        locks
    }

    fn deal(&mut self) {
        self.wells.push(self.well.clone());
        self.piece = match self.dealer.as_str() {
            "lovetris" => 3,
            "burgiel" => (self.wells.len() + 1) % 2,
            "brzustowski" => self.brzustowski(),
            _ => (0..7).min_by_key(|&piece| self.hatred(piece)).unwrap(),
        };
        self.at = self.entered();
    }

    /// How little the dealer likes to deal a piece.
    fn hatred(&self, piece: usize) -> (usize, usize) {
        let (mut most, mut lowest) = (0, None);
        for at in self.locks(piece).into_values() {
            if let Some((after, _)) = self.locked(piece, at) {
                most = most.max(self.wells.iter().filter(|well| **well == after).count());
                let top = after.iter().position(|row| row.contains(&true)).unwrap_or(after.len());
                lowest = lowest.max(Some(top));
            }
        }
        (if self.dealer == "hatetris" { most } else { 0 }, lowest.unwrap_or(0))
    }

    fn brzustowski(&mut self) -> usize {
        let step = self.step;
        let repeats = self.seen.contains(&self.well);
        self.seen.push(self.well.clone());
        if step.is_multiple_of(2) || repeats {
            self.step = step % 4 + 1;
            self.seen.clear();
        }
        // What is shown in a step is dealt in the next.
        usize::from(step == 2 || step == 3)
    }

    fn press(&mut self, stroke: Stroke) {
        if self.over {
            return;
        }
        let next = moved(self.at, stroke);
        if self.fits(self.piece, next) {
            self.at = next;
        } else if stroke == Stroke::Down {
            match self.locked(self.piece, self.at) {
                Some((well, rows)) => {
                    self.score += rows;
                    self.well = well;
                    self.deal();
                }
                None => self.over = true,
            }
        }
    }
}

fn moved((turn, x, y): At, stroke: Stroke) -> At {
    match stroke {
        Stroke::Left => (turn, x - 1, y),
        Stroke::Right => (turn, x + 1, y),
        Stroke::Down => (turn, x, y + 1),
        Stroke::Turn => ((turn + 1) % 4, x, y),
    }
}

fn game(dealer: &str, width: usize, depth: usize) -> PlacementGame {
    let overrides = [
        format!("dealer.kind={dealer}"),
        format!("board.width={width}"),
        // The top four rows of the well are for entering.
        format!("board.height={}", depth - 4),
    ];
    let overrides: Vec<Override> = overrides.iter().map(|text| text.parse().unwrap()).collect();
    Game::built_in("hatetris", &overrides).unwrap().unwrap().placement().unwrap().clone()
}

fn replays() -> Vec<(&'static str, u32, Vec<Stroke>)> {
    let lines = REPLAYS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            (words[0], words[1].parse().unwrap(), ReplayText::read(words[2]).unwrap())
        })
        .collect()
}

#[test]
fn the_records_come_out_to_the_row() {
    assert_eq!(replays().len(), 28);
    for (dealer, rows, strokes) in replays() {
        let mut played: Match<TenColumns> = Match::new(game(dealer, 10, 20), 1, 0);
        played.press_all(strokes).unwrap().unwrap();
        assert_eq!(played.stats().lines, u64::from(rows), "{dealer}");
    }
}

/// Games of our own, by `hunt`: dealer, rows and keys.
const OWN: [(&str, u64, &str); 3] = [
    ("brzustowski", 1179, include_str!("../../../replays/brzustowski-1179.txt")),
    ("burgiel", 382, include_str!("../../../replays/burgiel-382.txt")),
    ("hatetris", 21, include_str!("../../../replays/hatetris-21.txt")),
];

#[test]
fn our_own_games_come_out_to_the_row() {
    for (dealer, rows, keys) in OWN {
        let mut played: Match<TenColumns> = Match::new(game(dealer, 10, 20), 1, 0);
        played.press_all(ReplayText::read(keys).unwrap()).unwrap().unwrap();
        assert_eq!(played.stats().lines, rows, "{dealer}");
    }
}

/// The oracle is slow: the longest game takes it half an hour, and is left to the engine.
#[test]
fn the_oracle_finds_the_same_records() {
    for (dealer, rows, strokes) in replays().into_iter().filter(|(_, rows, _)| *rows <= 22) {
        let mut oracle = Oracle::new(dealer, 10, 20);
        strokes.into_iter().for_each(|stroke| oracle.press(stroke));
        assert_eq!(oracle.score, rows, "{dealer}");
    }
}

#[test]
#[ignore = "long: the oracle looks at every well cell by cell"]
fn the_oracle_finds_every_record() {
    for (dealer, rows, strokes) in replays() {
        let mut oracle = Oracle::new(dealer, 10, 20);
        strokes.into_iter().for_each(|stroke| oracle.press(stroke));
        assert_eq!(oracle.score, rows, "{dealer}");
    }
}

/// Plays a random game with keys that bring pieces down often enough, beside the oracle; compares piece, well and score after every
/// lock, and what can follow.
fn check_random_game(index: u64) -> u32 {
    let mut chance = stream(17, Purpose::Player, index);
    let dealer = ["hatetris", "mild", "burgiel", "brzustowski", "lovetris"][(index % 5) as usize];
    // Every fourth game in the well of the original.
    let own = (index / 5).is_multiple_of(4);
    let (width, depth) = if own { (10, 20) } else { (4 + below(&mut chance, 9), 9 + below(&mut chance, 12)) };
    let rules = game(dealer, width, depth);
    let mut oracle = Oracle::new(dealer, width, depth);
    let mut played: Match<AnyColumns> = Match::new(rules, 1, 0);
    let mut locks = 0;
    while !oracle.over {
        assert_eq!(usize::from(played.current().unwrap()), oracle.piece, "{dealer} {width}x{depth}: {locks}");
        let placements = played.placements();
        assert_eq!(covered(&played, &placements, depth), oracle.locks(oracle.piece).into_keys().collect());
        // The lower of two places: the games are to last a while.
        let pick = |chance: &mut _| placements[below(chance, placements.len())];
        let goal = [pick(&mut chance), pick(&mut chance)].into_iter().min_by_key(|at| at.row).unwrap();
        let strokes = played.strokes_to(goal).unwrap();
        played.press_all(strokes.iter().copied()).unwrap().unwrap();
        strokes.into_iter().for_each(|stroke| oracle.press(stroke));
        locks += 1;
        assert_eq!((played.stats().pieces, played.stats().lines), (locks.into(), oracle.score.into()));
        assert_eq!(played.outcome().is_some(), oracle.over);
        let drawn = played.board().to_board(played.game()).to_string();
        let well: Vec<String> = oracle.well[4..]
            .iter()
            .map(|row| row.iter().map(|cell| if *cell { '#' } else { '.' }).collect())
            .collect();
        assert_eq!(drawn.lines().collect::<Vec<_>>(), well, "{dealer} {width}x{depth}: {locks}");
        if locks == 60 {
            break;
        }
    }
    locks
}

/// The cells of placements, in rows from the top.
fn covered(played: &Match, placements: &[Placement], depth: usize) -> BTreeSet<BTreeSet<(i32, i32)>> {
    let cells = |at: &Placement| {
        let at = *at;
        let cell = move |(x, y): (usize, usize)| {
            (i32::from(at.column) + x as i32, depth as i32 - 1 - i32::from(at.row) - y as i32)
        };
        at.shape(played.game()).cells().map(cell).collect()
    };
    placements.iter().map(cells).collect()
}

#[test]
fn random_games_are_the_oracles_move_for_move() {
    let locks: u32 = (0..60).map(check_random_game).sum();
    assert!(locks > 60 * 10, "{locks}");
}

#[test]
#[ignore = "long: ten thousand games"]
fn ten_thousand_random_games_are_the_oracles_move_for_move() {
    let locks: u32 = (0..10_000).map(check_random_game).sum();
    assert!(locks > 10_000 * 10, "{locks}");
}
