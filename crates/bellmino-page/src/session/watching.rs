//! The machines that a page watches: alone, two on the same pieces, or in many games.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::PageSession;
use super::step::{PageStage, PageStep};
use crate::answer::AnswerError;
use crate::archive::{Archive, keep};
use crate::desk::{Desk, JobKind};
use crate::locked::locked;
use crate::watch::{Meeting, Source, WatchError, WatchSession, WatchedMove};

/// Watch sessions of one page, and of all.
const MAX_WATCHES: usize = 8;
const MAX_WATCHED: usize = 64;

/// A game that is watched, and its place among all of them.
pub(super) struct Watched {
    session: Arc<Mutex<WatchSession>>,
    _place: WatchPlace,
}

/// A place among a bounded number, given back when dropped.
struct WatchPlace(Arc<AtomicUsize>);

impl WatchPlace {
    fn take(watched: &Arc<AtomicUsize>) -> Option<WatchPlace> {
        let more = |taken| (taken < MAX_WATCHED).then_some(taken + 1);
        watched.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more).ok()?;
        Some(WatchPlace(Arc::clone(watched)))
    }
}

impl Drop for WatchPlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl PageSession {
    /// Opens a game to watch; its session is the answer.
    pub(super) fn open_watch(
        &mut self,
        game: String,
        set: Vec<String>,
        players: Vec<String>,
        seed: u64,
    ) -> PageStage {
        if self.watches.len() >= MAX_WATCHES {
            return Err(AnswerError::ManyOpen);
        }
        let place = WatchPlace::take(&self.commons.watched).ok_or(AnswerError::ManyWatched)?;
        self.watched += 1;
        let number = self.watched;
        let (premises, shelf) = (Arc::clone(&self.premises), self.commons.shelf.clone());
        let open = move |desk: &dyn Desk, players: &[String]| {
            let source = Source { library: premises.collection(), shelf: &shelf, desk };
            Ok(WatchSession::open(&game, &set, players, seed, &source)?)
        };
        let kind = WatchSession::opening(&players);
        Ok(PageStep::queued(
            kind,
            move |desk| open(desk, &players),
            move |page, (session, shown)| {
                if page.watches.len() >= MAX_WATCHES {
                    return Err(AnswerError::ManyOpen);
                }
                let session = Arc::new(Mutex::new(session));
                page.watches.insert(number, Watched { session, _place: place });
                Ok(PageStep::Answer(json!({ "session": number, "game": shown })))
            },
        ))
    }

    /// Plays on for a machine.
    pub(super) fn watch_moves(&self, session: u32, side: usize, count: u32) -> PageStage {
        let watch = self.watch(session)?;
        // While its moves are being made nobody knows better than that it thinks.
        let kind = watch.try_lock().map_or(JobKind::Think, |watch| watch.moving(side));
        let moves = move |watch: &mut WatchSession, desk: &dyn Desk| watch.moves(side, count, desk);
        Ok(moved(watch, kind, moves, |moves| json!(moves)))
    }

    /// The piece of a person and where it may be placed.
    pub(super) fn watch_options(&self, session: u32, side: usize) -> PageStage {
        let watch = self.watch(session)?;
        Ok(PageStep::short(move || Ok(locked(&watch).options(side)?)))
    }

    /// Places a person's piece.
    pub(super) fn watch_place(&self, session: u32, side: usize, option: usize) -> PageStage {
        let watch = self.watch(session)?;
        let place = move |watch: &mut WatchSession, _: &dyn Desk| Ok(vec![watch.place(side, option)?]);
        let kind = if watch.try_lock().is_ok() { JobKind::Short } else { JobKind::Think };
        Ok(moved(watch, kind, place, |moves| json!(moves.first())))
    }

    /// Forgets a session.
    pub(super) fn close_watch(&mut self, session: u32) -> PageStep {
        self.watches.remove(&session);
        PageStep::Answer(Value::Null)
    }

    fn watch(&self, session: u32) -> Result<Arc<Mutex<WatchSession>>, AnswerError> {
        let watched = self.watches.get(&session).ok_or(AnswerError::NoSession)?;
        Ok(Arc::clone(&watched.session))
    }

    /// Lets two machines meet, a moment at a time, so that others have their turn, until all games are done or nobody wants more.
    pub(super) fn compare(
        &mut self,
        task: u32,
        id: u32,
        game: String,
        players: Vec<String>,
        seed: u64,
        games: usize,
    ) -> PageStep {
        // The one before is answered with how it stands, after the moment that is being played.
        self.comparing = Some(task);
        let (premises, shelf) = (Arc::clone(&self.premises), self.commons.shelf.clone());
        let kind = WatchSession::opening(&players);
        let open = move |desk: &dyn Desk| {
            let source = Source { library: premises.collection(), shelf: &shelf, desk };
            Ok(Meeting::open(&game, &players, seed, games, &source)?)
        };
        PageStep::queued(kind, open, move |page, meeting| Ok(page.compare_on(task, id, meeting)))
    }

    fn compare_on(&self, task: u32, id: u32, mut meeting: Meeting) -> PageStep {
        if self.comparing != Some(task) || meeting.is_over(self.now) {
            return PageStep::Answer(meeting.shown());
        }
        let kind = meeting.kind();
        let play = move |desk: &dyn Desk| {
            let has_ended = meeting.play_on(desk)?;
            Ok((meeting, has_ended))
        };
        PageStep::quiet(kind, play, move |page, (meeting, has_ended)| {
            if has_ended {
                page.mention(&json!({ "on": "comparison", "of": id, "now": meeting.shown() }));
            }
            Ok(page.compare_on(task, id, meeting))
        })
    }

    /// Ends the comparison under way.
    pub(super) fn end_comparison(&mut self) -> PageStep {
        self.comparing = None;
        PageStep::Answer(Value::Null)
    }
}

/// Moves in a watch session; a game that ends with one is kept before the page hears of it.
fn moved(
    watch: Arc<Mutex<WatchSession>>,
    kind: JobKind,
    work: impl FnOnce(&mut WatchSession, &dyn Desk) -> Result<Vec<WatchedMove>, WatchError> + Send + 'static,
    show: fn(&[WatchedMove]) -> Value,
) -> PageStep {
    let work = move |desk: &dyn Desk| Ok(work(&mut locked(&watch), desk)?);
    PageStep::queued(kind, work, move |_, moves| Ok(keep_ended(moves, show)))
}

/// Keeps the games that have ended.
fn keep_ended(mut moves: Vec<WatchedMove>, show: fn(&[WatchedMove]) -> Value) -> PageStep {
    if moves.iter().all(|one| one.to_keep.is_none()) {
        return PageStep::Answer(show(&moves));
    }
    let mut unkept = moves.clone();
    let write = move |archive: &dyn Archive| {
        for one in &mut moves {
            let kept = one.to_keep.take().map(|record| match *record {
                Ok(record) => keep(archive, &record).map_err(|why| why.to_string()),
                Err(why) => Err(why.to_string()),
            });
            match kept {
                Some(Ok(number)) => one.kept = Some(number),
                Some(Err(why)) => one.not_kept = Some(why),
                None => {}
            }
        }
        show(&moves)
    };
    PageStep::write_or(write, move |why| {
        for one in unkept.iter_mut().filter(|one| one.to_keep.is_some()) {
            one.not_kept = Some(why.to_string());
        }
        show(&unkept)
    })
}
