// Train: start, follow, stop and resume training runs, with their learning curves as they grow.

import { plot } from "../chart.js";
import { button, choose, count, field, fill, h, pageHead } from "../dom.js";
import { request } from "../socket.js";

const METHODS = [
  ["cem", "Noisy cross-entropy"],
  ["cma-es", "CMA-ES"],
  ["snes", "Natural evolution (SNES)"],
  ["td", "Temporal differences"],
];
const FEATURES = [
  ["dellacherie", "Dellacherie's six"],
  ["dt8", "Eight of Dellacherie and Thiery"],
  ["lee", "Four: height, lines, holes, bumpiness"],
  ["bertsekas", "Bertsekas: heights and differences"],
  ["contour", "Contour"],
];
const WORDS = { running: "being trained", done: "done", stopped: "stopped" };
const TONES = ["var(--accent)", "var(--good)", "var(--warn)", "var(--bad)", "var(--soft)"];
const kept = {
  method: "cem",
  game: "classic",
  features: "dellacherie",
  steps: 15,
  games: 4,
  seed: 1,
  run: null,
  column: null,
};

export default function train(main, lab) {
  let stopped = false,
    runs = [];
  const list = h("div", { class: "stack" }),
    picture = h("div", { class: "stack" }),
    note = h("p", { class: "small warn", role: "status" });
  const name = h("input", { value: "", placeholder: "name", maxlength: 60, spellcheck: false, "data-train": "name" });
  const games = lab.games.filter((game) => game.kind === "placement").map(({ name: key, title }) => [key, title]);
  const number = (key, min, max) =>
    h("input", {
      type: "number",
      min,
      max,
      step: 1,
      value: kept[key],
      "data-train": key,
      onchange: (event) => {
        kept[key] = Math.max(min, Math.min(max, Math.round(Number(event.target.value) || min)));
        event.target.value = kept[key];
      },
    });
  const start = async () => {
    note.textContent = "";
    const order = {
      name: name.value.trim() || `${kept.method}-${new Date().toISOString().slice(5, 19).replace(/[T:]/g, "-")}`,
      method: kept.method,
      game: kept.game,
      features: kept.features,
      steps: kept.steps,
      games: kept.games,
      seed: kept.seed,
    };
    try {
      await request("train-start", { order });
      kept.run = order.name;
      name.value = "";
      await look();
    } catch (error) {
      note.textContent = error.message;
    }
  };
  fill(
    main,
    pageHead("Train", "Let a machine find its own weights, and follow how it learns."),
    h(
      "div",
      { class: "bench" },
      h(
        "div",
        { class: "stack" },
        h(
          "form",
          {
            class: "panel stack",
            onsubmit: (event) => {
              event.preventDefault();
              start();
            },
          },
          h("h2", {}, "New run"),
          field(
            "Method",
            choose(METHODS, kept.method, (value) => {
              kept.method = value;
              kept.features = value === "td" ? "contour" : "dellacherie";
              train_();
            }),
          ),
          field(
            "Game",
            choose(games, kept.game, (value) => {
              kept.game = value;
            }),
          ),
          h("div", { id: "features" }),
          h(
            "div",
            { class: "row", style: { "flex-wrap": "nowrap" } },
            field("Steps", number("steps", 1, 100000)),
            field("Games each", number("games", 1, 1000)),
            field("Seed", number("seed", 0, 2 ** 31)),
          ),
          field("Name", name),
          h("button", { type: "submit", class: "button primary" }, "Start training"),
          note,
        ),
        h("div", { class: "panel stack" }, h("h2", {}, "Runs"), list),
      ),
      h("div", { class: "panel stack" }, picture),
    ),
  );
  const train_ = () =>
    fill(
      main.querySelector("#features"),
      field(
        "Features",
        choose(FEATURES, kept.features, (value) => {
          kept.features = value;
        }),
      ),
    );
  train_();

  async function look() {
    runs = await request("runs").catch(() => runs);
    if (stopped) return;
    if (!runs.some((run) => run.name === kept.run)) kept.run = runs[0]?.name ?? null;
    fill(
      list,
      runs.length
        ? runs.map((run) =>
            h(
              "button",
              {
                type: "button",
                class: `run-row${run.name === kept.run ? " chosen" : ""}`,
                "data-run": run.name,
                "data-state": run.state,
                "aria-pressed": run.name === kept.run,
                onclick: () => {
                  kept.run = run.name;
                  kept.column = null;
                  look();
                },
              },
              h("strong", {}, run.name),
              h(
                "span",
                { class: `small ${run.state === "running" ? "good" : "soft"}` },
                [
                  `${run.method ?? "?"} on ${run.game ?? "?"}`,
                  `${count(run.steps)}${run.wanted ? ` of ${count(run.wanted)}` : ""}`,
                  WORDS[run.state],
                  ...(run.own ? [] : ["command line"]),
                ].join(", "),
              ),
            ),
          )
        : h(
            "p",
            { class: "soft small" },
            "None yet. Runs of ",
            h("code", {}, "bellmino train --run NAME"),
            " show up here too.",
          ),
    );
    await draw();
  }

  async function draw() {
    const run = runs.find((one) => one.name === kept.run);
    if (!run) {
      fill(
        picture,
        h("h2", {}, "Learning curve"),
        h("p", { class: "soft" }, "Start a run: in a minute a machine that knows nothing clears thousands of lines."),
      );
      return;
    }
    const curve = await request("run-curve", { name: run.name }).catch((error) => ({
      columns: [],
      rows: [],
      error: error.message,
    }));
    if (stopped) return;
    const [x, ...columns] = curve.columns;
    const shown = columns.filter((column) => !/pieces|games|cap|seconds|noise|seed|epsilon|rate|time/i.test(column));
    const main_ = shown.filter((column) => /best|mean|elite|median|lines|score/i.test(column)).slice(0, 3);
    const wanted = kept.column ? [kept.column] : main_.length ? main_ : shown.slice(0, 2);
    const series = wanted.map((column, index) => ({
      label: column,
      colour: TONES[index],
      points: curve.rows.map((row) => [row[0], row[curve.columns.indexOf(column)]]).filter(([, y]) => y !== null),
    }));
    const values = series.flatMap(({ points }) => points.map(([, y]) => y));
    const log = values.length > 0 && Math.min(...values) > 0 && Math.max(...values) > 50 * Math.min(...values);
    const weights = Object.entries(curve.weights?.weights ?? {});
    const most = Math.max(1e-12, ...weights.map(([, weight]) => Math.abs(weight)));
    fill(
      picture,
      h(
        "div",
        { class: "row spread" },
        h("h2", {}, run.name),
        h(
          "div",
          { class: "row" },
          run.state === "running" && run.own
            ? button("Stop", async () => {
                await request("train-stop", { name: run.name }).catch((error) => {
                  note.textContent = error.message;
                });
                look();
              })
            : null,
          run.state === "stopped" && run.own
            ? button(
                "Resume",
                async () => {
                  try {
                    await request("train-resume", { name: run.name });
                  } catch (error) {
                    note.textContent = error.message;
                  }
                  look();
                },
                { class: "primary" },
              )
            : null,
          curve.plays && run.game
            ? h("a", { class: "button", href: `#/watch/play/${run.game}/run:${run.name}` }, "Watch it play")
            : null,
          columns.length > 1
            ? choose([["", "main curves"], ...columns], kept.column ?? "", (column) => {
                kept.column = column || null;
                draw();
              })
            : null,
        ),
      ),
      curve.error
        ? h("p", { class: "soft" }, "The first step is not done yet.")
        : plot({
            series,
            log,
            width: 760,
            height: 320,
            xLabel: x ?? "",
            yLabel: log ? "logarithmic" : "",
            label: `Learning curve of ${run.name}`,
          }),
      weights.length
        ? [
            h("h3", {}, "What it has learned"),
            h(
              "div",
              { class: "weights" },
              weights.map(([feature, weight]) =>
                h(
                  "div",
                  { class: "weight" },
                  h("span", { class: "small" }, feature),
                  h(
                    "span",
                    { class: "weight-bar" },
                    h("span", {
                      class: weight < 0 ? "minus" : "plus",
                      style: { width: `${(50 * Math.abs(weight)) / most}%` },
                    }),
                  ),
                  h("span", { class: "num small" }, weight.toFixed(3)),
                ),
              ),
            ),
          ]
        : null,
    );
  }

  look();
  const timer = setInterval(look, 1500);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
