"""Boards, pieces and solutions as pictures: SVG for notebooks, pixels and text for `render`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bellmino._native import Game

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Colours of filled cells, of a placed piece, of lines and of the ground.
FILLED, PLACED, LINES, GROUND = "#5b6472", "#e0812f", "#c9ced6", "#f7f8fa"
_CELL = 16


class Board:
    """A board drawn with `#` and `.`: from text (rows from the top, apart by `/` or line breaks) or from an array.

    >>> board = bellmino.Board("#.../##.#")
    >>> board.cells.tolist()
    [[1, 0, 0, 0], [1, 1, 0, 1]]
    >>> bellmino.Board(board.cells) == board
    True
    """

    def __init__(self, board: str | Board | NDArray[Any] | Sequence[Sequence[int]]) -> None:
        if isinstance(board, Board):
            self.text: str = board.text
            return
        if isinstance(board, str):
            rows = [row.strip() for row in board.replace("/", "\n").splitlines()]
            self.text = "/".join(row for row in rows if row)
            return
        import numpy as np

        cells = np.asarray(board)
        if cells.ndim != 2 or cells.dtype.kind not in "biuf":
            raise TypeError("a board is a text with `#` and `.`, or an array of rows with 0 and 1")
        self.text = "/".join("".join("#" if cell else "." for cell in row) for row in cells)

    @property
    def rows(self) -> list[str]:
        """The rows, from the top."""
        return self.text.split("/") if self.text else []

    @property
    def cells(self) -> NDArray[np.uint8]:
        """The cells as an array of 0 and 1, the top row first."""
        import numpy as np

        return np.array([[cell not in "._" for cell in row] for row in self.rows], dtype=np.uint8)

    def __str__(self) -> str:
        return "\n".join(self.rows)

    def __repr__(self) -> str:
        return f"Board({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def _repr_svg_(self) -> str:
        width = max((len(row) for row in self.rows), default=1)
        height = max(len(self.rows), 1)
        body = grid_svg(0, 0, width, height, _cells(self.rows), FILLED)
        return svg(width * _CELL + 2, height * _CELL + 2, body)


class Piece:
    """A piece of a game in all its rotations.

    >>> bellmino.Piece("L3", "baby").rotations[0]
    ['#.', '##']
    """

    def __init__(self, name: str, game: Game | str = "classic") -> None:
        whole = game if isinstance(game, Game) else Game(game)
        self.name = name
        self.rotations: list[list[str]] = whole.shapes(name)

    def __repr__(self) -> str:
        return f"Piece({self.name!r})"

    def _repr_svg_(self) -> str:
        body, x, high = "", 0, max(len(rows) for rows in self.rotations)
        for rows in self.rotations:
            body += cells_svg(x, (high - len(rows)) * _CELL, _cells(rows), PLACED)
            x += (len(rows[0]) + 1) * _CELL
        return svg(x, high * _CELL + 2, body)


def _cells(rows: Sequence[str]) -> list[tuple[int, int]]:
    """The filled cells of rows from the top: column, row from the top."""
    return [(x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell not in "._"]


def svg(width: int, height: int, body: str) -> str:
    """A picture of this size."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{body}</svg>'


def cells_svg(x: int, y: int, cells: Iterable[tuple[int, int]], colour: str) -> str:
    """Filled cells."""
    return "".join(
        f'<rect x="{x + 1 + cx * _CELL}" y="{y + 1 + cy * _CELL}" width="{_CELL - 1}" height="{_CELL - 1}" '
        f'fill="{colour}"/>'
        for cx, cy in cells
    )


def grid_svg(x: int, y: int, width: int, height: int, cells: Iterable[tuple[int, int]], colour: str) -> str:
    """A board: its ground, its lines and its filled cells."""
    wide, high = width * _CELL + 1, height * _CELL + 1
    lines = "".join(f"M{x + i * _CELL + 0.5} {y}v{high}" for i in range(width + 1))
    lines += "".join(f"M{x} {y + i * _CELL + 0.5}h{wide}" for i in range(height + 1))
    ground = f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" fill="{GROUND}"/>'
    return f'{ground}<path d="{lines}" stroke="{LINES}"/>' + cells_svg(x, y, cells, colour)


def solution_svg(game: Game, best: Sequence[Mapping[str, Any]], title: str) -> str:
    """The best first placement of each piece on the empty board."""
    body, x = f'<text x="0" y="12" font-size="12" font-family="sans-serif">{escape(title)}</text>', 0
    width, height = game.width, game.height
    for one in best:
        shape = game.shapes(one["piece"])[one["rotation"]]
        left, top = one["column"], height - one["row"] - len(shape)
        cells = [(left + cx, top + cy) for cx, cy in _cells(shape)]
        body += grid_svg(x, 20, width, height, cells, PLACED)
        label = escape(f"{one['piece']} {one['value']:.4g}")
        body += f'<text x="{x}" y="{height * _CELL + 36}" font-size="12" font-family="sans-serif">{label}</text>'
        x += (width + 1) * _CELL
    return svg(max(x, 8 * len(title)), height * _CELL + 42, body)
