//! Games that another part of the same program plays and shows: the lab draws what it is told, and knows no rule of them.
//!
//! Only the latest picture is kept, so that whoever plays never waits for whoever looks on.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::extract::ws::Utf8Bytes;
use bellmino_engine::Game;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use bellmino_page::{Picture, colours, guideline_board, placement_board};

use crate::Lab;
use bellmino_page::locked;

/// Where games are shown.
#[derive(Clone)]
pub struct Stage {
    pub(crate) lab: Arc<Lab>,
}

impl Stage {
    /// Shows a game from now on, until the showing is dropped. Its page is `#/shown/NUMBER`.
    pub fn show(&self, game: &Game) -> Showing {
        let mut board = match game {
            Game::Placement(game) => placement_board(game),
            Game::Guideline(_) => guideline_board(),
        };
        board["title"] = json!(game.title());
        let colours: BTreeMap<String, u8> = match game {
            Game::Placement(game) => {
                let names = game.pieces().iter().map(|piece| piece.name().to_owned());
                names.zip(colours(game)).collect()
            }
            // Guideline pieces are called by the letters of their colours.
            Game::Guideline(_) => BTreeMap::new(),
        };
        let (pictures, latest) = watch::channel(Utf8Bytes::from_static(r#"{"on":"shown"}"#));
        let mut shown = self.lab.shown();
        let number = shown.last_key_value().map_or(1, |(last, _)| last + 1);
        let width = board["width"].as_u64().unwrap_or(0) as usize;
        shown.insert(number, Shown { board, latest });
        drop(shown);
        let painted = Mutex::new(Picture::new(width));
        Showing { lab: Arc::clone(&self.lab), number, colours, painted, pictures }
    }
}

/// A shown game as pages see it.
pub struct Shown {
    /// What a page needs to draw it.
    pub board: Value,
    /// The latest picture.
    pub latest: watch::Receiver<Utf8Bytes>,
}

/// A game that is being shown.
pub struct Showing {
    lab: Arc<Lab>,
    number: u32,
    /// The colour of each piece by its name.
    colours: BTreeMap<String, u8>,
    /// The board with the colours that are known.
    painted: Mutex<Picture>,
    pictures: watch::Sender<Utf8Bytes>,
}

/// How a shown game stands.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// The board, rows from the bottom; `.` is empty.
    pub rows: Vec<String>,
    /// What was placed last.
    pub placed: Option<ShownPiece>,
    /// The piece in play, where it has a place yet.
    pub active: Option<ShownPiece>,
    /// The name of the held piece.
    pub hold: Option<String>,
    /// The names of the current piece and of those in sight.
    pub queue: Vec<String>,
    /// Figures, each with its name.
    pub facts: Vec<(String, String)>,
    /// What is to be said about it.
    pub note: String,
}

/// A piece somewhere on the board.
#[derive(Clone, Debug)]
pub struct ShownPiece {
    /// Its name.
    pub name: String,
    /// Its cells, `[column, row]`.
    pub cells: Vec<[usize; 2]>,
}

/// What goes to the page.
#[derive(Serialize)]
struct ShownMessage<'a> {
    on: &'static str,
    shown: u32,
    board: Vec<String>,
    active: Option<Active<'a>>,
    hold: &'a Option<String>,
    queue: &'a [String],
    facts: &'a [(String, String)],
    note: &'a str,
}

#[derive(Serialize)]
struct Active<'a> {
    cells: &'a [[usize; 2]],
    colour: char,
}

impl Showing {
    /// The number in the address of its page.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Shows the game as it stands now. Never waits.
    pub fn tell(&self, standing: &Standing) {
        let active = standing
            .active
            .as_ref()
            .map(|piece| Active { cells: &piece.cells, colour: char::from(self.colour(&piece.name)) });
        let message = ShownMessage {
            on: "shown",
            shown: self.number,
            board: self.paint(standing),
            active,
            hold: &standing.hold,
            queue: &standing.queue,
            facts: &standing.facts,
            note: &standing.note,
        };
        if let Ok(text) = serde_json::to_string(&message) {
            self.pictures.send_replace(text.into());
        }
    }

    /// The rows with the colours of the pieces, as far as they can be told from what was placed since the last picture.
    fn paint(&self, standing: &Standing) -> Vec<String> {
        let mut painted = locked(&self.painted);
        if let Some(piece) = &standing.placed {
            let mut next = painted.clone();
            next.put(piece.cells.iter().map(|&[x, y]| (x, y)), self.colour(&piece.name));
            next.clear();
            if is_drawn(&next, &standing.rows) {
                *painted = next;
            }
        }
        if !is_drawn(&painted, &standing.rows) {
            *painted = Picture::new(standing.rows.first().map_or(0, String::len));
            let cells = standing.rows.iter().enumerate().flat_map(|(y, row)| {
                row.bytes().enumerate().filter(|(_, cell)| *cell != b'.').map(move |(x, _)| (x, y))
            });
            painted.put(cells, b'G');
        }
        painted.rows()
    }

    fn colour(&self, name: &str) -> u8 {
        let letter = || name.bytes().next().filter(u8::is_ascii_uppercase).unwrap_or(b'G');
        self.colours.get(name).copied().unwrap_or_else(letter)
    }
}

impl Drop for Showing {
    fn drop(&mut self) {
        self.lab.shown().remove(&self.number);
    }
}

impl Lab {
    /// The games that are shown.
    pub(crate) fn shown(&self) -> MutexGuard<'_, BTreeMap<u32, Shown>> {
        locked(&self.shown)
    }
}

/// Whether a picture has the filled cells of these rows.
fn is_drawn(picture: &Picture, rows: &[String]) -> bool {
    let filled = |row: &str| row.bytes().map(|cell| cell != b'.').collect::<Vec<_>>();
    let wanted = rows.iter().rposition(|row| row.bytes().any(|cell| cell != b'.')).map_or(0, |y| y + 1);
    let drawn = picture.rows();
    drawn.len() == wanted && drawn.iter().zip(rows).all(|(drawn, row)| filled(drawn) == filled(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabOptions, Server};
    use std::net::Ipv4Addr;

    fn rows(text: &str) -> Vec<String> {
        text.split('/').rev().map(str::to_owned).collect()
    }

    #[test]
    fn a_shown_game_keeps_its_colours_as_long_as_they_can_be_told() {
        let folder = tempfile::tempdir().unwrap();
        let options = LabOptions {
            bind: Ipv4Addr::LOCALHOST.into(),
            port: Some(0),
            data: Some(folder.path().to_owned()),
            token: true,
        };
        let server = Server::open(&options).unwrap();
        let game = bellmino_lab::load::built_in_game("baby", &[]).unwrap();
        let stage = server.stage();
        let showing = stage.show(&game);
        let told = |showing: &Showing, text: &str, placed: Option<(&str, &[[usize; 2]])>| {
            let placed = placed.map(|(name, cells)| ShownPiece { name: name.into(), cells: cells.to_vec() });
            showing.tell(&Standing { rows: rows(text), placed, ..Standing::default() });
            let latest = server.stage().lab.shown()[&showing.number()].latest.borrow().to_string();
            serde_json::from_str::<Value>(&latest).unwrap()["board"].clone()
        };
        let board = told(&showing, "..../...#/..##", Some(("L3", &[[2, 0], [3, 0], [3, 1]])));
        assert_eq!(board, json!(["..LL", "...L"]));
        // What clears a row is seen in what is left.
        let board = told(&showing, "..../..../#..#", Some(("L3", &[[0, 0], [1, 0], [0, 1]])));
        assert_eq!(board, json!(["L..L"]));
        // A piece that stayed outside changes nothing.
        let board = told(&showing, "..../..../#..#", Some(("I3", &[[0, 2], [0, 3], [0, 4]])));
        assert_eq!(board, json!(["L..L"]));
        let board = told(&showing, "..../..../####", None);
        assert_eq!(board, json!(["GGGG"]), "nobody said what was placed");
        assert_eq!(told(&showing, "..../..../....", None), json!([]));
        let other = stage.show(&game);
        assert_eq!((showing.number(), other.number()), (1, 2));
        drop(showing);
        assert_eq!(stage.lab.shown().keys().copied().collect::<Vec<_>>(), [2]);
    }
}
