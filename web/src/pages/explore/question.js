// What is asked: the objective, who deals, what is known, and how it is solved, in the words of `bellmino solve`.

import { choose, field, fill, h, toggle } from "../../dom.js";

const OBJECTIVES = [
  ["discounted", "Points, discounted"],
  ["horizon", "Points of so many pieces"],
  ["total", "Points until the game ends"],
  ["average", "Points per piece, for ever"],
  ["survive", "The chance of never losing"],
];
const DEALERS = [
  ["random", "Chance, as in the game"],
  ["worst", "The worst, who answers"],
  ["worst-before", "The worst, who names ahead"],
  ["mixed", "Chance and the worst, mixed"],
];
const VIEWS = [
  ["grid", "every cell"],
  ["heights", "the heights of the columns"],
  ["contour", "differences of heights"],
];
const METHODS = [
  ["auto", "the fastest safe one"],
  ["value", "value iteration"],
  ["modified", "modified policy iteration"],
  ["policy", "policy iteration"],
];

/** What is asked at first. */
export const FIRST = {
  objective: "discounted",
  discount: 0.9,
  pieces: 99,
  dealer: "random",
  mixed: 0.25,
  dealerTable: "",
  preview: 0,
  hold: false,
  player: "",
  placer: "best",
  view: "grid",
  reward: "",
  method: "auto",
  epsilon: "",
};

/** The question as the lab takes it. */
export function orderOf(game, asked, from) {
  const objective = { discounted: `discounted:${asked.discount}`, horizon: `horizon:${asked.pieces}` };
  const dealer = { mixed: `mixed:${asked.mixed}`, table: `table:${asked.dealerTable}` };
  return {
    game,
    objective: objective[asked.objective] ?? asked.objective,
    dealer: dealer[asked.dealer] ?? asked.dealer,
    placer: asked.player ? null : asked.placer,
    player: asked.player || null,
    preview: asked.preview,
    hold: asked.hold,
    view: asked.view,
    reward: asked.reward.trim() || null,
    method: asked.method,
    epsilon: asked.epsilon === "" ? null : Number(asked.epsilon),
    from,
  };
}

/** The same as a command to type. */
export function commandOf(order) {
  const flag = (name, value, absent) => (value === null || value === absent ? "" : ` --${name} ${value}`);
  const quoted = (text) => (/^[\w.,:=/-]+$/.test(text) ? text : `'${text}'`);
  return [
    `bellmino solve ${order.game.text === null ? order.game.name : "FILE"}`,
    ...order.game.set.map((change) => ` --set ${quoted(change)}`),
    flag("objective", order.objective),
    flag("dealer", order.dealer, "random"),
    flag("placer", order.placer, "best"),
    flag("player", order.player),
    flag("preview", order.preview, 0),
    order.hold ? " --hold" : "",
    flag("view", order.view, "grid"),
    flag("reward", order.reward),
    flag("method", order.method, "auto"),
    flag("epsilon", order.epsilon),
  ].join("");
}

/** The panel of the question; `onchange()` after every change of `asked`. `show(game)` fits it to a game. */
export function questionPanel(asked, lab, onchange) {
  const shown = [];
  /** Something that is there only for some choices. */
  const when = (is, element) => {
    shown.push(() => {
      element.hidden = !is();
    });
    return element;
  };
  const refresh = () => {
    for (const show of shown) show();
  };
  const changed = () => {
    refresh();
    onchange();
  };
  const pick = (key, label, choices) =>
    field(
      label,
      Object.assign(
        choose(choices, asked[key], (value) => {
          asked[key] = value;
          changed();
        }),
        { id: `explore-${key}` },
      ),
    );
  const slider = (key, label, [min, max, step], text) => {
    const output = h("output", { class: "num" }, text(asked[key]));
    return h(
      "label",
      { class: "field" },
      h("span", { class: "row spread" }, label, output),
      h("input", {
        type: "range",
        min,
        max,
        step,
        value: asked[key],
        "data-slider": key,
        oninput: (event) => {
          asked[key] = Number(event.target.value);
          output.textContent = text(asked[key]);
          changed();
        },
      }),
    );
  };
  const input = (key, label, props, read = String) =>
    field(
      label,
      h("input", {
        ...props,
        value: asked[key],
        id: `explore-${key}`,
        onchange: (event) => {
          asked[key] = read(event.target.value);
          changed();
        },
      }),
    );
  const player = h("div");
  const tables = lab.tables.map((name) => [`table:${name}`, `table ${name}`]);

  const element = h(
    "div",
    { class: "stack" },
    pick("objective", "What is maximised", OBJECTIVES),
    when(
      () => asked.objective === "discounted",
      slider("discount", "Discount", [0, 0.99, 0.01], (value) => value.toFixed(2)),
    ),
    when(
      () => asked.objective === "horizon",
      input("pieces", "Pieces", { type: "number", min: 1, max: 100000, step: 1 }, Number),
    ),
    pick("dealer", "Who deals", lab.tables.length ? [...DEALERS, ["table", "A table of the lab"]] : DEALERS),
    when(
      () => asked.dealer === "mixed",
      slider("mixed", "Share of the worst dealer", [0, 1, 0.05], (value) => value.toFixed(2)),
    ),
    when(() => asked.dealer === "table", pick("dealerTable", "Which table deals", ["", ...lab.tables])),
    h(
      "div",
      { class: "row spread" },
      input("preview", "Pieces known ahead", { type: "number", min: 0, max: 8, step: 1 }, Number),
      toggle("Hold", asked.hold, (on) => {
        asked.hold = on;
        changed();
      }),
    ),
    h(
      "details",
      {},
      h("summary", {}, "More: reward, player, view, method"),
      h(
        "div",
        { class: "stack" },
        input("reward", "Maximise this instead of the score", {
          type: "text",
          placeholder: "score=1,gaps=0.5",
          autocomplete: "off",
        }),
        player,
        when(
          () => !asked.player,
          pick("placer", "Who places", [
            ["best", "the best"],
            ["average", "every placement, as likely as the others"],
          ]),
        ),
        pick("view", "What the player sees of a board", VIEWS),
        pick("method", "Method", METHODS),
        input("epsilon", "Wanted bound (empty: a billionth of the value)", { type: "number", min: 0, step: "any" }),
      ),
    ),
  );

  /** Fits the choices to a game. */
  function show(game) {
    const names = (game.players ?? []).filter((name) => name !== "exact");
    const known = ["", ...names, ...tables.map(([name]) => name)];
    if (!known.includes(asked.player)) asked.player = "";
    fill(player, pick("player", "Evaluate a player", [["", "none: find the best"], ...names, ...tables]));
    refresh();
  }

  return { element, show };
}
