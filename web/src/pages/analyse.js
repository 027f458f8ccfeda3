// Analyse: recorded games, placement by placement, with what the bot would have done.

import { BoardView, fittingCell } from "../board.js";
import { plot } from "../chart.js";
import { ask, button, clock, count, day, fill, h, iconButton, inLine, pageHead } from "../dom.js";
import { pieceOf } from "../games.js";
import { on, request, tell } from "../socket.js";

const STATES = { goal: "finished", "topped-out": "topped out", stopped: "stopped" };
// The store has noticed that it is not what was written.
const DAMAGED = "damaged";
const TONES = { best: "--good", good: "--good", inaccuracy: "--accent", mistake: "--warn", blunder: "--bad" };
const WORDS = { best: "the best", good: "good", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder" };

const MEANINGS = {
  points: "value of the position for the bot, in points",
  stack: "state of the stack for the bot; 0 is an empty board",
};

export default function analyse(main, _lab, id) {
  if (id && !/^\d{1,15}$/.test(id)) throw new Error("a game has a number");
  return id ? open(main, Number(id)) : list(main);
}

const modeName = (mode) => mode[0].toUpperCase() + mode.slice(1);

/** All games. */
function list(main) {
  const body = h("tbody");
  const note = h("p", { class: "soft", role: "status" });
  const file = h("input", {
    type: "file",
    accept: ".toml,.txt",
    class: "visually-hidden",
    id: "record-file",
    onchange: async () => {
      try {
        const { game } = await request("game-import", { text: await file.files[0].text() });
        location.hash = `#/analyse/${game}`;
      } catch (error) {
        note.textContent = error.message;
      }
    },
  });
  fill(
    main,
    pageHead("Analyse", "Every game you finish is kept. Open one to see each move, its value, and what was better."),
    h(
      "div",
      { class: "row", style: { "margin-bottom": "12px" } },
      h("label", { class: "button", for: "record-file", tabindex: 0 }, "Open a record file"),
      file,
    ),
    note,
    h(
      "div",
      { class: "panel scroll" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Game", "Player", "When", "End"].map((text) => h("th", {}, text)),
            ["Time", "Score", "Lines", "Pieces", "Pieces/s"].map((text) => h("th", { class: "num" }, text)),
            h("th", {}),
          ),
        ),
        body,
      ),
    ),
  );
  const remove = (game) =>
    button(
      "Delete",
      async (event) => {
        event.stopPropagation();
        const answers = [
          ["Delete", "yes", "danger"],
          ["Keep", null, "primary"],
        ];
        if ((await ask("Delete this game?", "It cannot be brought back.", answers)) !== "yes") return;
        await request("game-remove", { game: game.id }).catch((error) => {
          note.textContent = error.message;
        });
        load();
      },
      { class: "danger" },
    );
  const load = async () => {
    const games = await request("games");
    note.textContent = games.length ? "" : "No games yet: play a Sprint or a Blitz, and it will be here.";
    fill(
      body,
      games.map((game) => {
        const go = () => {
          location.hash = `#/analyse/${game.id}`;
        };
        if (game.state === DAMAGED)
          return h(
            "tr",
            { "data-damaged": game.id },
            h("td", { class: "bad", colspan: 9 }, `Game ${game.id} is damaged in the store and cannot be shown.`),
            h("td", {}, remove(game)),
          );
        return h(
          "tr",
          { class: "link", onclick: go },
          h("td", {}, h("a", { href: `#/analyse/${game.id}` }, modeName(game.mode))),
          h("td", {}, game.player),
          h("td", {}, day(game.started)),
          h("td", {}, STATES[game.state] ?? game.state),
          h("td", { class: "num" }, game.milliseconds ? clock(game.milliseconds) : "–"),
          h("td", { class: "num" }, count(game.score)),
          h("td", { class: "num" }, count(game.lines)),
          h("td", { class: "num" }, count(game.pieces)),
          h("td", { class: "num" }, game.milliseconds ? count(game.pieces / (game.milliseconds / 1000), 2) : "–"),
          h("td", {}, remove(game)),
        );
      }),
    );
  };
  load().catch((error) => {
    note.textContent = error.message;
  });
}

/** One game. */
function open(main, id) {
  let steps = [],
    verdicts = [],
    at = 0,
    game = null,
    record = "",
    fumen = null,
    rules = null,
    view = null,
    done = false;
  const well = h("div"),
    playing = h("span"),
    copying = h("span");
  const hold = h("div", { class: "piece-box" }),
    next = h("div", { class: "next" });
  const verdict = h("div", { class: "stack", role: "status" }),
    curve = h("div"),
    summary = h("div", { class: "row" }),
    mistakes = h("ol", { class: "mistakes" });
  const title = h("h1", {}, "Game"),
    facts = h("p", {}),
    place = h("span", { class: "num" }),
    note = h("p", { class: "small soft", role: "status" });

  const go = (step) => {
    at = Math.max(0, Math.min(steps.length - 1, step));
    draw();
  };
  const jump = (by) => {
    for (let step = at + by; step >= 0 && step < steps.length; step += by) {
      if (["inaccuracy", "mistake", "blunder"].includes(verdicts[step]?.grade)) return go(step);
    }
  };
  const playOn = () => {
    const { before, queue, hold: held } = steps[at];
    location.hash = `#/play/practice/${encodeURIComponent(JSON.stringify({ board: before, queue, hold: held ?? "" }))}`;
  };
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      note.textContent = `${what} copied.`;
    } catch {
      note.replaceChildren(h("textarea", { rows: 3, readonly: true, onfocus: (event) => event.target.select() }, text));
    }
  };
  const save = () => {
    const link = h("a", {
      href: URL.createObjectURL(new Blob([record], { type: "application/toml" })),
      download: `bellmino-${game.mode}-${game.id}.toml`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
  };

  fill(
    main,
    h("div", { class: "page-head" }, title, facts),
    h(
      "div",
      { class: "analysis" },
      h(
        "div",
        {},
        h(
          "div",
          { class: "stage-head" },
          iconButton("first", "First move", () => go(0)),
          iconButton("back", "Move before", () => go(at - 1)),
          place,
          iconButton("next", "Next move", () => go(at + 1)),
          iconButton("last", "Last move", () => go(steps.length - 1)),
        ),
        h(
          "div",
          { class: "table" },
          well,
          h(
            "div",
            { class: "aside", style: { width: "96px" } },
            h("div", { class: "box" }, h("h3", {}, "Hold"), hold),
            h("div", { class: "box" }, h("h3", {}, "Next"), next),
          ),
        ),
      ),
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "panel stack" },
          verdict,
          h(
            "div",
            { class: "row" },
            button("Mistake before", () => jump(-1)),
            button("Next mistake", () => jump(1)),
            playing,
          ),
        ),
        h("div", { class: "panel stack" }, summary, curve),
        h("div", { class: "panel stack" }, h("h3", {}, "Worst moves"), mistakes),
        h(
          "div",
          { class: "row" },
          copying,
          button("Save as file", save),
          h("a", { class: "button", href: "#/analyse" }, "All games"),
        ),
        note,
      ),
    ),
  );

  function draw() {
    if (!steps.length) return;
    const step = steps[at],
      said = verdicts[at];
    const better =
      said && said.grade !== "best" ? { cells: said.cells, tone: "--good", dashed: true, label: "best" } : null;
    view.draw({
      board: step.before,
      active: { cells: step.cells, colour: step.piece },
      outlines: [...(better ? [better] : []), { cells: step.cells, tone: said ? TONES[said.grade] : "--text" }],
    });
    fill(hold, pieceOf(rules, step.hold, 16, [4, 2]));
    fill(
      next,
      [...step.queue].map((piece, index) => pieceOf(rules, piece, index ? 13 : 17, [4, 2.6])),
    );
    place.textContent = `${at + 1} / ${steps.length}`;
    fill(
      verdict,
      said
        ? [
            h(
              "h2",
              { "data-grade": said.grade, style: { color: `var(${TONES[said.grade]})` } },
              `Move ${at + 1}: ${WORDS[said.grade]}`,
            ),
            h(
              "p",
              {},
              said.grade === "best"
                ? `${judge()} would have done the same.`
                : `${judge()} prefers ${said.piece} where the dashed line is; ` +
                    `${said.fatal ? "this one loses" : "it is better by"} ${loss(said)}.`,
              step.clear ? ` Played: ${step.clear}.` : "",
            ),
          ]
        : [
            h("h2", {}, `Move ${at + 1}`),
            h("p", { class: "soft" }, done ? "Not judged." : `${judge()} is looking at the game …`),
          ],
    );
    drawCurve();
  }

  /** Who judges: the bot, or on small boards the exact solution. */
  function judge() {
    return rules.kind === "guideline" ? "The bot" : "The exact best player";
  }

  let curveAsked = false;
  function drawCurve() {
    if (curveAsked) return;
    curveAsked = true;
    requestAnimationFrame(() => {
      curveAsked = false;
      const units = verdicts.flatMap((said) => (said ? [said.unit] : []));
      const unit = ["points", "stack"].find((known) => units.includes(known)) ?? units[0] ?? "stack";
      const known = verdicts.flatMap((said, index) =>
        said && said.unit === unit ? [[index + 1, said.best_value]] : [],
      );
      const marks = verdicts.flatMap((said, index) =>
        ["inaccuracy", "mistake", "blunder"].includes(said?.grade) && said.unit === unit
          ? [
              {
                x: index + 1,
                y: said.best_value,
                colour: `var(${TONES[said.grade]})`,
                title: `Move ${index + 1}: ${said.grade}, ${loss(said)}`,
              },
            ]
          : [],
      );
      fill(
        curve,
        plot({
          series: [{ colour: "var(--accent)", points: known }],
          marks,
          cursor: at + 1,
          onpick: (x) => go(Math.round(x) - 1),
          width: 560,
          height: 190,
          xLabel: "move",
          yLabel: MEANINGS[unit] ?? `value of the best move, ${unit}`,
          label: "Value of each position",
        }),
      );
      const number = (grade) => verdicts.filter((said) => said?.grade === grade).length;
      fill(
        summary,
        ["inaccuracy", "mistake", "blunder"].map((grade) =>
          h(
            "span",
            { class: "pill", "data-count": grade, style: { color: `var(${TONES[grade]})` } },
            `${number(grade)} ${plural(grade, number(grade))}`,
          ),
        ),
        h(
          "span",
          { class: "soft small" },
          done
            ? `mean loss ${count(meanLoss(verdicts), rules.kind === "guideline" ? 1 : 6)} per move`
            : `${verdicts.filter(Boolean).length} of ${steps.length} judged`,
        ),
      );
      const worst = verdicts
        .filter((said) => said && ["mistake", "blunder", "inaccuracy"].includes(said.grade))
        .sort((a, b) => b.loss - a.loss)
        .slice(0, 5);
      fill(
        mistakes,
        worst.length
          ? worst.map((said) =>
              h(
                "li",
                {},
                h(
                  "a",
                  {
                    href: "#",
                    onclick: (event) => {
                      event.preventDefault();
                      go(said.step);
                    },
                  },
                  `Move ${said.step + 1}`,
                ),
                h("span", { style: { color: `var(${TONES[said.grade]})` } }, ` ${said.grade}, ${loss(said)}`),
              ),
            )
          : h("li", { class: "soft", style: { "list-style": "none" } }, done ? "None. Well played." : "…"),
      );
    });
  }

  const stop = on("verdict", (event) => {
    if (event.game !== id) return;
    verdicts[event.verdict.step] = event.verdict;
    if (event.verdict.step === at) draw();
    else drawCurve();
  });
  const keys = (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const act = {
      ArrowLeft: () => go(at - 1),
      ArrowRight: () => go(at + 1),
      Home: () => go(0),
      End: () => go(steps.length - 1),
    }[event.code];
    if (act) {
      event.preventDefault();
      act();
    }
  };
  addEventListener("keydown", keys);
  (async () => {
    ({ game, rules, steps, record, fumen } = await request("game-open", { game: id }));
    const { width, height } = rules;
    const room = { most: width > 6 ? 26 : 56, high: innerHeight - 250, wide: innerWidth - 150 };
    const cell = fittingCell(width, height + 1, room);
    view = new BoardView({ width, height, above: 1, cell, label: "The board at this move" });
    fill(well, view.element);
    if (rules.kind === "guideline")
      fill(
        playing,
        button("Play on from here", () => playOn(), { class: "primary" }),
      );
    if (fumen)
      fill(
        copying,
        button("Copy as fumen", () => copy(fumen, "Fumen")),
      );
    title.textContent = `${modeName(game.mode)}, ${STATES[game.state] ?? game.state}`;
    facts.textContent = [
      day(game.started),
      ...(game.milliseconds ? [clock(game.milliseconds)] : []),
      `${count(game.score)} points`,
      `${count(game.lines)} lines`,
      `${count(game.pieces)} pieces`,
    ].join(" · ");
    verdicts = new Array(steps.length);
    draw();
    await request("game-judge", { game: id }, (place) => {
      note.textContent = inLine(place);
    });
    note.textContent = "";
    done = true;
    main.dataset.judged = "yes";
    draw();
  })().catch((error) => {
    note.textContent = error.message;
  });
  return () => {
    stop();
    removeEventListener("keydown", keys);
    delete main.dataset.judged;
    tell("game-judge-end");
  };
}

/** What was given away on average, lost games apart. */
function meanLoss(verdicts) {
  const lost = verdicts.reduce((sum, said) => sum + (!said || said.fatal ? 0 : said.loss), 0);
  return lost / Math.max(1, verdicts.length);
}

/** What a placement gave away, in words. */
function loss({ loss: lost, unit, fatal }) {
  if (fatal) return "the whole game";
  return unit === "chance"
    ? `${count(100 * lost)} % chance of an empty board at the end`
    : unit === "points"
      ? `${count(lost)} points`
      : unit === "stack"
        ? `${count(lost)} in the state of the stack`
        : `${lost.toFixed(6)} (${unit})`;
}

function plural(word, number) {
  return number === 1 ? word : word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
}
