// Train: start, follow, compare, stop, resume and delete training runs, with their learning curves as they grow.

import { plot } from "../chart.js";
import { ask, button, choose, count, field, fill, h, pageHead, refill } from "../dom.js";
import { gameOf } from "../games.js";
import { seedField, seedOf } from "../seed.js";
import { request } from "../socket.js";

// Methods: what people call them, what a step of each is, whether they train for guideline games too, and what they do.
const METHODS = {
  cem: ["Noisy cross-entropy", "Generations", true, "Tries many players, keeps the best tenth, and tries around them."],
  "cma-es": ["CMA-ES", "Generations", true, "Tries many players and learns in which directions to look."],
  snes: ["Natural evolution (SNES)", "Generations", true, "Tries many players and follows what made some better."],
  td: ["Temporal differences", "Episodes", false, "Plays on its own and learns from each surprise."],
  tuples: [
    "Tables over windows (tuples)",
    "Steps",
    false,
    "Knows no features: learns from each surprise what every little piece of the board is worth, by how its cells lie.",
  ],
};
// The field that says how many steps there are, where it is not `generations`.
const COUNTS = { td: "episodes", tuples: "steps" };
// Sets of features, and whether they are for guideline games, for placement games, or for both.
const FEATURES = [
  ["dellacherie", "Dellacherie's six", "both"],
  ["dt8", "Eight of Dellacherie and Thiery", "both"],
  ["lee", "Four: height, lines, holes, bumpiness", "both"],
  ["blitz", "32 for Blitz: clears, wells, Ts", "guideline"],
  ["bertsekas", "Bertsekas: heights and differences", "placement"],
  ["contour", "Contour", "placement"],
];
const WORDS = { running: "being trained", done: "done", stopped: "stopped" };
const TONES = ["var(--accent)", "var(--warn)", "var(--good)", "var(--bad)", "var(--soft)"];
const CURVES = {
  best: "best: the best candidate of a generation",
  elite:
    "elite: those that the next generation comes from, all their games taken together; " +
    "where few games are lost that can lie above the best of them by chance",
  mean: "mean: of all candidates",
};
// Windows as one writes them; nothing leaves the choice to the lab.
const WINDOWS = " *(\\d{1,2}x\\d{1,2} *(, *\\d{1,2}x\\d{1,2} *)*)?";
// What the best player is worth in a game, once it is known.
const optima = new Map();
// How often runs are looked at, in milliseconds.
const LOOK = 1500;

const kept = {
  method: "cem",
  game: "classic",
  features: "dellacherie",
  steps: 15,
  games: 4,
  windows: "",
  moves: 100000,
  rate: 1,
  curiosity: 0.02,
  seed: "1",
  run: null,
  column: "",
  compared: new Set(),
};

export default function train(main, lab) {
  let stopped = false,
    runs = [],
    drawn = "";
  const list = h("div", { class: "stack" }),
    choices = h("div", { class: "stack" }),
    head = h("div", { class: "row spread" }),
    picture = h("div", { class: "stack" }),
    learned = h("div", { class: "stack" }),
    note = h("p", { class: "small bad", role: "status" });
  const name = h("input", { placeholder: "chosen for you", maxlength: 60, spellcheck: false, "data-train": "name" });
  const games = lab.games.filter(({ kind, goal }) => kind === "placement" || goal?.lines || goal?.seconds);
  const seed = seedField(
    "Seed",
    kept.seed,
    (value) => {
      kept.seed = value;
    },
    { "data-train": "seed" },
  );
  const number = (key, min, max, step = 1) =>
    h("input", {
      type: "number",
      required: true,
      min,
      max,
      step,
      value: kept[key],
      "data-train": key,
      oninput: (event) => {
        if (event.target.validity.valid) kept[key] = Number(event.target.value);
      },
    });

  /** What can be chosen depends on the game and the method. */
  const build = () => {
    const { kind } = games.find((game) => game.name === kept.game);
    const methods = Object.entries(METHODS).filter(([, [, , guideline]]) => guideline || kind === "placement");
    if (!methods.some(([key]) => key === kept.method)) kept.method = "cem";
    const features = FEATURES.filter(([, , where]) => where === "both" || where === kind);
    if (!features.some(([key]) => key === kept.features)) kept.features = "dellacherie";
    const set = (key) => (value) => {
      kept[key] = value;
      if (key === "method") kept.features = value === "td" ? "contour" : "dellacherie";
      if (key === "method") kept.steps = value === "tuples" ? 100 : 15;
      build();
    };
    refill(
      choices,
      field(
        "Game",
        choose(
          games.map(({ name: key, title }) => [key, title]),
          kept.game,
          set("game"),
        ),
      ),
      field(
        "Method",
        choose(
          methods.map(([key, [title]]) => [key, title]),
          kept.method,
          set("method"),
        ),
      ),
      h("p", { class: "small soft about" }, METHODS[kept.method][3]),
      kept.method === "tuples" ? tables() : plain(features, set("features")),
    );
  };
  /** What methods take that weigh features. */
  const plain = (features, set) => [
    field("Features", choose(features, kept.features, set)),
    h("p", { class: "small soft about" }, "What it sees of the board."),
    h(
      "div",
      { class: "pair" },
      field(METHODS[kept.method][1], number("steps", 1, 100000)),
      kept.method === "td" ? null : field("Games each", number("games", 1, 1000)),
    ),
  ];
  /** What tables over windows take. */
  const tables = () => [
    field(
      "Windows",
      h("input", {
        placeholder: "those that suit the board",
        value: kept.windows,
        maxlength: 100,
        spellcheck: false,
        pattern: WINDOWS,
        title: "columns x rows, with commas between: 4x4 or 3x5,5x3",
        "data-train": "windows",
        oninput: (event) => {
          if (event.target.validity.valid) kept.windows = event.target.value;
        },
      }),
    ),
    h("p", { class: "small soft about" }, "Columns x rows, such as 3x5,5x3. Larger ones see more and learn longer."),
    h(
      "div",
      { class: "pair" },
      field("Steps", number("steps", 1, 100000)),
      field("Moves in each", number("moves", 1, 100000000)),
    ),
    h(
      "div",
      { class: "pair" },
      field("Rate", number("rate", 0.001, 10, "any")),
      field("Curiosity", number("curiosity", 0, 1, "any")),
    ),
    h("p", { class: "small soft about" }, "Curiosity: how often it tries any placement instead of the best it knows."),
  ];

  const forgive = () => {
    note.textContent = "";
  };
  const start = async () => {
    forgive();
    if (seedOf(seed.input.value) === null) return seed.input.focus();
    const { method, game, features, steps, games: each, windows, moves, rate, curiosity } = kept;
    const order = {
      name: name.value.trim() || `${method}-${game}-${new Date().toISOString().slice(5, 19).replace(/[T:]/g, "-")}`,
      method,
      game,
      [COUNTS[method] ?? "generations"]: steps,
      ...(method === "tuples" ? { windows: windows.trim() ? [windows] : [], moves, rate, curiosity } : { features }),
      ...(method === "tuples" || method === "td" ? {} : { games: each }),
      seed: kept.seed,
    };
    await attempt(async () => {
      await request("train-start", { order });
      kept.run = order.name;
      name.value = "";
    });
  };
  /** Does something to a run; says what is wrong if it fails. */
  const attempt = async (what) => {
    note.textContent = "";
    try {
      await what();
    } catch (error) {
      note.textContent = error.message;
    }
    await look();
  };
  const remove = async (run) => {
    const answer = await ask(
      `Delete the run ${run.name}?`,
      "Its learning curve and the weights that it has learned are gone then.",
      [
        ["Delete it", "delete", "danger"],
        ["Keep it", null, "primary"],
      ],
    );
    if (answer !== "delete") return;
    kept.compared.delete(run.name);
    await attempt(() => request("train-remove", { name: run.name }));
  };

  fill(
    main,
    pageHead("Train", "Let a machine find out by itself what matters, and follow how it learns."),
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
            // What was wrong before says nothing of what stands there now.
            oninput: () => forgive(),
            onchange: () => forgive(),
          },
          h("h2", {}, "New run"),
          choices,
          h("div", { class: "pair" }, seed.element, field("Name", name)),
          h("button", { type: "submit", class: "button primary", onclick: () => forgive() }, "Start training"),
          note,
        ),
        h("section", { class: "panel stack", "aria-label": "Runs" }, h("h2", {}, "Runs"), list),
      ),
      h("div", { class: "panel stack" }, head, picture, learned),
    ),
  );
  build();

  async function look() {
    runs = await request("runs").catch(() => runs);
    if (stopped) return;
    if (!runs.some((run) => run.name === kept.run)) kept.run = runs[0]?.name ?? null;
    for (const other of kept.compared) if (!runs.some((run) => run.name === other)) kept.compared.delete(other);
    const key = JSON.stringify([runs, kept.run, [...kept.compared]]);
    // What has not changed is left alone, so that nothing is lost that somebody is at.
    if (key !== drawn) {
      drawn = key;
      drawList();
    }
    await draw();
  }

  function drawList() {
    refill(
      list,
      runs.length
        ? runs.map((run) =>
            h(
              "div",
              { class: `run-row${run.name === kept.run ? " chosen" : ""}` },
              h(
                "button",
                {
                  type: "button",
                  "data-run": run.name,
                  "data-state": run.state,
                  "data-focus": `run ${run.name}`,
                  "aria-pressed": run.name === kept.run,
                  onclick: () => {
                    kept.run = run.name;
                    kept.column = "";
                    kept.compared.delete(run.name);
                    look();
                  },
                },
                h("strong", {}, run.name),
                h(
                  "span",
                  { class: `small ${run.state === "running" ? "good" : "soft"}` },
                  [
                    `${METHODS[run.method]?.[0] ?? run.method ?? "?"}: ` +
                      `${gameOf(lab, run.game)?.title ?? run.game ?? "?"}`,
                    `${count(run.steps)}${run.wanted ? ` of ${count(run.wanted)}` : ""}`,
                    WORDS[run.state],
                    ...(run.own ? [] : ["command line"]),
                  ].join(", "),
                ),
              ),
              run.name === kept.run
                ? null
                : h(
                    "label",
                    { class: "small compare" },
                    h("input", {
                      type: "checkbox",
                      checked: kept.compared.has(run.name),
                      "data-compare": run.name,
                      "data-focus": `compare ${run.name}`,
                      onchange: (event) => {
                        if (event.target.checked) kept.compared.add(run.name);
                        else kept.compared.delete(run.name);
                        look();
                      },
                    }),
                    "compare",
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
  }

  async function draw() {
    const run = runs.find((one) => one.name === kept.run);
    if (!run) {
      fill(head, h("h2", {}, "Learning curve"));
      fill(
        picture,
        h("p", { class: "soft" }, "Start a run: in a minute a machine that knows nothing clears thousands of lines."),
      );
      fill(learned);
      return;
    }
    const curves = await Promise.all(
      [run.name, ...kept.compared].map((one) =>
        request("run-curve", { name: one }).catch(() => ({ name: one, columns: [], rows: [] })),
      ),
    );
    if (stopped || run.name !== kept.run) return;
    const [curve, ...others] = curves;
    drawHead(run, curve, others);
    drawCurves(curve, others);
    drawWeights(curve);
  }

  /** What can be done with a run. */
  function drawHead(run, curve, others) {
    const columns = curve.columns.slice(1);
    const key = JSON.stringify([run.name, run.state, run.own, curve.plays, columns, kept.column, [...kept.compared]]);
    if (head.dataset.key === key) return;
    head.dataset.key = key;
    const rival = others.length === 1 && runs.find(({ name: one }) => one === others[0].name);
    const meets = curve.plays && rival && others[0].plays && rival.game === run.game;
    const watch = `#/watch/play/${run.game}/run:${run.name}`;
    refill(
      head,
      h("h2", {}, run.name),
      h(
        "div",
        { class: "row" },
        run.state === "running" && run.own
          ? button("Stop", () => attempt(() => request("train-stop", { name: run.name })), { "data-focus": "go" })
          : null,
        run.state === "stopped" && run.own
          ? button("Resume", () => attempt(() => request("train-resume", { name: run.name })), {
              class: "primary",
              "data-focus": "go",
            })
          : null,
        curve.plays && run.game ? h("a", { class: "button", href: watch }, "Watch it play") : null,
        meets ? h("a", { class: "button", href: `${watch}/run:${rival.name}` }, `Watch it meet ${rival.name}`) : null,
        run.state !== "running" && run.own ? button("Delete", () => remove(run), { class: "danger" }) : null,
        columns.length > 1
          ? Object.assign(
              choose([["", "main curves"], ...columns], kept.column, (column) => {
                kept.column = column;
                draw();
              }),
              { ariaLabel: "Curve" },
            )
          : null,
      ),
    );
  }

  function drawCurves(curve, others) {
    if (curve.rows.length === 0) {
      fill(picture, h("p", { class: "soft" }, "The first step is not done yet."));
      return;
    }
    const [x, ...columns] = curve.columns;
    const found = Object.keys(CURVES).filter((column) => columns.includes(column));
    const main_ = found.length ? found : columns.slice(0, 1);
    const of = ({ columns: names, rows }, column) =>
      rows
        .filter((row) => !isUnknown(names, row, column))
        .map((row) => [row[0], row[names.indexOf(column)]])
        .filter(([, y]) => y !== null && y !== undefined);
    // Runs are compared by one curve each, if they count the same.
    const one = kept.column || (columns.includes("elite") ? "elite" : main_[0]);
    const same = others.filter(({ unit, columns: names }) => unit === curve.unit && names.includes(one));
    const series = same.length
      ? [curve, ...same].map((shown) => ({ label: shown.name, points: of(shown, one) }))
      : (kept.column ? [kept.column] : main_).map((column) => ({ label: column, points: of(curve, column) }));
    const values = series.flatMap(({ points }) => points.map(([, y]) => y));
    const log = Math.min(...values) > 0 && Math.max(...values) > 50 * Math.min(...values);
    const unit = kept.column && !(kept.column in CURVES) ? kept.column : curve.unit;
    const endless = curve.rows.filter((row) => isUnknown(curve.columns, row, one)).length;
    const top =
      kept.column && !(kept.column in CURVES)
        ? null
        : optimum(
            runs.find((run) => run.name === curve.name),
            unit,
          );
    const xs = series.flatMap(({ points }) => points.map(([x_]) => x_));
    if (typeof top === "number" && xs.length)
      series.push({
        label: `the best there is: ${count(top, top < 100 ? 2 : 0)}`,
        points: [
          [Math.min(...xs), top],
          [Math.max(...xs), top],
        ],
        dashed: true,
        colour: "var(--text)",
      });
    const apart = others.filter((other) => !same.includes(other)).map((other) => other.name);
    fill(
      picture,
      plot({
        series: series.map((line, index) => ({ colour: TONES[index % TONES.length], ...line })),
        log,
        width: 760,
        height: 320,
        xLabel: x,
        yLabel: `${unit}${log ? ", logarithmic" : ""}`,
        label: `Learning curve of ${[curve, ...same].map((shown) => shown.name).join(" and ")}: ${unit} by ${x}`,
      }),
      same.length
        ? h("p", { class: "small soft" }, `Compared by ${CURVES[one] ?? one}.`)
        : kept.column || !found.length
          ? null
          : h("p", { class: "small soft" }, `${found.map((column) => CURVES[column]).join("; ")}.`),
      endless
        ? h(
            "p",
            { class: "small soft", "data-endless": endless },
            `In ${count(endless)} of ${count(curve.rows.length)} steps no game ended: there is no mean to show, ` +
              "and no limit to what it is worth.",
          )
        : null,
      typeof top === "number"
        ? h("p", { class: "small soft" }, "Above the line of the best lies only what few games make too much of.")
        : null,
      top === "infinite"
        ? h("p", { class: "small soft" }, "There is no line for the best: who plays best never loses this game.")
        : null,
      apart.length
        ? h("p", { class: "small warn" }, `${apart.join(" and ")} cannot be compared: it counts something else.`)
        : null,
    );
  }

  /** What the best player of a small game is worth in this unit, once the lab has found it out. */
  function optimum(run, unit) {
    const isSmall = gameOf(lab, run?.game)?.small;
    const set = { lines: ["score.lines=[0,1,2,3,4,5]"], points: [] }[/^(lines|points) per /.exec(unit ?? "")?.[1]];
    if (!isSmall || !set) return null;
    const key = `${run.game} ${set}`;
    if (!optima.has(key)) {
      optima.set(key, null);
      const question = { game: { name: run.game, text: null, set }, objective: "total" };
      request("explore-solve", { question })
        .then(({ value }) => {
          optima.set(key, value);
          if (!stopped) draw();
        })
        .catch(() => {});
    }
    return optima.get(key);
  }

  function drawWeights(curve) {
    const weights = Object.entries(curve.weights?.weights ?? {});
    const most = Math.max(1e-12, ...weights.map(([, weight]) => Math.abs(weight)));
    fill(
      learned,
      weights.length
        ? [
            h("h2", {}, "What it has learned"),
            h(
              "p",
              { class: "small soft" },
              "The weight of each feature of the board: it likes what stands to the right " +
                "and avoids what stands to the left.",
            ),
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
                  h("span", { class: "num small" }, count(weight, most < 10 ? 2 : 1).replace("-", "−")),
                ),
              ),
            ),
          ]
        : null,
    );
  }

  look();
  const timer = setInterval(look, LOOK);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

/** Whether a step has no value because no game ended in it: 0 stands there, and it may play perfectly. */
function isUnknown(columns, row, column) {
  return ["score", "lines"].includes(column) && columns[0] === "step" && row[columns.indexOf("games")] === 0;
}
