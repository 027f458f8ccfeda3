// What the bot thinks of a position: its choices beside each other, each with the line of play behind it.

import { BoardView } from "./board.js";
import { button, count, fill, h } from "./dom.js";

const ROWS_SHOWN = 12;

/** What a board looks like, for those who do not see it. */
export function boardWords(rows, width = 10) {
  if (!rows.length) return "empty board";
  const heights = Array.from({ length: width }, (_, x) => rows.findLastIndex((row) => (row[x] ?? ".") !== ".") + 1);
  const holes = heights.reduce(
    (sum, height, x) => sum + rows.slice(0, height).filter((row) => (row[x] ?? ".") === ".").length,
    0,
  );
  return `column heights ${heights.join(" ")}, ${holes === 1 ? "1 hole" : `${holes} holes`}`;
}

/** A choice: `{ title, tone, choice }`, drawn as a board that steps through its line of play. */
export class ChoiceView {
  constructor({ title, tone, choice, cell = innerWidth < 420 ? 11 : 13 }) {
    this.choice = choice;
    this.tone = tone;
    const top = Math.max(
      0,
      ...choice.line.flatMap(({ before, cells }) => [before.length, ...cells.map(([, y]) => y + 1)]),
    );
    const height = Math.min(22, Math.max(ROWS_SHOWN, top + 1));
    this.view = new BoardView({ width: 10, height, cell, label: "" });
    this.words = h("p", { class: "small choice-words" });
    this.element = h(
      "figure",
      { class: "choice" },
      h("figcaption", { style: { color: `var(${tone})` } }, title),
      this.view.element,
      this.words,
    );
    this.show(0);
  }

  /** Shows placement `at` of the line; beyond the last one, the board after it. */
  show(at) {
    const { line } = this.choice;
    const end = at >= line.length;
    const step = line[Math.min(at, line.length - 1)];
    if (!step) return;
    this.view.draw(
      end
        ? { board: step.after }
        : {
            board: step.before,
            active: { cells: step.cells, colour: step.piece },
            outlines: [{ cells: step.cells, tone: this.tone }],
          },
    );
    const held = at === 0 && this.choice.held ? " (hold)" : "";
    const cleared = step.clear ? `: ${step.clear}` : "";
    const words = end ? "the board after it" : `${at + 1}. ${step.place}${held}${cleared}`;
    this.words.textContent = words;
    this.view.canvas.setAttribute("aria-label", `${words}; ${boardWords(end ? step.after : step.before)}`);
  }
}

/** Choices side by side, stepped through together. `named` are `{ title, tone, choice }`. */
export function sideBySide(named, cell) {
  const views = named.map((one) => new ChoiceView({ ...one, cell }));
  const longest = Math.max(...named.map(({ choice }) => choice.line.length));
  let at = 0;
  const place = h("span", { class: "num small", "aria-live": "polite" });
  const go = (to) => {
    at = Math.max(0, Math.min(longest, to));
    for (const view of views) view.show(at);
    place.textContent = at < longest ? `piece ${at + 1} of ${longest}` : "after it";
    back.disabled = at === 0;
    on.disabled = at === longest;
  };
  const back = button("Back", () => go(at - 1), { class: "small" });
  const on = button("On", () => go(at + 1), { class: "small" });
  go(0);
  return h(
    "div",
    { class: "stack" },
    h(
      "div",
      { class: "choices" },
      views.map(({ element }) => element),
    ),
    h("div", { class: "row" }, h("span", { class: "small soft" }, "How play might go on:"), back, place, on),
  );
}

/** What it took to know: "6 pieces ahead, 40,120 placements, 21 ms". */
export function effort({ depth, nodes, milliseconds }) {
  const pieces = depth === 1 ? "piece" : "pieces";
  return `${depth} ${pieces} ahead, ${count(nodes)} placements looked at, ${count(milliseconds)} ms`;
}

/** What a choice is worth beside the best one. */
export function worth(choice, place) {
  if (place === 0) return "best";
  return choice.words.replace(/^-/, "−");
}

/** All choices as a list; `onpick(place)` hears which one is wanted, `words(choice, place)` says what it is worth. */
export function choiceList(analysis, onpick, chosen = 0, words = worth) {
  return fill(
    h("ol", { class: "choice-list" }),
    analysis.choices.map((choice, place) =>
      h(
        "li",
        {},
        h(
          "button",
          {
            type: "button",
            class: "value-row",
            "aria-pressed": place === chosen,
            onclick: () => onpick(place),
          },
          h("span", {}, `${choice.place}${choice.held ? " (hold)" : ""}${choice.clear ? `: ${choice.clear}` : ""}`),
          h("span", { class: place === 0 ? "good" : "soft" }, words(choice, place)),
        ),
      ),
    ),
  );
}
