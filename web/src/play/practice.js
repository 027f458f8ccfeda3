// Practice: what can be done to a position by hand. Everything goes through the lab, and everything can be taken back.

import { button, choose, copied, fill, h, toggle } from "../dom.js";
import { pieceOf } from "../games.js";
import { change, settings } from "../settings.js";
import { request, tell } from "../socket.js";

const ROW = { class: "row", style: { "flex-wrap": "nowrap" } };
const WIDE = { style: { flex: 1, "min-width": 0 } };

/** The tools beside the board of a game in Practice. */
export class Tools {
  constructor(game, owner) {
    Object.assign(this, { game, owner, paint: "", stroke: null, isShort: false });
    this.queue = h("input", {
      "aria-label": "Queue: the piece in play and the next ones",
      placeholder: "IOTLJSZ",
      maxlength: 60,
      spellcheck: false,
      autocapitalize: "characters",
      class: "num",
      ...WIDE,
      onkeydown: (event) => event.key === "Enter" && this.setQueue(),
    });
    this.fumen = h("input", {
      "aria-label": "Fumen",
      placeholder: "v115@…",
      spellcheck: false,
      class: "num",
      ...WIDE,
      onkeydown: (event) => event.key === "Enter" && this.openFumen(),
    });
    this.palette = h("div", { class: "row paints", role: "radiogroup", "aria-label": "What the pointer paints" });
    this.garbageRows = choose(["1", "2", "4", "8"], "1", () => {});
    this.garbageRows.setAttribute("aria-label", "Rows of garbage");
    this.gravity = toggle("Gravity", settings().practice.gravity, (gravity) => {
      change("practice", { gravity });
      this.edit({ gravity });
    });
    this.element = h(
      "div",
      { class: "box stack tools" },
      h("h3", {}, "Paint the board"),
      this.palette,
      h(
        "div",
        { class: "row" },
        button("Empty the board", () => this.edit({ board: [] })),
        this.gravity,
      ),
      h(
        "div",
        ROW,
        button("Add garbage", () => this.addGarbage(), { title: "Rows with one gap that push the stack up" }),
        this.garbageRows,
        h("span", { class: "small soft", "aria-hidden": "true" }, "rows"),
      ),
      h("h3", {}, "Pieces to come"),
      h(
        "div",
        ROW,
        this.queue,
        button("Set", () => this.setQueue(), { "aria-label": "Set queue" }),
      ),
      h("h3", { title: "A board as text that other tools read and write too" }, "Position as text (fumen)"),
      h(
        "div",
        ROW,
        this.fumen,
        button("Open", () => this.openFumen(), { title: "Open the pasted fumen" }),
        button("Copy", () => this.copyFumen(), { title: "Copy the position as fumen" }),
      ),
    );
    this.showPalette();
    this.paintable();
  }

  /** The fields show the position, unless somebody writes in them. */
  show({ active, queue }) {
    if (document.activeElement !== this.queue) this.queue.value = [active?.piece, ...queue].filter(Boolean).join("");
  }

  /** Whether a finger on the board paints. */
  get paints() {
    return this.paint !== "";
  }

  showPalette() {
    const pieces = this.game.pieces.map(({ colour }) => [
      colour,
      `Paint ${colour}`,
      pieceOf(this.game, colour, 8, [4, 2]),
    ]);
    const choices = [
      ["", "Do not paint", "Off"],
      ["G", "Paint garbage, or empty", "■"],
      ...pieces,
      [".", "Empty cells", "✕"],
    ];
    fill(
      this.palette,
      choices.map(([paint, label, sign]) =>
        h(
          "button",
          {
            type: "button",
            role: "radio",
            class: "paint",
            "data-paint": paint || "off",
            "aria-checked": String(paint === this.paint),
            "aria-label": label,
            title: label,
            onclick: () => {
              this.paint = paint;
              this.showPalette();
              this.owner.focusBoard();
            },
          },
          sign,
        ),
      ),
    );
  }

  edit(parts) {
    this.owner.say("");
    tell("edit", { change: parts });
    this.owner.focusBoard();
  }

  setQueue() {
    this.edit({ queue: this.queue.value.toUpperCase() });
  }

  addGarbage() {
    this.edit({ garbage: [Number(this.garbageRows.value), Math.floor(Math.random() * this.game.width)] });
  }

  async openFumen() {
    if (!this.fumen.value.trim()) return this.owner.say("Paste a fumen into the field first.");
    try {
      const { board, queue, hold } = await request("fumen-read", { text: this.fumen.value.trim() });
      this.edit({ board, hold: hold ?? "", ...(queue ? { queue } : {}) });
    } catch (error) {
      this.owner.say(error.message);
    }
  }

  async copyFumen() {
    const { rows, active, queue, hold } = this.owner.frame.view;
    // At once: the next key is for the game, however long the browser takes.
    this.owner.focusBoard();
    try {
      const letters = [active?.piece, ...queue].filter(Boolean).join("");
      const { text } = await request("fumen-write", { board: rows, queue: letters, hold });
      this.fumen.value = text;
      const isCopied = await copied(text);
      if (isCopied) this.owner.say("Copied.", "good");
      else this.owner.say("The browser does not let the page copy: take the text from the field.");
    } catch (error) {
      this.owner.say(error.message);
    }
  }

  /** Strokes on the board: every cell between two points of the pointer is painted. */
  paintable() {
    const { canvas } = this.owner.view;
    const { width, height } = this.game;
    let last = null;
    const touch = (event) => {
      const at = this.owner.view.cellAt(event);
      if (!at || !this.owner.frame) {
        last = null;
        return;
      }
      const { rows } = this.owner.frame.view;
      this.stroke ??= Array.from({ length: Math.max(height, rows.length) }, (_, y) => [
        ...(rows[y] ?? ".".repeat(width)),
      ]);
      // Garbage on a filled cell empties it, and so does the rest of the stroke.
      const under = this.stroke[at[1]][at[0]];
      this.ink ??= this.paint === "G" && under !== "." ? "." : this.paint;
      for (const [x, y] of between(last ?? at, at)) {
        // A full row would be gone at once, so that there is none: the cell that would fill one stays empty.
        const fills = this.ink !== "." && this.stroke[y].every((cell, column) => column === x || cell !== ".");
        if (!fills) this.stroke[y][x] = this.ink;
        this.isShort ||= fills;
      }
      last = at;
      this.owner.redraw();
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (!this.paints || event.button > 0) return;
      canvas.setPointerCapture(event.pointerId);
      last = null;
      touch(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.stroke) return;
      for (const part of event.getCoalescedEvents?.() ?? []) touch(part);
      touch(event);
    });
    const end = () => {
      if (!this.stroke) return;
      this.edit({ board: this.stroke.map((row) => row.join("")) });
      if (this.isShort) this.owner.say("A row cannot be full: the cell that would fill it stays empty.");
      this.isShort = false;
      this.stroke = this.ink = null;
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
  }

  /** The board with the stroke under way, if there is one. */
  board() {
    return this.stroke?.map((row) => row.join("")) ?? null;
  }
}

/** The cells on the straight way from one to another. */
function between([x0, y0], [x1, y1]) {
  const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0), 1);
  return Array.from({ length: steps + 1 }, (_, step) => [
    Math.round(x0 + ((x1 - x0) * step) / steps),
    Math.round(y0 + ((y1 - y0) * step) / steps),
  ]);
}
