//! The frontier between chance and the worst dealer: what players who heed both are worth against each.

use bellmino_exact::{Dealing, Objective, Reward, SolveError, SolveSettings, robustness};
use serde::Deserialize;
use serde_json::{Value, json};

use super::request::SolveOrder;
use super::{ExploreError, MAX_MEMORY, worth};
use crate::collection::Collection;
use crate::desk::Patience;

/// Which players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrontierFamily {
    /// The best against `mixed:E`.
    Mixed,
    /// The best for `score=1,gaps=W` against chance.
    Gaps,
    /// The best for `score=1,gaps=W` against the worst dealer.
    GapsWorst,
}

impl FrontierFamily {
    /// Its players: the word for each and its settings.
    fn players(self, asked: &SolveSettings) -> Vec<(f64, String, SolveSettings)> {
        const SHARES: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
        const WEIGHTS: [f64; 11] = [0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];
        let dealing = if self == FrontierFamily::GapsWorst { Dealing::Worst } else { Dealing::Random };
        let one = |number: f64| match self {
            FrontierFamily::Mixed => {
                let dealing = match number {
                    0.0 => Dealing::Random,
                    1.0 => Dealing::Worst,
                    share => Dealing::Mixed(share),
                };
                (number, dealing.to_string(), SolveSettings { dealing, ..asked.clone() })
            }
            FrontierFamily::Gaps | FrontierFamily::GapsWorst => {
                let reward = Some(Reward { score: 1.0, gaps: number, ..Reward::default() });
                let label = format!("score=1,gaps={number}");
                (number, label, SolveSettings { dealing, reward, ..asked.clone() })
            }
        };
        if self == FrontierFamily::Mixed { SHARES } else { WEIGHTS }.map(one).into()
    }
}

/// Finds the frontier; hands over each point as it is found, and says how many there are and how far it came.
pub fn frontier(
    question: &SolveOrder,
    family: FrontierFamily,
    library: &dyn Collection,
    patience: &Patience<'_>,
    mut tell: impl FnMut(Value),
) -> Result<Value, ExploreError> {
    let game = question.game.read(library)?;
    let asked = question.plan(&game, library)?.settings;
    if !matches!(asked.objective, Objective::Discounted(_) | Objective::Horizon(_)) {
        return Err(ExploreError::Frontier);
    }
    let asked = SolveSettings {
        // Two of them are in memory at a time.
        memory: Some(MAX_MEMORY / 2),
        preview: asked.preview,
        from: asked.from,
        epsilon: asked.epsilon,
        ..SolveSettings::new(asked.objective)
    };
    let players = family.players(&asked);
    for (place, (number, label, settings)) in players.iter().enumerate() {
        let found = match robustness(&game, settings, patience) {
            Err(SolveError::Interrupted) if patience.is_over() && place > 0 => {
                return Ok(json!({ "points": place, "of": players.len() }));
            }
            found => found.map_err(|error| patience.explain(error))?,
        };
        let worth = |value: Option<f64>| worth(value.unwrap_or(f64::INFINITY));
        tell(json!({
            "number": number, "label": label, "chance": worth(found.chance), "worst": worth(found.worst),
        }));
    }
    Ok(json!({ "points": players.len(), "of": players.len() }))
}
