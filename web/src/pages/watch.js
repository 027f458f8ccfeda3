// Watch: machines at play on any game, one or two on the same pieces, or a person against a machine.

import { BoardView, fittingCell, pieceView } from "../board.js";
import { Chooser } from "../chooser.js";
import { button, choose, count, field, fill, h, iconButton, inLine, pageHead, toggle } from "../dom.js";
import { gameChoices, gameOf, pieceOf } from "../games.js";
import { on, request, tell } from "../socket.js";

const NAMES = {
  human: "You",
  random: "random",
  lowest: "lowest landing",
  "fewest-holes": "fewest holes",
  exact: "the exact best",
  bot: "the bot",
  "bot:quick": "the bot, quick",
  "bot:strong": "the bot, strong",
};
const playerName = (player) => NAMES[player] ?? player.replace(/^(weights|run):/, "");

// Placements per second for each place of the slider.
const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 200];

const kept = { game: "sprint", first: "bot", second: "", seed: 1, speed: 3, thoughts: true };

export default function watchPage(main, lab, part, room, player) {
  if (part === "live") return spectate(main, lab, Number(room));
  if (part === "play") Object.assign(kept, { game: room, first: player, second: "" });
  let show = null;
  const stage = h("div", { class: "tables" });
  const bar = h("div", { class: "stage-head" });
  const note = h("p", { class: "soft small stage-note", role: "status" });
  const live = h("div");
  const side = h("div", { class: "stack" });

  const start = async () => {
    show?.stop();
    show = new Show(stage, bar, note);
    await show.open().catch((error) => {
      note.textContent = error.message;
    });
  };
  const seed = h("input", {
    type: "number",
    min: 0,
    max: 2 ** 31,
    step: 1,
    value: kept.seed,
    onchange: (event) => {
      kept.seed = Math.max(0, Math.floor(Number(event.target.value) || 0));
      start();
    },
  });
  const build = () => {
    const game = gameOf(lab, kept.game) ?? lab.games[0];
    const players = game.players.map((player) => [player, playerName(player)]);
    if (kept.first.startsWith("run:")) players.push([kept.first, playerName(kept.first)]);
    const best = ["bot", "exact", "weights:dellacherie"].find((player) => game.players.includes(player));
    if (kept.first !== "human" && !players.some(([player]) => player === kept.first)) kept.first = best;
    if (kept.second && !players.some(([player]) => player === kept.second))
      kept.second = kept.first === "human" ? best : "";
    fill(
      side,
      h(
        "div",
        { class: "panel stack" },
        field(
          "Game",
          choose(gameChoices(lab.games), kept.game, (value) => {
            kept.game = value;
            build();
            start();
          }),
        ),
        field(
          "Player",
          Object.assign(
            choose([...players, ["human", "You"]], kept.first, (value) => {
              kept.first = value;
              start();
            }),
            { id: "watch-player" },
          ),
        ),
        field(
          "Against, on the same pieces",
          choose([["", "nobody"], ...players], kept.second, (value) => {
            kept.second = value;
            start();
          }),
        ),
        field("Seed of the pieces", seed),
        h(
          "div",
          { class: "row" },
          button("New pieces", () => {
            kept.seed = seed.value = Math.floor(Math.random() * 1e6);
            start();
          }),
          button("Play against it", () => {
            kept.second = kept.first === "human" ? kept.second || players[0][0] : kept.first;
            kept.first = "human";
            build();
            start();
          }),
        ),
        toggle("Show what it considers", kept.thoughts, (thoughts) => {
          kept.thoughts = thoughts;
          show?.redraw();
        }),
      ),
      live,
    );
  };
  build();
  fill(
    main,
    pageHead("Watch", "Machines at play: alone, two on the same pieces, or one against you."),
    h("div", { class: "bench" }, side, h("div", {}, bar, stage, note)),
  );
  start();
  const look = async () => {
    const rooms = await request("rooms").catch(() => []);
    fill(
      live,
      rooms.length
        ? h(
            "div",
            { class: "panel stack" },
            h("h3", {}, "Being played now"),
            rooms.map(({ room, mode }) =>
              h("a", { href: `#/watch/live/${room}` }, `${mode[0].toUpperCase()}${mode.slice(1)}, room ${room}`),
            ),
          )
        : null,
    );
  };
  look();
  const looking = setInterval(look, 2000);
  const keys = (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey)
      return;
    show?.key(event);
  };
  addEventListener("keydown", keys);
  return () => {
    removeEventListener("keydown", keys);
    clearInterval(looking);
    show?.stop();
  };
}

/** Looks on while somebody plays. */
function spectate(main, lab, room) {
  const { width, height } = lab.games.find(({ timed }) => timed);
  const view = new BoardView({
    width,
    height,
    above: 0.8,
    cell: fittingCell(width, height + 0.8, { high: innerHeight - 170, wide: innerWidth - 200 }),
    label: "The board of the player",
  });
  const hold = h("div", { class: "piece-box" }),
    next = h("div", { class: "next" }),
    facts = h("dl", { class: "facts small" }),
    note = h("p", { class: "warn", role: "status" });
  fill(
    main,
    pageHead(`Room ${room}`, "Looking on while somebody plays."),
    h(
      "div",
      { class: "table", style: { "justify-content": "center" } },
      view.element,
      h(
        "div",
        { class: "aside" },
        h("div", { class: "box" }, h("h3", {}, "Hold"), hold),
        h("div", { class: "box" }, facts),
        h("div", { class: "box" }, h("h3", {}, "Next"), next),
        note,
      ),
    ),
  );
  view.draw({ board: [] });
  const stopFrames = on("play", ({ view: shown, phase, mode }) => {
    const game = gameOf(lab, mode);
    const active = shown.active && phase !== "over" ? { cells: shown.cells, colour: shown.active.piece } : null;
    view.draw({
      board: shown.rows,
      active,
      ghost: active && { cells: shown.ghost, colour: active.colour },
      dim: phase === "over" || phase === "paused",
    });
    fill(hold, pieceOf(game, shown.hold, 18, [4, 2], shown.hold_spent));
    fill(
      next,
      shown.queue.map((piece) => pieceOf(game, piece, 18, [4, 2.6])),
    );
    fill(
      facts,
      [
        ["Score", shown.stats.score],
        ["Lines", shown.stats.lines],
        ["Pieces", shown.stats.pieces],
      ].flatMap(([text, value]) => [h("dt", {}, text), h("dd", {}, count(value))]),
    );
    note.textContent = phase === "over" ? "The game is over." : phase === "paused" ? "Paused." : "";
  });
  const stopEnd = on("play-end", () => {
    note.textContent = "The player has left.";
  });
  request("spectate", { room }).catch((error) => {
    note.textContent = error.message;
  });
  return () => {
    stopFrames();
    stopEnd();
    tell("spectate-end");
  };
}

/** One or two boards and the clockwork that moves them. */
class Show {
  constructor(stage, bar, note) {
    Object.assign(this, { stage, bar, note, seats: [], playing: true, stopped: false, at: 0 });
  }

  async open() {
    const names = [kept.first, kept.second].filter(Boolean);
    const wanted = { game: kept.game, players: names, seed: kept.seed };
    const { session, game } = await request("watch-open", wanted, (place) => {
      if (!this.stopped) this.note.textContent = inLine(place);
    });
    this.session = session;
    this.game = game;
    if (this.stopped) return this.stop();
    this.human = names[0] === "human";
    const narrow = innerWidth < 900;
    const wide =
      (narrow ? innerWidth - 24 : Math.min(innerWidth - 40, 1200) - 270) / (narrow ? 1 : names.length) -
      (narrow ? 110 : names.length > 1 ? 156 : 176) -
      (game.kind === "guideline" ? (narrow ? 80 : names.length > 1 ? 92 : 110) : 0);
    this.stage.classList.toggle("two-seats", names.length > 1);
    const cell = fittingCell(game.width, game.height + 1, {
      most: game.width > 6 ? 30 : 64,
      high: innerHeight - (narrow ? 240 : 250),
      wide,
      least: 11,
    });
    this.seats = names.map((name, side) => new Seat(this, name, side, cell));
    fill(
      this.stage,
      this.seats.map((seat) => seat.element),
    );
    const other = game.kind === "guideline" ? "; turning on brings the other piece at hand" : "";
    this.note.textContent = this.human
      ? `Point and click to place. Turn with the right button, the wheel or R${other}. Or use the arrow keys and Enter.`
      : "Space pauses, ← and → step.";
    this.drawBar();
    if (this.human) await this.seats[0].ask();
    this.last = performance.now();
    const tick = (now) => {
      if (this.stopped) return;
      this.frame = requestAnimationFrame(tick);
      this.turn(now);
    };
    this.frame = requestAnimationFrame(tick);
  }

  /** Moves on as far as the time since the last frame allows. */
  turn(now) {
    const passed = (now - this.last) / 1000;
    this.last = now;
    if (this.human) return;
    if (this.playing) this.at += Math.min(passed, 0.25) * SPEEDS[kept.speed];
    const end = Math.max(...this.seats.map((seat) => (seat.ended ? seat.moves.length : Infinity)));
    this.at = Math.min(this.at, end);
    if (this.playing && this.at >= end) this.pause(true);
    let ready = Infinity;
    for (const seat of this.seats) {
      seat.show(this.at);
      if (!seat.ended) ready = Math.min(ready, seat.moves.length);
    }
    // Never ahead of what is known.
    this.at = Math.min(this.at, Number.isFinite(ready) ? ready + 0.999 : end);
  }

  redraw() {
    for (const seat of this.seats) seat.shown = -1;
  }

  pause(paused) {
    this.playing = !paused;
    this.drawBar();
  }

  step(by) {
    this.pause(true);
    this.at = Math.max(0, Math.floor(this.at) + by);
  }

  drawBar() {
    const speed = SPEEDS[kept.speed];
    if (this.human) {
      fill(this.bar);
      return;
    }
    fill(
      this.bar,
      iconButton("first", "To the start", () => {
        this.pause(true);
        this.at = 0;
      }),
      iconButton("back", "One back", () => this.step(-1)),
      iconButton(this.playing ? "pause" : "play", this.playing ? "Pause" : "Go on", () => this.pause(this.playing), {
        class: "primary",
      }),
      iconButton("next", "One forward", () => this.step(1)),
      h(
        "label",
        { class: "row small soft", style: { "margin-left": "12px" } },
        "Speed",
        h("input", {
          type: "range",
          min: 0,
          max: SPEEDS.length - 1,
          step: 1,
          value: kept.speed,
          style: { width: "130px" },
          "aria-label": "Placements per second",
          oninput: (event) => {
            kept.speed = Number(event.target.value);
            event.target.nextSibling.textContent = `${SPEEDS[kept.speed]} per second`;
          },
        }),
        h("span", { class: "num", style: { "min-width": "9em" } }, `${speed} per second`),
      ),
    );
  }

  key(event) {
    if (this.human) {
      if (this.seats[0]?.chooser?.key(event)) event.preventDefault();
      return;
    }
    const act = {
      Space: () => this.pause(this.playing),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
    }[event.code];
    if (act && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      act();
    }
  }

  /** After the person's move the machine makes its own. */
  async answer() {
    for (const seat of this.seats.slice(1)) {
      await seat.more(1);
      seat.show(seat.moves.length);
    }
  }

  stop() {
    this.stopped = true;
    cancelAnimationFrame(this.frame);
    if (this.session !== undefined) request("watch-close", { session: this.session }).catch(() => {});
    this.session = undefined;
  }
}

/** One board with its player. */
class Seat {
  constructor(show, name, side, cell) {
    const { game } = show;
    Object.assign(this, { show_: show, name, side, moves: [], ended: null, loading: false, shown: -1 });
    this.guideline = game.kind === "guideline";
    this.view = new BoardView({
      width: game.width,
      height: game.height,
      above: 1,
      cell,
      label: `The board of ${playerName(name)}`,
    });
    this.hold = h("div", { class: "piece-box" });
    this.next = h("div", { class: "next" });
    this.thoughts = h("ol", { class: "candidates num" });
    this.clear = h("p", { class: "small", style: { color: "var(--accent)", "min-height": "1.4em" } });
    this.piece = h("div");
    this.facts = h("dl", { class: "facts small" });
    this.score = h("div", { class: "big", "data-score": side });
    this.end = h("p", { class: "small warn", role: "status" });
    const score = h("div", { class: "box" }, h("h3", {}, "Score"), this.score, this.facts);
    const thoughts = name === "human" ? null : this.thoughts;
    this.element = h(
      "section",
      { class: "table", "aria-label": playerName(name), "data-side": side },
      h(
        "div",
        { class: "aside" },
        h("h2", {}, playerName(name)),
        score,
        h(
          "div",
          { class: "box" },
          h("h3", {}, this.guideline ? "Hold" : name === "human" ? "Your piece" : "Piece"),
          this.guideline ? this.hold : this.piece,
        ),
        thoughts,
        this.clear,
        this.end,
      ),
      this.view.element,
      this.guideline
        ? h("div", { class: "aside narrow" }, h("div", { class: "box" }, h("h3", {}, "Next"), this.next))
        : null,
    );
    this.draw(null, []);
  }

  /** Asks the lab for more moves. */
  async more(wanted = 40) {
    if (this.loading || this.ended || this.name === "human") return;
    this.loading = true;
    try {
      const what = { session: this.show_.session, side: this.side, count: wanted };
      const moves = await request("watch-moves", what, (place) => {
        // Only if there is nothing to show meanwhile.
        if (this.moves.length <= this.show_.at) this.end.textContent = inLine(place);
      });
      this.end.textContent = "";
      this.moves.push(...moves);
      if (moves.length === 0) this.ended = "no place for the next piece";
      if (moves.length === 0 && this.moves.at(-1)?.end) this.ended = this.moves.at(-1).end;
      if (moves.at(-1)?.end) this.ended = moves.at(-1).end;
    } catch (error) {
      if (!this.show_.stopped) this.end.textContent = error.message;
    }
    this.loading = false;
  }

  /** Draws the board as it is after `at` placements; the fraction shows the next piece before it lands. */
  show(at) {
    const whole = Math.floor(at);
    if (this.moves.length - whole < 60 && !this.show_.human) this.more(SPEEDS[kept.speed] > 20 ? 200 : 40);
    const before = this.moves[Math.min(whole, this.moves.length) - 1];
    const move = this.moves[whole];
    const phase = move && at - whole > 0.35 ? "placed" : "before";
    const key = `${whole} ${phase} ${this.moves.length > whole} ${this.ended !== null}`;
    if (key === this.shown) return;
    this.shown = key;
    this.draw(move && phase === "placed" ? move : null, before?.board ?? [], before, move);
  }

  draw(active, board, before, next) {
    const over = this.ended && !next;
    const fatal = over && before?.fatal ? before : null;
    const considered = kept.thoughts && next ? (next.candidates ?? []) : [];
    const outlines = active
      ? []
      : considered
          .map(({ cells }, index) => ({
            cells,
            tone: index ? "--soft" : "--good",
            dashed: index > 0,
            label: String(index + 1),
          }))
          .reverse();
    this.view.draw({
      board,
      active: active ?? fatal,
      flash: active?.cleared,
      dim: over,
      outlines: this.show_.playing && SPEEDS[kept.speed] > 4 ? [] : outlines,
    });
    fill(
      this.thoughts,
      considered.length ? h("li", { class: "soft", style: { color: "var(--soft)" } }, "considers") : null,
      considered.map(({ value }, index) =>
        h("li", {}, h("span", {}, index + 1), h("span", {}, count(value, Math.abs(value) < 1000 ? 1 : 0))),
      ),
    );
    if (this.guideline) {
      const { hold, queue } = this.atHand ?? before ?? {};
      fill(this.hold, pieceOf(this.show_.game, hold, 16, [4, 2]));
      fill(
        this.next,
        [...(queue ?? "")]
          .slice(0, 6)
          .map((piece, index) => pieceOf(this.show_.game, piece, index ? 13 : 18, [4, index ? 2.5 : 3])),
      );
      this.clear.textContent = before?.clear ?? "";
    }
    const shown = next ?? (over ? null : this.waiting);
    fill(
      this.piece,
      shown ? pieceView(normal(shown.cells), shown.colour, 20, [4, 3]) : h("span", { class: "soft" }, "–"),
    );
    this.score.textContent = count(before?.score, before && before.score % 1 ? 1 : 0);
    fill(
      this.facts,
      [
        ["Lines", before?.lines],
        ["Pieces", before?.pieces],
      ].flatMap(([text, value]) => [h("dt", {}, text), h("dd", {}, count(value))]),
    );
    const finished = over && before?.kept ? h("a", { href: `#/analyse/${before.kept}` }, "Analyse it") : null;
    const lost = over && before?.not_kept ? `It was not kept: ${before.not_kept}` : null;
    fill(this.end, over ? `Game over: ${this.ended}. ` : null, finished, lost);
  }

  /** Lets the person choose. */
  async ask() {
    const options = await request("watch-options", { session: this.show_.session, side: this.side });
    const board = this.moves.at(-1)?.board ?? [];
    if (options.end) {
      this.ended = options.end;
      this.draw(null, board, this.moves.at(-1));
      this.finish();
      return;
    }
    this.waiting = { cells: options.options[0].cells, colour: options.colour };
    this.atHand = this.guideline ? options : null;
    this.draw(null, board, this.moves.at(-1));
    this.chooser ??= new Chooser(this.view, (option) => this.place(option));
    this.chooser.offer(board, options.options, options.colour);
  }

  async place(option) {
    this.chooser.offer([], [], "G");
    const move = await request("watch-place", { session: this.show_.session, side: this.side, option });
    this.moves.push(move);
    if (move.end) this.ended = move.end;
    await this.show_.answer();
    if (move.end) {
      this.waiting = null;
      this.draw(null, move.board, move);
      this.finish();
    } else {
      await this.ask();
    }
  }

  /** The machine plays on alone when the person is done, so that the scores can be compared. */
  async finish() {
    const [, machine] = this.show_.seats;
    if (!machine) return;
    while (!machine.ended && !this.show_.stopped && machine.moves.length < 2000) {
      await machine.more(200);
      machine.show(machine.moves.length);
    }
    const [mine, its] = [this.moves.at(-1)?.score ?? 0, machine.moves.at(-1)?.score ?? 0];
    const name = playerName(machine.name);
    const verdict = mine > its ? "You win" : mine < its ? `${name[0].toUpperCase()}${name.slice(1)} wins` : "A draw";
    this.show_.note.textContent = `${verdict}: ${count(mine)} to ${count(its)}${machine.ended ? "" : " and counting"}.`;
  }
}

function normal(cells) {
  const least = (axis) => Math.min(...cells.map((cell) => cell[axis]));
  return cells.map(([x, y]) => [x - least(0), y - least(1)]);
}
