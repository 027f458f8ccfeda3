//! What a page asks of the lab itself: the greeting, settings, who can play, training runs, and its end.

use std::sync::Arc;

use serde_json::{Value, json};

use super::PageSession;
use super::step::{PageEffect, PageFault, PageReply, PageStep};
use crate::desk::{Desk, JobKind};
use crate::premises::{HostError, TrainingRuns};
use crate::roster::roster;
use crate::welcome::{SETTINGS, known, welcome};

/// The longest setting that a page may keep.
const MAX_SETTING: usize = 4096;

impl PageSession {
    /// Everything a page needs first.
    pub(super) fn hello(&self) -> PageStep {
        let premises = Arc::clone(&self.premises);
        PageStep::look(
            |archive| Ok(known(archive)?),
            move |_, known| {
                let greet = move |_: &dyn Desk| Ok(welcome(&*premises, known));
                Ok(PageStep::quiet(JobKind::Short, greet, |_, all| Ok(PageStep::Answer(all))))
            },
        )
    }

    /// Keeps a setting; every page hears of it.
    pub(super) fn set(&self, key: String, value: Value) -> PageReply {
        if !SETTINGS.contains(&key.as_str()) || value.to_string().len() > MAX_SETTING {
            return PageReply::Fault(PageFault::NO_SETTING);
        }
        let keep = PageStep::write(move |archive, news| {
            let whole = archive.merge(&key, &value)?;
            news(json!({ "on": "settings", "key": key, "value": whole }).to_string());
            Ok(Value::Null)
        });
        keep.into()
    }

    /// Ends the lab.
    pub(super) fn quit(&mut self) -> PageStep {
        self.effects.push(PageEffect::Quit);
        PageStep::Answer(Value::Null)
    }

    /// Who can play a game.
    pub(super) fn players(&self, game: String) -> PageStep {
        let premises = Arc::clone(&self.premises);
        PageStep::short(move || {
            let game = premises.collection().game(&game, &[])?;
            Ok(json!(roster(&*premises, &game)))
        })
    }

    /// The training runs.
    pub(super) fn runs(&self) -> PageStep {
        let premises = Arc::clone(&self.premises);
        PageStep::short(move || Ok(json!(premises.runs().list())))
    }

    /// The learning curve of one.
    pub(super) fn curve(&self, name: String) -> PageStep {
        let premises = Arc::clone(&self.premises);
        PageStep::short(move || Ok(premises.runs().curve(&name)?))
    }

    /// Something that is done about a run, outside of the queue.
    pub(super) fn train(
        &self,
        work: impl FnOnce(&dyn TrainingRuns) -> Result<Value, HostError> + Send + 'static,
    ) -> PageStep {
        let premises = Arc::clone(&self.premises);
        PageStep::aside(move || Ok(work(premises.runs())?))
    }
}
