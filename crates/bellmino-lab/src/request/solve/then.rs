//! A second question about all optimal players.

use bellmino_data::numbers::grouped;
use bellmino_exact::{SecondObjective, SecondQuestion, SolveSettings, TieRange};
use schemars::JsonSchema;
use serde::Serialize;

/// What a second question comes to over all players that are as good as the best.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ThenAnswer {
    /// What was asked.
    pub question: String,
    /// Who deals.
    pub dealer: String,
    /// The best that one of them makes of it: the most, or the least variance.
    pub value: f64,
    /// The least and the most.
    pub range: [f64; 2],
    /// How far each end can be from the truth: proven.
    pub error_bound: f64,
    /// States with a placement that does not end the game.
    pub states: u64,
    /// Those of them in which several placements are as good as the best.
    pub tied_states: u64,
    /// How far below the best a placement counts as just as good, at most: what the bound leaves open, or a tie of the table.
    pub tolerance: f64,
}

impl ThenAnswer {
    /// In words.
    pub(super) fn lines(&self) -> Vec<String> {
        let ThenAnswer { question, dealer, range: [low, high], error_bound, .. } = self;
        let [tied, states] = [self.tied_states, self.states].map(|count| grouped(count as f64, 0));
        vec![
            format!(
                "  all optimal players: {question}, {dealer} dealer: {low:.10} to {high:.10} within {error_bound:.1e}"
            ),
            format!("    in {tied} of {states} states several placements are as good as the best"),
        ]
    }

    pub(super) fn new(settings: &SolveSettings, second: &SecondQuestion, range: &TieRange) -> ThenAnswer {
        let TieRange { low, high, error_bound, states, tied_states, tolerance } = *range;
        let dealing = second.dealing.unwrap_or(settings.dealing);
        ThenAnswer {
            question: SecondQuestion { dealing: None, ..*second }.to_string(),
            dealer: dealing.to_string(),
            value: if second.objective == SecondObjective::Variance { low } else { high },
            range: [low, high],
            error_bound,
            states,
            tied_states,
            tolerance,
        }
    }
}
