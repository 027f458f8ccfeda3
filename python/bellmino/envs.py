"""Gymnasium environments: one game, and many games stepped at once.

Actions are placements. Where pieces fall straight down, `rotation * width + column of the leftmost cell`; elsewhere numbers
that `decode` explains. Rewards are the points of the game, so that their sum is its score.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import operator
from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from bellmino import _native
from bellmino._drawing import Board
from bellmino._ask import GameLike, as_game
from bellmino._native import Game
from bellmino._show import Show
from bellmino._solution import Solution, solve

OBSERVATIONS = ("dict", "flat", "features", "afterstates")
RENDER_MODES = ["ansi", "rgb_array", "human"]
OUTCOMES = (None, "goal", "lost")
#: Features where none are named: of the board as it is, and of the board after each action.
DEFAULT_FEATURES = {"features": "bertsekas", "afterstates": "dellacherie"}
#: Rows of a picture above those of a guideline board that are visible: pieces come in there.
ROWS_ABOVE = 4
_LARGE = 1e6
_SOLVED: dict[tuple[str, str, int, bool], Solution] = {}


class Core:
    """Some games of one kind: what is common to one environment and to many."""

    def __init__(
        self,
        game: GameLike,
        number: int,
        *,
        keys: bool = False,
        observation: str = "dict",
        features: str | None = None,
        illegal: str = "raise",
        oracle: str | Solution | None = None,
        previews: int | None = None,
        hold: bool | None = None,
        pieces: int | None = None,
        tick: int = 17,
        handling: dict[str, Any] | None = None,
        autoreset: bool = False,
        threads: int = 1,
    ) -> None:
        self.game: Game = as_game(game)
        if observation not in OBSERVATIONS:
            raise ValueError(f"observation: `{observation}` is unknown; valid: {', '.join(OBSERVATIONS)}")
        if illegal not in ("raise", "lose"):
            raise ValueError(f"illegal: `{illegal}` is unknown; valid: raise, lose")
        wanted = DEFAULT_FEATURES.get(observation)
        if features is not None and wanted is None:
            raise ValueError('features: give observation="features" or "afterstates" with them')
        self.solution = _oracle(oracle, self.game, previews or 0, bool(hold))
        self.observation = observation
        self.keys = keys
        self.number = number
        self.envs = _native.Envs(
            self.game,
            number,
            keys=keys,
            previews=previews,
            hold=hold,
            pieces=pieces,
            lose=illegal == "lose",
            autoreset=autoreset,
            threads=threads,
            features=features or wanted,
            afterstates=observation == "afterstates",
            oracle=None if self.solution is None else self.solution.table,
            tick=tick,
            handling=handling,
        )
        self.height, self.width, self.pieces, self.queue, self.actions = self.envs.shape
        self.arrays: dict[str, NDArray[Any]] = {name: array.reshape(number, -1) for name, array in self.envs.arrays.items()}
        for name in ("board", "active"):
            if name in self.arrays:
                self.arrays[name] = self.arrays[name].reshape(number, self.height, self.width)
        if observation == "afterstates":
            self.arrays["features"] = self.arrays["features"].reshape(number, self.actions, -1)
        for name in ("piece", "hold", "reward", "terminated", "truncated", "pieces", "lines", "score", "outcome"):
            self.arrays[name] = self.arrays[name].reshape(number)
        for name in ("optimal", "regret"):
            if name in self.arrays:
                self.arrays[name] = self.arrays[name].reshape(number)
        self.seen = [name for name in ("board", "active", "piece", "hold", "queue") if name in self.arrays]
        self.action_space: spaces.Space[Any] = spaces.MultiBinary(8) if keys else spaces.Discrete(self.actions)
        self.observation_space = self._space()

    def _space(self) -> spaces.Space[Any]:
        if self.observation == "dict":
            shape = (self.height, self.width)
            parts: dict[str, spaces.Space[Any]] = {
                "board": spaces.Box(0, 1, shape, np.uint8),
                "piece": spaces.Discrete(self.pieces),
                "hold": spaces.Discrete(self.pieces + 1),
                "queue": spaces.MultiDiscrete(np.full(self.queue, self.pieces)),
            }
            if self.keys:
                parts["active"] = spaces.Box(0, 1, shape, np.uint8)
            return spaces.Dict({name: parts[name] for name in self.seen})
        if self.observation == "afterstates":
            return spaces.Box(-_LARGE, _LARGE, self.arrays["features"].shape[1:], np.float32)
        size = self.flat(slice(0, 1)).shape[1]
        if self.observation == "flat":
            return spaces.Box(0, 1, (size,), np.float32)
        return spaces.Box(-_LARGE, _LARGE, (size,), np.float32)

    def flat(self, which: slice) -> NDArray[np.float32]:
        """Cells or features, then hold and queue as ones among zeros."""
        arrays = self.arrays
        count = arrays["board"][which].shape[0]
        front = ["features"] if self.observation == "features" else ["board"] + ["active"] * self.keys
        parts = [arrays[name][which].reshape(count, -1).astype(np.float32) for name in front]
        parts.append(np.eye(self.pieces + 1, dtype=np.float32)[arrays["hold"][which]])
        parts.append(np.eye(self.pieces, dtype=np.float32)[arrays["queue"][which]].reshape(count, -1))
        return np.concatenate(parts, axis=1)

    def reset(self, numbers: list[int], seeds: list[int] | None, options: dict[str, Any] | None) -> None:
        """Begins games anew."""
        given = dict(options or {})
        board, hold, queue = (given.pop(name, None) for name in ("board", "hold", "queue"))
        if given:
            raise ValueError(f"options: `{next(iter(given))}` is unknown; valid: board, hold, queue")
        text = None if board is None else Board(board).text
        if queue is not None and not isinstance(queue, str):
            queue = "".join(queue)
        self.envs.reset(numbers, seeds, text, hold, queue)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Takes one action in each game."""
        self.envs.step(actions)

    def rows(self, number: int, *, always: bool = False) -> list[str]:
        """A board as text, from the top; `@` is the piece in play. Of the rows above what is visible in a guideline game
        those that are not empty, or `always` the same number."""
        cells = self.arrays["board"][number]
        marks = np.where(cells > 0, "#", ".")
        if self.keys:
            marks = np.where(self.arrays["active"][number] > 0, "@", marks)
        if self.game.kind == "guideline":
            visible = self.height - _native.Envs.visible_height()
            filled = np.flatnonzero((marks != ".").any(axis=1))
            highest = min(visible, int(filled[0])) if len(filled) else visible
            marks = marks[visible - ROWS_ABOVE if always else highest :]
        return ["".join(row) for row in marks]

    def text(self, number: int) -> str:
        """A game as text."""
        names = self.game.pieces
        queue = " ".join(names[piece] for piece in self.arrays["queue"][number])
        held = int(self.arrays["hold"][number])
        lines = [*self.rows(number), f"next {queue}" + (f"  hold {names[held - 1]}" if held else "")]
        totals = [f"{name} {self.arrays[name][number]:g}" for name in ("pieces", "lines", "score")]
        return "\n".join([*lines, "  ".join(totals)])

    def picture(self, number: int, cell: int = 12) -> NDArray[np.uint8]:
        """A game as pixels: the board, and the pieces to come beside it. Every picture of a game is of one size."""
        rows = self.rows(number, always=True)
        panel = 6
        image = np.full((max(len(rows), 3 * self.queue), self.width + panel, 3), 247, np.uint8)
        colours = {"#": (91, 100, 114), "@": (224, 129, 47), ".": (228, 231, 236)}
        for y, row in enumerate(rows):
            for x, mark in enumerate(row):
                image[y, x] = colours[mark]
        for place, piece in enumerate(self.arrays["queue"][number]):
            for y, row in enumerate(self.game.shapes(self.game.pieces[piece])[0][:2]):
                for x, mark in enumerate(row[: panel - 1]):
                    if mark == "#":
                        image[3 * place + y, self.width + 1 + x] = colours["@" if place == 0 else "#"]
        return np.ascontiguousarray(image.repeat(cell, axis=0).repeat(cell, axis=1))


#: What may be said of an environment beside its game.
_OPTIONS = tuple(name for name, about in inspect.signature(Core).parameters.items() if about.kind is about.KEYWORD_ONLY)


def _known(env: object, options: Mapping[str, object]) -> None:
    """Refuses options that there are none of, in the name of what the user called."""
    for name in options:
        if name not in _OPTIONS:
            near = difflib.get_close_matches(name, _OPTIONS, 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise TypeError(f"{type(env).__name__}() got an unexpected keyword argument '{name}'{hint}")


def _writable(spec: EnvSpec | None) -> EnvSpec | None:
    """A specification that can be written as JSON: games as text, solutions as what they were solved for."""
    if spec is None:
        return None
    kwargs = dict(spec.kwargs)
    for name, value in kwargs.items():
        if isinstance(value, Game):
            kwargs[name] = value.name if value == _built_in(value.name) else value.to_toml()
        elif isinstance(value, Solution):
            kwargs[name] = value.objective
    return dataclasses.replace(spec, kwargs=kwargs)


def _built_in(name: str) -> Game | None:
    return Game(name) if name in _native.games() else None


def _oracle(oracle: str | Solution | None, game: Game, previews: int, hold: bool) -> Solution | None:
    if oracle is None:
        return None
    if isinstance(oracle, Solution):
        return oracle
    if not isinstance(oracle, str):
        raise TypeError("oracle: give an objective such as \"discounted:0.9\", or a bellmino.Solution")
    if game.kind == "guideline":
        raise ValueError("oracle: a guideline game is too big to be solved")
    key = (game.to_toml(), oracle, previews, hold)
    if key not in _SOLVED:
        _SOLVED[key] = solve(game, oracle, preview=previews, hold=hold)
    return _SOLVED[key]


class BellminoEnv(gymnasium.Env[Any, Any]):
    """One game.

    >>> import gymnasium
    >>> env = gymnasium.make("Bellmino/Baby-v0", oracle="discounted:0.9")
    >>> observation, info = env.reset(seed=7)
    >>> best = int(numpy.nanargmax(info["action_values"]))
    >>> observation, reward, terminated, truncated, info = env.step(best)
    >>> info["regret"]
    0.0
    >>> env.unwrapped.decode(best)["rotation"]
    0

    - `game`: a built-in name, the path of a TOML file, or a `bellmino.Game`.
    - `observation`: `dict` (board, piece, hold, queue), `flat`, `features` (of the board) or `afterstates` (features of
      the board after each action); `features` names them.
    - `illegal`: an illegal action raises `ValueError`, or with `lose` ends the game.
    - `oracle`: an objective, on a small game: exact `action_values`, `optimal_value` and `regret` in the info.
    - `previews`, `hold`: what a player of a placement game may see and do beyond the current piece.
    - `pieces`: stops a game after so many.
    - `keys`: guideline games by keys instead of placements, `tick` milliseconds per step, with this `handling`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 8}  # type: ignore[misc]
    _spec: EnvSpec | None = None

    def __init__(self, game: GameLike = "baby", *, render_mode: str | None = None, **options: Any) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"render_mode: `{render_mode}` is unknown; valid: {', '.join(RENDER_MODES)}")
        for word in ("autoreset", "threads", "number"):
            if word in options:
                raise TypeError(f"`{word}` is for many environments: gymnasium.make_vec")
        _known(self, options)
        self.core = Core(game, 1, **options)
        self.render_mode = render_mode
        self.action_space = self.core.action_space
        self.observation_space = self.core.observation_space
        self._begun = False
        self._show: Show | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins a game: with a seed the first one of it, as `bellmino play --seed` deals; else the next one."""
        seeds = None if seed is None else [_seed(seed)]
        super().reset(seed=None if seeds is None else seeds[0])
        if seeds is None and not self._begun:
            seeds = [int(self.np_random.integers(2**63))]
        self.core.reset([0], seeds, options)
        self._begun = True
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes an action."""
        if not self._begun:
            raise ValueError("call reset() before step()")
        self.core.step(np.array([self._number(action)], np.int64))
        if self.render_mode == "human":
            self.render()
        arrays = self.core.arrays
        reward, terminated, truncated = arrays["reward"][0], arrays["terminated"][0], arrays["truncated"][0]
        return self._observation(), float(reward), bool(terminated), bool(truncated), self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, as sb3-contrib asks for them."""
        if self.core.keys:
            raise ValueError("every key may be pressed at any time; there is no mask")
        mask: NDArray[np.bool_] = self.core.arrays["mask"][0].astype(bool)
        return mask

    def decode(self, action: Any) -> dict[str, Any]:
        """What an action is: piece, rotation or orientation, place, and whether it is legal now."""
        found = self.core.envs.describe(0, self._number(action))
        if found is None:
            raise ValueError(f"there is no action {action}")
        return found

    def encode(self, **wanted: object) -> int:
        """The legal action of a placement, by what `decode` says of it.

        >>> import gymnasium
        >>> env = gymnasium.make("Bellmino/Classic-v0")
        >>> _ = env.reset(seed=1)
        >>> env.unwrapped.encode(rotation=0, column=3)
        3
        """
        if self.core.keys:
            raise ValueError("actions are keys here, not placements")
        for action in np.flatnonzero(self.core.arrays["mask"][0]):
            found = self.decode(action)
            if all(name in found and found[name] == value for name, value in wanted.items()):
                return int(action)
        raise ValueError(f"no legal placement is {wanted}")

    @property
    def spec(self) -> EnvSpec | None:
        """How Gymnasium has made it, with everything as text and numbers."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = _writable(spec)

    @property
    def origin(self) -> tuple[int, int]:
        """The seed of the present game, and which game of the seed it is."""
        return self.core.envs.origin(0)

    @property
    def outcome(self) -> str | None:
        """How the game has ended: `goal`, `lost`, or `None` while it goes on."""
        return OUTCOMES[self.core.arrays["outcome"][0]]

    def render(self) -> Any:
        """The game as text or pixels; with `human` shown in the browser, in a lab of this process that ends with `close`."""
        if self.render_mode == "ansi":
            return self.core.text(0)
        if self.render_mode == "rgb_array":
            return self.core.picture(0)
        if self.render_mode == "human":
            if self._show is None or not self._show.is_ours:
                self._show = Show(self.core.game)
            self._show.tell(self)
        return None

    @property
    def url(self) -> str | None:
        """Where the game is shown, with `render_mode="human"`."""
        return None if self._show is None else self._show.url

    def close(self) -> None:
        """Ends the environment, and its page in the browser."""
        if self._show is not None:
            self._show.close()
            self._show = None
        super().close()

    def _number(self, action: Any) -> int:
        if self.core.keys:
            return int(_bits(np.asarray(action).reshape(1, -1))[0])
        try:
            return operator.index(action)
        except TypeError:
            array = np.asarray(action)
            if array.size == 1 and array.dtype.kind in "iu":
                return int(array.reshape(-1)[0])
            raise TypeError(f"{action!r} is no action; give a whole number") from None

    def _observation(self) -> Any:
        arrays = self.core.arrays
        if self.core.observation == "afterstates":
            return arrays["features"][0].copy()
        if self.core.observation != "dict":
            return self.core.flat(slice(0, 1))[0]
        return {
            name: np.int64(arrays[name][0]) if arrays[name].ndim == 1 else arrays[name][0].copy()
            for name in self.core.seen
        }

    def _info(self) -> dict[str, Any]:
        arrays = self.core.arrays
        info: dict[str, Any] = {
            "pieces": int(arrays["pieces"][0]),
            "lines": int(arrays["lines"][0]),
            "score": float(arrays["score"][0]),
            "outcome": self.outcome,
        }
        if "mask" in arrays:
            info["action_mask"] = arrays["mask"][0].copy()
        if "values" in arrays:
            info["action_values"] = arrays["values"][0].copy()
            info["optimal_value"] = float(arrays["optimal"][0])
            info["regret"] = float(arrays["regret"][0])
        return info


class BellminoVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games of one kind, stepped by one call.

    >>> import gymnasium
    >>> envs = gymnasium.make_vec("Bellmino/Classic-v0", num_envs=16, vectorization_mode="vector_entry_point")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations["board"].shape, infos["action_mask"].shape
    ((16, 20, 10), (16, 40))
    >>> actions = infos["action_mask"].argmax(axis=1)
    >>> observations, rewards, terminated, truncated, infos = envs.step(actions)

    Game `i` of `reset(seed=s)` is that of one environment with `reset(seed=s + i)`. A game that is over begins anew at the
    next step, whose action is not looked at (`AutoresetMode.NEXT_STEP`). `threads` share the work, with the same result;
    `copy=False` gives the shared arrays themselves, which the next step overwrites.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 8,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    _spec: EnvSpec | None = None

    def __init__(
        self,
        game: GameLike = "baby",
        *,
        num_envs: int = 1,
        render_mode: str | None = None,
        threads: int = 1,
        copy: bool = True,
        max_episode_steps: int | None = None,
        pieces: int | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in (None, "ansi", "rgb_array"):
            raise ValueError(f"render_mode: `{render_mode}` is unknown; valid: ansi, rgb_array")
        if pieces is None:
            pieces = max_episode_steps
        _known(self, options)
        self.core = Core(game, num_envs, autoreset=True, threads=threads, pieces=pieces, **options)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = self.core.observation_space
        self.single_action_space = self.core.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._copy = copy
        self._begun = False
        self._all = np.ones(num_envs, bool)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins all games: with a seed those of it and the following ones; with a list one seed each."""
        numbers = list(range(self.num_envs))
        given = dict(options or {})
        mask = given.pop("reset_mask", None)
        if mask is not None:
            chosen = np.asarray(mask)
            if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_:
                raise ValueError(f"reset_mask: give {self.num_envs} truth values")
            numbers = [int(number) for number in np.flatnonzero(chosen)]
        seeds: list[int] | None = None
        if isinstance(seed, (list, tuple, np.ndarray)):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed: give {self.num_envs} seeds, one for each environment")
            seeds = [_seed(seed[number]) for number in numbers]
        elif seed is not None:
            first = _seed(seed)
            super().reset(seed=first)
            seeds = [(first + number) % 2**64 for number in numbers]
        elif not self._begun:
            seeds = [int(one) for one in self.np_random.integers(2**63, size=len(numbers))]
        self.core.reset(numbers, seeds, given)
        self._begun = True
        return self._observations(), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Takes one action in each game."""
        if not self._begun:
            raise ValueError("call reset() before step()")
        given = np.asarray(actions)
        if self.core.keys:
            given = _bits(given)
        if given.dtype.kind not in "iu":
            raise TypeError("actions: give whole numbers, one for each environment")
        self.core.step(np.ascontiguousarray(given.reshape(-1), np.int64))
        arrays = self.core.arrays
        reward, terminated, truncated = (arrays[name].copy() for name in ("reward", "terminated", "truncated"))
        return self._observations(), reward, terminated, truncated, self._infos()

    @property
    def spec(self) -> EnvSpec | None:
        """How Gymnasium has made them, with everything as text and numbers."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = _writable(spec)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions of every game."""
        if self.core.keys:
            raise ValueError("every key may be pressed at any time; there is no mask")
        return self.core.arrays["mask"].astype(bool)

    def decode(self, action: Any, number: int = 0) -> dict[str, Any]:
        """What an action is in one of the games."""
        found = self.core.envs.describe(number, operator.index(action))
        if found is None:
            raise ValueError(f"there is no action {action}")
        return found

    def render(self) -> Any:
        """Every game as text or pixels."""
        if self.render_mode is None:
            return None
        draw = self.core.text if self.render_mode == "ansi" else self.core.picture
        return tuple(draw(number) for number in range(self.num_envs))

    def _given(self, name: str) -> NDArray[Any]:
        array = self.core.arrays[name]
        return array.copy() if self._copy else array

    def _observations(self) -> Any:
        if self.core.observation == "afterstates":
            return self._given("features")
        if self.core.observation != "dict":
            return self.core.flat(slice(None))
        return {name: self._given(name) for name in self.core.seen}

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = {name: self._given(name) for name in ("pieces", "lines", "score", "outcome")}
        if "mask" in self.core.arrays:
            infos["action_mask"] = self._given("mask")
        if "values" in self.core.arrays:
            infos["action_values"] = self._given("values")
            infos["optimal_value"] = self._given("optimal")
            infos["regret"] = self._given("regret")
        everybody = self._all.copy() if self._copy else self._all
        infos.update({f"_{name}": everybody for name in list(infos)})
        return infos


def _seed(seed: Any) -> int:
    number = operator.index(seed)
    if not 0 <= number < 2**64:
        raise ValueError(f"seed: {number} is not from 0 to 2^64 - 1")
    return number


def _bits(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Keys that are down as bits of a number."""
    if keys.ndim != 2 or keys.shape[1] != 8 or keys.dtype.kind not in "biuf":
        raise TypeError("an action says of each of the 8 keys whether it is down")
    bits: NDArray[np.int64] = ((keys != 0) @ (1 << np.arange(8))).astype(np.int64)
    return bits
