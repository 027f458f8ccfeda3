//! Placement games: validated data.

use toml::{Table, Value};

use super::reader::{Reader, suggestion};
use crate::placement::{
    BoardDealer, CATALOGUE, Dealer, DealerKind, KeyMoves, Landing, MAX_DEALER_STATES, MAX_HEIGHT,
    MAX_PREVIEWS, MAX_WIDTH, Overflow, PackedShapes, Path, Piece, RotationSystem, ScoreTable, WrittenDealer,
};

/// The most pieces a game may have.
pub const MAX_PIECES: usize = 64;

const MAX_SEQUENCE: usize = 10_000;
/// How far a row of probabilities may be from 1 without a word.
const SUM_TOLERANCE: f64 = 1e-9;
/// How far it may be if its entries are rounded.
const MOST_ROUNDED: f64 = 0.01;

/// A game of placements: the player says where each piece comes to rest.
///
/// ```
/// use bellmino_engine::placement::{AnyColumns, Grid};
/// use bellmino_engine::Game;
///
/// let game = Game::built_in("baby", &[]).unwrap().unwrap();
/// let game = game.placement().unwrap();
/// let mut count = 0;
/// for piece in 0..game.pieces().len() {
///     AnyColumns::empty(game).placements(game, piece, |_| count += 1);
/// }
/// assert_eq!(count, 18);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementGame {
    name: String,
    title: String,
    width: usize,
    height: usize,
    pieces: Vec<Piece>,
    dealer: Dealer,
    landing: Landing,
    keys: Option<Box<KeyMoves>>,
    score: ScoreTable,
    previews: usize,
    packed_shapes: PackedShapes,
    packed_column: u64,
}

impl PlacementGame {
    /// The stable name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title for people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Columns of the board.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of the board.
    #[inline]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The pieces, in the order of the file.
    #[inline]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The index of the piece of this name.
    pub fn piece_index(&self, name: &str) -> Option<usize> {
        self.pieces.iter().position(|piece| piece.name() == name)
    }

    /// Who chooses the next piece.
    #[inline]
    pub fn dealer(&self) -> &Dealer {
        &self.dealer
    }

    /// Which placements are legal.
    #[inline]
    pub fn landing(&self) -> Landing {
        self.landing
    }

    /// How pieces enter and turn, if they are moved by keys.
    #[inline]
    pub fn keys(&self) -> Option<&KeyMoves> {
        self.keys.as_deref()
    }

    /// Points by rows cleared at once.
    #[inline]
    pub fn score(&self) -> &ScoreTable {
        &self.score
    }

    /// Pieces in sight after the current one.
    #[inline]
    pub fn previews(&self) -> usize {
        self.previews
    }

    /// The file that describes this game completely, every default written out but the one that nothing is in sight.
    pub fn to_toml(&self) -> String {
        let list = |numbers: &[f64]| Value::Array(numbers.iter().map(|&number| plain(number)).collect());
        let mut pieces = Table::new();
        let names = self.pieces.iter().map(|piece| Value::from(piece.name()));
        pieces.insert("set".into(), Value::Array(names.collect()));
        let drawn: Table = self
            .pieces
            .iter()
            .filter(|piece| Piece::catalogue(piece.name()).is_none())
            .map(|piece| (piece.name().to_owned(), Value::from(piece.rotations()[0].draw())))
            .collect();
        if !drawn.is_empty() {
            pieces.insert("draw".into(), drawn.into());
        }
        let mut dealer = Table::new();
        let mut add = |key: &str, value: Value| dealer.insert(key.into(), value);
        match self.dealer.written() {
            WrittenDealer::Weighted { weights } => {
                add("kind", "weighted".into());
                add("weights", list(weights));
            }
            WrittenDealer::Markov { matrix, first } => {
                add("kind", "markov".into());
                add("matrix", Value::Array(matrix.iter().map(|row| list(row)).collect()));
                add("first", list(first));
            }
            WrittenDealer::Bag => {
                add("kind", "bag".into());
            }
            WrittenDealer::Sequence { order } => {
                let names = order.iter().map(|&piece| Value::from(self.pieces[piece as usize].name()));
                add("kind", "sequence".into());
                add("order", Value::Array(names.collect()));
            }
            WrittenDealer::Board(dealer) => {
                add("kind", dealer.name().into());
            }
        }
        let mut landing = table([
            ("path", name_of(&Path::NAMES, self.landing.path)),
            ("overflow", name_of(&Overflow::NAMES, self.landing.overflow)),
        ]);
        if let Some(keys) = &self.keys {
            landing.insert("rotation".into(), keys.system().name().into());
        }
        let sections = [
            ("board", table([("width", self.width as i64), ("height", self.height as i64)])),
            ("pieces", pieces),
            ("dealer", dealer),
            ("landing", landing),
            ("score", table([("lines", list(self.score.entries()))])),
        ];
        let mut file = table([("name", self.name.as_str()), ("title", self.title.as_str())]);
        if self.previews > 0 {
            file.insert("previews".into(), (self.previews as i64).into());
        }
        for (name, section) in sections {
            file.insert(name.into(), section.into());
        }
        file.to_string()
    }

    /// Whether the mirror image of every piece is a piece of the game with the same role for the dealer, so that a
    /// board and its mirror image are worth the same. Only weighted dealers are looked at.
    pub fn is_symmetric(&self) -> bool {
        if self.dealer.kind() != DealerKind::Weighted {
            return false;
        }
        let deals = self.dealer.deals(self.dealer.start());
        let probability = |piece: usize| {
            deals.iter().find(|deal| usize::from(deal.piece) == piece).map(|deal| deal.probability)
        };
        self.mirror_pieces().is_some_and(|mirror| {
            mirror.iter().enumerate().all(|(piece, &image)| probability(piece) == probability(image))
        })
    }

    /// For each piece the piece that is its mirror image, if every piece has one.
    pub fn mirror_pieces(&self) -> Option<Vec<usize>> {
        let sorted = |piece: &Piece| {
            let mut shapes = piece.rotations().to_vec();
            shapes.sort_unstable();
            shapes
        };
        let all: Vec<_> = self.pieces.iter().map(sorted).collect();
        self.pieces
            .iter()
            .map(|piece| {
                let image = sorted(&piece.mirrored());
                all.iter().position(|shapes| *shapes == image)
            })
            .collect()
    }

    pub(crate) fn packed_shapes(&self) -> &PackedShapes {
        &self.packed_shapes
    }

    #[inline]
    pub(crate) fn packed_column(&self) -> u64 {
        self.packed_column
    }

    /// Reads and validates; every problem is reported to the reader.
    pub(super) fn read(file: &Reader<'_>) -> Option<PlacementGame> {
        file.only(&["name", "title", "kind", "previews", "board", "pieces", "dealer", "landing", "score"]);
        let name = read_name(file);
        let title = if file.has("title") { file.string("title") } else { name };

        let most = MAX_PREVIEWS as i64;
        let previews = if file.has("previews") { file.integer("previews", 0..=most) } else { Some(0) };

        let board = file.section("board");
        board.only(&["width", "height"]);
        let width = board.integer("width", 1..=MAX_WIDTH as i64);
        let height = board.integer("height", 1..=MAX_HEIGHT as i64);

        let landing = file.section("landing");
        let path = landing.choice("path", &Path::NAMES);
        let by_keys = path == Some(Path::Keys);
        landing.only(if by_keys { &["path", "overflow", "rotation"] } else { &["path", "overflow"] });
        let system = if by_keys { landing.choice("rotation", &RotationSystem::NAMES) } else { None };
        let overflow = landing.choice("overflow", &Overflow::NAMES);

        let section = file.section("pieces");
        let pieces = read_pieces(&section);
        if let (Some(width), Some(height), Some(overflow), Some(pieces)) = (width, height, overflow, &pieces)
        {
            for piece in pieces {
                check_size(&section, piece, width, height, overflow);
            }
        }
        let section = file.section("dealer");
        let dealer = read_dealer(&section, pieces.as_deref());
        if dealer.as_ref().is_some_and(|dealer| dealer.sees_board().is_some()) && previews > Some(0) {
            section.problem("kind", "this dealer deals when it sees the board, so that `previews` must be 0");
        }
        let score = read_score(&file.section("score"));

        let (width, height, pieces) = (width?, height?, pieces?);
        let keys = system.map(|system| KeyMoves::new(system, width, height, &pieces));
        if let Some(Err(why)) = &keys {
            landing.problem("path", why);
        }
        let keys = keys.and_then(Result::ok).map(Box::new);
        let packed_shapes = PackedShapes::new(width, height, &pieces);
        let rows = if width * height <= 64 { height } else { 0 };
        Some(PlacementGame {
            name: name?.to_owned(),
            title: title?.to_owned(),
            width,
            height,
            dealer: dealer?,
            landing: Landing { path: path?, overflow: overflow? },
            keys,
            score: score?,
            previews: previews?,
            packed_shapes,
            packed_column: (0..rows).fold(0, |mask, row| mask | 1 << (row * width)),
            pieces,
        })
    }
}

pub(super) fn read_name<'a>(file: &Reader<'a>) -> Option<&'a str> {
    if !file.has("name") {
        file.missing("name", "a name such as \"baby\"");
        return None;
    }
    let name = file.string("name")?;
    if name.is_empty() || name.len() > 64 || name.chars().any(char::is_control) {
        file.problem("name", "must be 1 to 64 characters without control characters");
        return None;
    }
    Some(name)
}

fn read_pieces(section: &Reader<'_>) -> Option<Vec<Piece>> {
    section.only(&["set", "draw"]);
    let draw = section.section("draw");
    let mut known: Vec<Piece> = CATALOGUE.iter().filter_map(|(name, _)| Piece::catalogue(name)).collect();
    let catalogue = known.len();
    let mut sound = true;
    for name in draw.keys() {
        if known[..catalogue].iter().any(|piece| piece.name() == name) {
            draw.problem(name, "is a catalogue name; choose another");
            sound = false;
            continue;
        }
        let Some(rows) = draw.strings(name) else {
            sound = false;
            continue;
        };
        match Piece::drawn(name, &rows) {
            Ok(piece) => known.push(piece),
            Err(error) => {
                draw.problem(name, format!("the drawing {error}"));
                sound = false;
            }
        }
    }
    let hint = "a list of piece names such as [\"I3\", \"L3\"]";
    let names = read_names(section, "set", hint, "a game", MAX_PIECES)?;
    let mut pieces: Vec<Piece> = Vec::new();
    for name in names {
        if pieces.iter().any(|piece| piece.name() == name) {
            section
                .problem("set", format!("`{name}` stands twice; use dealer.weights to deal it more often"));
            sound = false;
        } else if let Some(piece) = known.iter().find(|piece| piece.name() == name) {
            pieces.push(piece.clone());
        } else {
            // A drawing with a problem of its own is known, only wrong.
            if !draw.has(name) {
                let hint = suggestion(name, known.iter().map(Piece::name));
                section.problem("set", format!("`{name}` is neither in the catalogue nor drawn; {hint}"));
            }
            sound = false;
        }
    }
    sound.then_some(pieces)
}

fn check_size(section: &Reader<'_>, piece: &Piece, width: usize, height: usize, overflow: Overflow) {
    let fits = |height: usize| {
        piece.rotations().iter().any(|shape| shape.width() <= width && shape.height() <= height)
    };
    let name = piece.name();
    if !fits(MAX_HEIGHT) {
        section
            .problem("set", format!("`{name}` is wider than the board ({width} columns) in every rotation"));
    } else if overflow == Overflow::Forbidden && !fits(height) {
        let size = format!("{width}x{height}");
        section.problem("set", format!("`{name}` does not fit into the {size} board in any rotation"));
    }
}

fn read_dealer(section: &Reader<'_>, pieces: Option<&[Piece]>) -> Option<Dealer> {
    const KINDS: [(&str, &[&str]); 4] = [
        ("weighted", &["kind", "weights"]),
        ("markov", &["kind", "matrix", "first"]),
        ("bag", &["kind"]),
        ("sequence", &["kind", "order"]),
    ];
    let kinds = KINDS.iter().map(|(kind, _)| *kind).chain(NAMED_DEALERS);
    let kinds: Vec<(&str, &str)> = kinds.map(|kind| (kind, kind)).collect();
    let kind = section.choice("kind", &kinds)?;
    section.only(KINDS.iter().find(|(name, _)| *name == kind).map_or(&["kind"], |(_, keys)| keys));
    match kind {
        "weighted" => read_weights(section, "weights", pieces).map(|weights| Dealer::weighted(&weights)),
        "markov" => {
            let matrix = read_matrix(section, pieces);
            let first = read_weights(section, "first", pieces);
            Some(Dealer::markov(&matrix?, &first?))
        }
        "bag" => {
            let count = pieces?.len();
            if 1u64 << count.min(63) > MAX_DEALER_STATES as u64 {
                let most = MAX_DEALER_STATES.ilog2();
                section.problem(
                    "kind",
                    format!("a bag holds at most {most} different pieces; this game has {count}"),
                );
                return None;
            }
            Some(Dealer::bag(count))
        }
        "sequence" => read_order(section, pieces).map(|order| Dealer::sequence(&order)),
        named => match named_dealer(named, pieces?)? {
            Ok(dealer) => Some(dealer),
            Err(why) => {
                section.problem("kind", why);
                None
            }
        },
    }
}

/// The dealers with names of their own: some see the board, some deal in a fixed order.
pub const NAMED_DEALERS: [&str; 5] = ["hatetris", "mild", "brzustowski", "burgiel", "lovetris"];

/// One of [`NAMED_DEALERS`]; `None` if there is none of this name, an error if the game lacks a piece.
fn named_dealer(name: &str, pieces: &[Piece]) -> Option<Result<Dealer, String>> {
    let find = |piece: &str| {
        let found = pieces.iter().position(|known| known.name() == piece);
        found
            .map(|found| found as u8)
            .ok_or(format!("`{name}` deals {piece}, which is not a piece of this game"))
    };
    let both = || Ok::<_, String>([find("S")?, find("Z")?]);
    let board = |dealer| Dealer::board(dealer, pieces.len());
    Some(match name {
        "hatetris" => Ok(board(BoardDealer::Hatetris)),
        "mild" => Ok(board(BoardDealer::Mild)),
        "brzustowski" => both().map(|pieces| board(BoardDealer::Brzustowski { pieces })),
        "burgiel" => both().map(|order| Dealer::sequence(&order)),
        "lovetris" => find("I").map(|piece| Dealer::sequence(&[piece])),
        _ => return None,
    })
}

fn read_weights(section: &Reader<'_>, key: &str, pieces: Option<&[Piece]>) -> Option<Vec<f64>> {
    if !section.has(key) {
        return pieces.map(|pieces| vec![1.0; pieces.len()]);
    }
    let weights = section.numbers(key)?;
    if let Some(pieces) = pieces
        && weights.len() != pieces.len()
    {
        section.problem(key, format!("has {} entries; one per piece makes {}", weights.len(), pieces.len()));
        return None;
    }
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        section.problem(key, "needs at least one positive entry and a finite sum");
        return None;
    }
    Some(weights)
}

fn read_matrix(section: &Reader<'_>, pieces: Option<&[Piece]>) -> Option<Vec<Vec<f64>>> {
    if !section.has("matrix") {
        // Each row as weights that sum to 1 only up to rounding, which reads back.
        return pieces.map(|pieces| vec![vec![1.0 / pieces.len() as f64; pieces.len()]; pieces.len()]);
    }
    let mut matrix = section.matrix("matrix")?;
    let count = pieces?.len();
    if matrix.len() != count || matrix.iter().any(|row| row.len() != count) {
        section.problem("matrix", format!("must have {count} rows of {count} entries, one per piece"));
        return None;
    }
    let mut sound = true;
    for (index, row) in matrix.iter_mut().enumerate() {
        let (sum, place): (f64, usize) = (row.iter().sum(), index + 1);
        let away = (sum - 1.0).abs();
        // Without the dust of adding.
        let shown = (sum * 1e12).round() / 1e12;
        if away <= SUM_TOLERANCE {
            continue;
        }
        let rounding: f64 = row.iter().map(|&entry| rounding(entry)).sum();
        if away <= SUM_TOLERANCE + rounding.min(MOST_ROUNDED) {
            section.notice(
                "matrix",
                format!("row {place} sums to {shown}, as rounded numbers do; it is divided by that"),
            );
            row.iter_mut().for_each(|entry| *entry /= sum);
        } else {
            section.problem("matrix", format!("row {place} sums to {shown}; every row must sum to 1"));
            sound = false;
        }
    }
    sound.then_some(matrix)
}

/// How much was rounded away from a number at most, by the decimals it has.
fn rounding(number: f64) -> f64 {
    let text = number.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    if decimals == 0 { 0.0 } else { 0.5 * 10f64.powi(-decimals) }
}

/// The names of one to `most` pieces; `what` has them.
fn read_names<'a>(
    section: &Reader<'a>,
    key: &str,
    hint: &str,
    what: &str,
    most: usize,
) -> Option<Vec<&'a str>> {
    if !section.has(key) {
        section.missing(key, hint);
        return None;
    }
    let names = section.strings(key)?;
    if names.is_empty() || names.len() > most {
        section.problem(key, format!("has {} pieces; {what} has 1 to {most}", names.len()));
        return None;
    }
    Some(names)
}

fn read_order(section: &Reader<'_>, pieces: Option<&[Piece]>) -> Option<Vec<u8>> {
    let hint = "a list of piece names; it repeats for ever";
    let names = read_names(section, "order", hint, "a sequence", MAX_SEQUENCE)?;
    let pieces = pieces?;
    let mut order = Vec::with_capacity(names.len());
    for name in &names {
        match pieces.iter().position(|piece| piece.name() == *name) {
            Some(piece) => order.push(piece as u8),
            None => {
                let hint = suggestion(name, pieces.iter().map(Piece::name));
                section.problem("order", format!("`{name}` is not a piece of this game; {hint}"));
            }
        }
    }
    (order.len() == names.len()).then_some(order)
}

fn read_score(section: &Reader<'_>) -> Option<ScoreTable> {
    section.only(&["lines"]);
    if !section.has("lines") {
        return ScoreTable::new((0..=5).map(f64::from).collect());
    }
    let table = ScoreTable::new(section.numbers("lines")?);
    if table.is_none() {
        let why = "must be points for 0, 1, 2, ... rows at once, at least one number and none above";
        section.problem("lines", format!("{why} {:e}", ScoreTable::MOST));
    }
    table
}

fn table<V: Into<Value>, const N: usize>(entries: [(&str, V); N]) -> Table {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
}

fn name_of<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    names.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

/// A number as a TOML integer where it is one.
fn plain(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}
