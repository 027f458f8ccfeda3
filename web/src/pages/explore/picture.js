// Small boards, in colours of the sheet so that they follow the theme.

import { colourOf } from "../../board.js";

const NS = "http://www.w3.org/2000/svg";

/**
 * A small board: `board` (rows from the bottom) of `width` by `height` cells with `above` rows beyond the top, and a
 * piece (`cells`, `colour`) on it.
 */
export function smallBoard({ width, height, above = 0, board, cells = [], colour = "G", cell = 9 }) {
  const rows = height + above;
  const svg = element("svg", { viewBox: `0 0 ${width} ${rows}`, width: width * cell, height: rows * cell });
  svg.setAttribute("class", "small-board");
  svg.setAttribute("aria-hidden", "true");
  svg.append(element("rect", { y: above, width, height, class: "small-well" }));
  const filled = board.flatMap((row, y) => [...row].flatMap((letter, x) => (letter === "." ? [] : [[x, y]])));
  const path = (list) => list.map(([x, y]) => `M${x + 0.06} ${rows - 1 - y + 0.06}h.88v.88h-.88z`).join("");
  if (filled.length) svg.append(element("path", { d: path(filled), class: "small-cells" }));
  if (cells.length) svg.append(element("path", { d: path(cells), fill: colourOf(colour) }));
  return svg;
}

function element(tag, props) {
  const made = document.createElementNS(NS, tag);
  for (const [key, value] of Object.entries(props)) made.setAttribute(key, value);
  return made;
}
