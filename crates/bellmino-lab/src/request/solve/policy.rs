//! What to do in every state, as CSV.

use std::io::{self, Write};
use std::ops::ControlFlow;

use bellmino_data::numbers::grouped;
use bellmino_data::text::csv_quoted;
use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Board, DealerKind, DealerState, Grid, Placement};
use bellmino_exact::{HandChoice, Objective, PolicyState, Table};

use crate::drawing;
use crate::request::{Context, Event, RequestError};

/// Writes the policy of a table; gives the number of rows.
pub(super) fn write(file: &str, table: &Table, context: &Context<'_>) -> Result<u64, RequestError> {
    let mut rows = 0;
    let written = context.outputs.write_by(file, &mut |out| {
        rows = write_states(out, table, context)?;
        Ok(())
    });
    context.tell(Event::End);
    written.map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => RequestError::run("interrupted; no policy was written"),
        _ => RequestError::run(format!("{file}: {error}")),
    })?;
    context.tell(Event::Notice(format!("policy in {file}: {} rows", grouped(rows as f64, 0))));
    Ok(rows)
}

/// Which columns a policy has besides board, piece, placement and value.
struct PolicyColumns<'a> {
    game: &'a PlacementGame,
    left: bool,
    next: bool,
    held: bool,
    /// What the dealer remembers, where the pieces in hand do not tell.
    memory: Option<DealerMemory>,
}

enum DealerMemory {
    /// The pieces left in the bag.
    Bag,
    /// The place of the next piece in the order, from 1.
    Place,
}

fn write_states(out: &mut dyn Write, table: &Table, context: &Context<'_>) -> io::Result<u64> {
    let (game, settings) = (table.game(), table.settings());
    let columns = PolicyColumns {
        game,
        left: matches!(settings.objective, Objective::Horizon(_)),
        next: table.queue() > 0,
        held: settings.hold,
        memory: match game.dealer().kind() {
            DealerKind::Bag => Some(DealerMemory::Bag),
            DealerKind::Sequence => Some(DealerMemory::Place),
            DealerKind::Weighted | DealerKind::Markov | DealerKind::Board => None,
        },
    };
    writeln!(out, "{}", columns.head())?;
    let stages: Vec<Option<u32>> = match settings.objective {
        Objective::Horizon(pieces) => (1..=pieces).rev().map(Some).collect(),
        _ => vec![None],
    };
    context.tell(Event::Begin { what: "policy", parts: stages.len() as u64 });
    let mut rows = 0;
    for left in stages {
        let mut trouble = None;
        let mut line = |state: &PolicyState<'_>| {
            rows += 1;
            if rows % 4096 == 0 && !context.go_on() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            writeln!(out, "{}", columns.row(state))
        };
        let _ = table.each_state(left, |state| match line(state) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                trouble = Some(error);
                ControlFlow::Break(())
            }
        });
        if let Some(error) = trouble {
            return Err(error);
        }
        context.done(1);
    }
    Ok(rows)
}

impl PolicyColumns<'_> {
    fn head(&self) -> String {
        let memory = self.memory.as_ref().map(|memory| match memory {
            DealerMemory::Bag => "bag",
            DealerMemory::Place => "place",
        });
        let names = [
            self.left.then_some("left"),
            Some("board"),
            Some("piece"),
            self.next.then_some("next"),
            self.held.then_some("held"),
            memory,
            self.held.then_some("placed"),
            Some("rotation"),
            Some("column"),
            Some("row"),
            Some("value"),
        ];
        names.into_iter().flatten().collect::<Vec<_>>().join(",")
    }

    fn row(&self, state: &PolicyState<'_>) -> String {
        let PolicyState { board, hand, choice, value } = state;
        let mut cells = vec![];
        if self.left {
            cells.push(hand.left.map_or(String::new(), |left| left.to_string()));
        }
        cells.push(rows_of(&board.to_board(self.game)));
        cells.push(self.names(&hand.queue[..1]));
        if self.next {
            cells.push(self.names(&hand.queue[1..]));
        }
        if self.held {
            cells.push(self.names(hand.held.as_slice()));
        }
        let dealer = hand.states.last().copied().unwrap_or_default();
        cells.extend(self.memory.as_ref().map(|memory| self.remembered(memory, dealer)));
        let placement = match choice {
            Some(HandChoice::Place(placement) | HandChoice::PlaceHeld(placement)) => Some(*placement),
            Some(HandChoice::PutAside) | None => None,
        };
        if self.held {
            cells.push(match choice {
                Some(HandChoice::PutAside) => "hold".to_owned(),
                _ => self.names(placement.map(|placement| placement.piece).as_slice()),
            });
        }
        let number = |number: fn(&Placement) -> u8| {
            placement.as_ref().map(number).map_or(String::new(), |n| n.to_string())
        };
        cells.extend([number(|at| at.rotation), number(|at| at.column), number(|at| at.row)]);
        cells.push(if value.is_finite() { value.to_string() } else { String::new() });
        cells.join(",")
    }

    /// The names of pieces, apart by spaces, as a cell of CSV.
    fn names(&self, pieces: &[u8]) -> String {
        let names: Vec<&str> =
            pieces.iter().map(|&piece| self.game.pieces()[usize::from(piece)].name()).collect();
        csv_quoted(&names.join(" "))
    }

    /// What a dealer remembers.
    fn remembered(&self, memory: &DealerMemory, state: DealerState) -> String {
        match memory {
            DealerMemory::Bag => {
                let pieces = 0..self.game.pieces().len() as u8;
                self.names(&pieces.filter(|piece| state.0 >> piece & 1 == 1).collect::<Vec<_>>())
            }
            DealerMemory::Place => (state.0 + 1).to_string(),
        }
    }
}

/// A board in one line.
fn rows_of(board: &Board) -> String {
    drawing::rows(board).join("/")
}
