// The rules of the game: size, pieces (also drawn ones), dealer with its matrix, landing and score; or a game file as
// it is.

import { pieceView } from "../../board.js";
import { button, choose, field, fill, h } from "../../dom.js";

/** The side of the field to draw pieces in. */
const SIDE = 5;

const KINDS = [
  ["weighted", "weighted: each piece by itself"],
  ["markov", "markov: by the piece before it"],
  ["bag", "bag: all once, then again"],
  ["sequence", "sequence: in this order"],
];
const PATHS = [
  ["drop", "drop: straight down"],
  ["slide", "slide: left, right and down"],
  ["anywhere", "anywhere it can rest"],
];
const OVERFLOWS = [
  ["forbidden", "forbidden: pieces stay inside"],
  ["clear-first", "clear-first: rows clear, then what sticks out ends the game"],
];

/**
 * The panel of the rules. `onapply(order)` asks for a game (`name`, `text`, `set`) and resolves to what is wrong with
 * it, or to nothing. `show(game, order)` shows a game that was taken.
 */
export function rulesPanel(onapply) {
  const problems = h("p", { class: "small bad problems", role: "alert" });
  const form = h("div", { class: "stack" });
  const own = fileFields(apply);
  let game = null,
    order = null,
    draft = null;

  async function apply(wanted) {
    problems.textContent = "";
    problems.textContent = (await onapply(wanted)) ?? "";
    return problems.textContent === "";
  }

  /** All rules of the form as changes to the file that it began with. */
  function changes() {
    const list = (items) => `[${items.join(", ")}]`;
    const text = (word) => JSON.stringify(word);
    const dealer = {
      weighted: () => [["weights", list(draft.weights.map(entry))]],
      markov: () => [
        ["matrix", list(draft.matrix.map((row) => list(row.map(entry))))],
        ["first", list(draft.first.map(entry))],
      ],
      bag: () => [],
      sequence: () => [["order", list(words(draft.order).map(text))]],
    }[draft.kind]();
    return [
      ["board.width", draft.width],
      ["board.height", draft.height],
      ["pieces.set", list(draft.pieces.map(({ name }) => text(name)))],
      ...draft.pieces.filter(({ rows }) => rows).map(({ name, rows }) => [`pieces.draw.${name}`, list(rows.map(text))]),
      ["dealer.kind", draft.kind],
      ...dealer.map(([key, value]) => [`dealer.${key}`, value]),
      ["landing.path", draft.path],
      ["landing.overflow", draft.overflow],
      ["score.lines", list(words(draft.score).map(entry))],
    ].map(([key, value]) => `${key}=${value}`);
  }

  const use = () => apply({ ...order, set: changes() });

  /** With other pieces the dealer's numbers are even again. */
  function takePieces(pieces) {
    draft.pieces = pieces;
    even();
    build();
    use();
  }

  function even() {
    const count = draft.pieces.length;
    draft.weights = draft.first = Array(count).fill("1");
    draft.matrix = Array.from({ length: count }, () => Array(count).fill(count === 1 ? "1" : `1/${count}`));
    draft.order = draft.pieces.map(({ name }) => name).join(", ");
  }

  function show(taken, from) {
    game = taken;
    order = { name: from.name, text: from.text, set: [] };
    const { dealer, landing } = game;
    draft = {
      width: game.width,
      height: game.height,
      pieces: game.pieces.map((piece) => ({ ...piece, rows: drawing(game, piece) })),
      kind: dealer.kind,
      path: landing.path,
      overflow: landing.overflow,
      score: game.score.join(", "),
    };
    even();
    const numbers = (list) => list.map(String);
    if (dealer.weights) draft.weights = numbers(dealer.weights);
    if (dealer.matrix) Object.assign(draft, { matrix: dealer.matrix.map(numbers), first: numbers(dealer.first) });
    if (dealer.order) draft.order = dealer.order.map((piece) => game.pieces[piece].name).join(", ");
    problems.textContent = "";
    own.show(game);
    build();
  }

  function build() {
    const number = (key, label, most) =>
      field(
        label,
        h("input", {
          type: "number",
          min: 1,
          max: most,
          value: draft[key],
          "data-rule": key,
          oninput: (event) => {
            draft[key] = event.target.value;
          },
        }),
      );
    const pick = (key, label, choices, after = () => {}) =>
      field(
        label,
        choose(choices, draft[key], (value) => {
          draft[key] = value;
          after();
        }),
      );
    fill(
      form,
      h("div", { class: "row" }, number("width", "Columns", 16), number("height", "Rows", 48)),
      h("h3", {}, "Pieces"),
      h(
        "ul",
        { class: "row plain", "aria-label": "Pieces of the game" },
        draft.pieces.map((piece, index) =>
          h(
            "li",
            { class: "deal" },
            pieceView(piece.cells, piece.colour ?? "G", 12, [5, 3]),
            h("span", { class: "small" }, piece.name),
            button("Remove", () => takePieces(draft.pieces.toSpliced(index, 1)), {
              class: "slim",
              "aria-label": `Remove ${piece.name}`,
              disabled: draft.pieces.length === 1,
            }),
          ),
        ),
      ),
      h(
        "div",
        { class: "row" },
        field(
          "Add a piece",
          choose(
            [
              "",
              ...game.catalogue
                .map(({ name }) => name)
                .filter((name) => !draft.pieces.some((one) => one.name === name)),
            ],
            "",
            (name) => {
              const piece = game.catalogue.find((one) => one.name === name);
              if (piece) takePieces([...draft.pieces, piece]);
            },
          ),
        ),
        drawField((piece) => takePieces([...draft.pieces.filter(({ name }) => name !== piece.name), piece])),
      ),
      h("h3", {}, "Dealer"),
      pick("kind", "Kind", KINDS, build),
      dealerFields(draft),
      h("h3", {}, "Landing and score"),
      pick("path", "How pieces get to their places", PATHS),
      pick("overflow", "Above the top", OVERFLOWS),
      typed(draft, "score", "Points for 0, 1, 2, … rows at once"),
      h("div", { class: "row" }, button("Use these rules", use, { class: "primary" })),
    );
  }

  const element = h(
    "details",
    { class: "panel wide", id: "rules" },
    h("summary", {}, h("h2", {}, "The rules of the game")),
    h("div", { class: "rules" }, form, own.element),
    problems,
  );
  return { element, show };
}

/** The numbers of a dealer, to edit; fractions such as 1/3 are fine. */
function dealerFields(draft) {
  const cell = (list, index, label) =>
    h("input", {
      type: "text",
      inputmode: "decimal",
      class: "entry num",
      "aria-label": label,
      value: list[index],
      oninput: (event) => {
        list[index] = event.target.value;
      },
    });
  const names = draft.pieces.map(({ name }) => name);
  const head = (corner) =>
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, corner),
        names.map((name) => h("th", { scope: "col" }, name)),
      ),
    );
  if (draft.kind === "weighted") {
    draft.weights = [...draft.weights];
    return h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "matrix" },
        head("piece"),
        h(
          "tbody",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "row" }, "weight"),
            names.map((name, index) => h("td", {}, cell(draft.weights, index, `Weight of ${name}`))),
          ),
        ),
      ),
    );
  }
  if (draft.kind === "markov") {
    draft.first = [...draft.first];
    const row = (label, list, name) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, label),
        names.map((next, index) => h("td", {}, cell(list, index, name(next)))),
      );
    return h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "matrix", id: "matrix" },
        h(
          "caption",
          { class: "small soft" },
          "Probabilities of the next piece; every row sums to 1, fractions such as 1/3 are fine",
        ),
        head("after"),
        h(
          "tbody",
          {},
          names.map((name, index) => row(name, draft.matrix[index], (next) => `Probability of ${next} after ${name}`)),
          row("first", draft.first, (next) => `Weight of ${next} as the first piece`),
        ),
      ),
    );
  }
  if (draft.kind === "sequence") return typed(draft, "order", "Order of the pieces, apart by commas; it repeats");
  return null;
}

/** A line of text that is part of the rules. */
function typed(draft, key, label) {
  return field(
    label,
    h("input", {
      type: "text",
      value: draft[key],
      "data-rule": key,
      oninput: (event) => {
        draft[key] = event.target.value;
      },
    }),
  );
}

/** A field to draw a piece in. */
function drawField(onpiece) {
  const name = h("input", { type: "text", value: "mine", maxlength: 20, "data-rule": "piece-name" });
  const boxes = Array.from({ length: SIDE * SIDE }, (_, index) =>
    h("input", {
      type: "checkbox",
      class: "draw-cell",
      "aria-label": `Row ${Math.floor(index / SIDE) + 1} from the top, column ${(index % SIDE) + 1}`,
    }),
  );
  const take = () => {
    const rows = Array.from({ length: SIDE }, (_, row) =>
      boxes
        .slice(row * SIDE, (row + 1) * SIDE)
        .map(({ checked }) => (checked ? "#" : "."))
        .join(""),
    );
    const cells = rows.flatMap((row, y) => [...row].flatMap((cell, x) => (cell === "#" ? [[x, SIDE - 1 - y]] : [])));
    onpiece({ name: name.value.trim(), rows, cells: pushed(cells) });
  };
  return h(
    "details",
    {},
    h("summary", {}, "Draw a piece"),
    h(
      "div",
      { class: "stack" },
      h("fieldset", { class: "draw-field" }, h("legend", { class: "small soft" }, "Its cells, one to five"), boxes),
      field("Its name", name),
      button("Add this piece", take),
    ),
  );
}

/** A game file as text: to read, change, open and save. */
function fileFields(apply) {
  const text = h("textarea", { rows: 18, spellcheck: "false", "aria-label": "Game file", id: "game-file" });
  const file = h("input", {
    type: "file",
    accept: ".toml,text/plain",
    "aria-label": "Open a game file",
    onchange: async (event) => {
      const [chosen] = event.target.files;
      if (!chosen) return;
      text.value = await chosen.text();
      apply({ name: "", text: text.value, set: [] });
    },
  });
  const save = () => {
    const link = h("a", { href: URL.createObjectURL(new Blob([text.value])), download: `${name}.toml` });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  let name = "game";
  const element = h(
    "div",
    { class: "stack" },
    h("h3", {}, "As a file"),
    text,
    h(
      "div",
      { class: "row" },
      button("Use this file", () => apply({ name: "", text: text.value, set: [] })),
      button("Save it", save),
    ),
    file,
  );
  return {
    element,
    show: (game) => {
      name = game.name;
      text.value = game.file;
    },
  };
}

/** The drawing of a piece that is not in the catalogue, rows from the top. */
function drawing(game, { name, cells }) {
  if (game.catalogue.some((known) => known.name === name)) return null;
  const most = (axis) => Math.max(...cells.map((cell) => cell[axis]));
  return Array.from({ length: most(1) + 1 }, (_, row) =>
    Array.from({ length: most(0) + 1 }, (_, x) =>
      cells.some((cell) => cell[0] === x && cell[1] === most(1) - row) ? "#" : ".",
    ).join(""),
  );
}

/** Cells moved into the lower left corner. */
function pushed(cells) {
  const least = (axis) => Math.min(...cells.map((cell) => cell[axis]));
  return cells.map(([x, y]) => [x - least(0), y - least(1)]);
}

/** A number as TOML takes it, a fraction as text. */
function entry(text) {
  const word = String(text).trim();
  return /^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(word) ? word : JSON.stringify(word);
}

function words(text) {
  return text
    .split(/[\s,]+/)
    .map((word) => word.trim())
    .filter(Boolean);
}
