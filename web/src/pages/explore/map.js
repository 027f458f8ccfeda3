// The map of all boards: how many there are of each number of cells and band of values, and the boards themselves to
// walk to.

import { button, choose, count, field, fill, h } from "../../dom.js";
import { request } from "../../socket.js";
import { smallBoard } from "./picture.js";
import { boardText, shortWorth } from "./words.js";

const NS = "http://www.w3.org/2000/svg";
const PAGE = 60;

/**
 * The panel of the map; `onwalk(board)` when a board is chosen. `reset(desk)` after a new solution, `mark(board)` for
 * where one is.
 */
export function mapPanel(onwalk) {
  const body = h("div", { class: "stack" }, h("p", { class: "soft" }, "…")),
    list = h("ul", { class: "map-list", "aria-label": "Boards" }),
    found = h("p", { class: "small soft", role: "status" }),
    turn = h("div", { class: "row" });
  let desk = null,
    asked = { cells: null, band: null, first: 0 },
    number = 0,
    here = 0,
    told = null;

  const element = h(
    "details",
    { class: "panel wide", id: "map", ontoggle: () => element.open && ask() },
    h("summary", {}, h("h2", {}, "The map of all boards")),
    body,
  );

  function reset(next) {
    desk = next;
    told = null;
    asked = { cells: null, band: null, first: 0 };
    number += 1;
    if (element.open) ask();
    else fill(body, h("p", { class: "soft" }, "…"));
  }

  async function ask() {
    if (!desk?.solved) return;
    const mine = ++number;
    try {
      const answer = await request("explore-map", asked);
      if (mine !== number) return;
      told = answer;
      draw();
    } catch (error) {
      if (mine === number) fill(body, h("p", { class: "warn" }, error.message));
    }
  }

  function pick(values) {
    asked = { ...asked, first: 0, ...values };
    ask();
  }

  function draw() {
    const { game } = desk;
    const focus = body.contains(document.activeElement) ? document.activeElement.id : "";
    const tones = tonesOf(told.bands, desk.solved);
    const pickOf = (key, choices) =>
      Object.assign(
        choose([["", "any"], ...choices], asked[key] === null ? "" : String(asked[key]), (choice) =>
          pick({ [key]: choice === "" ? null : Number(choice) }),
        ),
        { id: `map-${key}` },
      );
    const columns = told.counts.map((row) => row.reduce((sum, one) => sum + one, 0));
    fill(
      body,
      h(
        "p",
        { class: "small soft" },
        `${count(told.boards)} boards by their filled cells. Choose a part of a column, then a board to walk to it.`,
      ),
      bars(told, tones, columns, asked, here, pick),
      h(
        "ul",
        { class: "row plain legend", "aria-label": "Bands of values" },
        told.bands.map(({ label }, band) =>
          h(
            "li",
            { class: "small" },
            h("span", { class: "swatch", style: { background: tones[band] } }),
            ` ${label}: ${count(told.counts.reduce((sum, row) => sum + row[band], 0))}`,
          ),
        ),
      ),
      h(
        "div",
        { class: "row" },
        field(
          "Filled cells",
          pickOf(
            "cells",
            columns.flatMap((boards, cells) => (boards ? [[String(cells), `${cells} (${count(boards)})`]] : [])),
          ),
        ),
        field(
          "Value",
          pickOf(
            "band",
            told.bands.map(({ label }, band) => [String(band), label]),
          ),
        ),
      ),
      found,
      list,
      turn,
    );
    if (focus) document.getElementById(focus)?.focus();
    const last = Math.min(told.found, told.first + PAGE);
    found.textContent = told.found
      ? `Boards ${count(told.first + 1)} to ${count(last)} of ${count(told.found)}`
      : "None.";
    fill(
      list,
      told.listed.map(({ board, value, band }) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: "map-board",
              style: { "border-color": tones[band] },
              "aria-label":
                `Board ${boardText(board) || "empty"}, ` + `${told.bands[band].label}, value ${shortWorth(value)}`,
              onclick: () => onwalk(board),
            },
            smallBoard({ width: game.width, height: game.height, board, cell: 9 }),
            h("span", { class: "num small" }, shortWorth(value)),
          ),
        ),
      ),
    );
    fill(
      turn,
      button("Earlier boards", () => pick({ first: Math.max(0, told.first - PAGE) }), { disabled: told.first === 0 }),
      button("Further boards", () => pick({ first: told.first + PAGE }), { disabled: last >= told.found }),
    );
  }

  /** Where one is: the column of its number of cells. */
  function mark(board) {
    here = board.join("").replaceAll(".", "").length;
    if (told && element.open) draw();
  }

  return { element, reset, mark };
}

/** A colour for each band: for survival its own, else from pale to strong. */
function tonesOf(bands, { objective }) {
  if (objective === "survive") return ["var(--bad)", "var(--warn)", "var(--good)"];
  return bands.map((_, band) => {
    const share = bands.length > 1 ? 15 + (85 * band) / (bands.length - 1) : 100;
    return `color-mix(in srgb, var(--accent) ${Math.round(share)}%, var(--panel-high))`;
  });
}

/** The boards of each number of cells, one upon the other by their bands. */
function bars(told, tones, columns, asked, here, pick) {
  const [width, height, foot] = [Math.max(300, Math.min(900, innerWidth - 70)), 150, 20];
  const most = Math.max(...columns);
  const wide = width / columns.length;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height + foot}`, role: "img", class: "plot map-bars" });
  const sums = told.bands.map(({ label }, band) => `${label} ${told.counts.reduce((sum, row) => sum + row[band], 0)}`);
  svg.setAttribute("aria-label", `Boards by filled cells: ${sums.join(", ")}`);
  told.counts.forEach((row, cells) => {
    let top = height;
    row.forEach((boards, band) => {
      if (!boards) return;
      const high = Math.max(1.5, (boards / most) * (height - 8));
      top -= high;
      const chosen = asked.cells === cells && (asked.band === null || asked.band === band);
      const bar = make("rect", {
        x: cells * wide + 1,
        y: top,
        width: Math.max(2, wide - 2),
        height: high,
        fill: tones[band],
        class: chosen ? "map-bar chosen" : "map-bar",
      });
      bar.append(make("title", {}, `${cells} cells, ${told.bands[band].label}: ${count(boards)} boards`));
      bar.addEventListener("click", () => pick({ cells, band }));
      svg.append(bar);
    });
    const label = make("text", {
      x: (cells + 0.5) * wide,
      y: height + 14,
      "text-anchor": "middle",
      class: "plot-text",
    });
    label.textContent = wide > 17 || cells % 2 === 0 ? String(cells) : "";
    if (cells === here) label.setAttribute("class", "plot-text here");
    svg.append(label);
  });
  return svg;
}

function make(tag, props, text = null) {
  const element = document.createElementNS(NS, tag);
  for (const [key, value] of Object.entries(props)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  return element;
}
