// Boards and pieces on a canvas.

import { h } from "./dom.js";
import { settings, theme, watch } from "./settings.js";

// Seven colours that people with any common colour blindness tell apart (after Okabe and Ito), G for cells
// without a history; and those that players of the modern game know.
const COLOURS = {
  safe: {
    I: "#56b4e9",
    O: "#f0e442",
    T: "#cc79a7",
    S: "#009e73",
    Z: "#d55e00",
    J: "#2a78c8",
    L: "#e69f00",
    G: "#8a94aa",
  },
  guideline: {
    I: "#2fd0e0",
    O: "#f2d33c",
    T: "#b05fd8",
    S: "#4fc54c",
    Z: "#e8453c",
    J: "#4266e0",
    L: "#f0923a",
    G: "#8a94aa",
  },
};

/** The colour of a letter. */
export function colourOf(letter) {
  const colours = COLOURS[settings().look.colours] ?? COLOURS.safe;
  return colours[letter] ?? colours.G;
}

const sprites = new Map();
const inks = new Map();

/** A colour of the sheet, read once per theme. */
function ink(name) {
  const key = `${name} ${theme()}`;
  if (!inks.has(key)) inks.set(key, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return inks.get(key);
}

/** One cell, drawn once per colour, size and look. */
function sprite(letter, size) {
  const { marks, colours } = settings().look;
  const key = `${letter} ${size} ${marks} ${colours} ${theme()}`;
  const known = sprites.get(key);
  if (known) return known;
  if (sprites.size > 400) sprites.clear();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const context = canvas.getContext("2d");
  const base = colourOf(letter);
  const inset = Math.max(0.5, size * 0.03);
  const radius = size * 0.14;
  context.fillStyle = base;
  context.beginPath();
  context.roundRect(inset, inset, size - 2 * inset, size - 2 * inset, radius);
  context.fill();
  context.save();
  context.clip();
  const shine = context.createLinearGradient(0, 0, 0, size);
  shine.addColorStop(0, "rgb(255 255 255 / 32%)");
  shine.addColorStop(0.22, "rgb(255 255 255 / 8%)");
  shine.addColorStop(0.78, "rgb(0 0 0 / 0%)");
  shine.addColorStop(1, "rgb(0 0 0 / 28%)");
  context.fillStyle = shine;
  context.fillRect(0, 0, size, size);
  context.restore();
  if (theme() === "light") {
    context.strokeStyle = "rgb(20 30 50 / 45%)";
    context.lineWidth = Math.max(1, size * 0.04);
    context.stroke();
  }
  if (marks === "letters" && size >= 9) {
    context.fillStyle = "rgb(0 0 0 / 78%)";
    context.font = `700 ${Math.round(size * 0.6)}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(letter === "G" ? "" : letter, size / 2, size * 0.54);
  } else if (marks === "patterns") {
    pattern(context, letter, size);
  }
  sprites.set(key, canvas);
  return canvas;
}

/** A mark of its own for each letter. */
function pattern(context, letter, size) {
  const at = (x, y) => [x * size, y * size];
  context.strokeStyle = context.fillStyle = "rgb(0 0 0 / 55%)";
  context.lineWidth = Math.max(1, size * 0.1);
  context.beginPath();
  const line = (from, to) => {
    context.moveTo(...at(...from));
    context.lineTo(...at(...to));
  };
  if (letter === "I") {
    line([0.25, 0.38], [0.75, 0.38]);
    line([0.25, 0.62], [0.75, 0.62]);
  }
  if (letter === "O") context.rect(...at(0.3, 0.3), size * 0.4, size * 0.4);
  if (letter === "T") {
    line([0.5, 0.25], [0.5, 0.75]);
    line([0.25, 0.5], [0.75, 0.5]);
  }
  if (letter === "S") line([0.28, 0.72], [0.72, 0.28]);
  if (letter === "Z") line([0.28, 0.28], [0.72, 0.72]);
  if (letter === "J") {
    context.arc(...at(0.5, 0.5), size * 0.12, 0, 7);
    context.fill();
  }
  if (letter === "L") context.arc(...at(0.5, 0.5), size * 0.2, 0, 7);
  context.stroke();
}

/** A board of `width` by `height` cells, row 0 at the bottom, `above` rows beyond its top, `cell` pixels a side. */
export class BoardView {
  constructor({ width, height, cell, above = 0, label = "Board" }) {
    Object.assign(this, { width, height: height + above, above, cell });
    this.label = label;
    this.canvas = h("canvas", { role: "img", "aria-label": label });
    this.element = h("div", { class: "well" }, this.canvas);
    this.resize(cell);
    // A change of the look is drawn at once, for as long as the board is on the page.
    const stop = watch(() => {
      if (!this.canvas.isConnected) stop();
      else if (this.scene) this.draw(this.scene);
    });
  }

  /** Draws at another size from now on. */
  resize(cell) {
    this.cell = cell;
    const scale = window.devicePixelRatio || 1;
    this.scale = scale;
    this.pixel = Math.max(4, Math.round(cell * scale));
    this.canvas.width = this.pixel * this.width;
    this.canvas.height = Math.round(this.pixel * this.height);
    this.canvas.style.width = `${this.canvas.width / scale}px`;
    this.canvas.style.height = `${this.canvas.height / scale}px`;
    if (this.scene) this.draw(this.scene);
  }

  /**
   * Draws: `board` (rows from the bottom), `heat` ([{ x, y, share, label }], pale to strong), `active` and `ghost`
   * ({ cells, colour }), `outlines` ([{ cells, tone, label }]), `flash` (rows), `dim` (true when the game does not go
   * on).
   */
  draw(scene) {
    this.scene = scene;
    // In words too, when there is time: nobody who plays waits for it. Whoever gives no label has words of his own.
    if (this.label)
      this.telling ??= setTimeout(() => {
        this.telling = null;
        this.canvas.setAttribute("aria-label", `${this.label}. ${boardText(this.scene, this.width)}`);
      }, 400);
    const { pixel, width, height } = this;
    const context = this.canvas.getContext("2d", { alpha: false });
    context.fillStyle = ink("--well");
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const top = Math.round(this.above * pixel);
    context.fillStyle = ink("--grid");
    if (settings().look.grid) {
      for (let x = 1; x < width; x++) context.fillRect(x * pixel, top, 1, this.canvas.height - top);
      for (let y = 1; y < height - this.above; y++) context.fillRect(0, top + y * pixel, this.canvas.width, 1);
    }
    if (top) {
      context.fillRect(0, 0, this.canvas.width, top);
      context.fillStyle = ink("--line");
      context.fillRect(0, top - 1, this.canvas.width, 2);
    }
    const put = (x, y, letter) => {
      context.drawImage(sprite(letter, pixel), x * pixel, (height - 1 - y) * pixel);
    };
    for (const { x, y, share, label } of scene.heat ?? []) {
      context.globalAlpha = 0.1 + 0.65 * share;
      context.fillStyle = ink("--accent");
      context.fillRect(x * pixel, (height - 1 - y) * pixel, pixel, pixel);
      context.globalAlpha = 1;
      this.write(context, [[x, y]], label, ink("--text"), 0.26);
    }
    (scene.board ?? []).forEach((row, y) => {
      for (let x = 0; x < row.length; x++) if (row[x] !== ".") put(x, y, row[x]);
    });
    if (scene.ghost && settings().look.ghost) {
      const colour = colourOf(scene.ghost.colour);
      context.globalAlpha = 0.22;
      context.fillStyle = colour;
      for (const [x, y] of scene.ghost.cells)
        context.fillRect(x * pixel + 1, (height - 1 - y) * pixel + 1, pixel - 2, pixel - 2);
      context.globalAlpha = 1;
      this.outline(context, scene.ghost.cells, colour, thickness(pixel, 0.07));
    }
    for (const [x, y] of scene.active?.cells ?? []) put(x, y, scene.active.colour);
    for (const { cells, tone, label, dashed } of scene.outlines ?? []) {
      const colour = tone?.startsWith("--") ? ink(tone) : tone;
      this.outline(context, cells, colour, thickness(pixel, 0.1), dashed);
      if (label) this.write(context, cells, label, colour);
    }
    for (const y of scene.flash ?? []) {
      context.fillStyle = theme() === "dark" ? "rgb(255 255 255 / 62%)" : "rgb(255 255 255 / 75%)";
      context.fillRect(0, (height - 1 - y) * pixel, this.canvas.width, pixel);
    }
    if (scene.dim) {
      context.globalAlpha = 0.5;
      context.fillStyle = ink("--well");
      context.fillRect(0, 0, this.canvas.width, this.canvas.height);
      context.globalAlpha = 1;
    }
  }

  /** The edge around cells. */
  outline(context, cells, colour, thick, dashed = false) {
    const { pixel, height } = this;
    const has = new Set(cells.map(([x, y]) => `${x} ${y}`));
    context.strokeStyle = colour;
    context.lineWidth = thick;
    context.setLineDash(dashed ? [pixel * 0.22, pixel * 0.16] : []);
    context.beginPath();
    const inset = thick / 2;
    for (const [x, y] of cells) {
      const left = x * pixel,
        top = (height - 1 - y) * pixel,
        right = left + pixel,
        bottom = top + pixel;
      const side = (dx, dy, x0, y0, x1, y1) => {
        if (has.has(`${x + dx} ${y + dy}`)) return;
        context.moveTo(x0, y0);
        context.lineTo(x1, y1);
      };
      side(0, 1, left, top + inset, right, top + inset);
      side(0, -1, left, bottom - inset, right, bottom - inset);
      side(-1, 0, left + inset, top, left + inset, bottom);
      side(1, 0, right - inset, top, right - inset, bottom);
    }
    context.stroke();
    context.setLineDash([]);
  }

  /** A short text in the middle of cells, of this share of a cell in height; whole, also at the edge. */
  write(context, cells, text, colour, share = 0.42) {
    const { pixel, height, canvas } = this;
    const middle = (axis) => cells.reduce((sum, cell) => sum + cell[axis] + 0.5, 0) / cells.length;
    const font = (size) => `700 ${size}px system-ui, sans-serif`;
    let size = Math.max(10, Math.round(pixel * share));
    context.font = font(size);
    const most = canvas.width - 8;
    if (context.measureText(text).width > most) {
      size = Math.max(8, Math.floor((size * most) / context.measureText(text).width));
      context.font = font(size);
    }
    const [wide, high] = [context.measureText(text).width / 2 + 4, size / 2 + 4];
    const x = Math.max(wide, Math.min(canvas.width - wide, middle(0) * pixel));
    const y = Math.max(high, Math.min(canvas.height - high, (height - middle(1)) * pixel));
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = Math.max(3, size * 0.3);
    context.strokeStyle = ink("--well");
    context.strokeText(text, x, y);
    context.fillStyle = colour;
    context.fillText(text, x, y);
  }

  /** The cell under the pointer, `[x, y]`, or null. */
  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * this.width);
    const y = Math.floor((1 - (event.clientY - box.top) / box.height) * this.height);
    return x >= 0 && x < this.width && y >= 0 && y < this.height - this.above ? [x, y] : null;
  }
}

/** A board in words: what is in play, and how high each column is. */
export function boardText({ board = [], active = null, ghost = null }, width) {
  const height = (x) => board.findLastIndex((row) => row[x] && row[x] !== ".") + 1;
  const heights = Array.from({ length: width }, (_, x) => height(x));
  const columns = (cells) => {
    const at = cells.map(([x]) => x + 1);
    return Math.min(...at) === Math.max(...at) ? `column ${at[0]}` : `columns ${Math.min(...at)} to ${Math.max(...at)}`;
  };
  return [
    active?.cells?.length ? `${active.colour ?? "Piece"} over ${columns(active.cells)}` : null,
    ghost?.cells?.length ? `would land on row ${Math.min(...ghost.cells.map(([, y]) => y)) + 1}` : null,
    heights.some(Boolean) ? `column heights from the left: ${heights.join(" ")}` : "the board is empty",
  ]
    .filter(Boolean)
    .join("; ");
}

/** A line that suits cells of this size. */
function thickness(pixel, share) {
  return Math.max(1.5, Math.min(4 * (window.devicePixelRatio || 1), pixel * share));
}

/** A piece alone, for hold and next boxes; `box` is `[columns, rows]` of room. */
export function pieceView(cells, colour, cell = 20, box = [4, 2], faded = false) {
  const scale = window.devicePixelRatio || 1;
  const pixel = Math.max(4, Math.round(cell * scale));
  const canvas = h("canvas", { "aria-hidden": "true" });
  canvas.width = box[0] * pixel;
  canvas.height = box[1] * pixel;
  canvas.style.width = `${canvas.width / scale}px`;
  canvas.style.height = `${canvas.height / scale}px`;
  if (!cells?.length) return canvas;
  const context = canvas.getContext("2d");
  const span = (axis) => Math.max(...cells.map((at) => at[axis])) + 1;
  // A piece that is larger than its box is drawn smaller, whole.
  const size = Math.floor(pixel * Math.min(1, box[0] / span(0), box[1] / span(1)));
  const left = (canvas.width - span(0) * size) / 2,
    low = (canvas.height + span(1) * size) / 2;
  if (faded) context.globalAlpha = 0.35;
  for (const [x, y] of cells) {
    context.drawImage(sprite(colour, size), Math.round(left + x * size), Math.round(low - (y + 1) * size));
  }
  return canvas;
}

/** The part of a board around a placement, small: for lists of placements. */
export function boardPicture(board, columns, { cells, colour }, wide = 44, rows = 7) {
  const scale = window.devicePixelRatio || 1;
  const pixel = Math.max(2, Math.floor((wide / columns) * scale));
  const lowest = Math.min(...cells.map(([, y]) => y));
  const shown = Math.max(4, Math.round((rows * columns) / 10));
  const from = Math.max(0, lowest - (shown > 5 ? 2 : 0));
  const canvas = h("canvas", { "aria-hidden": "true", class: "board-picture" });
  canvas.width = columns * pixel;
  canvas.height = shown * pixel;
  canvas.style.width = `${canvas.width / scale}px`;
  canvas.style.height = `${canvas.height / scale}px`;
  const context = canvas.getContext("2d", { alpha: false });
  context.fillStyle = ink("--well");
  context.fillRect(0, 0, canvas.width, canvas.height);
  const put = (x, y, tone) => {
    context.fillStyle = tone;
    context.fillRect(x * pixel, canvas.height - (y - from + 1) * pixel, pixel - 1, pixel - 1);
  };
  board.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) if (row[x] !== "." && y >= from) put(x, y, ink("--soft"));
  });
  for (const [x, y] of cells) put(x, y, colourOf(colour));
  return canvas;
}

/** The largest cell that lets a board fit into the window, between `least` and `most`. */
export function fittingCell(
  width,
  height,
  { least = 10, most = 34, wide = innerWidth - 24, high = innerHeight - 190 } = {},
) {
  return Math.max(least, Math.min(most, Math.floor(wide / width), Math.floor(high / height)));
}
