"""The optimum inside: exact values of actions, regret, and policies evaluated exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import bellmino

OBJECTIVE = "discounted:0.9"
OPTIMUM = 9.1186070058


def returns(choose: Any, games: int, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Discounted rewards and discounted regrets of many games of Baby, and the greatest single regret."""
    number = 1000
    envs = gymnasium.make_vec(
        "Bellmino/Baby-v0", num_envs=number, vectorization_mode="vector_entry_point", oracle=OBJECTIVE
    )
    rewards, regrets, most = [], [], 0.0
    for batch in range(games // number):
        _, info = envs.reset(seed=seed + batch * number)
        weight, total, lost = np.ones(number), np.zeros(number), np.zeros(number)
        going = np.ones(number, bool)
        # The best player never loses; what comes after so many pieces counts less than a millionth.
        for _ in range(150):
            if not going.any():
                break
            actions = choose(info)
            _, reward, ended, _, info = envs.step(actions)
            total += np.where(going, weight * reward, 0.0)
            lost += np.where(going, weight * info["regret"], 0.0)
            most = max(most, float(info["regret"][going].max()))
            weight *= 0.9
            going &= ~ended
        rewards.append(total)
        regrets.append(lost)
    return np.concatenate(rewards), np.concatenate(regrets), most


def test_the_best_actions_are_worth_the_optimum() -> None:
    """Four standard errors: a false alarm in 16,000."""
    games, regrets, most = returns(
        lambda info: np.nan_to_num(info["action_values"], nan=-1.0).argmax(axis=1), 20_000, 100
    )
    error = games.std() / np.sqrt(len(games))
    assert abs(games.mean() - OPTIMUM) < 4 * error, (games.mean(), error)
    assert most < 1e-9 and regrets.max() < 1e-9


def test_regret_at_random_is_what_random_gives_away() -> None:
    rng = np.random.default_rng(5)

    def choose(info: dict[str, Any]) -> np.ndarray:
        mask = info["action_mask"]
        return np.where(mask > 0, rng.random(mask.shape), -1.0).argmax(axis=1)

    games, regrets, _ = returns(choose, 20_000, 300_000)
    exact = bellmino.solve("baby", OBJECTIVE, player="random").value
    assert abs(games.mean() - exact) < 4 * games.std() / np.sqrt(len(games))
    assert abs(regrets.mean() - (OPTIMUM - exact)) < 4 * regrets.std() / np.sqrt(len(regrets))


@pytest.mark.parametrize("objective", ["discounted:0.9", "horizon:12", "total", "average", "survive"])
@pytest.mark.parametrize("game", ["baby", "mini"])
def test_values_are_those_of_the_solution(game: str, objective: str) -> None:
    if (game, objective) == ("baby", "total") and bellmino.solve(game, objective).value == float("inf"):
        pytest.skip("infinite")
    solution = bellmino.solve(game, objective)
    try:
        env: Any = gymnasium.make(f"Bellmino/{game.capitalize()}-v0", oracle=solution).unwrapped
    except ValueError as error:
        assert "infinite" in str(error) and solution.value == float("inf")
        return
    rng = np.random.default_rng(1)
    for seed in range(10):
        seen, info = env.reset(seed=seed)
        assert info["regret"] == 0.0
        ended, pieces = False, 0
        while not ended and pieces < 12:
            left = 12 - pieces if objective.startswith("horizon") else None
            listed = solution.placements(seen["board"], env.core.game.pieces[seen["piece"]], left=left)
            values = info["action_values"]
            assert np.array_equal(np.isnan(values), info["action_mask"] == 0)
            for one in listed:
                if not (one["fatal"] and objective == "average"):
                    assert values[one["action"]] == one["value"]
            assert info["optimal_value"] == np.nanmax(values)
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            # Where every action may end the game, none of them gives anything away.
            wanted = 0.0 if values[action] == info["optimal_value"] else info["optimal_value"] - values[action]
            seen, _, ended, _, info = env.step(action)
            assert info["regret"] == max(wanted, 0.0)
            pieces += 1


def test_the_oracle_knows_what_it_does_not_know() -> None:
    env: Any = gymnasium.make("Bellmino/Baby-v0", oracle=OBJECTIVE).unwrapped
    boards, _, _ = bellmino.solve("baby", OBJECTIVE).arrays()
    known = {board.tobytes() for board in boards}
    low = [np.array(cells, np.uint8).reshape(2, 4) for cells in np.ndindex((2,) * 8)]
    low = [np.concatenate([np.zeros((2, 4), np.uint8), rows]) for rows in low if (rows.sum(axis=1) < 4).all()]
    unreachable = next(board for board in low if board.tobytes() not in known)
    with pytest.raises(ValueError, match="cannot be reached"):
        env.reset(options={"board": unreachable})
    for wrong in ({"oracle": 3}, {"oracle": "nonsense"}):
        with pytest.raises((TypeError, ValueError)):
            gymnasium.make("Bellmino/Baby-v0", **wrong)
    with pytest.raises(ValueError, match="too big"):
        gymnasium.make("Bellmino/Classic-v0", oracle=OBJECTIVE)
    with pytest.raises(ValueError, match="too big"):
        gymnasium.make("Bellmino/Sprint-v0", oracle=OBJECTIVE)


def best_of(values: np.ndarray) -> int:
    return int(np.nanargmax(values))


@pytest.mark.parametrize(("game", "previews"), [("baby", 0), ("baby", 1), ("mini", 1)])
def test_values_with_hold_are_exact(game: str, previews: int) -> None:
    """What putting a piece aside is worth is the mean over the pieces that then come, to the last digits; placements are
    worth what the solution says; and the game is worth what its first hands are."""
    solution = bellmino.solve(game, OBJECTIVE, preview=previews, hold=True)
    name = f"Bellmino/{game.capitalize()}-v0"
    env: Any = gymnasium.make(name, previews=previews, hold=True, oracle=solution).unwrapped
    pieces, aside = env.core.game.pieces, env.action_space.n - 1
    first: dict[tuple[int, ...], float] = {}
    later: dict[tuple[int, ...], dict[int, float]] = {}
    chosen: dict[tuple[int, ...], float] = {}
    rng = np.random.default_rng(1)
    seen_held = 0
    for seed in range(300):
        seen, info = env.reset(seed=seed)
        hand = tuple(seen["queue"].tolist())
        first[hand] = info["optimal_value"]
        chosen[hand] = info["action_values"][aside]
        for _ in range(6):
            values = info["action_values"]
            assert np.array_equal(np.isnan(values), info["action_mask"] == 0)
            assert info["optimal_value"] == np.nanmax(values)
            if seen["hold"] and info["action_mask"][aside // 2 : aside].any():
                seen_held += 1
                names = [pieces[piece] for piece in seen["queue"]]
                for one in solution.placements(seen["board"], names, held=pieces[seen["hold"] - 1]):
                    place = one["action"] + (aside // 2 if one["held"] else 0)
                    assert values[place] == one["value"]
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            if seed % 2 and not info["pieces"]:
                action = aside if info["action_mask"][aside] else best_of(values)
            wanted = info["optimal_value"] - values[action]
            seen, reward, ended, _, info = env.step(action)
            assert info["regret"] == max(wanted, 0.0)
            if action == aside and not info["pieces"]:
                assert reward == 0.0
                later.setdefault(hand, {})[int(seen["queue"][-1])] = info["optimal_value"]
            if ended:
                break
    assert seen_held > 20
    if game == "baby":
        # Two pieces, equally likely.
        assert len(first) == 2 ** (previews + 1)
        assert abs(np.mean(list(first.values())) - solution.value) < 1e-8
        assert all(len(after) == 2 for after in later.values()) and len(later) == len(first)
        for hand, after in later.items():
            assert abs(np.mean(list(after.values())) - chosen[hand]) < 1e-8
    without = bellmino.solve(game, OBJECTIVE, preview=previews).value
    assert solution.value > without + 1e-3, "hold is worth something"


def test_playing_the_best_with_hold_gives_the_optimum() -> None:
    """Four standard errors: a false alarm in 16,000. A placement is a step of time; putting aside is none."""
    number, solution = 4000, bellmino.solve("baby", OBJECTIVE, preview=1, hold=True)
    envs = gymnasium.make_vec(
        "Bellmino/Baby-v0", num_envs=number, vectorization_mode="vector_entry_point", previews=1, hold=True, oracle=solution
    )
    _, info = envs.reset(seed=50)
    total, lost, placed, going = np.zeros(number), 0.0, np.zeros(number), np.ones(number, bool)
    for _ in range(150):
        actions = np.nan_to_num(info["action_values"], nan=-1.0).argmax(axis=1)
        _, reward, ended, _, info = envs.step(actions)
        total += np.where(going, 0.9**placed * reward, 0.0)
        lost = max(lost, float(info["regret"][going].max()))
        placed = info["pieces"]
        going &= ~ended
    error = total.std() / np.sqrt(number)
    assert abs(total.mean() - solution.value) < 4 * error, (total.mean(), error, solution.value)
    assert lost < 1e-9


def first_legal(_boards: np.ndarray, _hands: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


def test_regret_with_previews() -> None:
    best = bellmino.solve("baby", OBJECTIVE, preview=1)
    names = best.game.pieces

    def look(board: np.ndarray, queue: np.ndarray) -> int:
        return int(best.placements(board, [names[piece] for piece in queue])[0]["action"])

    found = bellmino.regret(look, "baby", OBJECTIVE, previews=1)
    assert abs(found.regret) <= found.error_bound and abs(found.value - best.value) < 1e-8
    # Whoever does not look at the queue gains nothing by seeing it.
    blind = [bellmino.regret(first_legal, "baby", OBJECTIVE, batch=True, previews=previews) for previews in (0, 1)]
    assert abs(blind[0].value - blind[1].value) < 1e-8 and blind[1].regret > blind[0].regret + 0.01
    held = bellmino.solve("baby", OBJECTIVE, hold=True)
    with pytest.raises(ValueError, match="solved with hold"):
        bellmino.regret(look, "baby", OBJECTIVE, solution=held)
    with pytest.raises(ValueError, match="another game"):
        bellmino.regret(look, "mini", OBJECTIVE, solution=held)
    with pytest.raises(ValueError, match="another game"):
        gymnasium.make("Bellmino/Baby-v0", oracle=bellmino.solve("mini", OBJECTIVE))
    with pytest.raises(TypeError, match="solution"):
        bellmino.regret(look, "mini", OBJECTIVE, solution=held.report)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="solved for 1 previews"):
        bellmino.regret(look, "baby", OBJECTIVE, solution=best)


def test_regret_with_a_bag() -> None:
    """The policy sees the piece, not the bag. Four standard errors: a false alarm in 16,000."""
    game, number = bellmino.Game("baby", {"dealer.kind": "bag"}), 4000
    exact = bellmino.regret(first_legal, game, OBJECTIVE, batch=True)
    envs = gymnasium.make_vec(
        "Bellmino/Placement-v0", num_envs=number, vectorization_mode="vector_entry_point", game=game
    )
    _, info = envs.reset(seed=9)
    total, weight, going = np.zeros(number), 1.0, np.ones(number, bool)
    while going.any():
        _, reward, ended, _, info = envs.step(info["action_mask"].argmax(axis=1))
        total += np.where(going, weight * reward, 0.0)
        weight *= 0.9
        going &= ~ended
    assert abs(total.mean() - exact.value) < 4 * total.std() / np.sqrt(number), (total.mean(), exact)


def test_regret_of_policies() -> None:
    solution = bellmino.solve("baby", OBJECTIVE)
    numbers, boards, _, best = solution.states_as_numbers()
    known = {board.tobytes(): row for board, row in zip(boards, best, strict=True)}
    perfect = bellmino.regret(lambda board, piece: known[board.tobytes()][piece], "baby", OBJECTIVE)
    assert abs(perfect.regret) <= perfect.error_bound and abs(perfect.value - OPTIMUM) < 1e-8
    assert len(numbers) == len(boards) and perfect.states == (best >= 0).sum()

    def lowest(boards: np.ndarray, pieces: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The player `lowest` by hand: straight drops, the lowest top, the first of equals."""
        game = solution.game
        actions = np.zeros(len(boards), np.int64)
        for number, (board, piece, mask) in enumerate(zip(boards, pieces, masks, strict=True)):
            heights = [int((4 - np.flatnonzero(column)[0]) if column.any() else 0) for column in board.T]
            tops = {}
            for action in np.flatnonzero(mask):
                shape = np.array([list(row) for row in game.shapes(game.pieces[piece])[action // 4]]) == "#"
                bottoms = [int(np.argmax(column[::-1])) for column in shape.T]
                row = max(
                    heights[action % 4 + place] - bottom if heights[action % 4 + place] > bottom else 0
                    for place, bottom in enumerate(bottoms)
                )
                tops[action] = row + len(shape)
            actions[number] = min(tops, key=lambda action: (tops[action], action))
        return actions

    found = bellmino.regret(lowest, "baby", OBJECTIVE, batch=True)
    exact = bellmino.solve("baby", OBJECTIVE, player="lowest").value
    assert abs(found.value - exact) < 1e-8
    assert abs(found.regret - (OPTIMUM - exact)) < 1e-8 and found.regret > 0.1
    with pytest.raises(TypeError, match="one action"):
        bellmino.regret(lambda boards, pieces, masks: 3, "baby", OBJECTIVE, batch=True)
    with pytest.raises(ZeroDivisionError):
        bellmino.regret(lambda board, piece: 1 // 0, "baby", OBJECTIVE)


#: What a solution of Baby may be of beside the optimum, and why it is refused.
OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"dealer": "worst"}, "another dealer"),
    ({"dealer": "mixed:0.5"}, "another dealer"),
    ({"reward": "lines=1"}, "the reward lines=1"),
    ({"player": "lowest"}, "a given player"),
    ({"player": "random"}, "places at random"),
    ({"placer": "average"}, "places at random"),
    ({"view": "heights"}, "only the heights"),
]


@pytest.mark.parametrize("number", range(len(OTHERS)))
def test_a_solution_of_another_question_is_refused(number: int, tmp_path: Path) -> None:
    """Regret beside it would be no regret: it was -0.54 once, and called proven."""
    others, why = OTHERS[number]
    solution = bellmino.solve("baby", OBJECTIVE, **others)
    solution.save(tmp_path / "other.table")
    for other in (solution, bellmino.Solution.open(tmp_path / "other.table")):
        with pytest.raises(ValueError, match=why):
            bellmino.regret(first_legal, "baby", OBJECTIVE, batch=True, solution=other)
        with pytest.raises(ValueError, match=why):
            gymnasium.make("Bellmino/Baby-v0", oracle=other)
        with pytest.raises(ValueError, match=why):
            gymnasium.make_vec("Bellmino/Baby-v0", num_envs=2, vectorization_mode="vector_entry_point", oracle=other)


def test_regret_needs_the_same_objective_and_start() -> None:
    for other in ("discounted:0.5", "horizon:12", "average"):
        with pytest.raises(ValueError, match=f"solved for {other}, and asked is discounted:0.9"):
            bellmino.regret(first_legal, "baby", OBJECTIVE, batch=True, solution=bellmino.solve("baby", other))
    with pytest.raises(ValueError, match="from another board"):
        bellmino.regret(first_legal, "baby", OBJECTIVE, batch=True, solution=bellmino.solve("baby", OBJECTIVE, from_="###."))
    dealt = bellmino.solve("baby", "discounted:0.90")
    assert bellmino.regret(first_legal, "baby", OBJECTIVE, batch=True, solution=dealt).regret > 5


def test_a_dealer_that_was_given_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "worst.table"
    bellmino.solve("baby", OBJECTIVE, dealer="worst", output=table)
    given = bellmino.solve("baby", OBJECTIVE, dealer=f"table:{table}")
    with pytest.raises(ValueError, match="a given dealer"):
        bellmino.regret(first_legal, "baby", OBJECTIVE, batch=True, solution=given)
    with pytest.raises(ValueError, match="a given dealer"):
        gymnasium.make("Bellmino/Baby-v0", oracle=given)
