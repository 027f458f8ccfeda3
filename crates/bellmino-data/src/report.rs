//! Reports: one page, complete in itself, from tables of games and moves.
//!
//! ```
//! use bellmino_data::TableReader;
//! use bellmino_data::report::Report;
//!
//! let games = "game_id,game,player,seed,index,pieces,lines,score,outcome\n\
//!     0,mini,random,7,0,12,3,3,lost\n\
//!     1,mini,random,7,1,17,5,6,lost\n";
//! let mut report = Report::new();
//! report.add("results", TableReader::csv(games.as_bytes())?, None)?;
//! let page = report.page()?;
//! assert!(page.contains("random") && !page.contains("<script"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//! What tables say is gathered player by player; a section of the page says one thing about all players of a game. What the tables do not have is left out with a word.
//!
//! # Files
//! - `gather`: what tables say, player by player
//! - `results`, `play`, `course` and `people`: its sections
//! - `page`: headings, tables and figures, everything escaped

mod course;
mod gather;
mod page;
mod people;
mod play;
mod results;

use gather::{Gatherer, Group};
use page::ReportPage;

use crate::plot::PlotError;
use crate::text::visible;
use crate::{ReadError, TableReader};

/// Tables that are compared on one page.
#[derive(Clone, Debug, Default)]
pub struct Report {
    folders: Vec<String>,
    groups: Vec<Group>,
}

impl Report {
    /// A report about nothing yet.
    pub fn new() -> Report {
        Report::default()
    }

    /// Takes the tables of a folder; its name tells players apart who have the same name in several folders. Without a
    /// table of moves, sections about them are left out.
    pub fn add(
        &mut self,
        name: &str,
        games: TableReader<'_>,
        moves: Option<TableReader<'_>>,
    ) -> Result<(), ReadError> {
        self.folders.push(visible(name));
        let mut gatherer = Gatherer::new(&mut self.groups, self.folders.len() - 1);
        gatherer.games(games)?;
        moves.map_or(Ok(()), |moves| gatherer.moves(moves))
    }

    /// How many games it has.
    pub fn games(&self) -> usize {
        self.groups.iter().map(|group| group.games.len()).sum()
    }

    /// The whole page.
    pub fn page(&self) -> Result<String, PlotError> {
        let games = self.by_game();
        let title = match &games[..] {
            [(game, _)] => format!("Report on {game}"),
            _ => "Report on several games".to_owned(),
        };
        let mut page = ReportPage::new(&title);
        self.contents(&mut page, &games);
        for (game, players) in &games {
            page.section(game);
            results::write(&mut page, players)?;
            play::write(&mut page, players)?;
            course::write(&mut page, players)?;
            people::write(&mut page, players)?;
        }
        Ok(page.finish())
    }

    /// The games with those who played them, in the order they came.
    fn by_game(&self) -> Vec<(&str, Vec<ReportPlayer<'_>>)> {
        let mut games: Vec<(&str, Vec<ReportPlayer<'_>>)> = Vec::new();
        for group in &self.groups {
            let player = ReportPlayer { name: self.name_of(group), group };
            match games.iter_mut().find(|(game, _)| *game == group.game) {
                Some((_, players)) => players.push(player),
                None => games.push((&group.game, vec![player])),
            }
        }
        games
    }

    /// Who it is: the player, and whatever is needed to tell from others of that name.
    fn name_of(&self, group: &Group) -> String {
        let same = |other: &&Group| other.game == group.game && other.player == group.player;
        let others: Vec<&Group> = self.groups.iter().filter(same).collect();
        let mut name = group.player.clone();
        if others.iter().any(|other| other.limit != group.limit) && !group.limit.is_empty() {
            name = format!("{name} ({})", group.limit);
        }
        if others.iter().any(|other| other.limit == group.limit && other.folder != group.folder) {
            let folder = self.folders.get(group.folder).map_or("", String::as_str);
            name = format!("{name} in {folder}");
        }
        name
    }

    fn contents(&self, page: &mut ReportPage, games: &[(&str, Vec<ReportPlayer<'_>>)]) {
        let count = crate::numbers::grouped(self.games() as f64, 0);
        page.text(&format!(
            "{count} games from {}. A value stands with its 95 % interval; what lies beyond the last digit shown is not \
             known.",
            self.folders.join(", ")
        ));
        let rows = games.iter().flat_map(|(game, players)| {
            players.iter().map(move |player| {
                let group = player.group;
                let seeds: Vec<&str> = group.seeds.iter().take(3).map(String::as_str).collect();
                let more = if group.seeds.len() > 3 { ", …" } else { "" };
                let folder = self.folders.get(group.folder).cloned().unwrap_or_default();
                vec![
                    player.name.clone(),
                    (*game).to_owned(),
                    crate::numbers::grouped(group.games.len() as f64, 0),
                    seeds.join(", ") + more,
                    folder,
                ]
            })
        });
        page.table("Who played what", &["player", "game", "games", "seed", "folder"], rows.collect());
    }
}

/// A player of one game, by the name the page gives.
pub(crate) struct ReportPlayer<'r> {
    name: String,
    group: &'r Group,
}
