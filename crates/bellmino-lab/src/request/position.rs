//! Positions of guideline games, from words.

use bellmino_engine::guideline::{Board, BoardError, Fumen, Piece};

use super::{Context, RequestError};
use crate::resources::{ResourceKind, read_text};

/// A guideline board: `empty`, a fumen, a file with one or with rows, or rows with `/` between them.
pub fn guideline_board(input: &str, context: &Context<'_>) -> Result<Board, RequestError> {
    let shown: String = input.chars().take(60).collect();
    let refuse = |why: &dyn std::fmt::Display| RequestError::input(format!("{shown}: {why}"));
    if input.trim() == "empty" {
        return Ok(Board::EMPTY);
    }
    let is_file = context.resources.has(input);
    let text = match is_file {
        true => read_text(context.resources, ResourceKind::Text, input).map_err(|error| refuse(&error))?,
        false => input.replace('/', "\n"),
    };
    let board = if input.contains("115@") || text.contains("115@") {
        let fumen = Fumen::decode(if is_file { &text } else { input }).map_err(|error| refuse(&error))?;
        fumen.pages.first().map_or(Board::EMPTY, |page| page.cells.board())
    } else {
        text.parse().map_err(|error: BoardError| {
            let hint = "is neither a fumen, a file nor a board";
            if text.contains('\n') { refuse(&error) } else { refuse(&format!("{hint}: {error}")) }
        })?
    };
    if (0..board.height()).any(|y| board.row(y) == 0x3ff) {
        return Err(refuse(&"has a full row, which no position has"));
    }
    Ok(board)
}

/// Pieces by their letters.
pub fn guideline_pieces(field: &str, text: &str) -> Result<Vec<Piece>, RequestError> {
    let letter = |letter: char| {
        Piece::from_letter(letter.to_ascii_uppercase())
            .ok_or_else(|| RequestError::field(field, format!("`{letter}` is none of IOTLJSZ")))
    };
    text.chars().map(letter).collect()
}

/// One piece by its letter.
pub fn guideline_piece(field: &str, text: &str) -> Result<Piece, RequestError> {
    match guideline_pieces(field, text)?[..] {
        [piece] => Ok(piece),
        _ => Err(RequestError::field(field, "give one of IOTLJSZ")),
    }
}
