"""Requests as functions. Made by `bellmino schema --python`, which a test compares; do not edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bellmino._ask import Callback, GameLike, PathLike, asked
from bellmino._progress import Progress


def analyse(
    input: str,
    *,
    queue: str | None = None,
    hold: str | None = None,
    goal: str = "blitz",
    bag: str | None = None,
    back_to_back: bool = False,
    combo: int = 0,
    pieces: int = 0,
    lines: int = 0,
    score: int | None = None,
    move: int | None = None,
    top: int = 5,
    objective: str | None = None,
    nodes: int | None = None,
    think_ms: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Show the best placements of a position, or the mistakes of a game.

    `input`: A record of a game, or a board: a fumen, a file, or rows from the top such as "##........ /
        ####.#####".
    `queue`: The current piece and the next ones (of a board).
    `hold`: The held piece (of a board).
    `goal`: What the game of a board is about.
    `bag`: The pieces left in the bag after the queue (guideline games) [default: unknown].
    `back_to_back`: The last clear keeps back-to-back alive (guideline games).
    `combo`: Clears in a row so far (guideline games).
    `pieces`: Pieces placed so far (guideline games).
    `lines`: Rows cleared so far (guideline games).
    `score`: Points made so far (guideline games); the expected result counts them.
    `move`: Only this move of the record, counted from 1.
    `top`: How many placements to show.
    `objective`: What the exact losses in a placement game are of: discounted:L, horizon:N (pieces),
        total, average or survive [default: total if it is finite, else average].
    `nodes`: Placements the bot looks at for each move; the same number gives the same result
        everywhere.
    `think_ms`: Milliseconds of processor time the bot thinks about each move.
    """
    return asked("analyse", locals())


def best(
    game: GameLike,
    queue: str,
    *,
    set: str | Iterable[str] | None = None,
    board: str = "empty",
    held: str | None = None,
    player: str | None = None,
    top: int = 5,
    dealt: str | None = None,
    bag: str | None = None,
    back_to_back: bool = False,
    combo: int = 0,
    pieces: int = 0,
    lines: int = 0,
    score: int | None = None,
    nodes: int | None = None,
    think_ms: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Find the best placements of a position, by any player.

    `game`: A built-in game, or the path of a TOML file.
    `queue`: The current piece and the next ones: letters such as TIO, in placement games names apart by
        commas.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `board`: The board: rows from the top apart by /, in guideline games also a fumen or a file.
    `held`: The held piece.
    `player`: Who chooses [default: bot in guideline games; placement games need one, such as table:FILE
        or weights:NAME].
    `top`: How many placements to show.
    `dealt`: The pieces dealt before, apart by commas, where a table of a placement game needs them: a
        bag, an order.
    `bag`: The pieces left in the bag after the queue (guideline games) [default: unknown].
    `back_to_back`: The last clear keeps back-to-back alive (guideline games).
    `combo`: Clears in a row so far (guideline games).
    `pieces`: Pieces placed so far (guideline games).
    `lines`: Rows cleared so far (guideline games).
    `score`: Points made so far (guideline games); the expected result counts them.
    `nodes`: Placements the bot looks at for each move; the same number gives the same result
        everywhere.
    `think_ms`: Milliseconds of processor time the bot thinks about each move.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    return asked("best", locals())


def calibrate(
    goal: str,
    *,
    positions: int = 1000,
    times: int = 1,
    run: PathLike = "runs/calibration",
    check: bool = False,
    start: PathLike | None = None,
    output: PathLike | None = None,
    plot: PathLike | None = None,
    nodes: int | None = None,
    think_ms: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Fit the bot's forecasts to what came of playing on, or check them.

    `goal`: What the games that the forecasts are for are about.
    `positions`: Positions from games of each player.
    `times`: Play on from each position so many times, with other pieces every time: what came of it is
        their mean.
    `run`: Keep the positions and what came of them in this folder, and take from it what is there
        already.
    `check`: Check forecasts instead of fitting them; take another seed than they were fitted with.
    `start`: The forecasts to check, or to take the numbers of the other game from [default: the shipped
        ones].
    `output`: Where the fitted forecasts go; a command prints them when absent.
    `plot`: Draw expected and real results into this SVG file.
    `nodes`: Placements the bot looks at for each move; the same number gives the same result
        everywhere.
    `think_ms`: Milliseconds of processor time the bot thinks about each move.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    return asked("calibrate", locals())


def compare(
    game: GameLike,
    players: str | Iterable[str],
    *,
    set: str | Iterable[str] | None = None,
    games: int | None = None,
    pieces: int | None = None,
    dealer: str | None = None,
    nodes: int | None = None,
    think_ms: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Compare two players on the same pieces: who is better, by how much, and how sure that is.

    `game`: A built-in game, or the path of a TOML file.
    `players`: A, and then B: players by the names that `evaluate` takes. Give it twice.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `games`: Games for each player [default: 1000].
    `pieces`: Stop a game after this many pieces; it counts as unfinished.
    `dealer`: Who deals in placement games: random, or table:FILE for a dealer solved before [default:
        random].
    `nodes`: Placements the bot looks at for each move; the same number gives the same result
        everywhere.
    `think_ms`: Milliseconds of processor time the bot thinks about each move.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    return asked("compare", locals())


def endurance(
    game: GameLike,
    players: str | Iterable[str],
    *,
    set: str | Iterable[str] | None = None,
    climbs: int = 1000,
    runs: int = 10,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Tell how many lines a player makes per loss, also where losses are too rare to wait for.

    `game`: A built-in game, or the path of a TOML file.
    `players`: Who plays: weights:NAME-OR-FILE, tuples:FILE or any other player of placement games.
        Repeat it for several.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `climbs`: Climbs that must succeed at each level in each run: four times as many halve the interval.
    `runs`: Runs, which are independent of each other; the interval follows from how far they differ.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    return asked("endurance", locals())


def evaluate(
    game: GameLike,
    players: str | Iterable[str],
    *,
    set: str | Iterable[str] | None = None,
    games: int | None = None,
    pieces: int | None = None,
    dealer: str | None = None,
    losses: int | None = None,
    nodes: int | None = None,
    think_ms: int | None = None,
    keys: bool = False,
    discount: float | None = None,
    plot: PathLike | None = None,
    tables: PathLike | None = None,
    format: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Play many games and print statistics.

    `game`: A built-in game, or the path of a TOML file.
    `players`: Who plays: random, random-rotation, lowest, lowest-bottom, fewest-holes,
        weights:NAME-OR-FILE (see `bellmino weights`), tuples:FILE, table:FILE; in guideline games also bot,
        bot:DEPTH (looks DEPTH pieces ahead), bot:keys or bot:FILE. Repeat it to compare players on
        identical pieces.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `games`: Games for each player [default: 1000].
    `pieces`: Stop a game after this many pieces; it counts as unfinished.
    `dealer`: Who deals in placement games: random, or table:FILE for a dealer solved before [default:
        random].
    `losses`: Play, instead of a number of games, until this many are lost: the interval of lines per
        loss narrows with it.
    `nodes`: Placements the bot looks at for each move; the same number gives the same result
        everywhere.
    `think_ms`: Milliseconds of processor time the bot thinks about each move.
    `keys`: Also count key presses: the fewest for each placement, hold and hard drop included
        (guideline games).
    `discount`: Also give the score discounted by this factor per piece.
    `plot`: Draw how the results of each player are distributed, with mean and interval, into this SVG
        file.
    `tables`: Write every game and every move into two tables in this folder, `games` and `moves`.
    `format`: How tables are written: parquet or csv [default: parquet].
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    return asked("evaluate", locals())


def export(
    game: GameLike,
    output: PathLike,
    objective: str | None = None,
    *,
    set: str | Iterable[str] | None = None,
    preview: int = 0,
    from_: str | None = None,
    memory: str | None = None,
    format: str = "drn",
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Write a game out for other solvers: Storm or PRISM.

    `game`: A built-in game, or the path of a TOML file.
    `output`: The file to write; for PRISM, its name without the ending.
    `objective`: What is maximised: discounted:L, horizon:N (pieces), total, average (per piece) or
        survive [default of solve: total, or average where the total is infinite].
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `preview`: How many pieces beyond the current one the player knows.
    `from_`: Start from this board instead of the empty one: rows of # and . from the top, apart by /,
        or `empty`.
    `memory`: The most memory to use, such as 600MiB or 12GiB [default: most of what is free].
    `format`: Storm's explicit format (drn), or PRISM's explicit files .tra, .trew, .lab (prism).
    """
    return asked("export", locals())


def features(
    *,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """List the features that weights are for, and the named sets of them.

    """
    return asked("features", locals())


def fumen(
    input: str,
    *,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Turn a fumen into text, or text or a record into a fumen.

    `input`: A fumen (`v115@...`, or an address that contains one) to read, or a file to write as a
        fumen: pages of text or a record of a game; `-` is stdin.
    """
    return asked("fumen", locals())


def games(
    game: GameLike | None = None,
    *,
    set: str | Iterable[str] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """List the built-in games, or print one as TOML with every default written out.

    `game`: A built-in game, or the path of a TOML file.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    """
    return asked("games", locals())


def hunt(
    game: GameLike,
    *,
    set: str | Iterable[str] | None = None,
    dealer: str | None = None,
    width: int = 1000,
    pieces: int | None = None,
    seconds: float | None = None,
    values: PathLike | None = None,
    learn: int = 0,
    learn_width: int = 100,
    lag: int = 8,
    jitter: int = 256,
    keep_values: PathLike | None = None,
    output: PathLike | None = None,
    resume: bool = False,
    save_every: float = 300.0,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Search for a long game against a dealer without chance, such as those of HATETRIS.

    `game`: A built-in game, or the path of a TOML file.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `dealer`: The dealer, instead of the game's: mild, hatetris, brzustowski, burgiel or lovetris.
    `width`: Wells that are kept of each number of pieces.
    `pieces`: End after so many pieces [default: when every well has died, or after 100,000].
    `seconds`: End after so many seconds.
    `values`: Judge wells by values that were learned before, instead of by features made by hand.
    `learn`: First learn values in so many searches, each judged by what the ones before have learned.
    `learn_width`: Wells that are kept while learning.
    `lag`: So many pieces later a well is judged by what came of it.
    `jitter`: Chance in the judgement while learning, in 1/256 of a row.
    `keep_values`: Keep what was learned.
    `output`: Write the best game so far as keys; FILE.part is the search on its way.
    `resume`: Go on with FILE.part of an interrupted search; needs an output.
    `save_every`: Save FILE.part every so many seconds.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    return asked("hunt", locals())


def pc(
    board: str,
    *,
    queue: str = "",
    hold: str | None = None,
    no_hold: bool = False,
    bag: str | None = None,
    rows: int | None = None,
    tetris: bool = False,
    all: bool = False,
    back_to_back: bool = False,
    nodes: int = 20000000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Find perfect clears, or how likely they are.

    `board`: The board: a fumen, a file, or rows from the top such as "##........ / ####.#####"; "empty"
        is the empty board.
    `queue`: The current piece and the next ones.
    `hold`: The held piece.
    `no_hold`: Never hold.
    `bag`: The pieces left in the bag after the queue [default: what the queue leaves of its last
        seven].
    `rows`: Rows to clear [default: the fewest that pieces can fill exactly, from 2; on the empty board
        4].
    `tetris`: Only clears of four rows at once by the last piece.
    `all`: List every solution, the most points first.
    `back_to_back`: The last clear keeps back-to-back alive.
    `nodes`: Placements to look at, at most.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    return asked("pc", locals())


def perft(
    game: GameLike,
    depth: int | None = None,
    *,
    set: str | Iterable[str] | None = None,
    queue: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Count every way a game can go, move by move.

    `game`: A built-in game, or the path of a TOML file.
    `depth`: How many placements deep (placement games).
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `queue`: The pieces to place one after the other, without hold (guideline games; `guideline` is the
        plain one).
    """
    return asked("perft", locals())


def play(
    game: GameLike,
    player: str | None = None,
    *,
    set: str | Iterable[str] | None = None,
    dealer: str | None = None,
    index: int = 0,
    pieces: int | None = None,
    record: PathLike | None = None,
    nodes: int | None = None,
    think_ms: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Play one game and show it move by move.

    `game`: A built-in game, or the path of a TOML file.
    `player`: Who plays: random, random-rotation, lowest, lowest-bottom, fewest-holes,
        weights:NAME-OR-FILE (see `bellmino weights`), tuples:FILE, table:FILE; in guideline games also bot,
        bot:DEPTH (looks DEPTH pieces ahead), bot:keys or bot:FILE. People play in the lab: `bellmino lab`.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `dealer`: Who deals in placement games: random, or table:FILE for a dealer solved before [default:
        random].
    `index`: Which game of the seed: game number I of `evaluate` with the same seed, from 0.
    `pieces`: Stop after this many pieces [default: 1000, or as many as a table was solved for].
    `record`: Write a record of the game into this file.
    `nodes`: Placements the bot looks at for each move; the same number gives the same result
        everywhere.
    `think_ms`: Milliseconds of processor time the bot thinks about each move.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    """
    return asked("play", locals())


def replay(
    keys: str,
    *,
    dealer: str | None = None,
    game: GameLike = "hatetris",
    set: str | Iterable[str] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Play a game that is written down as keys, such as a replay of HATETRIS, and tell what came of it.

    `keys`: The keys, or a file of them: letters (LRDU), hexadecimal or base2048.
    `dealer`: The dealer, instead of the game's.
    `game`: A game whose pieces are moved by keys: built-in, or the path of a TOML file.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.width=6.
    """
    return asked("replay", locals())


def resume(
    run: str,
    *,
    output: PathLike | None = None,
    plot: PathLike | None = None,
    confirm: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    callback: Callback = None,
) -> dict[str, Any]:
    """Go on with a run of train or tune where it stopped, as it was begun.

    `run`: The name of the run in `runs`, or the path of its folder: all else is there.
    `output`: Where the weights go; a command prints them when absent.
    `plot`: Draw the learning curve into this SVG file at the end.
    `confirm`: Then play on the real board until this many games are lost.
    `callback`: Called with each step of the learning curve; when it gives `False`, training stops with what it has.
    """
    return asked("resume", locals())


def solve(
    game: GameLike,
    objective: str | None = None,
    *,
    set: str | Iterable[str] | None = None,
    preview: int = 0,
    from_: str | None = None,
    memory: str | None = None,
    dealer: str = "random",
    placer: str = "best",
    player: str | None = None,
    hold: bool = False,
    view: str = "grid",
    reward: str | None = None,
    epsilon: float | None = None,
    method: str = "auto",
    max_sweeps: int | None = None,
    losses: int | None = None,
    reached: bool = False,
    state: str | None = None,
    piece: str | None = None,
    dealt: str | None = None,
    held: str | None = None,
    then: str | None = None,
    distribution: bool = False,
    unit: str | None = None,
    output: PathLike | None = None,
    policy: PathLike | None = None,
    resume: bool = False,
    save_every: float = 5.0,
    changes: bool = False,
    deltas: bool = False,
    never_clear: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Solve a small game exactly, with a proven error bound.

    `game`: A built-in game, or the path of a TOML file.
    `objective`: What is maximised: discounted:L, horizon:N (pieces), total, average (per piece) or
        survive [default of solve: total, or average where the total is infinite].
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `preview`: How many pieces beyond the current one the player knows.
    `from_`: Start from this board instead of the empty one: rows of # and . from the top, apart by /,
        or `empty`.
    `memory`: The most memory to use, such as 600MiB or 12GiB [default: most of what is free].
    `dealer`: Who deals: random, worst (answers the placement), worst-before (names the next piece
        before it), mixed:E, or table:FILE.
    `placer`: Who places: best, or average over all placements.
    `player`: Evaluate this player exactly instead of the best: random, lowest, fewest-holes,
        weights:NAME, tuples:FILE, table:FILE (random-rotation and lowest-bottom draw lots: `evaluate` plays
        them).
    `hold`: The player can put one piece aside.
    `view`: What the player sees of a board: grid, heights or contour.
    `reward`: Maximise this instead of the score, such as lines=1,height=0.5,score=1,gaps=2.
    `epsilon`: The wanted proven bound on the value [default: 1e-9 times max(1, |value|)].
    `method`: How: auto, value, modified or policy (iteration), or plain, the textbook's value iteration
        from 0, whose changes `deltas` lists; auto improves the policy in one sweep, evaluates it in some
        more, and goes through the boards in an order that carries values several steps ahead.
    `max_sweeps`: Stop after so many sweeps over all boards, with the bound that is proven then.
    `losses`: Also say where the player loses what the best one makes: the N states with the largest
        expected loss, drawn.
    `reached`: Explore only the boards that the player reaches: its value from the start, the same,
        often with far fewer boards; the counts and the mean are those of these boards.
    `state`: Show every placement on this board with its exact value, the best drawn and first; needs a
        piece. `empty` is the empty board.
    `piece`: The piece to place in that state; with a preview, or a dealer who names the next one, those
        after it, apart by commas.
    `dealt`: The pieces dealt before it, apart by commas, where they matter: a bag, an order.
    `held`: The piece put aside in that state.
    `then`: A second question about all players that are as good as the best: the best and the worst
        that they can make of it. An objective (discounted:L, horizon:N, total, pieces, variance), and after
        a comma its dealer if that is another.
    `distribution`: The whole distribution of what is made: of total until the game ends, of horizon:N
        over N pieces; of the best player with its ties to the first, or of the player that is given.
    `unit`: What is counted in the distribution: score, lines or pieces [default: score].
    `output`: Write the solution as a table, to be used as table:FILE.
    `policy`: Write what to do in every state as CSV: board, piece, the best placement (rotation,
        column, row) and the value; under a horizon for every number of pieces left.
    `resume`: Go on with the unfinished FILE.part of an interrupted run; needs an output.
    `save_every`: Save FILE.part every so many minutes while solving.
    `changes`: Also list the largest change of each improving sweep.
    `deltas`: List the largest change of a state in each sweep, as a textbook does; needs the method
        plain.
    `never_clear`: Full rows score but never leave, over all boards of the grid: the model of seed 000's
        first runs; with an output its values are written, to play the game as it is by them (table:FILE).
    """
    return asked("solve", locals())


def tables(
    *,
    records: str | Iterable[str] | None = None,
    output: PathLike | None = None,
    format: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """Turn records, or the games of the lab, into tables of games and moves.

    `records`: Records, as `play --record` and the lab write them.
    `output`: The folder for the tables.
    `format`: How tables are written: parquet or csv [default: parquet].
    """
    return asked("tables", locals())


def train(
    method: str,
    game: GameLike,
    *,
    set: str | Iterable[str] | None = None,
    features: str | None = None,
    output: PathLike | None = None,
    plot: PathLike | None = None,
    run: str | None = None,
    resume: bool = False,
    low: int | None = None,
    confirm: int = 0,
    seed: int = 0,
    start: str | None = None,
    scale: float | None = None,
    population: int | None = None,
    generations: int | None = None,
    games: int | None = None,
    varying: bool | None = None,
    no_racing: bool | None = None,
    cap: int | None = None,
    goal: float | None = None,
    aim: str | None = None,
    path: str | None = None,
    elites: int | None = None,
    retain: int | None = None,
    noise: str | None = None,
    diagonal: bool | None = None,
    episodes: int | None = None,
    steps: int | None = None,
    discount: float | None = None,
    rate: float | None = None,
    rate_episodes: float | None = None,
    absolute: bool | None = None,
    curiosity: float | None = None,
    exploration_decay: float | None = None,
    reward_height: float | None = None,
    reward_holes: float | None = None,
    reward_score: float | None = None,
    reward_loss: float | None = None,
    unscaled: bool | None = None,
    normalised: bool | None = None,
    runs: int | None = None,
    iterations: int | None = None,
    states: int | None = None,
    horizon: int | None = None,
    rollouts: int | None = None,
    length: int | None = None,
    value_features: str | None = None,
    windows: str | Iterable[str] | None = None,
    moves: int | None = None,
    trace: float | None = None,
    reach: int | None = None,
    every_piece: bool | None = None,
    units: int | None = None,
    temperature: float | None = None,
    holes: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
    callback: Callback = None,
) -> dict[str, Any]:
    """Find the weights of a controller.

    `method`: cem (Noisy cross-entropy: draw weights, keep the best, fit the next distribution to them),
        cma-es (Covariance matrix adaptation), snes (Separable natural evolution strategy), td (Temporal
        differences: n-step semi-gradient learning of a value), cbmpi (Classification-based modified policy
        iteration: rollouts, a classifier by CMA-ES, a value by regression), tuples (A value over windows of
        the board, by temporal differences from nothing: the player tuples:FILE).
    `game`: A built-in game, or the path of a TOML file.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `features`: Features: a set (dellacherie, dt8, dt9, bertsekas, lee, contour, report, radial,
        surface, blitz, fewest-keys), single ones, or a comma-separated list of both.
    `output`: Where the weights go; a command prints them when absent.
    `plot`: Draw the learning curve into this SVG file at the end.
    `run`: Keep configuration, learning curve and checkpoints in runs/NAME (or in the folder of this
        path).
    `resume`: Go on with this run where it stopped; the request must be the same, or only its name: see
        `bellmino resume`.
    `low`: Learn on a board of this height and less work; 0 keeps the game's own [default: 10 where it
        is higher, for td and tuples the game's own].
    `confirm`: Then play on the real board until this many games are lost (guideline games: this many
        games to their end), and note the result in the weights.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    `start`: For cem, cma-es, snes: Weights to start from: a built-in controller or a file; features it
        does not have start at 0. For cbmpi: Weights of the first policy: a built-in controller or a file
        [default: random ones].
    `scale`: For cem, cma-es, snes: Standard deviation of the first generation [default: 10, or a tenth
        of the largest weight to start from].
    `population`: For cem, cma-es, snes: Candidates in a generation [default: 60 in guideline games, 100
        for cem, else 4 + 3 ln(features)]. For cbmpi: Candidates in a generation of the search for the
        policy [default: 20].
    `generations`: For cem, cma-es, snes: Generations [default: 25; in guideline games 60]. For cbmpi:
        Generations of the search for the policy [default: 40].
    `games`: For cem, cma-es, snes: Games for each candidate; all candidates of a generation get the
        same pieces [default: 16; in guideline games 1]. For td: With several runs: games that measure each
        controller learned [default: 100]. For cbmpi: Games that measure each of the five policies of an
        iteration [default: 400].
    `varying`: For cem, cma-es, snes: Fewer games as the elite gets better: half as many for every
        factor of ten.
    `no_racing`: For cem, cma-es, snes: Every candidate plays all its games, however bad it is.
    `cap`: For cem, cma-es, snes: Stop a game after this many pieces: at first, and more when half the
        games of the elite reach it; in guideline games always [default: 1000; blitz 70, sprint none]. For
        td: Stop an episode after this many pieces [default: 20000].
    `goal`: For cem, cma-es, snes: Stop when the elite is worth this much on average.
    `aim`: For cem, cma-es, snes: What is maximised: lines or score per lost game; in guideline games
        score, score-with-drops (points for drops included), few pieces or few keys [default: lines; sprint
        pieces, blitz score].
    `path`: For cem, cma-es, snes: Guideline games: look at straight drops only (drop), or at all
        placements (all) [default: drop for sprint, else all].
    `elites`: For cem: Candidates that fit the next distribution [default: 10].
    `retain`: For cem: Elites that take part in the next generation too [default: 0].
    `noise`: For cem: Noise on the variances: none, constant:Z, or decreasing:Z:T for max(Z -
        generation/T, 0) [default: decreasing:5:5].
    `diagonal`: For cem: Only variances, no correlations.
    `episodes`: For td: Games to learn from [default: 50].
    `steps`: For td: Rewards looked ahead [default: 1]. For tuples: Steps; the learning curve has a row
        for each [default: 100].
    `discount`: For td: What the next reward is worth compared with this one [default: 0.9]. For cbmpi:
        What the value of the board at the end of a rollout is multiplied by for each piece of the rollout
        [default: 0.99]. For tuples: What the next points are worth compared with these; below 1 where games
        may never end [default: 1, with units 0.99].
    `rate`: For td: Learning rate of the first episode [default: 0.1]. For tuples: The part of an error
        that is corrected at once while errors agree; of units how far they follow the gradient [default: 1,
        with units 0.0003].
    `rate_episodes`: For td: The learning rate in episode k is A exp(-k / C) [default: 20.0].
    `absolute`: For td: Take the learning rate as it is, not relative to the squared length of the
        features.
    `curiosity`: For td: A random placement is taken with probability E / (1 + C ln k); this is E
        [default: 0.0]. For tuples: The probability of any placement instead of the best; one game in
        sixteen goes without, for the learning curve [default: 0.02].
    `exploration_decay`: For td: A random placement is taken with probability E / (1 + C ln k); this is
        C: the larger, the sooner it explores less [default: 10.0].
    `reward_height`: For td: Reward for a fall of the mean height by 1 [default: 1.0].
    `reward_holes`: For td: Reward for one hole less [default: 1.0].
    `reward_score`: For td: Reward for a point [default: 0.0].
    `reward_loss`: For td: Price of losing the game [default: 0.0].
    `unscaled`: For td: Features as they are, not divided by the most they can be.
    `normalised`: For td: Keep the length of the weight vector at 1.
    `runs`: For td: Learn this many times, with seeds S, S + 1, ..., and give the mean learning curve
        with intervals [default: 1].
    `iterations`: For cbmpi: How often the policy is improved [default: 16].
    `states`: For cbmpi: Sampled states per iteration [default: 16000].
    `horizon`: For cbmpi: States are those of games of this many pieces; all heights of a game are
        equally likely [default: 200].
    `rollouts`: For cbmpi: Rollouts for each placement in a state [default: 1].
    `length`: For cbmpi: Pieces in a rollout [default: 30].
    `value_features`: For cbmpi: Features of the value of a board [default:
        row-transitions,column-transitions,holes,cumulative-wells,hole-depth,rows-with-holes,pattern-diversity,radial,max-height,constant].
    `windows`: For tuples: The windows, columns x rows, such as 3x5,5x3; each has a table at every place
        of the board [default: 3x5,5x3 on boards of at most 6x6, else 4x4].
    `moves`: For tuples: Moves in a step [default: 100000].
    `trace`: For tuples: How much the surprise of each later move counts, compared with the move before;
        0 for the next one alone [default: 0, with units 0.55].
    `reach`: For tuples: The most moves whose surprises count [default: 8].
    `every_piece`: For tuples: Learn from all pieces that may come, by their probability, not only from
        the one that comes: less chance, more work.
    `units`: For tuples: Instead of windows so many units over the outline of the board: heights,
        differences of neighbours, holes.
    `temperature`: For tuples: With units: placements by lot, each e times as likely as one that is
        worth less by this; it falls to a fiftieth over all steps [default: 0.5].
    `holes`: For tuples: With units: a placement brings exp(-holes / H) instead of its points; 0 for the
        points [default: 33].
    `callback`: Called with each step of the learning curve; when it gives `False`, training stops with what it has.
    """
    return asked("train", locals())


def tune(
    game: GameLike,
    *,
    set: str | Iterable[str] | None = None,
    start: PathLike | None = None,
    method: str = "fit",
    pieces: int = 360,
    games: int = 48,
    nodes: int = 10000,
    population: int = 20,
    generations: int = 4,
    share: float = 0.35,
    least: float = 15.0,
    steps: int = 14,
    rate: float = 0.3,
    output: PathLike | None = None,
    plot: PathLike | None = None,
    run: str | None = None,
    resume: bool = False,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    callback: Callback = None,
) -> dict[str, Any]:
    """Train the evaluation of the look-ahead bot on whole games.

    `game`: A built-in game, or the path of a TOML file.
    `set`: Override a value of the game: a dotted key and a TOML value, such as board.height=5.
    `start`: Weights to start from [default: the shipped ones for the game].
    `method`: How weights are found. fit: play, fit what boards were worth to their features, go a part
        of the way there, and again. snes: a separable natural evolution strategy on the points of whole
        games. network: judge positions at the end of the search by another search, fit a small network to
        that, and again.
    `pieces`: Pieces of a game.
    `games`: Games of a generation, for each candidate if there are several; all candidates get the same
        pieces.
    `nodes`: Placements the bot looks at for each move.
    `population`: For snes: candidates in a generation.
    `generations`: Generations.
    `share`: How far a weight is expected to move, as a share of it.
    `least`: How far it is expected to move besides, in points.
    `steps`: For fit: the points of this many pieces count for what a board was worth.
    `rate`: For fit: the part of the way to the fitted weights that is gone.
    `output`: Where the weights go; a command prints them when absent.
    `plot`: Draw the learning curve into this SVG file at the end.
    `run`: Keep configuration, learning curve and checkpoints in runs/NAME (or in the folder of this
        path).
    `resume`: Go on with this run where it stopped; the request must be the same, or only its name: see
        `bellmino resume`.
    `seed`: Seed of everything random: the same seed gives the same result on any number of threads.
    `callback`: Called with each step of the learning curve; when it gives `False`, training stops with what it has.
    """
    return asked("tune", locals())


def weights(
    name: str | None = None,
    *,
    threads: int | None = None,
    progress: Progress = None,
) -> dict[str, Any]:
    """List the built-in weights, the learned players, or print some as the file that they are.

    `name`: Built-in weights to print as the file that they are; all are listed when absent.
    """
    return asked("weights", locals())
