// A game that is watched: one or two boards on the same pieces, and the clockwork that moves them.

import { fittingCell } from "./board.js";
import { plot } from "./chart.js";
import { button, count, fill, h, iconButton, inLine } from "./dom.js";
import { titleOf } from "./players.js";
import { Seat } from "./seat.js";
import { request } from "./socket.js";

// Placements per second for each place of the slider.
const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 200];

/** The place of the slider at the beginning. */
export const FIRST_SPEED = 3;

// How often the race is drawn anew, in milliseconds.
const RACE_PAUSE = 400;

const TONES = ["var(--accent)", "var(--warn)"];

/**
 * One or two boards. `wanted` has `game`, `players`, `seed`, `speed` (a place of the slider) and `thoughts`, and is
 * looked at all the time; `parts` are the elements for the boards (`stage`), the controls (`bar`), the race and what
 * is to be said (`note`).
 */
export class Show {
  constructor(wanted, parts) {
    Object.assign(this, { wanted, ...parts, seats: [], playing: true, stopped: false, at: 0, raced: 0 });
  }

  get speed() {
    return SPEEDS[this.wanted.speed];
  }

  get thoughts() {
    return this.wanted.thoughts;
  }

  /** What the result of this game is counted in: few pieces until the goal, or points. */
  get isRace() {
    return Boolean(this.game.goal?.lines);
  }

  async open() {
    const { game: name, players, seed } = this.wanted;
    fill(this.race);
    const { session, game } = await request("watch-open", { game: name, players, seed }, (place) => {
      if (!this.stopped) this.note.textContent = inLine(place);
    });
    this.session = session;
    this.game = game;
    if (this.stopped) return this.stop();
    this.human = players[0] === "human";
    this.stage.classList.toggle("two-seats", players.length > 1);
    const cell = this.cell(players.length);
    this.seats = players.map((player, side) => new Seat(this, player, side, cell));
    fill(
      this.stage,
      this.seats.map((seat) => seat.element),
    );
    const other = game.kind === "guideline" ? "; turning on brings the other piece at hand" : "";
    const fingers = matchMedia("(pointer: coarse)").matches;
    this.note.textContent = this.human
      ? fingers
        ? `Touch the board to aim, and again to place. Turn with the button${other}.`
        : `Point and click to place. Turn with the right button, the wheel or R${other}. ` +
          "Or use the arrow keys and Enter."
      : fingers
        ? ""
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

  /** How large a cell is, so that everything has room. */
  cell(players) {
    const { game } = this;
    const narrow = innerWidth < 900;
    const wide =
      (narrow ? innerWidth - 24 : Math.min(innerWidth - 40, 1760) - 270) / (narrow ? 1 : players) -
      (narrow ? 110 : players > 1 ? 156 : 176) -
      (game.kind === "guideline" ? (narrow ? 80 : players > 1 ? 92 : 110) : 0);
    return fittingCell(game.width, game.height + 1, {
      most: game.width > 6 ? 64 : 110,
      // Whoever has little room scrolls.
      high: Math.max(300, innerHeight - (narrow ? 240 : 170)),
      wide,
      least: 7,
    });
  }

  /** Moves on as far as the time since the last frame allows. */
  turn(now) {
    const passed = (now - this.last) / 1000;
    this.last = now;
    if (this.human) return;
    if (this.playing) this.at += Math.min(passed, 0.25) * this.speed;
    const end = Math.max(...this.seats.map((seat) => (seat.ended ? seat.moves.length : Infinity)));
    this.at = Math.min(this.at, end);
    if (this.playing && this.at >= end) this.pause(true);
    let ready = Infinity;
    this.at = Math.max(this.at, ...this.seats.map((seat) => seat.moves.oldest));
    for (const seat of this.seats) {
      seat.show(this.at);
      if (!seat.ended) ready = Math.min(ready, seat.moves.length);
    }
    // Never ahead of what is known.
    this.at = Math.min(this.at, Number.isFinite(ready) ? ready + 0.999 : end);
    this.drawRace(now, this.at >= end);
  }

  /** How the two are doing, piece by piece. */
  drawRace(now, over) {
    const key = `${Math.floor(this.at)} ${over}`;
    if (this.seats.length < 2 || key === this.racedAt || (now - this.raced < RACE_PAUSE && !over)) return;
    this.raced = now;
    this.racedAt = key;
    const series = this.seats.map((seat, index) => {
      const way = seat.moves.until(Math.floor(this.at));
      const points = way.map(({ pieces, lines, score }) => [pieces, this.isRace ? lines : score]);
      return { label: titleOf(seat.name), colour: TONES[index], points: [[0, 0], ...points] };
    });
    fill(
      this.race,
      h("h2", {}, "The race"),
      plot({
        series,
        width: 760,
        height: 190,
        xLabel: "pieces placed",
        yLabel: this.isRace ? "lines cleared" : "points",
        label: `How the two are doing: ${this.tally()}`,
      }),
      over ? h("p", { role: "status", "data-race": "over" }, `${this.winner()} `) : null,
    );
  }

  /** The results of the boards as they are. */
  tally() {
    return this.seats
      .map((seat) => {
        const last = seat.moves.get(Math.min(Math.floor(this.at), seat.moves.length) - 1);
        return `${titleOf(seat.name)} ${count(this.isRace ? last?.lines : last?.score)}`;
      })
      .join(", ");
  }

  /** Who has won this game, in words. */
  winner() {
    const results = this.seats.map((seat) => {
      const { last } = seat.moves;
      const reached = /^goal/.test(seat.ended ?? "");
      // In a race whoever does not get there has no result.
      return this.isRace ? (reached ? -last.pieces : -Infinity) : (last?.score ?? 0);
    });
    const [first, second] = results;
    const shown = results.map((result) =>
      this.isRace ? (Number.isFinite(result) ? `${count(-result)} pieces` : "not there") : count(result),
    );
    if (first === second) return `A draw: ${shown.join(" to ")}.`;
    const best = first > second ? 0 : 1;
    const name = this.seats[best].name;
    const wins = name === "human" ? "You win" : `${titleOf(name)} wins`;
    return `${wins} this game: ${shown[best]} to ${shown[1 - best]}.`;
  }

  redraw() {
    for (const seat of this.seats) seat.shown = -1;
  }

  pause(paused) {
    this.playing = !paused;
    this.redraw();
    this.drawBar();
  }

  step(by) {
    this.pause(true);
    this.at = Math.max(0, Math.floor(this.at) + by);
  }

  drawBar() {
    if (this.human) {
      const chooser = () => this.seats[0]?.chooser;
      fill(
        this.bar,
        button("←", () => chooser()?.shift(-1), { "aria-label": "One to the left" }),
        button("→", () => chooser()?.shift(1), { "aria-label": "One to the right" }),
        button("Turn", () => chooser()?.turn(1)),
        button("Place", () => chooser()?.take(), { class: "primary" }),
      );
      return;
    }
    // The button that was pressed keeps the focus when it is drawn anew.
    const focused = [...this.bar.children].indexOf(document.activeElement);
    const text = () => `${this.speed} per second`;
    fill(
      this.bar,
      iconButton("first", "To the start", () => {
        this.pause(true);
        this.at = 0;
        if (this.seats.some((seat) => seat.moves.oldest))
          this.note.textContent = "Of so long a game only the last moves are kept: here they begin.";
      }),
      iconButton("back", "One back", () => this.step(-1)),
      iconButton(this.playing ? "pause" : "play", this.playing ? "Pause" : "Go on", () => this.pause(this.playing), {
        class: "primary",
      }),
      iconButton("next", "One forward", () => this.step(1)),
      h(
        "label",
        { class: "row small soft speed" },
        "Speed",
        h("input", {
          type: "range",
          min: 0,
          max: SPEEDS.length - 1,
          step: 1,
          value: this.wanted.speed,
          style: { width: "130px" },
          "aria-label": "Placements per second",
          "aria-valuetext": text(),
          oninput: (event) => {
            this.wanted.speed = Number(event.target.value);
            event.target.nextSibling.textContent = text();
            event.target.setAttribute("aria-valuetext", text());
            this.redraw();
          },
        }),
        h("span", { class: "num", style: { "min-width": "9em" } }, text()),
      ),
    );
    if (focused >= 0) this.bar.children[focused]?.focus();
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

  /** The machine plays on alone when the person is done, so that the results can be compared. */
  async finish() {
    const [, machine] = this.seats;
    if (!machine) return;
    while (!machine.ended && !this.stopped && machine.moves.length < 2000) {
      await machine.more(200);
      machine.show(machine.moves.length);
    }
    if (!this.stopped) this.note.textContent = this.winner();
  }

  stop() {
    this.stopped = true;
    cancelAnimationFrame(this.frame);
    if (this.session !== undefined) request("watch-close", { session: this.session }).catch(() => {});
    this.session = undefined;
  }
}
