// Play: a timed game that the lab owns. Keys go out with their time; the page draws what comes back.

import { BoardView, fittingCell } from "../board.js";
import { button, clock, count, fill, h, iconButton } from "../dom.js";
import { gameOf, pieceOf } from "../games.js";
import { keyName, listen } from "../keys.js";
import { ACTIONS, settings } from "../settings.js";
import { labTime, on, request, tell } from "../socket.js";

const GAME_KEYS = new Set(["left", "right", "soft-drop", "hard-drop", "counter", "clockwise", "half", "hold"]);

/** Times from key press to painted frame, in milliseconds, for measurement. */
export const latencies = [];
window.bellminoLatencies = latencies;

export default function play(main, lab, mode = "sprint", start = null) {
  const game = gameOf(lab, mode);
  if (!game?.timed) throw new Error(`there is no timed game "${mode}"`);
  readable(start);
  document.title = `${game.label} · Bellmino`;
  return new Game(main, game, start).leave;
}

/** Whether the address has a position, if it has anything. */
function readable(start) {
  let setup = null;
  try {
    setup = start === null ? {} : JSON.parse(start);
  } catch {
    // Said below.
  }
  if (setup === null || typeof setup !== "object") throw new Error("what follows the game is no position");
}

/** How keys repeat, and whether half turns are wanted: a key for them says so. */
function hands() {
  return { ...settings().handling, half: Boolean(settings().keys.half) };
}

/** A seed of 32 bits, so that it can be read out and typed. */
function newSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

class Game {
  constructor(main, game, start) {
    Object.assign(this, {
      main,
      game,
      practice: game.practice,
      frame: null,
      asked: undefined,
      sent: new Map(),
      number: 0,
      dirty: false,
      clearUntil: 0,
    });
    this.build();
    const stopKeys = listen((action, down, time) => this.key(action, down, time));
    const stopFrames = on("play", (frame) => this.take(frame));
    const resize = () => this.resize();
    const hide = () => document.hidden && this.pause(true);
    addEventListener("resize", resize);
    document.addEventListener("visibilitychange", hide);
    // The clock shows tenths of a second. A frame is asked for only when there is something new: a page that draws all
    // the time gets the lab's answer to a key only after its next frame, a whole frame later.
    const ticking = setInterval(() => {
      if (this.frame?.phase === "playing" || performance.now() < this.clearUntil + 200) this.ask();
    }, 100);
    this.leave = () => {
      cancelAnimationFrame(this.asked);
      clearInterval(ticking);
      stopKeys();
      stopFrames();
      removeEventListener("resize", resize);
      document.removeEventListener("visibilitychange", hide);
      tell("play-close");
    };
    const setup = start ? JSON.parse(start) : null;
    request("play-open", { mode: game.name, seed: newSeed(), hands: hands(), setup })
      .then(({ room }) => {
        this.room = room;
        this.main.dataset.room = room;
      })
      .catch((error) => {
        this.overlay.hidden = false;
        fill(this.overlay, h("p", { class: "bad" }, error.message));
      });
  }

  build() {
    const { width, height, goal } = this.game;
    this.view = new BoardView({ width, height, above: 0.8, cell: this.cell(), label: "Your board" });
    this.overlay = h("div", { class: "overlay" });
    this.view.element.append(this.overlay);
    this.hold = h("div", { class: "piece-box" });
    this.holdLabel = h("h3", {}, "Hold");
    this.next = h("div", { class: "next" });
    this.time = h("div", { class: "big", "data-stat": "time" });
    this.lines = h("div", { class: "big", "data-stat": "lines" });
    this.facts = h("dl", { class: "facts small" });
    this.clear = h("p", { class: "clear-text", role: "status", "data-stat": "clear" });
    this.streak = h("p", { class: "small soft" });
    this.notice = h("p", { class: "small warn", role: "status", "data-stat": "notice" });
    this.side = h("div", { class: "play-side stack" });
    fill(
      this.main,
      h("h1", { class: "visually-hidden" }, this.game.label),
      h(
        "div",
        { class: "play" },
        h(
          "div",
          { class: "play-left" },
          h("div", { class: "box" }, this.holdLabel, this.hold),
          h("div", { class: "box" }, h("h3", {}, goal.seconds ? "Time left" : "Time"), this.time),
          h("div", { class: "box" }, h("h3", {}, goal.lines ? "Lines left" : "Lines"), this.lines),
          h("div", { class: "box" }, this.facts),
          h("div", { class: "box clear-box" }, this.clear, this.streak),
        ),
        this.view.element,
        h("div", { class: "play-right" }, h("div", { class: "box" }, h("h3", {}, "Next"), this.next)),
        this.side,
      ),
    );
    this.buildSide();
    if (this.practice) this.paintable();
  }

  buildSide() {
    const { keys } = settings();
    const shown = ACTIONS.filter(([action]) => keys[action] && (this.practice || !/undo|redo/.test(action)));
    this.undo = iconButton("undo", "Undo", () => tell("undo"));
    this.redo = iconButton("redo", "Redo", () => tell("redo"));
    fill(
      this.side,
      h(
        "div",
        { class: "row" },
        h("h2", { style: { flex: 1 } }, this.game.label),
        iconButton("pause", "Pause", () => this.pause(this.frame?.phase !== "paused")),
        iconButton("restart", "Restart", () => this.restart()),
        this.practice ? [this.undo, this.redo] : null,
      ),
      this.practice ? this.tools() : null,
      this.notice,
      h(
        "div",
        { class: "box keys-box" },
        h(
          "table",
          { class: "small keys" },
          h(
            "tbody",
            {},
            shown.map(([action, text]) =>
              h("tr", {}, h("td", {}, text), h("td", { class: "num" }, h("kbd", {}, keyName(keys[action])))),
            ),
          ),
        ),
        h(
          "p",
          { class: "small", style: { "margin-top": "6px" } },
          h("a", { href: "#/settings" }, "Change keys and handling"),
        ),
      ),
    );
  }

  /** What Practice has more. */
  tools() {
    this.queue = h("input", {
      "aria-label": "Queue: the piece in play and the next ones",
      placeholder: "IOTLJSZ",
      maxlength: 60,
      spellcheck: false,
      autocapitalize: "characters",
      class: "num",
      style: { flex: 1, "min-width": 0 },
      onkeydown: (event) => {
        if (event.key === "Enter") this.editQueue();
      },
    });
    this.fumen = h("input", {
      "aria-label": "Fumen",
      placeholder: "v115@…",
      spellcheck: false,
      class: "num",
      style: { flex: 1, "min-width": 0 },
    });
    return h(
      "div",
      { class: "box stack", style: { gap: "8px" } },
      h("p", { class: "small soft" }, "Draw on the board to fill or empty cells."),
      h(
        "div",
        { class: "row", style: { "flex-wrap": "nowrap" } },
        this.queue,
        button("Set queue", () => this.editQueue()),
      ),
      h(
        "div",
        { class: "row", style: { "flex-wrap": "nowrap" } },
        this.fumen,
        button("Open", () => this.openFumen(), { title: "Open the pasted fumen" }),
        button("Copy", () => this.copyFumen(), { title: "Copy the position as fumen" }),
      ),
      h(
        "div",
        { class: "row" },
        button("Empty the board", () => this.edit({ board: [] })),
      ),
    );
  }

  /** Asks for the next frame, once. */
  ask() {
    this.asked ??= requestAnimationFrame((now) => {
      this.asked = undefined;
      this.paint(now);
    });
  }

  cell() {
    const narrow = innerWidth < 760;
    return fittingCell(this.game.width, this.game.height + 0.8, {
      most: 34,
      least: 12,
      wide: narrow ? innerWidth - 220 : 520,
      high: innerHeight - (narrow ? 150 : 100),
    });
  }

  resize() {
    this.view.resize(this.cell());
    this.dirty = true;
    this.ask();
  }

  // Keys

  key(action, down, time) {
    if (action === "pause") {
      if (down) this.pause(this.frame?.phase !== "paused");
    } else if (action === "restart") {
      if (down) this.restart();
    } else if (action === "undo" || action === "redo") {
      if (down && this.practice) tell(action);
    } else if (GAME_KEYS.has(action)) {
      if (down && this.frame?.phase === "paused") this.pause(false);
      const number = ++this.number;
      if (down) this.sent.set(number, time);
      tell("key", { key: action, down, at: labTime(time), number });
    }
  }

  pause(paused) {
    tell("pause", { paused });
  }

  restart() {
    tell("restart", { seed: newSeed(), hands: hands() });
  }

  // Editing

  /** Sends the position with some parts changed. */
  edit(parts) {
    const { view } = this.frame;
    const queue = [view.active?.piece, ...view.queue].filter(Boolean).join("");
    tell("edit", { setup: { board: view.rows, queue, hold: view.hold ?? "", ...parts } });
  }

  editQueue() {
    this.edit({ queue: this.queue.value.toUpperCase() });
    this.queue.blur();
  }

  async openFumen() {
    try {
      const setup = await request("fumen-read", { text: this.fumen.value.trim() });
      const { view } = this.frame;
      this.edit({
        board: setup.board,
        queue: setup.queue || [view.active?.piece, ...view.queue].filter(Boolean).join(""),
        hold: setup.hold ?? "",
      });
      this.fumen.blur();
    } catch (error) {
      this.notice.textContent = error.message;
    }
  }

  async copyFumen() {
    const { view } = this.frame;
    try {
      const { text } = await request("fumen-write", {
        board: view.rows,
        queue: [view.active?.piece, ...view.queue].filter(Boolean).join(""),
        hold: view.hold,
      });
      this.fumen.value = text;
      this.fumen.select();
      await navigator.clipboard?.writeText(text);
      this.notice.textContent = "Copied.";
    } catch (error) {
      this.notice.textContent = error.message;
    }
  }

  paintable() {
    const { canvas } = this.view;
    const { width, height } = this.game;
    let stroke = null;
    const touch = (event) => {
      const at = this.view.cellAt(event);
      if (!at || !this.frame) return;
      const [x, y] = at;
      stroke ??= {
        rows: Array.from({ length: height }, (_, row) => [...(this.frame.view.rows[row] ?? ".".repeat(width))]),
        fill: null,
      };
      stroke.fill ??= stroke.rows[y][x] === ".";
      stroke.rows[y][x] = stroke.fill ? "G" : ".";
      this.stroke = stroke.rows.map((row) => row.join(""));
      this.dirty = true;
      this.ask();
    };
    canvas.style.touchAction = "none";
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      touch(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (stroke) touch(event);
    });
    canvas.addEventListener("pointerup", () => {
      if (!stroke) return;
      this.edit({ board: this.stroke });
      stroke = null;
      this.stroke = null;
    });
  }

  // Drawing

  take(frame) {
    if (this.room !== undefined && frame.room !== this.room) return;
    const before = this.frame;
    this.frame = frame;
    this.received = performance.now();
    this.dirty = true;
    this.ask();
    if (frame.view.last_clear && JSON.stringify(frame.view.last_clear) + frame.view.stats.pieces !== this.clearKey) {
      this.clearKey = JSON.stringify(frame.view.last_clear) + frame.view.stats.pieces;
      if (
        before &&
        frame.view.stats.pieces > before.view.stats.pieces &&
        (frame.view.stats.lines > before.view.stats.lines || frame.view.stats.score > before.view.stats.score)
      )
        this.clearUntil = this.received + 1800;
    }
    if (frame.notice || before?.notice) this.notice.textContent = frame.notice;
    if (frame.phase !== before?.phase || frame.end) this.showPhase();
    if (frame.view.stats.pieces === 0) this.clearUntil = 0;
  }

  paint(now) {
    if (!this.frame) return;
    const { view, phase, left } = this.frame;
    const passed = phase === "playing" ? Math.max(0, now - this.received) : 0;
    const time = view.time + passed;
    // What is left is rounded up to the next tenth of a second.
    this.time.textContent =
      left.milliseconds === null ? clock(time) : clock(Math.max(0, left.milliseconds - passed) + (passed ? 99 : 0));
    const seconds = Math.max(time, 1) / 1000;
    if (now > (this.factsAt ?? 0) || this.dirty) {
      this.factsAt = now + 100;
      const rate = (value) => (phase === "ready" ? "0.00" : count(value / seconds, 2));
      const rows = [
        ["Score", count(view.stats.score)],
        ["Pieces", count(view.stats.pieces)],
        ["Pieces/s", rate(view.stats.pieces)],
        ["Keys/s", rate(view.presses)],
      ];
      if (this.factsText !== String(rows)) {
        this.factsText = String(rows);
        fill(
          this.facts,
          rows.flatMap(([text, value]) => [h("dt", {}, text), h("dd", { "data-stat": text.toLowerCase() }, value)]),
        );
      }
    }
    this.clear.textContent = now < this.clearUntil ? (view.last_clear_text ?? "") : "";
    if (!this.dirty) return;
    this.dirty = false;
    this.view.draw({
      board: this.stroke ?? view.rows,
      active: phase === "over" || !view.active ? null : { cells: view.cells, colour: view.active.piece },
      ghost: phase === "over" || !view.active || this.stroke ? null : { cells: view.ghost, colour: view.active.piece },
      dim: phase === "over" || phase === "paused",
    });
    this.lines.textContent = left.lines ?? view.stats.lines;
    const holdKey = `${view.hold} ${view.hold_spent}`;
    if (holdKey !== this.holdKey) {
      this.holdKey = holdKey;
      fill(this.hold, pieceOf(this.game, view.hold, 20, [4, 2], view.hold_spent));
      this.hold.dataset.piece = view.hold ?? "";
      this.holdLabel.className = view.hold_spent ? "spent" : "";
      this.holdLabel.textContent = view.hold_spent ? "Hold · used" : "Hold";
    }
    if (String(view.queue) !== this.queueKey) {
      this.queueKey = String(view.queue);
      fill(
        this.next,
        view.queue.map((piece) => pieceOf(this.game, piece, 20, [4, 2.6])),
      );
      this.next.dataset.pieces = view.queue.join("");
      if (this.queue && document.activeElement !== this.queue)
        this.queue.value = [view.active?.piece, ...view.queue].filter(Boolean).join("");
    }
    this.streak.textContent = this.frame.streak;
    this.undo.disabled = this.frame.undo === 0;
    this.redo.disabled = this.frame.redo === 0;
    Object.assign(this.main.dataset, {
      phase,
      pieces: view.stats.pieces,
      lineCount: view.stats.lines,
      piece: view.active?.piece ?? "",
    });
    this.main.dataset.cells = JSON.stringify(view.cells);
    this.main.dataset.ghost = JSON.stringify(view.ghost);
    this.measure();
  }

  /** Notes how long the keys of this frame took; the message arrives when the frame has been painted. */
  measure() {
    const done = [...this.sent].filter(([number]) => number <= this.frame.heard);
    if (done.length === 0) return;
    for (const [number] of done) this.sent.delete(number);
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      for (const [, time] of done) latencies.push(performance.now() - time);
      if (latencies.length > 1000) latencies.splice(0, 500);
    };
    channel.port2.postMessage(0);
  }

  showPhase() {
    const { phase, view } = this.frame;
    this.overlay.hidden = phase === "playing" || (phase === "ready" && view.rows.length > 0);
    this.overlay.classList.toggle("wide", phase === "over");
    if (phase === "ready") {
      const { keys } = settings();
      fill(
        this.overlay,
        h("h2", {}, this.game.label),
        h("p", {}, this.game.aim),
        h(
          "p",
          { class: "row", style: { "justify-content": "center" } },
          ["left", "right", "counter", "clockwise", "hard-drop", "hold"].map((action) =>
            h("kbd", { title: ACTIONS.find(([key]) => key === action)[1] }, keyName(keys[action])),
          ),
        ),
        h("p", { class: "small soft" }, "The first key starts the clock."),
      );
    } else if (phase === "paused") {
      fill(
        this.overlay,
        h("h2", {}, "Paused"),
        h("p", { class: "soft" }, "Any game key goes on."),
        button("Go on", () => this.pause(false), { class: "primary" }),
      );
    } else if (phase === "over") {
      this.showEnd(view);
    }
  }

  showEnd(view) {
    const { end, left } = this.frame;
    if (!end) return;
    const isRace = this.game.ranked === "time";
    const seconds = Math.max(view.time, 1) / 1000;
    const { stats } = view;
    const facts = [
      ["Time", clock(view.time)],
      ["Score", count(stats.score)],
      ["Drop points", count(stats.drop_points)],
      ["Lines", count(stats.lines)],
      ["Pieces", count(stats.pieces)],
      ["Pieces per second", count(stats.pieces / seconds, 2)],
      ["Keys per second", count(view.presses / seconds, 2)],
      ["Keys per piece", count(view.presses / Math.max(1, stats.pieces), 2)],
      ["Longest combo", end.longest_combo],
      ["Perfect clears", stats.perfect_clears],
      ...end.clears.map(([name, number]) => [name[0].toUpperCase() + name.slice(1), number]),
    ];
    const value = (game) => (isRace ? clock(game.milliseconds) : count(game.score));
    fill(
      this.overlay,
      h("h2", { "data-end": view.outcome }, end.title),
      h(
        "div",
        { class: "big end-value" },
        !isRace
          ? `${count(stats.score)} points`
          : view.outcome === "goal"
            ? clock(view.time)
            : `${left.lines} lines left`,
      ),
      h(
        "p",
        { class: `small ${end.trouble ? "bad" : "soft"}`, role: "status", "data-saved": end.saved ? "yes" : "no" },
        end.trouble
          ? `Not saved: ${end.trouble}. The lab goes on trying; do not end it.`
          : end.saved
            ? "Saved."
            : "Saving …",
      ),
      end.is_best ? h("p", { class: "good", style: { "font-weight": 700 } }, "New personal best!") : null,
      h(
        "div",
        { class: "end-columns" },
        h(
          "dl",
          { class: "facts small" },
          facts.flatMap(([text, number]) => [h("dt", {}, text), h("dd", {}, number)]),
        ),
        end.bests.length
          ? h(
              "div",
              {},
              h("h3", {}, "Personal bests"),
              h(
                "ol",
                { class: "small num bests" },
                end.bests.map((game) => h("li", { class: game.id === end.game ? "good" : "" }, value(game))),
              ),
            )
          : null,
      ),
      h(
        "div",
        { class: "row", style: { "justify-content": "center" } },
        button(["Play again ", h("kbd", {}, keyName(settings().keys.restart))], () => this.restart(), {
          class: "primary",
        }),
        this.practice ? button("Undo", () => tell("undo")) : null,
        end.game ? h("a", { class: "button", href: `#/analyse/${end.game}` }, "Analyse") : null,
        h("a", { class: "button", href: "#/" }, "Menu"),
      ),
    );
  }
}
