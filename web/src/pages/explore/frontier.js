// The frontier: what players who heed the worst dealer give up against chance.

import { plot } from "../../chart.js";
import { button, fill, h, inLine } from "../../dom.js";
import { on, request, tell } from "../../socket.js";
import { worth } from "./words.js";

const FAMILIES = {
  mixed: ["The best against mixed dealers", "var(--accent)"],
  gaps: ["Gaps count against it, solved for chance", "var(--warn)"],
  "gaps-worst": ["Gaps count against it, solved for the worst", "var(--good)"],
};
let runs = 0;

/** The panel of the frontier; `order()` is the question. `reset()` after a change of it, `leave()` at the end. */
export function frontierPanel(order) {
  const note = h("p", { class: "small warn", role: "status" }),
    picture = h("div"),
    figures = h("div", { class: "scroll", role: "region", "aria-label": "Figures of the frontier", tabindex: 0 });
  let found = {},
    run = 0,
    current = "";

  const stop = on("frontier", ({ run: of, point }) => {
    if (of !== run) return;
    found[current].push(point);
    draw();
  });

  async function find(family) {
    run = ++runs;
    const mine = run;
    current = family;
    found[family] = [];
    note.textContent = "";
    try {
      const told = await request("explore-frontier", { question: order(), family, run }, (place) => {
        if (mine === run) note.textContent = inLine(place);
      });
      if (mine !== run) return;
      note.textContent =
        told.points < told.of ? `${told.points} of ${told.of} players; the others take more than a minute.` : "";
    } catch (error) {
      if (mine === run) note.textContent = error.message === "cancelled" ? "" : error.message;
    }
    draw();
  }

  function draw() {
    const isPoint = ({ chance, worst }) => typeof chance === "number" && typeof worst === "number";
    const families = Object.entries(found).filter(([, points]) => points.some(isPoint));
    const series = families.map(([family, points]) => ({
      label: FAMILIES[family][0],
      colour: FAMILIES[family][1],
      points: points.filter(isPoint).map(({ chance, worst }) => [chance, worst]),
    }));
    const marks = families.flatMap(([family, points]) =>
      points.filter(isPoint).map(({ label, chance, worst }) => ({
        x: chance,
        y: worst,
        colour: FAMILIES[family][1],
        title: `${label}: ${worth(chance, 4)} against chance, ${worth(worst, 4)} against the worst`,
      })),
    );
    fill(
      picture,
      series.length
        ? plot({
            series,
            marks,
            width: 720,
            height: 320,
            xLabel: "value against chance, in points",
            yLabel: "against the worst",
            label: "The frontier between chance and the worst dealer; the figures are in the table below",
          })
        : null,
    );
    fill(
      figures,
      families.length
        ? h(
            "table",
            { id: "frontier-table" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "col" }, "Player"),
                h("th", { scope: "col", class: "num" }, "Against chance"),
                h("th", { scope: "col", class: "num" }, "Against the worst"),
              ),
            ),
            h(
              "tbody",
              {},
              families.flatMap(([family, points]) =>
                points.map(({ label, chance, worst }) =>
                  h(
                    "tr",
                    {},
                    h(
                      "td",
                      {},
                      h("span", { class: "swatch", style: { background: FAMILIES[family][1] } }),
                      ` ${label}${family === "gaps-worst" ? ", worst" : ""}`,
                    ),
                    h("td", { class: "num" }, worth(chance, 6)),
                    h("td", { class: "num" }, worth(worst, 6)),
                  ),
                ),
              ),
            ),
          )
        : null,
    );
  }

  const element = h(
    "details",
    { class: "panel wide", id: "frontier" },
    h("summary", {}, h("h2", {}, "The frontier between chance and the worst")),
    h(
      "div",
      { class: "stack" },
      h(
        "p",
        { class: "small soft" },
        "Each point is a player: what it brings when chance deals, and when the worst dealer does. " +
          "Up and to the right is better.",
      ),
      h(
        "div",
        { class: "row" },
        Object.entries(FAMILIES).map(([family, [text]]) =>
          button(text, () => find(family), { class: "wrap", "data-family": family }),
        ),
      ),
      note,
      picture,
      figures,
    ),
  );

  function reset() {
    if (run) tell("explore-frontier-end");
    run = 0;
    found = {};
    note.textContent = "";
    draw();
  }

  function leave() {
    stop();
    if (run) tell("explore-frontier-end");
  }

  return { element, reset, leave };
}
