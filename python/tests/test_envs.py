"""The Gymnasium environments."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import bellmino
import bellmino.envs
from bellmino._registration import ENVIRONMENTS

IDS = sorted(ENVIRONMENTS)
KEYS = [name for name in IDS if "Keys" in name]
PLACEMENTS = [name for name in IDS if name not in KEYS]


def make_vec(name: str, number: int, **options: Any) -> Any:
    return gymnasium.make_vec(name, num_envs=number, vectorization_mode="vector_entry_point", **options)


def random_actions(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """One legal action for each row; 0 where none is."""
    return np.where(masks > 0, rng.random(masks.shape), -1.0).argmax(axis=1)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=np.asarray(one).dtype.kind == "f")


@pytest.mark.parametrize("observation", ["dict", "flat", "features", "afterstates"])
@pytest.mark.parametrize("name", IDS)
def test_check_env(name: str, observation: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name in KEYS and observation in ("features", "afterstates"):
        with pytest.raises(ValueError, match="seen as it is"):
            gymnasium.make(name, observation=observation)
        return
    # The checker takes any action of the space, legal or not.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, illegal="lose", observation=observation).unwrapped)
    capsys.readouterr()


@pytest.mark.parametrize("name", IDS)
def test_many_games_are_the_same_as_one_by_one(name: str) -> None:
    """Against Gymnasium's own vector of single environments, step by step, through many ends and beginnings."""
    steps = 1500 if name in KEYS else 120
    options: dict[str, Any] = {"oracle": "discounted:0.9"} if "Baby" in name or "Mini" in name else {}
    ours = make_vec(name, 5, **options)
    theirs = gymnasium.make_vec(name, num_envs=5, vectorization_mode="sync", **options)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    (seen, info), (known, known_info) = ours.reset(seed=11), theirs.reset(seed=11)
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(steps):
        assert same(seen, known) and ours.observation_space.contains(seen)
        for key in ("action_mask", "pieces", "lines", "score", "action_values", "optimal_value", "regret"):
            if key in known_info:
                assert same(info[key], known_info[key]), key
        if name in KEYS:
            actions = (rng.random((5, 8)) < 0.2).astype(np.int8)
        else:
            actions = random_actions(rng, info["action_mask"])
        seen, reward, ended, stopped, info = ours.step(actions)
        known, known_reward, known_ended, known_stopped, known_info = theirs.step(actions)
        assert same(reward, known_reward) and same(ended, known_ended) and same(stopped, known_stopped)
        ends += ended.sum()
    assert ends > 0


@pytest.mark.parametrize("name", IDS)
def test_threads_change_nothing(name: str) -> None:
    both = [make_vec(name, 300, threads=threads, pieces=30) for threads in (1, 2)]
    rng = np.random.default_rng(2)
    results = [envs.reset(seed=5) for envs in both]
    for _ in range(25):
        if name in KEYS:
            actions = (rng.random((300, 8)) < 0.2).astype(np.int8)
        else:
            actions = random_actions(rng, results[0][-1]["action_mask"])
        results = [envs.step(actions) for envs in both]
        assert all(same(one, other) for one, other in zip(*results, strict=True))


@pytest.mark.parametrize(
    ("game", "players"),
    [
        ("baby", ["random", "lowest"]),
        ("mini", ["random", "fewest-holes"]),
        ("small", ["random", "weights:lee4"]),
        ("classic", ["random", "weights:dellacherie"]),
        ("learner", ["random", "weights:lee4"]),
        ("sprint", ["random", "weights:lee4", "bot"]),
        ("blitz", ["random", "weights:snes-blitz", "bot"]),
    ],
)
def test_the_same_game_as_the_command_plays(game: str, players: list[str]) -> None:
    env: Any = gymnasium.make(f"Bellmino/{game.capitalize()}-v0").unwrapped
    for player in players:
        options = {"nodes": 300} if player == "bot" else {}
        for seed in (0, 3):
            played = bellmino.play(game, player, seed=seed, pieces=120, **options)
            _, info = env.reset(seed=seed)
            for move in played["moves"]:
                place = ("rotation", "column", "row") if "rotation" in move else ("orientation", "x", "y", "spin", "held")
                action = env.encode(piece=move["piece"], **{name: move[name] for name in place})
                assert info["action_mask"][action] == 1
                seen, reward, ended, stopped, info = env.step(action)
                assert reward == move["points"] and not stopped
                board = bellmino.Board(seen["board"]).text
                told = move["board"] if isinstance(move["board"], str) else "/".join(move["board"])
                if not move.get("fatal"):
                    assert board.strip("./").endswith(told.strip("./")) and board.count("#") == told.count("#")
            assert info["score"] == played["score"] and info["lines"] == played["lines"]
            assert info["pieces"] == played["pieces"] and ended == (not played["unfinished"])
            if "cleared_goal" in played:
                assert (info["outcome"] == "goal") == played["cleared_goal"]


def test_games_of_one_seed_follow_each_other_as_in_evaluate() -> None:
    """Without a seed, reset() goes on to the next game of the seed before: game `i` of `evaluate --seed`."""
    env: Any = gymnasium.make("Bellmino/Baby-v0").unwrapped
    report = bellmino.evaluate("baby", "lowest", games=30, seed=4)
    scores = []
    for index in range(30):
        _, info = env.reset(seed=4 if index == 0 else None)
        assert env.origin == (4, index)
        ended = False
        while not ended:
            legal = np.flatnonzero(info["action_mask"])
            tops = []
            for action in legal:
                found = env.decode(action)
                shape = env.core.game.shapes(found["piece"])[found["rotation"]]
                tops.append(found["row"] + len(shape))
            _, _, ended, _, info = env.step(legal[int(np.argmin(tops))])
        scores.append(info["score"])
    assert abs(np.mean(scores) - report["score"]["mean"]) < 1e-12 and max(scores) == report["score"]["max"]


def test_every_first_placement_has_its_action() -> None:
    """Masks against perft: all pieces of the empty board, and the walls."""
    for game, leaves in (("baby", 18), ("mini", None), ("small", None), ("classic", 162)):
        env: Any = gymnasium.make(f"Bellmino/{game.capitalize()}-v0").unwrapped
        counts: dict[int, int] = {}
        for seed in range(60):
            seen, info = env.reset(seed=seed)
            counts[int(seen["piece"])] = int(info["action_mask"].sum())
        assert sum(counts.values()) == bellmino.perft(game, 1) == (leaves or sum(counts.values()))
    for piece, count in (("T", 34), ("O", 9), ("I", 17)):
        env = gymnasium.make("Bellmino/Sprint-v0").unwrapped
        _, info = env.reset(seed=0, options={"queue": piece + piece, "board": "#........."})
        legal = [env.decode(action) for action in np.flatnonzero(info["action_mask"])]
        assert len(legal) == count and all(one["legal"] for one in legal)
        assert {one["column"] for one in legal} >= {0}


def test_illegal_actions() -> None:
    env: Any = gymnasium.make("Bellmino/Baby-v0").unwrapped
    seen, info = env.reset(seed=1)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    before = copy.deepcopy(seen)
    for action in (illegal, -1, 16, 10**9):
        with pytest.raises(ValueError, match=f"action {action} is not legal"):
            env.step(action)
    with pytest.raises(TypeError):
        env.step("left")
    assert same(env._observation(), before)
    lose: Any = gymnasium.make("Bellmino/Baby-v0", illegal="lose", oracle="discounted:0.9").unwrapped
    _, info = lose.reset(seed=1)
    best = info["optimal_value"]
    _, reward, ended, _, info = lose.step(illegal)
    assert (reward, ended, info["outcome"]) == (0.0, True, "lost") and info["regret"] == best > 0
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        lose.step(0)
    envs = make_vec("Bellmino/Baby-v0", 3)
    _, infos = envs.reset(seed=1)
    actions = infos["action_mask"].argmax(axis=1)
    actions[2] = np.flatnonzero(infos["action_mask"][2] == 0)[0]
    with pytest.raises(ValueError, match="in environment 2"):
        envs.step(actions)
    with pytest.raises(ValueError, match="give one for each"):
        envs.step(actions[:2])
    assert env.action_masks().dtype == bool and info["action_mask"].dtype == np.int8


def test_games_begin_anywhere() -> None:
    env: Any = gymnasium.make("Bellmino/Baby-v0").unwrapped
    seen, _ = env.reset(seed=1, options={"board": "###."})
    assert seen["board"][3].tolist() == [1, 1, 1, 0] and seen["board"].sum() == 3
    again, _ = env.reset(seed=1, options={"board": seen["board"]})
    assert same(seen, again)
    for wrong in ("####", "##", "#x..", "/".join(["#..."] * 5)):
        with pytest.raises(ValueError):
            env.reset(options={"board": wrong})
    with pytest.raises(ValueError, match="`bord` is unknown"):
        env.reset(options={"bord": "###."})
    sprint: Any = gymnasium.make("Bellmino/Sprint-v0").unwrapped
    seen, info = sprint.reset(seed=1, options={"board": ".#########", "hold": "I", "queue": "TO"})
    assert seen["hold"] == 1 and seen["queue"][:2].tolist() == [2, 1]
    drop = sprint.encode(piece="I", orientation="east", column=0, held=True)
    _, reward, _, _, info = sprint.step(drop)
    assert info["lines"] == 1 and reward > 0


def test_goals_and_limits() -> None:
    env: Any = gymnasium.make("Bellmino/Classic-v0", pieces=3).unwrapped
    _, info = env.reset(seed=1)
    for number in range(3):
        _, _, ended, stopped, info = env.step(int(info["action_mask"].argmax()))
        assert (ended, stopped) == (False, number == 2)
    bot = bellmino.Bot("sprint", nodes=200)
    game = bellmino.Game("sprint", {"goal.lines": 4})
    env = gymnasium.make("Bellmino/Placement-v0", game=game).unwrapped
    env.reset(seed=1)
    ended = False
    while not ended:
        _, reward, ended, _, info = env.step(bot.act(env))
    assert info["outcome"] == "goal" and info["lines"] >= 4 and type(reward) is float


def test_bot_plays_the_commands_game() -> None:
    env: Any = gymnasium.make("Bellmino/Blitz-v0").unwrapped
    env.reset(seed=2)
    bot = bellmino.Bot("blitz", nodes=300, seed=2)
    played = bellmino.play("blitz", "bot", seed=2, nodes=300, pieces=40)
    for move in played["moves"]:
        action = bot.act(env)
        found = env.decode(action)
        assert [found[name] for name in ("piece", "orientation", "x", "y", "spin")] == [
            move[name] for name in ("piece", "orientation", "x", "y", "spin")
        ]
        env.step(action)
    with pytest.raises(ValueError, match="guideline games"):
        bot.act(gymnasium.make("Bellmino/Baby-v0"))


@pytest.mark.parametrize("path", ["slide", "anywhere"])
def test_games_with_other_paths(path: str) -> None:
    game = bellmino.Game("small", {"landing.path": path})
    env: Any = gymnasium.make("Bellmino/Placement-v0", game=game).unwrapped
    assert env.action_space.n == 4 * 5 * 5
    rng = np.random.default_rng(3)
    tucked = 0
    for seed in range(40):
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            action = int(random_actions(rng, info["action_mask"][None])[0])
            found = env.decode(action)
            assert found["legal"] and env.encode(**found) == action
            legal = [env.decode(one) for one in np.flatnonzero(info["action_mask"])]
            tucked += len(legal) != len({(one["rotation"], one["column"]) for one in legal})
            _, _, ended, _, info = env.step(action)
    assert tucked > 0


def test_previews_and_hold() -> None:
    env: Any = gymnasium.make("Bellmino/Small-v0", previews=2, hold=True).unwrapped
    assert env.action_space.n == 2 * 20 + 1
    rng = np.random.default_rng(3)
    held = aside = 0
    for seed in range(30):
        seen, info = env.reset(seed=seed)
        ended = False
        while not ended:
            before = seen
            action = int(random_actions(rng, info["action_mask"][None])[0])
            found = env.decode(action)
            assert (action == 40) == ("put_aside" in found) and env.encode(**found) == action
            piece = before["hold"] - 1 if found.get("held") else before["piece"]
            assert found["piece"] == env.core.game.pieces[piece]
            placed = info["pieces"]
            seen, reward, ended, _, info = env.step(action)
            assert seen["piece"] == seen["queue"][0]
            if found.get("held"):
                held += 1
                assert seen["hold"] == before["piece"] + 1
            elif action == 40:
                # Nothing is placed; the next piece comes, and another one into sight.
                aside += 1
                assert before["hold"] == 0 and seen["hold"] == before["piece"] + 1
                assert seen["queue"][:2].tolist() == before["queue"][1:].tolist()
                assert (reward, info["pieces"], info["action_mask"][20:].sum()) == (0.0, placed, 0)
                assert np.array_equal(seen["board"], before["board"])
            else:
                assert seen["hold"] == before["hold"]
            assert ended or info["action_mask"][40] == (seen["hold"] == 0)
    assert held > 10 and aside > 10
    ahead: Any = gymnasium.make("Bellmino/Baby-v0", previews=1, oracle="discounted:0.9").unwrapped
    values = {}
    for seed in range(100):
        seen, info = ahead.reset(seed=seed)
        values[tuple(seen["queue"].tolist())] = info["optimal_value"]
    exact = bellmino.solve("baby", "discounted:0.9", preview=1).value
    assert len(values) == 4 and abs(np.mean(list(values.values())) - exact) < 1e-8
    for wrong in ({"hold": 3}, {"previews": 99}, {"previews": 1, "oracle": bellmino.solve("baby", "horizon:3", hold=True)}):
        with pytest.raises((ValueError, TypeError)):
            gymnasium.make("Bellmino/Baby-v0", **wrong)


def test_features_are_those_of_the_learner() -> None:
    env: Any = gymnasium.make("Bellmino/Classic-v0", observation="afterstates", features="lee").unwrapped
    assert env.core.envs.features == ["aggregate-height", "lines", "holes", "bumpiness"]
    weights = np.array([-0.510066, 0.760666, -0.35663, -0.184483])
    seen, info = env.reset(seed=1)
    for _ in range(60):
        worth = np.where(info["action_mask"] > 0, seen @ weights, -np.inf)
        seen, _, ended, _, info = env.step(int(worth.argmax()))
        assert not ended
    assert info["lines"] > 15
    board: Any = gymnasium.make("Bellmino/Baby-v0", observation="features", features="height-0,holes").unwrapped
    seen, _ = board.reset(seed=1, options={"board": "#.../#.../..../#.#."})
    assert seen[:2].tolist() == [4.0, 1.0]
    for wrong in ("lines", "hights", "height-9"):
        with pytest.raises(ValueError):
            gymnasium.make("Bellmino/Baby-v0", observation="features", features=wrong)


def test_keys() -> None:
    env: Any = gymnasium.make("Bellmino/SprintKeys-v0", tick=20).unwrapped
    names = ["left", "right", "soft-drop", "hard-drop", "clockwise", "counter", "half", "hold"]
    key = {name: np.eye(8, dtype=np.int8)[place] for place, name in enumerate(names)}
    nothing = np.zeros(8, np.int8)
    seen, info = env.reset(seed=1)
    assert seen["active"].sum() == 4 and seen["board"].sum() == 0
    first = seen["active"].copy()
    seen, *_ = env.step(key["left"])
    assert np.array_equal(seen["active"][:, :-1], first[:, 1:])
    piece = int(seen["piece"])
    seen, *_ = env.step(key["hold"])
    assert seen["hold"] == piece + 1
    _, _, _, _, info = env.step(key["hard-drop"])
    assert info["pieces"] == 1
    # A key that stays down is pressed once, and a piece falls by itself once a second.
    _, _, _, _, info = env.step(key["hard-drop"])
    assert info["pieces"] == 1
    seen, *_ = env.step(nothing)
    rows = np.flatnonzero(seen["active"].any(axis=1)).min()
    for _ in range(60):
        seen, *_ = env.step(nothing)
    assert np.flatnonzero(seen["active"].any(axis=1)).min() == rows + 1
    assert env.decode(key["left"] + key["hold"])["keys"] == ["left", "hold"]
    with pytest.raises(TypeError):
        env.step(3)
    with pytest.raises(ValueError):
        gymnasium.make("Bellmino/SprintKeys-v0", handling={"dass": 3})
    blitz: Any = gymnasium.make("Bellmino/BlitzKeys-v0", tick=10_000, game=bellmino.Game("blitz")).unwrapped
    blitz.reset(seed=1)
    steps = 0
    ended = False
    while not ended:
        _, _, ended, _, info = blitz.step(nothing)
        steps += 1
    assert info["outcome"] == "lost" or steps == 18


def test_render() -> None:
    for name in IDS:
        text: Any = gymnasium.make(name, render_mode="ansi").unwrapped
        text.reset(seed=1)
        assert "next" in text.render() and "score 0" in text.render()
        picture: Any = gymnasium.make(name, render_mode="rgb_array").unwrapped
        picture.reset(seed=1)
        image = picture.render()
        assert image.dtype == np.uint8 and image.ndim == 3 and image.shape[2] == 3
    envs = make_vec("Bellmino/Baby-v0", 2, render_mode="rgb_array")
    envs.reset(seed=1)
    assert len(envs.render()) == 2
    with pytest.raises(ValueError, match="render_mode"):
        gymnasium.make("Bellmino/Baby-v0", render_mode="film")


def test_shared_arrays_are_shared_only_if_asked_for() -> None:
    for shared in (False, True):
        envs = make_vec("Bellmino/Classic-v0", 4, copy=not shared)
        first, infos = envs.reset(seed=1)
        second, *_ = envs.step(infos["action_mask"].argmax(axis=1))
        assert (first["board"] is second["board"]) == shared
        assert (first["board"].sum() > 0) == shared


@pytest.mark.parametrize("name", ["Bellmino/Sprint-v0", "Bellmino/BlitzKeys-v0", "Bellmino/Baby-v0"])
def test_pictures_of_a_game_are_of_one_size(name: str) -> None:
    """`RecordVideo` refuses frames of several sizes; those of guideline games grew with the board."""
    env: Any = gymnasium.make(name, render_mode="rgb_array", illegal="lose").unwrapped
    sizes = set()
    for height in (0, 1, 19, 20, 23):
        board = None if "Baby" in name else "/".join(["#........."] * height)
        env.reset(seed=1, options={"board": board} if board else None)
        sizes.add(env.render().shape)
        env.step(env.action_space.sample())
        sizes.add(env.render().shape)
    ((rows, columns, colours),) = sizes
    assert colours == 3 and rows % 2 == columns % 2 == 0
    if "Sprint" in name:
        env.reset(seed=1, options={"board": "/".join(["#........."] * 22)})
        picture = env.render()
        assert (picture[2 * 12, 0] == (91, 100, 114)).all() and (picture[12, 0] == (228, 231, 236)).all()
        assert len(env.core.rows(0)) == 22


def test_specifications_are_written_as_json() -> None:
    """With a solution and with a game of one's own, too; the environment that is made of it again is the same."""
    own = bellmino.Game("baby", {"board.height": 3})
    for game in ("baby", own):
        solution = bellmino.solve(game, "discounted:0.9")
        for oracle in (solution, "discounted:0.9", None):
            one = gymnasium.make("Bellmino/Placement-v0", game=bellmino.Game(game) if game == "baby" else game, oracle=oracle)
            assert one.spec is not None
            spec = gymnasium.envs.registration.EnvSpec.from_json(one.spec.to_json())
            again = gymnasium.make(spec)
            assert all(same(*pair) for pair in zip(one.reset(seed=3), again.reset(seed=3), strict=True))
            assert again.unwrapped.core.game == one.unwrapped.core.game
    many = make_vec("Bellmino/Baby-v0", 2, oracle=bellmino.solve("baby", "discounted:0.9"))
    assert '"oracle": "discounted:0.9"' in many.spec.to_json()


def test_unknown_options_are_named_by_what_was_called() -> None:
    for call, name in (
        (lambda: bellmino.envs.BellminoEnv("baby", orcale="total"), "BellminoEnv()"),
        (lambda: bellmino.envs.BellminoVectorEnv("baby", orcale="total"), "BellminoVectorEnv()"),
        (lambda: gymnasium.make("Bellmino/Baby-v0", orcale="total"), "BellminoEnv()"),
        (lambda: make_vec("Bellmino/Baby-v0", 2, orcale="total"), "BellminoVectorEnv()"),
    ):
        with pytest.raises(TypeError) as raised:
            call()
        said = str(raised.value)
        assert "Core" not in said and f"{name} got an unexpected keyword argument 'orcale'; did you mean `oracle`?" in said
    for function in (bellmino.solve, bellmino.evaluate, bellmino.train):
        with pytest.raises(TypeError) as raised:
            function("baby", "total", colour="red")
        assert f"{function.__name__}() got an unexpected keyword argument 'colour'" in str(raised.value)
