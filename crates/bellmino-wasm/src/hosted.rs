//! A room in a page's own lab: the game, and its rows in the archive.

use std::collections::BTreeMap;

use bellmino_page::{
    Archive, ArchiveError, GameKey, Keeping, MemoryArchive, Room, RoomCommand, RoomEffect, Saving, Thoughts,
    ranking,
};
use serde_json::Value;

/// A room that is hosted.
pub struct HostedRoom {
    room: Room,
    /// The row of each of its games.
    rows: BTreeMap<u64, i64>,
    picture: Option<String>,
}

/// What a room has to tell after a tick.
#[derive(Default)]
pub struct RoomNews {
    /// Its new pictures.
    pub pictures: Vec<String>,
    /// A machine wants to think, and which.
    pub thoughts: Vec<(u32, Box<Thoughts>)>,
    /// Games that have ended, with how each compares.
    pub ends: Vec<(u32, Result<Value, ArchiveError>)>,
}

impl HostedRoom {
    /// Hosts a room.
    pub fn new(room: Room) -> HostedRoom {
        HostedRoom { room, rows: BTreeMap::new(), picture: None }
    }

    /// The latest picture.
    pub fn picture(&self) -> Option<&str> {
        self.picture.as_deref()
    }

    /// Whether time does something here.
    pub fn is_going(&self) -> bool {
        self.room.is_going()
    }

    /// What the player does.
    pub fn hear(&mut self, command: RoomCommand, now: f64) {
        self.room.hear(command, now);
    }

    /// Thoughts of a machine come back.
    pub fn thought(&mut self, number: u32, thoughts: Box<Thoughts>) {
        self.room.thought(number, thoughts);
    }

    /// The end of a game is written down, or why it is not.
    pub fn saved(&mut self, end: u32, ranking: Result<Value, ArchiveError>, trouble: Option<&str>) {
        let saving = match (ranking, trouble) {
            (_, Some(why)) => Saving::Failed(why.to_owned()),
            (Err(why), None) => Saving::Failed(why.to_string()),
            (Ok(ranking), None) => Saving::Done(ranking),
        };
        self.room.saved(end, saving);
    }

    /// Lets time go by.
    pub fn tick(&mut self, now: f64, archive: &MemoryArchive) -> RoomNews {
        let effects = self.room.tick(now);
        self.perform(effects, archive)
    }

    /// Ends the game as it stands.
    pub fn close(&mut self, now: f64, archive: &MemoryArchive) {
        let effects = self.room.close(now);
        self.perform(effects, archive);
    }

    fn perform(&mut self, effects: Vec<RoomEffect>, archive: &MemoryArchive) -> RoomNews {
        let mut news = RoomNews::default();
        for effect in effects {
            match effect {
                RoomEffect::Picture(text) => {
                    self.picture = Some(text.clone());
                    news.pictures.push(text);
                }
                RoomEffect::Think(number, thoughts) => news.thoughts.push((number, thoughts)),
                RoomEffect::Keep(key, what) => {
                    if let Some(end) = self.keep(key, what, archive) {
                        news.ends.push(end);
                    }
                }
            }
        }
        news
    }

    /// Writes a game down; gives its end, if the room wants to hear of it.
    fn keep(
        &mut self,
        key: GameKey,
        what: Keeping,
        archive: &MemoryArchive,
    ) -> Option<(u32, Result<Value, ArchiveError>)> {
        let row = self.rows.get(&key.number).copied().or(key.row);
        match what {
            Keeping::Save(entry) => {
                let row = row.map_or_else(|| archive.begin(key.mode.name(), key.player), Ok).ok()?;
                self.rows.insert(key.number, row);
                // Whoever has removed it meanwhile does not want it, until it has ended.
                let _ = archive.update(row, "open", &entry);
                None
            }
            Keeping::Finish { state, entry, end } => {
                let written = row
                    .ok_or(())
                    .and_then(|row| archive.update(row, state, &entry).map(|()| row).map_err(|_| ()));
                // A row that is gone is made anew: what was played is kept.
                let written = written.or_else(|()| {
                    let row = archive.begin(key.mode.name(), key.player)?;
                    archive.update(row, state, &entry)?;
                    Ok(row)
                });
                if let Ok(row) = &written {
                    self.rows.insert(key.number, *row);
                }
                let ranking = written.and_then(|row| ranking(archive, row, key.mode, key.player));
                end.map(|end| (end, ranking))
            }
            Keeping::Forget => {
                if let Some(row) = row {
                    self.rows.remove(&key.number);
                    let _ = archive.remove(row);
                }
                None
            }
        }
    }
}
