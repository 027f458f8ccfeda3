// Play: a timed game that the lab owns. Keys go out with their time; the page draws what comes back.

import { BoardView, fittingCell } from "../board.js";
import { button, count, fill, h, iconButton, stopwatch } from "../dom.js";
import { gameOf, pieceOf } from "../games.js";
import { signOf } from "../keyboard.js";
import { keyName, listen } from "../keys.js";
import { Advice } from "../play/advice.js";
import { Duel } from "../play/duel.js";
import { endCard } from "../play/end.js";
import { paceLine } from "../play/pace.js";
import { Tools } from "../play/practice.js";
import { pauseCard, showCard, startCard } from "../play/start.js";
import { mayMove, settings, watch } from "../settings.js";
import { labTime, on, request, state, tell } from "../socket.js";
import { sound } from "../sound.js";
import { gestures, hasFingers, ownTouches, touchButtons } from "../touch.js";

const GAME_KEYS = new Set(["left", "right", "soft-drop", "hard-drop", "counter", "clockwise", "half", "hold"]);

/** Times from key press to painted frame, in milliseconds, for measurement. */
export const latencies = [];
window.bellminoLatencies = latencies;

// The rooms that this page has left, and the connection of that time: another lab counts its rooms anew.
const left = new Map();

/** Whether this page has left a room: its game waits there, and nobody plays it. */
export function isLeft(room) {
  return left.get(room) === state.lostAt;
}

export default function play(main, lab, mode = "sprint", start = null) {
  const game = gameOf(lab, mode);
  if (!game?.timed) throw new Error(`there is no timed game "${mode}"`);
  document.title = `${game.label} · Bellmino`;
  return new Game(main, game, start).leave;
}

/** How keys repeat, and whether half turns are wanted: a key for them says so. */
function hands(game) {
  const { handling, keys, practice } = settings();
  return { ...handling, half: keys.half.length > 0, gravity: !game.practice || practice.gravity };
}

/** A seed of 32 bits, so that it can be read out and typed. */
function newSeed() {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}

const seatKey = (address) => `bellmino-seat ${address}`;

/** The name of this tab's seat at a game: it finds its game again after a reload, or when it comes back. */
function seatAt(address) {
  const key = seatKey(address);
  const known = sessionStorage.getItem(key);
  const seat =
    known ?? [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem(key, seat);
  return { key, seat };
}

/** A position from the address, or why it is none. */
function readStart(text) {
  if (!text) return { setup: null };
  try {
    const { board = [], queue = "", hold = null } = JSON.parse(text);
    const isRight = Array.isArray(board) && board.every((row) => typeof row === "string") && typeof queue === "string";
    if (isRight && (hold === null || typeof hold === "string")) return { setup: { board, queue, hold } };
  } catch {
    // Said below.
  }
  return { setup: null, trouble: "The address holds no position that can be read; the board is empty." };
}

class Game {
  constructor(main, game, start) {
    Object.assign(this, {
      main,
      game,
      isDuel: start === "duel" && !game.practice,
      practice: game.practice,
      isRace: game.ranked === "time",
      frame: null,
      waiting: null,
      asked: undefined,
      sent: new Map(),
      number: 0,
      dirty: false,
      clearUntil: 0,
      flash: null,
    });
    this.build();
    const handler = (action, down, time) => this.key(action, down, time);
    const stops = [
      listen(handler),
      on("play", (frame) => this.take(frame)),
      on("play-taken", () => this.showTaken()),
      watch(() => this.settled()),
    ];
    ownTouches(this.view.canvas, () => this.frame?.phase !== "over");
    const begins = () => {
      if (this.frame?.phase !== "ready") return false;
      this.pause(false);
      return true;
    };
    gestures(this.view.canvas, handler, () => !this.tools?.paints && this.frame?.phase !== "over", begins);
    this.touch.append(touchButtons(handler));
    const resize = () => this.resize();
    const hide = () => document.hidden && this.pause(true);
    addEventListener("resize", resize);
    document.addEventListener("visibilitychange", hide);
    // A frame is asked for only when there is something new: a page that draws all the time gets the lab's answer to
    // a key only after its next frame, a whole frame later. The clock goes on in between.
    const ticking = setInterval(() => {
      if (this.frame?.phase === "playing" || performance.now() < this.clearUntil + 200) this.ask();
      if (this.frame?.phase === "countdown") this.count();
    }, 50);
    this.leave = () => {
      cancelAnimationFrame(this.asked);
      clearInterval(ticking);
      for (const stop of stops) stop();
      removeEventListener("resize", resize);
      document.removeEventListener("visibilitychange", hide);
      for (const name of ["phase", "pieces", "lineCount", "piece", "cells", "ghost", "room"]) delete main.dataset[name];
      tell("play-close");
      left.set(this.room, state.lostAt);
    };
    const { setup, trouble } = readStart(this.isDuel ? null : start);
    this.setup = setup;
    this.address = `${game.name}/${start ?? ""}`;
    this.place = seatAt(this.address);
    this.sitDown().then(() => trouble && this.say(trouble));
  }

  /** Takes its seat: a game that is under way there goes on. */
  async sitDown() {
    this.room = undefined;
    try {
      const { room, waiting } = await request("play-open", {
        mode: this.game.name,
        seed: newSeed(),
        hands: hands(this.game),
        setup: this.setup,
        seat: this.place.seat,
        rival: this.duel?.order(),
      });
      this.room = room;
      left.delete(room);
      this.waiting = waiting;
      this.main.dataset.room = room;
      if (this.frame) this.showPhase();
    } catch (error) {
      this.overlay.hidden = false;
      fill(this.overlay, h("p", { class: "bad" }, error.message));
    }
  }

  build() {
    const { width, height, goal } = this.game;
    this.view = new BoardView({ width, height, above: 0.8, cell: this.cell(), label: "Your board" });
    this.view.element.tabIndex = -1;
    this.overlay = h("div", { class: "overlay" });
    this.pill = h("p", { class: "pill-start" });
    this.burst = h("p", { class: "burst", "aria-hidden": "true" });
    this.view.element.append(this.overlay, this.pill, this.burst);
    this.hold = h("div", { class: "piece-box" });
    this.holdLabel = h("h3", {}, "Hold");
    this.next = h("div", { class: "next" });
    this.time = h("div", { class: "big", "data-stat": "time" });
    this.lines = h("div", { class: "big", "data-stat": "lines" });
    this.facts = h("dl", { class: "facts small" });
    this.clear = h("p", { class: "clear-text", "data-stat": "clear" });
    this.pace = h("p", { class: "small num", "data-stat": "pace" });
    this.streak = h("p", { class: "small soft" });
    this.fault = h("p", { class: "small fault", "data-stat": "fault" });
    this.notice = h("p", { class: "small warn", role: "status", "data-stat": "notice" });
    this.voice = h("p", { class: "visually-hidden", "aria-live": "polite", "data-stat": "voice" });
    this.card = h("div", {});
    this.touch = h("div", { class: "play-touch" });
    this.undo = iconButton("undo", "Undo", () => tell("undo"));
    this.redo = iconButton("redo", "Redo", () => tell("redo"));
    if (this.practice) this.tools = new Tools(this.game, this);
    if (this.practice) this.advice = new Advice(this);
    if (this.isDuel) this.duel = new Duel(this.game, this);
    fill(
      this.main,
      h("h1", { class: "visually-hidden" }, this.game.label),
      h(
        "div",
        { class: `play ${this.isDuel ? "duelling" : ""}` },
        h(
          "div",
          { class: "play-head row" },
          h("h2", { style: { flex: 1 } }, this.isDuel ? `${this.game.label}, a duel` : this.game.label),
          iconButton("pause", "Pause", () => this.pause(this.frame?.phase !== "paused")),
          iconButton("restart", "Restart", () => this.restart()),
          this.practice ? [this.undo, this.redo] : null,
        ),
        h(
          "div",
          { class: "play-left" },
          h("div", { class: "box" }, this.holdLabel, this.hold),
          h(
            "div",
            { class: "box", hidden: this.practice },
            h("h3", {}, goal.seconds ? "Time left" : "Time"),
            this.time,
          ),
          h("div", { class: "box" }, h("h3", {}, goal.lines ? "Lines left" : "Lines"), this.lines),
          h("div", { class: "box facts-box" }, this.facts),
          h("div", { class: "box clear-box" }, this.clear, this.pace, this.streak, this.fault),
        ),
        this.view.element,
        h("div", { class: "play-right" }, h("div", { class: "box" }, h("h3", {}, "Next"), this.next)),
        this.duel?.element ?? null,
        this.touch,
        h("div", { class: "play-side stack" }, this.notice, this.advice?.element, this.tools?.element, this.card),
        this.voice,
      ),
    );
    this.settled();
  }

  /** The settings have changed. */
  settled() {
    this.touch.hidden = !(hasFingers() && settings().touch.buttons);
    this.fault.hidden = !settings().look.finesse;
    if (this.frame) this.showPhase();
    this.resize();
  }

  /** Asks for the next frame, once. */
  ask() {
    this.asked ??= requestAnimationFrame((now) => {
      this.asked = undefined;
      this.paint(now);
    });
  }

  redraw() {
    this.dirty = true;
    this.ask();
  }

  cell() {
    const narrow = innerWidth <= 640;
    // On its side a phone has the buttons beside the board.
    const isLow = !narrow && innerWidth <= 1000 && innerHeight <= 500;
    const beside = narrow ? 150 : isLow ? 420 : innerWidth <= 1000 ? 300 : this.isDuel ? 830 : 620;
    const touch = this.touch && !this.touch.hidden && !isLow ? 136 : 0;
    return fittingCell(this.game.width, this.game.height + 0.8, {
      most: 64,
      least: 10,
      wide: innerWidth - beside,
      high: innerHeight - (isLow ? 76 : innerWidth <= 1000 ? 130 : 100) - touch,
    });
  }

  resize() {
    const cell = this.cell();
    if (cell === this.view.cell && this.view.scale === devicePixelRatio) return;
    this.view.resize(cell);
    this.duel?.resize();
    this.redraw();
  }

  /** The card before the game shows something new. */
  redrawCard() {
    if (this.frame?.phase === "ready" || this.frame?.end) this.showPhase();
  }

  focusBoard() {
    this.view.element.focus({ preventScroll: true });
  }

  /** Says something beside the board. */
  say(text, tone = "warn") {
    this.notice.className = `small ${tone}`;
    this.notice.textContent = text;
  }

  // Keys

  key(action, down, time) {
    const phase = this.frame?.phase;
    if (action === "pause") {
      if (down) this.pause(phase !== "paused");
    } else if (action === "restart") {
      if (down) this.restart();
    } else if (action === "undo" || action === "redo") {
      if (down && this.practice) tell(action);
    } else if (GAME_KEYS.has(action)) {
      if (down && phase === "paused") this.pause(false);
      const number = ++this.number;
      if (down && phase !== "paused" && phase !== "countdown") this.sent.set(number, time);
      tell("key", { key: action, down, at: labTime(time), number });
    }
  }

  pause(paused) {
    tell("pause", { paused });
  }

  restart(again = false) {
    this.waiting = null;
    tell("restart", { seed: newSeed(), hands: hands(this.game), again, rival: this.duel?.order() });
    this.focusBoard();
  }

  /** Goes on with a game that waits at another seat. */
  goOnWith(seat) {
    sessionStorage.setItem(this.place.key, seat);
    this.place.seat = seat;
    this.sitDown();
  }

  /** What goes on at this seat is a duel on the page of a game alone, or the other way: its page is another. */
  moveOver({ rival }) {
    const hash = `#/play/${this.game.name}${rival ? "/duel" : ""}`;
    sessionStorage.setItem(seatKey(`${this.game.name}/${rival ? "duel" : ""}`), this.place.seat);
    sessionStorage.removeItem(this.place.key);
    location.replace(hash);
  }

  // Drawing

  take(frame) {
    // The lab says which room it is before it shows it: anything else is a late picture of a room that was left.
    if (frame.room !== this.room) return;
    const before = this.frame;
    if (frame.room !== before?.room && Boolean(frame.rival) !== this.isDuel && !frame.end) return this.moveOver(frame);
    this.frame = frame;
    this.received = performance.now();
    this.redraw();
    if (before) this.tellChanges(before, frame);
    // The card of a pause says it itself.
    if (frame.notice || before?.notice) this.say(frame.phase === "paused" ? "" : frame.notice);
    if (frame.phase !== before?.phase || frame.end) this.showPhase();
    const isKept = ({ verdict, end }) => Boolean(verdict && end?.saved);
    if (isKept(frame) && !isKept(before ?? {})) this.duel?.load();
    if (frame.view.stats.pieces === 0) this.clearUntil = 0;
  }

  /** Sounds, words and effects for what has happened between two pictures. */
  tellChanges(before, { view, phase, left, cleared, finesse, end }) {
    const { stats } = view;
    const isNew = stats.pieces > before.view.stats.pieces;
    const isClear = isNew && (stats.lines > before.view.stats.lines || stats.score > before.view.stats.score);
    if (isClear) {
      this.clearUntil = this.received + 1800;
      const rows = stats.lines - before.view.stats.lines;
      sound(/spin/i.test(view.last_clear_text) ? "spin" : `clear${Math.max(1, Math.min(4, rows))}`);
      const rest = left.lines === null ? `${stats.score} points` : `${left.lines} lines left`;
      this.voice.textContent = `${view.last_clear_text}. ${rest}.`;
      if (mayMove()) this.showBurst(view.last_clear_text, cleared?.piece === stats.pieces ? cleared.rows : []);
    } else if (isNew) sound("lock");
    else if (view.hold !== before.view.hold && phase === "playing") sound("hold");
    if (finesse.faults > before.finesse.faults && settings().look.finesse) sound("fault");
    if (phase === "over" && before.phase !== "over") {
      sound(view.outcome === "goal" ? "goal" : "over");
      const result = this.isRace && view.outcome === "goal" ? stopwatch(view.time) : `${count(stats.score)} points`;
      const title = end?.title ?? "The game is over";
      this.voice.textContent = `${title}: ${result}, ${stats.lines} lines, ${stats.pieces} pieces.`;
    }
    if (phase === "paused" && before.phase !== "paused") this.voice.textContent = "Paused.";
  }

  /** The rows light up for a moment, and the clear's name rises. */
  showBurst(text, rows) {
    this.flash = { rows, until: this.received + 110 };
    setTimeout(() => this.redraw(), 120);
    this.burst.textContent = text;
    this.burst.classList.remove("go");
    void this.burst.offsetWidth;
    this.burst.classList.add("go");
  }

  paint(now) {
    if (!this.frame) return;
    const { view, phase, left } = this.frame;
    // Where the lab is gone its clock is not known any more.
    const known = state.connected ? now : Math.min(now, state.lostAt);
    const passed = phase === "playing" ? Math.max(0, known - this.received) : 0;
    const time = view.time + passed;
    this.time.textContent = stopwatch(left.milliseconds === null ? time : Math.max(0, left.milliseconds - passed));
    this.clear.textContent = now < this.clearUntil ? (view.last_clear_text ?? "") : "";
    if (now > (this.factsAt ?? 0) || this.dirty) this.showFacts(now, Math.max(time, 1) / 1000);
    if (!this.dirty) return;
    this.dirty = false;
    // A pause is not for thinking: what there is to see is hidden.
    const isHidden = (phase === "paused" || phase === "countdown") && !this.practice;
    const isShown = phase !== "over" && view.active && !isHidden;
    const stroke = this.tools?.board();
    this.view.draw({
      board: isHidden ? [] : (stroke ?? view.rows),
      active: isShown ? { cells: view.cells, colour: view.active.piece } : null,
      ghost: isShown && !stroke ? { cells: view.ghost, colour: view.active.piece } : null,
      flash: this.flash && now < this.flash.until ? this.flash.rows : [],
      outlines: stroke ? [] : (this.advice?.outlines() ?? []),
      dim: phase === "over" || phase === "paused",
    });
    this.lines.textContent = left.lines ?? view.stats.lines;
    this.showPieces(isHidden ? { ...view, hold: null, queue: [] } : view);
    this.streak.textContent = this.frame.streak;
    this.showPace();
    this.showFault();
    this.undo.disabled = this.frame.undo === 0;
    this.redo.disabled = this.frame.redo === 0;
    this.tools?.show(view);
    this.advice?.show(this.frame);
    this.duel?.show(this.frame);
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

  showFacts(now, seconds) {
    const { view, phase, finesse } = this.frame;
    this.factsAt = now + 100;
    const rate = (value) => (phase === "ready" ? "0.00" : count(value / seconds, 2));
    const rows = [
      ["Score", count(view.stats.score)],
      ["Pieces", count(view.stats.pieces)],
      this.practice ? null : ["Pieces/s", rate(view.stats.pieces)],
      this.practice ? null : [hasFingers() ? "Touches/s" : "Keys/s", rate(view.presses)],
      settings().look.finesse
        ? ["Faults", count(finesse.faults), "Pieces placed with more keys than needed (finesse)"]
        : null,
    ].filter(Boolean);
    if (this.factsText === String(rows)) return;
    this.factsText = String(rows);
    fill(
      this.facts,
      rows.flatMap(([text, value, title]) => [
        h("dt", { title }, text),
        h("dd", { "data-stat": text.toLowerCase() }, value),
      ]),
    );
  }

  showPieces(view) {
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
    }
  }

  showPace() {
    const { splits, best } = this.frame;
    if (this.paceKey === splits.length) return;
    this.paceKey = splits.length;
    fill(this.pace, paceLine(splits, best, this.isRace));
  }

  /** The last fault for as long as its successor is in play: the shortest keys. */
  showFault() {
    const { last } = this.frame.finesse;
    const isLast = last && last.piece === this.frame.view.stats.pieces;
    const key = isLast ? last.piece : 0;
    if (key === this.faultKey) return;
    this.faultKey = key;
    fill(
      this.fault,
      isLast
        ? [
            `${last.letter}: ${last.presses} ${hasFingers() ? "presses" : "keys"}, ${last.keys.length} do: `,
            last.keys.map(([action, held]) => [
              hasFingers()
                ? h("span", { class: held ? "held" : "" }, signOf(action))
                : h("kbd", { class: held ? "held" : "" }, keyName(settings().keys[action][0])),
              " ",
            ]),
          ]
        : null,
    );
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

  // Phases

  showPhase() {
    const { phase, end, view } = this.frame;
    this.overlay.hidden = !["paused", "countdown", "over"].includes(phase);
    this.overlay.className = `overlay ${phase === "over" ? "wide" : phase}`;
    this.pill.hidden = phase !== "ready" || view.rows.length > 0;
    this.pill.textContent = hasFingers() ? "Tap to begin" : "Press a key to begin";
    const actions = { redraw: () => this.showPhase(), goOn: (seat) => this.goOnWith(seat), duel: this.duel };
    showCard(
      this.card,
      phase === "over" ? null : startCard(this.game, phase === "ready" ? this.waiting : null, actions),
    );
    if (phase === "paused")
      fill(
        this.overlay,
        pauseCard({
          goOn: () => this.pause(false),
          restart: () => this.restart(),
          menu: innerWidth > 640,
          notice: this.frame.notice,
        }),
      );
    if (phase === "countdown") {
      this.counted = 0;
      this.count();
    }
    if (phase === "over" && end)
      fill(
        this.overlay,
        endCard(this.game, this.frame, {
          restart: (again) => this.restart(again),
          undo: () => tell("undo"),
          duel: this.duel,
        }),
      );
  }

  /** Three, two, one. */
  count() {
    const left = Math.ceil((this.frame.countdown - (performance.now() - this.received)) / 600);
    const shown = Math.max(1, left);
    if (shown === this.counted) return;
    this.counted = shown;
    sound("tick");
    fill(this.overlay, h("p", { class: "countdown" }, shown));
  }

  showTaken() {
    this.overlay.hidden = false;
    this.overlay.className = "overlay";
    fill(
      this.overlay,
      h("h2", {}, "Played elsewhere"),
      h("p", { class: "soft small" }, "This game goes on in another tab."),
      button("Play it here", () => this.sitDown()),
      button("New game", () => {
        sessionStorage.removeItem(this.place.key);
        this.place = seatAt(this.address);
        this.sitDown();
      }),
    );
  }
}
