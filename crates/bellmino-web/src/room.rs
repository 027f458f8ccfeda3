//! A room on the server: one task owns the game, and everybody who looks on gets its latest picture, so that a slow spectator
//! never holds up the player.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use bellmino_page::{GameKey, Keeping, Room, RoomCommand, RoomEffect, RoomPlace, Saving, Thoughts, ranking};
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;
use tokio::time::MissedTickBehavior;

use crate::bench::Bench;
use crate::clock::LabClock;
use crate::jobs::Hold;
use crate::keeper::{Keeper, KeptGame};
use crate::priority;
use crate::store::GameStore;

/// How often a game looks at the clock.
const TICK: Duration = Duration::from_millis(4);

/// A room as others see it; its game ends when the last sender of commands is gone.
#[derive(Clone)]
pub struct OpenRoom {
    /// Who sits there, and how its game stands.
    pub place: Arc<RoomPlace>,
    /// The player's way in.
    pub commands: mpsc::Sender<RoomCommand>,
    /// The latest picture.
    pub frames: watch::Receiver<Utf8Bytes>,
}

impl OpenRoom {
    /// Hosts a room.
    pub fn open(room: Room, keeper: &Keeper, clock: LabClock) -> OpenRoom {
        let (commands, inbox) = mpsc::channel(256);
        let (back, thoughts) = mpsc::unbounded_channel();
        let (sender, frames) = watch::channel(Utf8Bytes::from_static("{}"));
        let place = Arc::clone(room.place());
        let archive = RoomArchive { keeper: keeper.clone(), games: HashMap::new(), saving: None };
        let mut host = RoomHost { room, archive, clock, frames: sender, back, thinking: Hold::default() };
        host.tick();
        tokio::spawn(host.run(inbox, thoughts));
        OpenRoom { place, commands, frames }
    }
}

/// Thoughts of a machine that come back, and whose they are.
type ThoughtsBack = (u32, Box<Thoughts>);

/// The task of a room: tells it the time and what is done, and does what it wants.
struct RoomHost {
    room: Room,
    archive: RoomArchive,
    clock: LabClock,
    frames: watch::Sender<Utf8Bytes>,
    back: mpsc::UnboundedSender<ThoughtsBack>,
    /// Machines think for as long as the room is there.
    thinking: Hold,
}

/// The games of a room in the store.
struct RoomArchive {
    keeper: Keeper,
    games: HashMap<u64, KeptGame>,
    /// How it stands with writing down the end that is shown.
    saving: Option<(u32, watch::Receiver<Saving>)>,
}

impl RoomHost {
    async fn run(
        mut self,
        mut inbox: mpsc::Receiver<RoomCommand>,
        mut thoughts: mpsc::UnboundedReceiver<ThoughtsBack>,
    ) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let is_going = self.room.is_going();
            tokio::select! {
                biased;
                command = inbox.recv() => {
                    let Some(command) = command else { break };
                    self.room.hear(command, self.clock.now());
                    while let Ok(command) = inbox.try_recv() {
                        self.room.hear(command, self.clock.now());
                    }
                }
                (end, saving) = self.archive.said() => self.room.saved(end, saving),
                Some((number, thoughts)) = thoughts.recv() => self.room.thought(number, thoughts),
                _ = ticks.tick(), if is_going => {}
            }
            self.tick();
        }
        let effects = self.room.close(self.clock.now());
        self.perform(effects);
    }

    fn tick(&mut self) {
        let effects = self.room.tick(self.clock.now());
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<RoomEffect>) {
        for effect in effects {
            match effect {
                RoomEffect::Picture(text) => {
                    self.frames.send_replace(text.into());
                }
                RoomEffect::Keep(game, what) => self.archive.keep(game, what),
                RoomEffect::Think(number, mut thoughts) => {
                    let desk = Bench { leave: self.thinking.leave(), clock: self.clock.clone(), out: None };
                    let back = self.back.clone();
                    spawn_blocking(move || {
                        priority::lower_once(priority::SHORT);
                        thoughts.think(&desk);
                        let _ = back.send((number, thoughts));
                    });
                }
            }
        }
    }
}

impl RoomArchive {
    fn keep(&mut self, key: GameKey, what: Keeping) {
        let GameKey { number, mode, player, row } = key;
        let keeper = &self.keeper;
        let game = self.games.entry(number).or_insert_with(|| match row {
            Some(id) => KeptGame::of_row(keeper.clone(), mode.name(), player, id),
            None => KeptGame::new(keeper.clone(), mode.name(), player),
        });
        match what {
            Keeping::Save(entry) => game.save(*entry),
            Keeping::Finish { state, entry, end: Some(end) } => {
                let look = move |store: &GameStore, id| ranking(store, id, mode, player);
                self.saving = Some((end, game.finish(state, *entry, look)));
            }
            Keeping::Finish { state, entry, end: None } => {
                game.finish(state, *entry, |_, _| Ok(()));
            }
            Keeping::Forget => game.forget(),
        }
    }

    /// Waits for news about a game that is being written down.
    async fn said(&mut self) -> (u32, Saving) {
        if let Some((end, saving)) = &mut self.saving
            && saving.changed().await.is_ok()
        {
            return (*end, saving.borrow_and_update().clone());
        }
        // There is none, or nobody who could tell.
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests;
