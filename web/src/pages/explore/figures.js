// The figures of a solution, and how it came about.

import { plot } from "../../chart.js";
import { count, fill, h } from "../../dom.js";
import { worth } from "./words.js";

/**
 * The panel of a solution; `show(told, from)` fills it, `showTime(look, left)` plots what the pieces left are worth.
 */
export function figuresPanel() {
  const facts = h("dl", { class: "facts small" }),
    curve = h("div"),
    note = h("p", { class: "small warn" });
  let solved = null,
    timed = {};

  function show(told, from) {
    solved = told;
    timed = {};
    const maybe = (name, value, text) => (value === null || value === undefined ? [] : [[name, text(value)]]);
    const exact = (value) => worth(value, 10);
    const isModel = told.value_of === "model";
    const rows = [
      ...maybe("Table of", told.game, ({ title }) => title),
      ...maybe("Objective", told.game && told.objective, String),
      ...maybe("Dealer", told.game && told.dealer, String),
      [`${isModel ? "Model value" : "Value"}${from ? " from this board" : ", empty board"}`, exact(told.value)],
      ...(told.by_first_piece ?? []).map(([name, value]) => [`first ${name}`, exact(value)]),
      ["Proven error below", told.value === "infinite" ? "–" : told.error_bound.toExponential(1)],
      ...maybe("Wanted below", told.value === "infinite" ? null : told.wanted_bound, (bound) => bound.toExponential(1)),
      ...maybe("Mean over all states", told.mean_value, exact),
      ...maybe(isModel ? "True value of its player" : "In points", told.true_value, exact),
      ...maybe("In points, at the worst", told.true_worst_value, exact),
      ...maybe("Safe boards", told.safe_boards, count),
      ...maybe("Classes of boards", told.classes, count),
      ...maybe("Boards", told.boards, count),
      ...maybe("States", told.states, count),
      ...maybe("of them lost", told.dead_states, count),
      ["Sweeps", count(told.sweeps)],
      ...maybe("Time", told.seconds, (seconds) => `${(seconds * 1000).toFixed(1)} ms`),
    ];
    fill(
      facts,
      rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { "data-figure": name }, value)]),
    );
    note.textContent = told.shortfall ? `The value is ${told.shortfall}.` : "";
    fill(curve, converged(told));
  }

  /** For a number of pieces: what a position is worth with more and fewer of them left. */
  function showTime(look, left) {
    if (!solved?.pieces || (timed.look === look && timed.left === left)) return;
    timed = { look, left };
    const points = (look?.over_time ?? []).filter(([, value]) => typeof value === "number");
    fill(
      curve,
      h("h3", {}, "Value over the pieces left"),
      plot({
        series: [{ colour: "var(--accent)", points }],
        cursor: left,
        width: 300,
        height: 170,
        xLabel: "pieces left",
        yLabel: "value of this position",
        label: `Value of this position by the pieces left, from ${points[0]?.[1]} to ${points.at(-1)?.[1]}`,
      }),
    );
  }

  const element = h("section", { class: "panel stack", id: "figures" }, h("h2", {}, "Solution"), facts, note, curve);
  return { element, show, showTime };
}

/**
 * How the largest change fell, over the numbers of the sweeps; not every sweep improves, so that not each has a
 * point.
 */
function converged({ changes, sweeps, pieces }) {
  if (!changes?.length || pieces) return null;
  return [
    h("h3", {}, "Convergence"),
    plot({
      series: [{ colour: "var(--accent)", points: changes }],
      marks:
        changes.length > 40
          ? []
          : changes.map(([x, y]) => ({ x, y, colour: "var(--accent)" })).filter(({ y }) => y > 0),
      log: true,
      width: 300,
      height: 170,
      xLabel: `sweep, ${count(sweeps)} in all`,
      yLabel: "largest change",
      label: `Convergence: the largest change of ${changes.length} improving sweeps out of ${count(sweeps)}`,
    }),
  ];
}
