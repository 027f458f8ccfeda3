//! The machines that a page watches: alone, two on the same pieces, or in many games.

use std::sync::{Arc, Mutex};

use axum::extract::ws::Message;
use bellmino_page::{Collection, Desk, JobKind, Meeting, Source, WatchError, WatchSession, WatchedMove};
use serde_json::{Value, json};

use super::{Fault, Visitor};
use crate::Seat;
use crate::answer::AnswerError;
use crate::bench::milliseconds;
use crate::jobs::{Hold, Leave};
use crate::locked::locked;
use crate::roster::roster;

/// Watch sessions of one page, and of all.
const MAX_WATCHES: usize = 8;
const MAX_WATCHED: usize = 64;

/// A game that is watched, and its place among all of them.
pub(super) struct Watched {
    session: Arc<Mutex<WatchSession>>,
    _seat: Seat,
}

impl Visitor {
    /// Opens a game to watch; answers later with its session.
    pub(super) async fn open_watch(
        &mut self,
        id: u32,
        game: String,
        set: Vec<String>,
        players: Vec<String>,
        seed: u64,
    ) -> Result<(), Fault> {
        let seat = Seat::take(&self.lab, |lab| &lab.watched, MAX_WATCHED);
        let seat = match seat {
            _ if locked(&self.watches).len() >= MAX_WATCHES => Err(AnswerError::ManyOpen),
            seat => seat.ok_or(AnswerError::ManyWatched),
        };
        let seat = match seat {
            Ok(seat) => seat,
            Err(why) => {
                self.answer(id, Err(why)).await;
                return Ok(());
            }
        };
        let number = self.next_session;
        self.next_session += 1;
        let (lab, open) = (Arc::clone(&self.lab), Arc::clone(&self.watches));
        self.queued(id, WatchSession::opening(&players), Leave::default(), move |desk| {
            let source = Source { library: &lab.library, shelf: &lab.shelf, desk };
            let (session, shown) = WatchSession::open(&game, &set, &players, seed, &source)?;
            let mut open = locked(&open);
            if open.len() >= MAX_WATCHES {
                return Err(AnswerError::ManyOpen);
            }
            open.insert(number, Watched { session: Arc::new(Mutex::new(session)), _seat: seat });
            Ok(json!({ "session": number, "game": shown }))
        })
    }

    /// Plays on for a machine.
    pub(super) async fn watch_moves(
        &mut self,
        id: u32,
        session: u32,
        side: usize,
        count: u32,
    ) -> Result<(), Fault> {
        let kind = |watch: &WatchSession| watch.moving(side);
        self.watching(
            id,
            session,
            kind,
            move |watch, desk| watch.moves(side, count, desk),
            |moves| json!(moves),
        )
        .await
    }

    /// The piece of a person and where it may be placed.
    pub(super) async fn watch_options(&mut self, id: u32, session: u32, side: usize) -> Result<(), Fault> {
        let Some(watch) = self.watched(id, session).await else { return Ok(()) };
        self.queued(id, JobKind::Short, Leave::default(), move |_| Ok(locked(&watch).options(side)?))
    }

    /// Places a person's piece.
    pub(super) async fn watch_place(
        &mut self,
        id: u32,
        session: u32,
        side: usize,
        option: usize,
    ) -> Result<(), Fault> {
        let place = move |watch: &mut WatchSession, _: &dyn Desk| Ok(vec![watch.place(side, option)?]);
        self.watching(id, session, |_| JobKind::Short, place, |moves| json!(moves.first())).await
    }

    /// Forgets a session.
    pub(super) async fn close_watch(&self, id: u32, session: u32) {
        locked(&self.watches).remove(&session);
        self.answer(id, Ok(Value::Null)).await;
    }

    /// Who can play a game.
    pub(super) fn players(&mut self, id: u32, game: String) -> Result<(), Fault> {
        let lab = Arc::clone(&self.lab);
        self.short(id, move || Ok(json!(roster(&lab, &lab.library.game(&game, &[])?))))
    }

    /// Ends the comparison under way.
    pub(super) async fn end_comparison(&mut self, id: u32) {
        self.comparing = None;
        self.answer(id, Ok(Value::Null)).await;
    }

    /// A watch session of this page; if there is none, it hears so.
    async fn watched(&self, id: u32, session: u32) -> Option<Arc<Mutex<WatchSession>>> {
        let found = locked(&self.watches).get(&session).map(|watched| Arc::clone(&watched.session));
        if found.is_none() {
            self.answer(id, Err(AnswerError::NoSession)).await;
        }
        found
    }

    /// Makes moves in a watch session; a game that ends with one is kept before the page hears of it.
    async fn watching(
        &mut self,
        id: u32,
        session: u32,
        kind: impl Fn(&WatchSession) -> JobKind,
        work: impl FnOnce(&mut WatchSession, &dyn Desk) -> Result<Vec<WatchedMove>, WatchError> + Send + 'static,
        show: fn(&[WatchedMove]) -> Value,
    ) -> Result<(), Fault> {
        let Some(watch) = self.watched(id, session).await else { return Ok(()) };
        // While its moves are being made nobody knows better than that it thinks.
        let kind = watch.try_lock().map_or(JobKind::Think, |watch| kind(&watch));
        let keeper = self.lab.keeper.clone();
        let moves = self.job(id, kind, Leave::default(), move |desk| Ok(work(&mut locked(&watch), desk)?));
        self.later(id, async move {
            let mut moves = moves.await?;
            for one in &mut moves {
                match one.to_keep.take().map(|record| *record) {
                    Some(Ok(record)) => match keeper.keep(record).await {
                        Ok(number) => one.kept = Some(number),
                        Err(why) => one.not_kept = Some(why.to_string()),
                    },
                    Some(Err(why)) => one.not_kept = Some(why.to_string()),
                    None => {}
                }
            }
            Ok(show(&moves))
        })
    }

    /// Lets two machines meet, a moment at a time, so that others have their turn, until all games are done or nobody wants more.
    pub(super) fn compare(
        &mut self,
        id: u32,
        game: String,
        players: Vec<String>,
        seed: u64,
        games: usize,
    ) -> Result<(), Fault> {
        let hold = Hold::default();
        let leave = hold.leave();
        self.comparing = Some(hold);
        let lab = Arc::clone(&self.lab);
        let meeting = self.job(id, WatchSession::opening(&players), Leave::default(), move |desk| {
            let source = Source { library: &lab.library, shelf: &lab.shelf, desk };
            Ok(Meeting::open(&game, &players, seed, games, &source)?)
        });
        let (bench, begin, out) = (self.bench(), self.lab.begin, self.out.clone());
        self.later(id, async move {
            let mut meeting = meeting.await?;
            while leave.go_on() && !meeting.is_over(milliseconds(begin)) {
                let kind = meeting.kind();
                let play = move |desk: &dyn Desk| {
                    let has_ended = meeting.play_on(desk)?;
                    Ok((meeting, has_ended))
                };
                let has_ended;
                (meeting, has_ended) = bench.run(kind, Leave::default(), Box::new(|_| {}), play).await?;
                if has_ended {
                    let text = json!({ "on": "comparison", "of": id, "now": meeting.shown() });
                    // A page that has no room for it hears the next one.
                    let _ = out.try_send(Message::Text(text.to_string().into()));
                }
            }
            Ok(meeting.shown())
        })
    }
}
