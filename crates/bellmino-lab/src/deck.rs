//! Dealing to a player: who deals, what is known ahead, what is held.

use std::path::Path;
use std::sync::Arc;

use bellmino_engine::placement::{DealerState, Grid, PackedBoard};
use bellmino_engine::{Generator, PlacementGame, suggestion};
use bellmino_exact::{Choice, DealerPolicy, InHand, Table};

use crate::player::Player;
use crate::tables::load_table;

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
    pub fn parse(text: &str, game: &PlacementGame) -> Result<Opponent, String> {
        match text.split_once(':') {
            None if text == "random" => Ok(Opponent::Random),
            Some(("table", file)) => {
                let table = load_table(Path::new(file), game).map_err(|error| error.to_string())?;
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
}

/// The pieces on their way to a player.
#[derive(Clone, Debug)]
pub(crate) struct Deck<'a> {
    game: &'a PlacementGame,
    opponent: &'a Opponent,
    /// How many pieces lie open beyond the current one.
    known: usize,
    /// Each piece with the dealer's state after it.
    queue: Vec<(u8, DealerState)>,
    state: DealerState,
    held: Option<u8>,
}

impl<'a> Deck<'a> {
    pub(crate) fn new(game: &'a PlacementGame, player: &Player, opponent: &'a Opponent) -> Deck<'a> {
        let seen = player.table().map_or(0, |table| table.settings().preview);
        let named = if let Opponent::Table(table) = opponent { table.queue() } else { 0 };
        let state = game.dealer().start();
        Deck { game, opponent, known: seen.max(named), queue: Vec::new(), state, held: None }
    }

    /// Whether the game's own dealer deals to a player who sees one piece only.
    pub(crate) fn is_plain(player: &Player, opponent: &Opponent) -> bool {
        player.table().is_none() && matches!(opponent, Opponent::Random)
    }

    /// Deals until the hand is full.
    pub(crate) fn deal<G: Grid>(&mut self, board: &G, generator: &mut Generator) {
        while self.queue.len() <= self.known {
            let piece = match self.opponent {
                Opponent::Random => None,
                Opponent::Table(table) => {
                    let board = PackedBoard::from_board(&board.to_board(self.game));
                    // The table knows as many pieces as it was solved with; the player may see more.
                    let from = self.queue.len().saturating_sub(table.queue());
                    let queue: Vec<u8> = self.queue[from..].iter().map(|(piece, _)| *piece).collect();
                    table.deal(board, self.state, &queue)
                }
            };
            let deals = self.game.dealer().deals(self.state);
            let deal = match deals.iter().find(|deal| Some(deal.piece) == piece) {
                Some(deal) => *deal,
                None => self.game.dealer().deal(self.state, generator),
            };
            self.state = deal.next;
            self.queue.push((deal.piece, deal.next));
        }
    }

    /// The current piece.
    pub(crate) fn current(&self) -> u8 {
        self.queue[0].0
    }

    /// The pieces that the player sees, with the dealer's state after each.
    fn in_sight(&self, player: &Player) -> (Vec<u8>, Vec<DealerState>) {
        let preview = player.table().map_or(0, |table| table.settings().preview);
        self.queue[..=preview].iter().copied().unzip()
    }

    /// What the player decides; `None` if nothing can be done.
    pub(crate) fn decide<G: Grid>(
        &self,
        player: &Player,
        board: &G,
        left: Option<u32>,
        generator: &mut Generator,
    ) -> Option<Choice> {
        let (queue, states) = self.in_sight(player);
        let hand = InHand { queue: &queue, states: &states, held: self.held, left };
        player.choose_from_hand(self.game, board, &hand, generator)
    }

    /// The same after a piece was put aside into the empty place: now the current one must be placed.
    pub(crate) fn decide_after_hold<G: Grid>(
        &self,
        player: &Player,
        board: &G,
        left: Option<u32>,
        generator: &mut Generator,
    ) -> Option<Choice> {
        let Some(table) = player.table() else { return self.decide(player, board, left, generator) };
        let (queue, states) = self.in_sight(player);
        let hand = InHand { queue: &queue, states: &states, held: self.held, left };
        table.choose_placement(PackedBoard::from_board(&board.to_board(self.game)), &hand).map(Choice::Place)
    }

    /// The current piece was placed.
    pub(crate) fn placed(&mut self) {
        self.queue.remove(0);
    }

    /// The held piece was placed, or the place was empty: the current one takes it.
    pub(crate) fn put_aside(&mut self) {
        self.held = Some(self.queue.remove(0).0);
    }
}
