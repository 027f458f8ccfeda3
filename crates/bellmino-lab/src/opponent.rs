//! Who deals in the arena.

use std::sync::Arc;

use bellmino_engine::placement::{DealAnswer, Deals, DealtBy, Grid, PackedBoard, Undealt};
use bellmino_engine::{Generator, NAMED_DEALERS, PlacementGame, suggestion, unit};
use bellmino_exact::{DealerPolicy, OnTable, Table};

use crate::resources::Resources;
use crate::tables::find_table;

/// Who deals in the arena.
#[derive(Clone, Debug, Default)]
pub enum Opponent {
    /// The game's own dealer.
    #[default]
    Random,
    /// A solved table: it deals as the dealer it was solved for, what is worth least to the player; `mixed:E` does so with
    /// probability E, and leaves the rest to chance.
    Table(Arc<Table>),
}

impl Opponent {
    /// `random` or `table:FILE`.
    pub fn parse(text: &str, game: &PlacementGame, resources: &dyn Resources) -> Result<Opponent, String> {
        match text.split_once(':') {
            None if text == "random" => Ok(Opponent::Random),
            Some(("table", file)) => {
                let table = find_table(file, game, resources).map_err(|error| error.to_string())?;
                Ok(Opponent::Table(Arc::new(table)))
            }
            _ if matches!(text.split(':').next(), Some("worst" | "worst-before" | "mixed")) => Err(format!(
                "`{text}` has to be solved first: solve the game with this dealer, keep its table as FILE, and give \
                 table:FILE"
            )),
            _ if NAMED_DEALERS.contains(&text) => {
                Err(format!("`{text}` is a dealer of the game: give the game with dealer.kind={text}"))
            }
            _ => Err(format!(
                "there is no dealer `{text}` here; {}",
                suggestion(text, ["random", "table:FILE"])
            )),
        }
    }

    /// How it deals in a match that ends after so many pieces.
    pub fn dealing(&self, pieces: Option<u64>) -> DealtBy {
        match self {
            Opponent::Random => DealtBy::Chance,
            Opponent::Table(table) => DealtBy::By(Arc::new(TableDealer { table: table.clone(), pieces })),
        }
    }
}

/// A table that deals.
#[derive(Debug)]
struct TableDealer {
    table: Arc<Table>,
    /// After how many pieces the match ends.
    pieces: Option<u64>,
}

impl Deals for TableDealer {
    fn answer(&self, asked: &Undealt<'_>, chance: &mut Generator) -> DealAnswer {
        let left = self.pieces.map(|pieces| pieces.saturating_sub(asked.pieces));
        // What is dealt after the last piece is never placed.
        if left == Some(0) {
            return DealAnswer::Chance;
        }
        let share = self.table.share();
        if share < 1.0 && unit(chance) >= share {
            return DealAnswer::Chance;
        }
        let on_table = OnTable {
            state: asked.state,
            queue: asked.queue,
            held: asked.held,
            spent: asked.hold_spent,
            left: left.and_then(|left| u32::try_from(left).ok()),
        };
        let piece = self.table.deal(PackedBoard::from_board(asked.board), &on_table);
        piece.map_or(DealAnswer::Unknown, DealAnswer::Piece)
    }
}
