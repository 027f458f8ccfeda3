//! Games as models that other tools read: Storm's explicit format and PRISM's explicit files.
//!
//! State 0 deals the first piece. Every other state is a board with a hand; each of its actions is a placement, its
//! reward the points, its outcome the board and the hand dealt next. A dead state, and the end of a discounted game,
//! is the state `end`. A discount becomes the probability of going on.

use std::fmt::Write as _;
use std::io::{self, Write};

use bellmino_engine::PlacementGame;
use bellmino_engine::placement::{Grid, PackedBoard};

use crate::bellman::Boards;
use crate::memory::{check_memory, estimate};
use crate::settings::{Abstraction, Dealing, Objective, Placing, SolveSettings};
use crate::solve::SolveError;
use crate::space::{Space, Within};
use crate::supply::Supply;
use crate::watch::Watch;

/// A game written out state by state.
#[derive(Debug)]
pub struct Model {
    /// The states after the first; each with its actions.
    states: Vec<Vec<ExportAction>>,
    /// The state `end`.
    end: usize,
}

#[derive(Debug)]
struct ExportAction {
    reward: f64,
    /// Sorted by state.
    outcomes: Vec<(usize, f64)>,
}

/// More states are not written out.
const MAX_STATES: usize = 20_000_000;

impl Model {
    /// Writes a game out: the random dealer, no hold, discounted, total or horizon.
    pub fn new(
        game: &PlacementGame,
        settings: &SolveSettings,
        watch: &dyn Watch,
    ) -> Result<Model, SolveError> {
        let plain = settings.dealing == Dealing::Random
            && !settings.hold
            && settings.view == Abstraction::Grid
            && settings.reward.is_none()
            && settings.placing == Placing::Best;
        let objective =
            matches!(settings.objective, Objective::Discounted(_) | Objective::Total | Objective::Horizon(_));
        if !PackedBoard::fits(game) {
            let (bytes, boards) = estimate(game);
            let limit = settings.memory.unwrap_or(u64::MAX);
            return Err(SolveError::TooBig { bytes, limit, boards: Some(boards) });
        }
        if !plain || !objective {
            return Err(SolveError::Unsupported(
                "a model is written for the random dealer and the best placer, without hold, view or reward, and for \
                 discounted:L, total or horizon:N"
                    .into(),
            ));
        }
        let start = settings.from.map_or(PackedBoard::empty(game), |board| PackedBoard::from_board(&board));
        let supply = Supply::new(game, settings.queue(), false, false)
            .map_err(|_| SolveError::Unsupported("too many combinations of known pieces".into()))?;
        check_memory(game, &supply, settings, false)?;
        let space = Space::explore(game, supply, start, Within::default(), settings.memory, watch)?;
        let supply = &space.supply;
        let hands = supply.hands.len();
        if space.index.len() * hands > MAX_STATES {
            return Err(SolveError::Unsupported(format!(
                "the model has about {} states; at most {MAX_STATES} are written",
                space.index.len() * hands
            )));
        }
        // Numbers for the states there are: 0 for the deal of the first piece, then boards with hands, then the end.
        let contexts = space.contexts();
        let mut number = vec![usize::MAX; space.index.len() * hands];
        let mut count = 1;
        for board in 0..space.index.len() {
            for context in (0..contexts).filter(|context| space.is_reached(board * contexts + context)) {
                for dealt in &supply.contexts[context].deals {
                    let state = &mut number[board * hands + dealt.hand as usize];
                    if *state == usize::MAX {
                        *state = count;
                        count += 1;
                    }
                }
            }
        }
        let end = count;
        let discount = settings.objective.discount();
        let next = |board: usize, context: u32, weight: f64| {
            let mut outcomes: Vec<(usize, f64)> = supply.contexts[context as usize]
                .deals
                .iter()
                .map(|dealt| (number[board * hands + dealt.hand as usize], weight * dealt.probability))
                .collect();
            if weight < 1.0 {
                outcomes.push((end, 1.0 - weight));
            }
            outcomes.sort_by_key(|outcome| outcome.0);
            outcomes
        };
        let mut states: Vec<Vec<ExportAction>> = (0..=end).map(|_| Vec::new()).collect();
        let first = space.index.number(start).unwrap_or(0) as usize;
        let mut opening = Vec::new();
        for (context, probability) in supply.first_distribution() {
            for (state, weight) in next(first, context, 1.0) {
                opening.push((state, probability * weight));
            }
        }
        opening.sort_by_key(|outcome| outcome.0);
        opening.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
        states[0].push(ExportAction { reward: 0.0, outcomes: opening });
        let mut active = vec![true; supply.moves.len()];
        for board in 0..space.index.len() {
            let mut actions: Vec<Vec<ExportAction>> = (0..hands).map(|_| Vec::new()).collect();
            space.steps(board, &mut active, |piece, step| {
                for (hand, actions) in supply.hands.iter().zip(&mut actions) {
                    let step_move = supply.moves[hand.moves[0] as usize];
                    if step.is_fatal() || step_move.piece as usize != piece {
                        continue;
                    }
                    let reward = game.score().points(step.lines() as u32);
                    actions.push(ExportAction {
                        reward,
                        outcomes: next(step.target(), step_move.next, discount),
                    });
                }
            });
            for (hand, mut actions) in actions.into_iter().enumerate() {
                let state = number[board * hands + hand];
                if state == usize::MAX {
                    continue;
                }
                if actions.is_empty() {
                    actions.push(ExportAction { reward: 0.0, outcomes: vec![(end, 1.0)] });
                }
                states[state] = actions;
            }
        }
        states[end].push(ExportAction { reward: 0.0, outcomes: vec![(end, 1.0)] });
        Ok(Model { states, end })
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    fn choices(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    fn transitions(&self) -> usize {
        self.states.iter().flatten().map(|action| action.outcomes.len()).sum()
    }

    /// Writes Storm's explicit format (`.drn`), with the reward model `points` and the label `end`.
    pub fn write_drn(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "// Written by bellmino {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "@type: MDP\n@parameters\n\n@reward_models\npoints")?;
        writeln!(out, "@nr_states\n{}\n@nr_choices\n{}\n@model", self.states(), self.choices())?;
        let mut text = String::new();
        for (number, actions) in self.states.iter().enumerate() {
            text.clear();
            let label = match number {
                0 => " init",
                _ if number == self.end => " end",
                _ => "",
            };
            let _ = writeln!(text, "state {number} [0]{label}");
            for (index, action) in actions.iter().enumerate() {
                let _ = writeln!(text, "\taction {index} [{}]", action.reward);
                for (target, probability) in &action.outcomes {
                    let _ = writeln!(text, "\t\t{target} : {probability}");
                }
            }
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    /// Writes PRISM's transition matrix (`.tra`).
    pub fn write_prism_transitions(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} {} {}", self.states(), self.choices(), self.transitions())?;
        self.each(|state, index, _, target, probability| {
            writeln!(out, "{state} {index} {target} {probability}")
        })
    }

    /// Writes PRISM's transition rewards (`.trew`).
    pub fn write_prism_rewards(&self, out: &mut dyn Write) -> io::Result<()> {
        let rewarded = self.states.iter().flatten().filter(|action| action.reward != 0.0);
        let count: usize = rewarded.map(|action| action.outcomes.len()).sum();
        writeln!(out, "{} {} {count}", self.states(), self.choices())?;
        self.each(
            |state, index, reward, target, _| {
                if reward == 0.0 { Ok(()) } else { writeln!(out, "{state} {index} {target} {reward}") }
            },
        )
    }

    /// Writes PRISM's labels (`.lab`).
    pub fn write_prism_labels(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "0=\"init\" 1=\"deadlock\" 2=\"end\"\n0: 0\n{}: 2", self.end)
    }

    fn each(&self, mut visit: impl FnMut(usize, usize, f64, usize, f64) -> io::Result<()>) -> io::Result<()> {
        for (state, actions) in self.states.iter().enumerate() {
            for (index, action) in actions.iter().enumerate() {
                for (target, probability) in &action.outcomes {
                    visit(state, index, action.reward, *target, *probability)?;
                }
            }
        }
        Ok(())
    }
}
