//! Who deals in the arena.

use std::sync::Arc;

use bellmino_engine::placement::{Board, DealerState, Deals, DealtBy, Grid, PackedBoard};
use bellmino_engine::{PlacementGame, suggestion};
use bellmino_exact::{DealerPolicy, Table};

use crate::resources::Resources;
use crate::tables::find_table;

/// Who deals in the arena.
#[derive(Clone, Debug, Default)]
pub enum Opponent {
    /// The game's own dealer.
    #[default]
    Random,
    /// A solved table: it deals what is worth least to the player it was solved for.
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
                "`{text}` has to be solved first: `bellmino solve GAME --objective O --dealer {text} -o FILE`, then \
                 --dealer table:FILE"
            )),
            _ => Err(format!(
                "there is no dealer `{text}` here; {}",
                suggestion(text, ["random", "table:FILE"])
            )),
        }
    }

    /// How it deals in a match.
    pub fn dealing(&self) -> DealtBy {
        match self {
            Opponent::Random => DealtBy::Chance,
            Opponent::Table(table) => DealtBy::By(Arc::new(TableDealer(table.clone()))),
        }
    }

    /// How many pieces it names ahead.
    pub fn names_ahead(&self) -> usize {
        if let Opponent::Table(table) = self { table.queue() } else { 0 }
    }
}

/// A table that deals.
#[derive(Debug)]
struct TableDealer(Arc<Table>);

impl Deals for TableDealer {
    fn piece(&self, board: &Board, state: DealerState, queue: &[u8]) -> Option<u8> {
        // The table knows as many pieces as it was solved with; the player may see more.
        let known = &queue[queue.len().saturating_sub(self.0.queue())..];
        self.0.deal(PackedBoard::from_board(board), state, known)
    }
}
