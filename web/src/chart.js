// Plots as SVG: lines over numbered steps, with marks and a cursor.

import { count } from "./dom.js";

const NS = "http://www.w3.org/2000/svg";

function s(tag, props = {}, text = null) {
  const element = document.createElementNS(NS, tag);
  for (const [key, value] of Object.entries(props)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  return element;
}

// The least width of a plot, in pixels.
const LEAST = 160;

/** Round numbers that span `low` to `high`. */
function ticks(low, high, about = 4) {
  const span = high - low || 1;
  const raw = span / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw * (1 - 1e-9));
  const list = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index++) list.push(index * step);
  return list;
}

/** Powers of ten between two numbers, and their double and fivefold where there are few. */
function logTicks(low, high) {
  const factors = Math.log10(high / low) < 2 ? [1, 2, 5] : [1];
  const list = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    list.push(...factors.map((factor) => factor * 10 ** power));
  const inside = list.filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
  const every = Math.ceil(inside.length / 6);
  return inside.filter((_, index) => index % every === 0);
}

/** Numbers of an axis as short texts, all told apart. */
function labels(list) {
  const most = Math.max(...list.map(Math.abs));
  const [unit, letter] = most >= 1e6 ? [1e6, "M"] : most >= 1e4 ? [1e3, "k"] : [1, ""];
  const steps = list.slice(1).map((value, index) => value - list[index]);
  const step = Math.min(...steps, most || 1) / unit;
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return list.map((value) => {
    if (Math.abs(value) < 1e-12 * most || value === 0) return "0";
    if (decimals > 4) return value.toExponential(0);
    return `${count(value / unit, decimals)}${letter}`;
  });
}

/** The same for powers of ten. */
function logLabels(list) {
  return list.map((value) => {
    if (value >= 1e6) return `${count(value / 1e6)}M`;
    if (value >= 1e4) return `${count(value / 1e3)}k`;
    return value >= 1e-3 ? String(Number(value.toPrecision(3))) : value.toExponential(0);
  });
}

/**
 * A line plot: `series` ([{ label, colour, points: [[x, y], ...], dashed, band: [[x, low, high], ...] }]), `marks`
 * ([{ x, y, colour, title }]), `cursor` (x), `onpick(x)` at a click, `xLabel`, `yLabel`, `log` for a
 * logarithmic height, `flip` for a height of which less is better. It is drawn for as much room as it has, so that
 * its texts are never smaller than others.
 */
export function plot({ width: wanted = 640, height = 220, label = "Plot", ...parts }) {
  const svg = s("svg", { height, role: "img", "aria-label": label, class: "plot" });
  let width = Math.min(wanted, Math.max(LEAST, innerWidth - 60));
  drawPlot(svg, { ...parts, width, height });
  new ResizeObserver(([{ contentRect }]) => {
    const room = Math.max(LEAST, Math.floor(contentRect.width));
    if (room === width || contentRect.width === 0) return;
    width = room;
    drawPlot(svg, { ...parts, width, height });
  }).observe(svg);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    svg.pick?.(((event.clientX - box.left) / box.width) * width);
  });
  return svg;
}

/** Draws a plot into its picture, in place of what was there. */
function drawPlot(
  svg,
  {
    series,
    marks = [],
    cursor = null,
    onpick = null,
    width,
    height,
    xLabel = "",
    yLabel = "",
    log = false,
    flip = false,
  },
) {
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const named = series.filter(({ label: name }) => name);
  const { rows, places } = legend(named, width, yLabel);
  const margin = { left: 56, right: 18, top: 10 + 16 * rows, bottom: xLabel ? 40 : 26 };
  const lift = (y) => (log ? Math.log10(Math.max(y, 1e-9)) : y);
  const all = series
    .flatMap(({ points, band = [] }) => [
      ...points,
      ...band.flatMap(([x, low, high]) => [
        [x, low],
        [x, high],
      ]),
    ])
    .filter(([, y]) => Number.isFinite(y) && (!log || y > 0));
  if (all.length === 0) {
    svg.append(
      s("text", { x: width / 2, y: height / 2, "text-anchor": "middle", class: "plot-text" }, "nothing to show yet"),
    );
    return;
  }
  const xs = all.map(([x]) => x),
    ys = all.map(([, y]) => lift(y));
  let [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (left === right) right = left + 1;
  if (low === high) {
    low -= 1;
    high += 1;
  }
  // What differs by less than one part in a hundred is not drawn as if it were much.
  const missing = log ? 0 : 0.01 * Math.max(Math.abs(low), Math.abs(high)) - (high - low);
  if (missing > 0) {
    low -= missing / 2;
    high += missing / 2;
  }
  const px = (x) => margin.left + ((x - left) / (right - left)) * (width - margin.left - margin.right);
  const share = (y) => (flip ? high - lift(y) : lift(y) - low) / (high - low);
  const py = (y) => height - margin.bottom - share(y) * (height - margin.top - margin.bottom);
  const heights = log ? logTicks(10 ** low, 10 ** high) : ticks(low, high);
  const texts = log ? logLabels(heights) : labels(heights);
  heights.forEach((value, index) => {
    svg.append(
      s("line", { x1: margin.left, x2: width - margin.right, y1: py(value), y2: py(value), class: "plot-grid" }),
      s("text", { x: margin.left - 6, y: py(value) + 4, "text-anchor": "end", class: "plot-text" }, texts[index]),
    );
  });
  const spread = ticks(left, right, Math.min(6, Math.floor(width / 45)));
  // What is counted has no halves.
  const steps = xs.every(Number.isInteger) ? spread.filter((step) => Number.isInteger(step)) : spread;
  const stepTexts = labels(steps);
  steps.forEach((value, index) => {
    svg.append(
      s(
        "text",
        { x: px(value), y: height - margin.bottom + 16, "text-anchor": "middle", class: "plot-text" },
        stepTexts[index],
      ),
    );
  });
  if (xLabel)
    svg.append(s("text", { x: width - margin.right, y: height - 5, "text-anchor": "end", class: "plot-text" }, xLabel));
  if (yLabel) svg.append(s("text", { x: 4, y: 12, class: "plot-text" }, yLabel));
  for (const { points, colour, dashed, band } of series) {
    if (band?.length) {
      const area = [
        ...band.map(([x, , top]) => `${px(x)},${py(top)}`),
        ...band.toReversed().map(([x, bottom]) => `${px(x)},${py(bottom)}`),
      ];
      svg.append(s("polygon", { points: area.join(" "), fill: colour, opacity: 0.16 }));
    }
    const path = points
      .filter(([, y]) => Number.isFinite(y) && (!log || y > 0))
      .map(([x, y], index) => `${index ? "L" : "M"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`)
      .join("");
    svg.append(
      s("path", {
        d: path,
        fill: "none",
        stroke: colour,
        "stroke-width": 2,
        "stroke-linejoin": "round",
        ...(dashed ? { "stroke-dasharray": "5 4" } : {}),
      }),
    );
  }
  for (const { x, y, colour, title } of marks) {
    const dot = s("circle", { cx: px(x), cy: py(y), r: 4.5, fill: colour, class: "plot-mark" });
    if (title) dot.append(s("title", {}, title));
    svg.append(dot);
  }
  if (cursor !== null)
    svg.append(
      s("line", { x1: px(cursor), x2: px(cursor), y1: margin.top, y2: height - margin.bottom, class: "plot-cursor" }),
    );
  named.forEach(({ label: name, colour }, index) => {
    const [x, row] = places[index];
    const y = 8 + 16 * row;
    svg.append(
      s("rect", { x, y: y - 3, width: 11, height: 6, rx: 2, fill: colour }),
      s("text", { x: x + 16, y: y + 4, class: "plot-text" }, name),
    );
  });
  svg.style.cursor = onpick ? "pointer" : "";
  svg.pick = (at) => {
    const share = (at - margin.left) / (width - margin.left - margin.right);
    onpick?.(Math.max(left, Math.min(right, left + share * (right - left))));
  };
}

/** Where the names of the lines stand: above the curves, beside the name of the axis if there is room. */
function legend(named, width, yLabel) {
  const wide = (text) => 6.6 * text.length;
  const places = [];
  let row = 0,
    x = yLabel ? wide(yLabel) + 24 : 8;
  for (const { label } of named) {
    const needed = wide(label) + 34;
    if (x + needed > width && x > 8) {
      row += 1;
      x = 8;
    }
    places.push([x, row]);
    x += needed;
  }
  return { rows: named.length ? row + 1 : yLabel ? 1 : 0, places };
}
