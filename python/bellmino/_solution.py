"""Small games solved exactly, and policies compared with the optimum."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from bellmino import _native, _requests
from bellmino._drawing import Board, solution_svg
from bellmino._ask import GameLike, as_game, like, whole
from bellmino._native import Game
from bellmino._progress import Progress, Shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SolutionArrays(NamedTuple):
    """A solution as numpy arrays."""

    boards: NDArray[np.uint8]
    """Every board that can be reached, `(boards, height, width)`, the top row first."""
    values: NDArray[np.float64]
    """The best value of each board and piece, `(boards, pieces)`."""
    best: NDArray[np.int64]
    """The action that has it, or -1."""


class Solution:
    """A solved game: its value with a proven bound, and what every placement is worth."""

    def __init__(self, report: Mapping[str, Any], table: _native.Table) -> None:
        self._report = dict(report)
        self._table = table
        self._game = Game.from_toml(table.to_toml())

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Solution:
        """A solution that `save` or `bellmino solve -o` has written. What the file does not tell is `None`."""
        table = _native.Table.open(os.fspath(path))
        value, bound, sweeps = table.finished
        report = {"objective": table.objective, "value": value, "error_bound": bound, "sweeps": sweeps}
        return cls(report, table)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the solution, to be opened again or used as the player `table:FILE`."""
        self._table.save(os.fspath(path))

    @property
    def game(self) -> Game:
        """The game."""
        return self._game

    @property
    def report(self) -> dict[str, Any]:
        """All that `bellmino solve --json` prints."""
        return dict(self._report)

    @property
    def objective(self) -> str:
        """What was maximised."""
        return str(self._report["objective"])

    @property
    def value(self) -> float:
        """The value from the start, over the dealer's first piece; infinite where it has no bound."""
        value = self._report["value"]
        return float("inf") if value is None else float(value)

    @property
    def error_bound(self) -> float:
        """How far `value` can be from the truth: proven."""
        return float(self._report["error_bound"])

    @property
    def boards(self) -> int | None:
        """Boards that can be reached, the start included."""
        return self._report.get("boards")

    @property
    def states(self) -> int | None:
        """Boards with a hand: dealer state and pieces to place."""
        return self._report.get("states")

    @property
    def dead_states(self) -> int | None:
        """States with no placement that does not end the game."""
        return self._report.get("dead_states")

    @property
    def mean_value(self) -> float | None:
        """The mean over all states, dead ones as 0."""
        return self._report.get("mean_value")

    @property
    def value_by_first_piece(self) -> dict[str, float]:
        """The value by the first piece."""
        found: dict[str, float] = dict(self._report.get("value_by_first_piece", {}))
        return found

    def placements(
        self,
        board: str | Board | NDArray[Any],
        piece: str | Sequence[str],
        *,
        dealt: Sequence[str] | None = None,
        held: str | None = None,
        left: int | None = None,
    ) -> list[dict[str, Any]]:
        """Every placement with its value, the best first.

        `piece` is the current piece, or with a preview a list with those after it; `dealt` the pieces before it, where
        they matter (a bag, an order); `left` the pieces left under a horizon.

        >>> solution = bellmino.solve("baby", "discounted:0.9")
        >>> best = solution.placements("..../..../..../###.", "L3")[0]
        >>> best["rotation"], best["column"], best["row"], round(best["value"], 4)
        (0, 0, 1, 10.0178)
        """
        names = [piece] if isinstance(piece, str) else list(piece)
        before = None if dealt is None else list(dealt)
        return self._table.placements(Board(board).text, names, before, held, left)

    def arrays(self) -> SolutionArrays:
        """Boards, best values and best actions as numpy arrays; for games in which the piece alone makes the hand.

        >>> boards, values, best = bellmino.solve("baby", "discounted:0.9").arrays()
        >>> boards.shape, values.shape
        ((12978, 4, 4), (12978, 2))
        """
        _, boards, values, best = self.states_as_numbers()
        return SolutionArrays(boards, values, best)

    def states_as_numbers(
        self,
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.float64], NDArray[np.int64]]:
        """The same with each board as a number: bit `width * row + column` from the bottom, or as it is packed."""
        numbers, cells, values, best = self._table.arrays()
        pieces = len(self._game.pieces)
        shape = (len(numbers), self._game.height, self._game.width)
        return numbers, cells.reshape(shape), values.reshape(-1, pieces), best.reshape(-1, pieces)

    @property
    def table(self) -> _native.Table:
        """The native table, as environments use it."""
        return self._table

    def check(self, game: Game, objective: str, previews: int) -> None:
        """Refuses what is not the optimum of this very question, which a policy without hold is measured by."""
        try:
            self._table.check(game, objective, previews)
        except ValueError as error:
            raise ValueError(f"solution: {error}") from None

    def __repr__(self) -> str:
        return f"<Solution of {self._game.name}: {self.objective}, value {self.value:.10g} within {self.error_bound:.1e}>"

    def __deepcopy__(self, _: object) -> Solution:
        return self

    def _repr_svg_(self) -> str:
        best = []
        for piece in self._game.pieces:
            try:
                best.append(self.placements("", piece)[0])
            except (ValueError, IndexError):
                continue
        return solution_svg(self._game, best, repr(self).strip("<>"))


@like(_requests.solve)
def solve(*, threads: int | None = None, progress: Progress = None, **fields: object) -> Solution:
    """Solves a small game exactly.

    >>> solution = bellmino.solve("baby", "discounted:0.9")
    >>> solution.boards, round(solution.value, 6), solution.error_bound < 1e-8
    (12978, 9.118607, True)
    >>> bellmino.solve("babby", "total")
    Traceback (most recent call last):
    ValueError: `babby` is neither a built-in game nor a file; did you mean `baby`?
    """
    with Shown(progress, "solve") as shown:
        report, table, shortfall = _native.solve(whole(fields), threads, shown.listener)
    if shortfall is not None:
        warnings.warn(shortfall, stacklevel=3)
    return Solution(report, table)


class Regret(NamedTuple):
    """What a policy is worth beside the optimum."""

    value: float
    """The exact value of the policy."""
    optimal_value: float
    """The exact value of the best play."""
    regret: float
    """The difference."""
    error_bound: float
    """How far the difference can be from the truth: proven."""
    states: int
    """States the policy was asked about."""


def regret(
    policy: Callable[..., Any],
    game: GameLike,
    objective: str,
    *,
    batch: bool = False,
    previews: int = 0,
    solution: Solution | None = None,
    progress: Progress = None,
) -> Regret:
    """The exact value of a policy on a small game, and its gap to the optimum: by policy evaluation, not by sampling.

    `policy(board, piece)` gets what an environment shows, a board as an array with the top row first and the number of
    the piece, and gives an action. With `batch=True` it is called once as `policy(boards, pieces, masks)` for all states
    and gives an array of actions. With `previews` it gets the whole queue in place of the piece, the current one first:
    `policy(board, queue)`, or `(boards, queues, masks)`. Players who hold cannot be evaluated so: the solver takes a given
    player's placement of the piece in play.

    >>> def first_legal(boards, pieces, masks):
    ...     return masks.argmax(axis=1)
    >>> found = bellmino.regret(first_legal, "baby", "discounted:0.9", batch=True)
    >>> round(found.optimal_value, 4), found.regret > 5
    (9.1186, True)
    """
    import numpy as np

    if not callable(policy):
        raise TypeError("policy: give a function of board and piece")
    rules = as_game(game)
    best = solve(rules, objective, preview=previews, progress=progress) if solution is None else solution
    if not isinstance(best, Solution):
        raise TypeError("solution: give a bellmino.Solution of the game")
    best.check(rules, objective, previews)
    numbers, cells, pieces = best.table.queues()
    queues = pieces.reshape(len(numbers), -1)
    masks = best.table.masks(numbers, np.ascontiguousarray(queues[:, 0])).reshape(len(numbers), -1)
    # Where nothing can be placed nobody is asked.
    alive = masks.any(axis=1)
    states, queues, masks = numbers[alive], np.ascontiguousarray(queues[alive]), masks[alive]
    boards = cells.reshape(len(numbers), rules.height, rules.width)[alive]
    told: Any = queues.astype(np.int64) if previews else queues[:, 0].astype(np.int64)
    if batch:
        actions = np.asarray(policy(boards, told, masks))
    else:
        hands = told if previews else told.tolist()
        actions = np.asarray([policy(board, hand) for board, hand in zip(boards, hands, strict=True)])
    if actions.shape != (len(states),) or actions.dtype.kind not in "iu":
        raise TypeError("policy: give one action, a whole number, for each state")
    fields = {"game": rules, "objective": objective, "preview": previews}
    with Shown(progress, "regret") as shown:
        listed = queues.reshape(-1)
        found, bound = _native.solve_policy(rules, fields, states, listed, actions.astype(np.int64), shown.listener)
    value = float("inf") if found is None else float(found)
    gap = 0.0 if value == best.value else best.value - value
    return Regret(value, best.value, gap, best.error_bound + bound, len(states))
