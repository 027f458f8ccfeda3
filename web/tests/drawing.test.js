// What pages draw with: numbers, plots and pieces.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, open, page } from "./harness.js";

test("numbers are never -0, and axes have numbers that can be told apart", async () => {
  await open("settings");
  const { zeros, texts, curves, grid, names } = await page.evaluate(async () => {
    const { count } = await import("/src/dom.js");
    const { plot } = await import("/src/chart.js");
    const points = [0.0004, 0.02, 0.7, 30, 2000].map((y, x) => [x, y]);
    const log = plot({ series: [{ points, colour: "red" }], log: true, xLabel: "step", yLabel: "error" });
    const high = [1.0e6, 1.02e6, 1.05e6].map((y, x) => [x, y]);
    const lines = ["first", "second"].map((label) => ({ label, points: high, colour: "red" }));
    const linear = plot({ series: lines, yLabel: "points" });
    const all = (svg, tag) => [...svg.querySelectorAll(tag)];
    return {
      zeros: [count(-0), count(-0.04, 1), count(0.0001, 2), count(-1234.5, 1)],
      texts: all(log, "text").map((text) => text.textContent),
      curves: all(linear, "text").map((text) => text.textContent),
      grid: Math.min(...all(linear, ".plot-grid").map((line) => Number(line.getAttribute("y1")))),
      names: all(linear, "text")
        .filter((text) => /first|second/.test(text.textContent))
        .map((text) => Number(text.getAttribute("y"))),
    };
  });
  assert.deepEqual(zeros, ["0", "0.0", "0.00", "-1,234.5"]);
  assert.ok(texts.includes("0.001") && texts.includes("100") && !texts.includes("0.00"), `a log axis: ${texts}`);
  assert.equal(new Set(curves).size, curves.length, `no number twice: ${curves}`);
  assert.ok(names.length === 2 && Math.max(...names) < grid, "the names of the lines stand above the curves");
  clean();
});

test("a piece that is too tall for its box is drawn smaller and whole", async () => {
  await open("settings");
  const [wide, high, top] = await page.evaluate(async () => {
    const { pieceView } = await import("/src/board.js");
    const cells = [0, 1, 2, 3].map((y) => [0, y]);
    const canvas = pieceView(cells, "I", 20, [4, 3]);
    const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const drawn = [];
    for (let at = 0; at < width * height; at++)
      if (data[4 * at + 3] > 0) drawn.push([at % width, Math.floor(at / width)]);
    const span = (axis) => {
      const all = drawn.map((pixel) => pixel[axis]);
      return [Math.min(...all), Math.max(...all)];
    };
    const [[left, right], [above, below]] = [span(0), span(1)];
    return [right - left + 1, below - above + 1, above];
  });
  assert.ok(Math.abs(high / wide - 4) < 0.3, `four cells: ${wide} by ${high}`);
  assert.ok(top >= 0 && high <= 60);
  clean();
});
