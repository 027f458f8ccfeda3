// Plots as SVG: lines over numbered steps, with marks and a cursor.

import { count } from "./dom.js";

const NS = "http://www.w3.org/2000/svg";

function s(tag, props = {}, text = null) {
  const element = document.createElementNS(NS, tag);
  for (const [key, value] of Object.entries(props)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  return element;
}

/** Round numbers that span `low` to `high`. */
function ticks(low, high, about = 4) {
  const span = high - low || 1;
  const raw = span / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw);
  const list = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) list.push(value);
  return list;
}

const short = (value) =>
  Math.abs(value) >= 1e6
    ? `${count(value / 1e6, 1)}M`
    : Math.abs(value) >= 1e4
      ? `${count(value / 1e3)}k`
      : count(value, Math.abs(value) < 10 && value % 1 ? 2 : value % 1 ? 1 : 0);

/**
 * A line plot: `series` ([{ label, colour, points: [[x, y], ...], dashed, band: [[x, low, high], ...] }]), `marks`
 * ([{ x, y, colour, title }]), `cursor` (x), `onpick(x)` at a click, `xLabel`, `yLabel`, `log` for a
 * logarithmic height, `flip` for a height of which less is better.
 */
export function plot({
  series,
  marks = [],
  cursor = null,
  onpick = null,
  width = 640,
  height = 220,
  xLabel = "",
  yLabel = "",
  log = false,
  flip = false,
  label = "Plot",
}) {
  const margin = { left: 56, right: 12, top: yLabel ? 24 : 12, bottom: 34 };
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "plot" });
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
    return svg;
  }
  const xs = all.map(([x]) => x),
    ys = all.map(([, y]) => lift(y));
  let [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (left === right) right = left + 1;
  if (low === high) {
    low -= 1;
    high += 1;
  }
  const px = (x) => margin.left + ((x - left) / (right - left)) * (width - margin.left - margin.right);
  const share = (y) => (flip ? high - lift(y) : lift(y) - low) / (high - low);
  const py = (y) => height - margin.bottom - share(y) * (height - margin.top - margin.bottom);
  for (const tick of ticks(low, high)) {
    const value = log ? 10 ** tick : tick;
    if (log && tick % 1) continue;
    svg.append(
      s("line", { x1: margin.left, x2: width - margin.right, y1: py(value), y2: py(value), class: "plot-grid" }),
    );
    svg.append(
      s("text", { x: margin.left - 6, y: py(value) + 4, "text-anchor": "end", class: "plot-text" }, short(value)),
    );
  }
  for (const tick of ticks(left, right, 6))
    svg.append(
      s(
        "text",
        { x: px(tick), y: height - margin.bottom + 16, "text-anchor": "middle", class: "plot-text" },
        short(tick),
      ),
    );
  if (xLabel)
    svg.append(s("text", { x: width - margin.right, y: height - 4, "text-anchor": "end", class: "plot-text" }, xLabel));
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
  const named = series.filter(({ label: name }) => name);
  named.forEach(({ label: name, colour }, index) => {
    const x = width - margin.right - 6,
      y = margin.top + 10 + index * 16;
    svg.append(
      s("text", { x: x - 16, y: y + 4, "text-anchor": "end", class: "plot-text" }, name),
      s("rect", { x: x - 11, y: y - 4, width: 11, height: 6, rx: 2, fill: colour }),
    );
  });
  if (onpick) {
    svg.style.cursor = "pointer";
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * width;
      onpick(
        Math.max(
          left,
          Math.min(right, left + ((at - margin.left) / (width - margin.left - margin.right)) * (right - left)),
        ),
      );
    });
  }
  return svg;
}
