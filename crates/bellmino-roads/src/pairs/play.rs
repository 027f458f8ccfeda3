//! Play: the match and the boards against the rules as they are told.

use bellmino_engine::placement::{
    Allowance, AnyColumns, Board, DealtBy, Grid, Match, PackedBoard, TenColumns, perft, reference,
};
use bellmino_engine::{PlacementGame, Purpose, stream};

use crate::dice::Dice;
use crate::pair::{Asked, Compared, same, same_bits};
use crate::plain::{PlainDealer, PlainMatch, cells, placements};

/// A match of random moves on every kind of board, with hold now and then.
pub(super) fn match_and_plain(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement() else { return Ok(Compared::default()) };
    let mut all = on_board::<AnyColumns>(asked, game, 60)?;
    if TenColumns::fits(game) {
        all += on_board::<TenColumns>(asked, game, 30)?;
    }
    if PackedBoard::fits(game) {
        all += on_board::<PackedBoard>(asked, game, 30)?;
    }
    Ok(all)
}

fn on_board<G: Grid>(asked: &Asked, game: &PlacementGame, most: usize) -> Result<Compared, String> {
    let dealer = PlainDealer::read(&asked.text);
    let mut dice = Dice::new(asked.seed, 1 << 32);
    let mut all = Compared::default();
    for index in 0..2 {
        let hold = dice.once_in(3);
        let chance = stream(asked.seed, Purpose::Dealer, index);
        let allowance = Allowance { previews: game.previews(), hold };
        let mut fast: Match<G> = Match::with(game.clone(), allowance, DealtBy::Chance, chance.clone());
        let mut slow = PlainMatch::new(game, &dealer, (game.previews(), hold), chance);
        all.games += 1;
        for _ in 0..most {
            same("over", &fast.outcome().is_some(), &slow.is_over)?;
            let queue: Vec<usize> = fast.queue().iter().map(|dealt| usize::from(dealt.piece)).collect();
            same("pieces in sight", &queue, &slow.queue)?;
            same("held", &fast.held().map(usize::from), &slow.held)?;
            let list = slow.placements();
            let named: Vec<_> = list.iter().map(|(placement, _)| *placement).collect();
            same("placements", &fast.placements(), &named)?;
            same("board", &cells(&fast.board().to_board(game)), &slow.board)?;
            same("totals", &(fast.stats().pieces, fast.stats().lines), &(slow.pieces, slow.lines))?;
            same_bits("score", fast.stats().score, slow.score)?;
            if slow.is_over {
                break;
            }
            all.moves += 1;
            if list.is_empty() || (slow.can_hold() && dice.once_in(3)) {
                fast.hold().map_err(|error| format!("hold: {error}"))?;
                slow.hold();
            } else {
                let (placement, after) = &list[dice.below(list.len())];
                let clear = fast.play(placement).map_err(|error| format!("{placement:?}: {error}"))?;
                same("fatal", &clear.fatal, &after.is_none())?;
                same("rows", &clear.lines, &after.as_ref().map_or(0, |(_, rows)| *rows))?;
                slow.play(*placement, after);
            }
        }
    }
    Ok(all)
}

/// Random boards, dense and empty.
pub(super) fn boards(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement() else { return Ok(Compared::default()) };
    let mut dice = Dice::new(asked.seed, 2 << 32);
    let mut all = Compared::default();
    for _ in 0..4 {
        let board = random_board(game, &mut dice);
        all.games += 1;
        all.moves += lists::<AnyColumns>(game, &board)?;
        if TenColumns::fits(game) {
            lists::<TenColumns>(game, &board)?;
        }
        if PackedBoard::fits(game) {
            lists::<PackedBoard>(game, &board)?;
        }
    }
    Ok(all)
}

fn lists<G: Grid>(game: &PlacementGame, board: &Board) -> Result<u64, String> {
    let grid = G::from_board(board);
    same("board there and back", &grid.to_board(game), board)?;
    let slow_board = cells(board);
    let mut moves = 0;
    for piece in 0..game.pieces().len() {
        let slow = placements(game, &slow_board, piece);
        let mut fast = Vec::new();
        grid.placements(game, piece, |placement| fast.push(placement));
        let named: Vec<_> = slow.iter().map(|(placement, _)| *placement).collect();
        same("placements", &fast, &named).map_err(|why| format!("{why} on\n{board}"))?;
        for (placement, after) in &slow {
            let landed = grid.place_unchecked(game, *placement);
            let fast = (!landed.fatal).then(|| (cells(&landed.board.to_board(game)), landed.lines()));
            same("what follows", &fast, after)
                .map_err(|why| format!("{why} after {placement:?} on\n{board}"))?;
            moves += 1;
        }
    }
    Ok(moves)
}

/// A board without full rows.
pub(super) fn random_board(game: &PlacementGame, dice: &mut Dice) -> Board {
    let mut board = Board::new(game.width(), game.height());
    let rows = dice.below(game.height() + 1);
    let emptiness = dice.between(1, 9);
    for y in 0..rows {
        let gap = dice.below(game.width());
        for x in 0..game.width() {
            if x != gap && dice.below(10) >= emptiness {
                board.insert(x, y);
            }
        }
    }
    board
}

/// As deep as a thousand placements or so allow.
pub(super) fn perft_counts(asked: &Asked) -> Result<Compared, String> {
    let Some(game) = asked.placement() else { return Ok(Compared::default()) };
    let mut all = Compared::default();
    for depth in 0..4 {
        let fast = perft(game, depth, || true).ok_or("more leaves than can be counted")?;
        if fast > 3000 && depth > 1 {
            break;
        }
        let slow = reference::perft(game, &reference::Cells::new(), game.dealer().start(), depth);
        same("leaves", &fast, &slow)?;
        all += Compared { games: 1, moves: slow };
        if slow == 0 {
            break;
        }
    }
    Ok(all)
}
