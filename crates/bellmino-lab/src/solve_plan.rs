//! What is asked of the exact solver, from words: the same for the command and for the page.

use std::sync::Arc;

use bellmino_engine::PlacementGame;
use bellmino_exact::{
    DealerPolicy, Dealing, NotUnderstood, Placing, Policy, Sides, SolveSettings, Table, Unmet,
};
use thiserror::Error;

use crate::player::{Chooser, Player, PlayerError};
use crate::policy::{ChooserPolicy, PolicyError, offer_of};
use crate::resources::Resources;
use crate::tables::{LoadTableError, find_table};

/// What to say of a total that is infinite, where values are wanted.
pub const INFINITE_TOTAL: &str = "the total is infinite: no placement is worth more than another";

/// Settings whose dealer and player were given by name, with both of them.
///
/// ```
/// use bellmino_engine::Game;
/// use bellmino_exact::{Dealing, Objective, SolveSettings};
/// use bellmino_lab::{BuiltIn, SolvePlan};
///
/// let game = Game::built_in("mini", &[]).unwrap().unwrap();
/// let asked = SolveSettings::new(Objective::Total);
/// let plan = SolvePlan::new(game.placement().unwrap(), asked, "mixed:0.5", Some("lowest"), &BuiltIn)?;
/// assert_eq!(plan.settings.dealing, Dealing::Mixed(0.5));
/// assert!(plan.sides().player.is_some() && plan.sides().dealer.is_none());
/// # Ok::<(), bellmino_lab::SolvePlanError>(())
/// ```
pub struct SolvePlan<'a> {
    /// All settings.
    pub settings: SolveSettings,
    player: Option<ChooserPolicy<'a>>,
    dealer: Option<Table>,
}

/// Why words are no question to the exact solver.
#[derive(Debug, Error)]
pub enum SolvePlanError {
    /// No dealer of this name.
    #[error("{0}, or table:FILE")]
    Dealer(NotUnderstood),
    /// The dealer's table cannot be used.
    #[error(transparent)]
    DealerTable(#[from] LoadTableError),
    /// The dealer's table cannot deal here as it was solved.
    #[error("this table cannot deal here: {0}")]
    CannotDeal(Unmet),
    /// No player of this name in this game.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// The solver cannot evaluate the player.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

impl<'a> SolvePlan<'a> {
    /// Completes settings by a dealer (`random`, `worst`, `worst-before`, `mixed:E` or `table:FILE`) and a player who is
    /// evaluated instead of the best one.
    pub fn new(
        game: &'a PlacementGame,
        mut asked: SolveSettings,
        dealer: &str,
        player: Option<&str>,
        resources: &dyn Resources,
    ) -> Result<SolvePlan<'a>, SolvePlanError> {
        let table = match dealer.strip_prefix("table:") {
            Some(file) => Some(find_table(file, game, resources)?),
            None => None,
        };
        let dealing = match table {
            Some(_) => Dealing::Random,
            None => dealer.parse().map_err(SolvePlanError::Dealer)?,
        };
        let player = match player {
            Some(player) => Some(Player::load_placement(player, game, resources)?.chooser()?.clone()),
            None => None,
        };
        let is_random = player.as_ref().is_some_and(|player| player.is_random());
        asked.dealing = dealing;
        if is_random {
            asked.placing = Placing::Average;
        }
        // A dealer that has named pieces ahead needs them on the table; the player sees what it sees.
        asked.preview = asked.preview.max(table.as_ref().map_or(0, Table::queue)).max(game.previews());
        if let Some(table) = &table {
            table.check_dealer(&offer_of(game, &asked)).map_err(SolvePlanError::CannotDeal)?;
        }
        let given = player.filter(|player| !player.is_random());
        let given = given.map(|player| ChooserPolicy::new(game, player, &asked)).transpose()?;
        Ok(SolvePlan { settings: asked, player: given, dealer: table })
    }

    /// Who is given instead of sought.
    pub fn sides(&self) -> Sides<'_> {
        Sides {
            player: self.player.as_ref().map(|player| player as &dyn Policy),
            dealer: self.dealer.as_ref().map(|table| table as &dyn DealerPolicy),
        }
    }

    /// The player who is evaluated and the table that deals, if there are any.
    pub fn into_given(self) -> (Option<Arc<Chooser>>, Option<Table>) {
        (self.player.map(ChooserPolicy::into_chooser), self.dealer)
    }
}
