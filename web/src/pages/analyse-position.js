// What is best here: the bot's choices in a position that is painted or comes as a fumen.

import { BoardView, fittingCell } from "../board.js";
import { boardWords, choiceList, effort, sideBySide } from "../choices.js";
import { button, choose, field, fill, h, inLine, pageHead } from "../dom.js";
import { request } from "../socket.js";
import { hasFingers, ownTouches } from "../touch.js";

const WIDTH = 10;
const HEIGHT = 20;
const GOALS = [
  ["practice", "Points, without an end"],
  ["blitz", "Blitz: points with 360 pieces"],
  ["sprint", "Sprint: 40 lines with few pieces"],
];
const EFFORTS = [
  ["40000", "a moment"],
  ["200000", "longer"],
  ["1000000", "long"],
];

export default function position(main, _lab, fumen) {
  let board = [],
    asked = 0;
  const state = { mode: "practice", nodes: "40000", pieces: 0, lines: 0, back_to_back: false };
  const note = h("p", { class: "small", role: "status" });
  const answer = h("div", { class: "stack", "data-answer": "" });
  const view = new BoardView({
    width: WIDTH,
    height: HEIGHT,
    cell: fittingCell(WIDTH, HEIGHT, { most: 24, high: Math.max(300, innerHeight - 220), wide: innerWidth - 60 }),
    label: "",
  });
  const text = (props) => h("input", { type: "text", spellcheck: "false", autocomplete: "off", ...props });
  const queue = text({ maxlength: 40, value: "TIOSZLJ", size: 12 });
  const hold = text({ maxlength: 1, size: 2 });
  const link = text({
    placeholder: "v115@…",
    size: 30,
    onkeydown: (event) => {
      if (event.key !== "Enter") return;
      // Not the form, which asks about the board as it is.
      event.preventDefault();
      read();
    },
  });
  const number = (key, most) =>
    h("input", {
      type: "number",
      min: 0,
      max: most,
      value: 0,
      oninput: (event) => {
        state[key] = Math.max(0, Math.min(most, Math.floor(Number(event.target.value)) || 0));
      },
    });

  const draw = () => {
    view.draw({ board });
    view.canvas.setAttribute("aria-label", `The position: ${boardWords(board)}`);
  };
  const say = (words, bad = false) => {
    note.textContent = words;
    note.className = bad ? "small bad" : "small soft";
  };

  /** Takes the position of the fumen field; says what is wrong with it, or nothing. */
  async function read() {
    try {
      const told = await request("fumen-read", { text: link.value.trim() });
      board = told.board.slice(0, HEIGHT);
      if (told.queue) queue.value = told.queue;
      hold.value = told.hold;
      draw();
      say("");
      await think();
    } catch (error) {
      say(error.message, true);
    }
  }

  async function think() {
    const mine = ++asked;
    const order = { board, queue: queue.value.toUpperCase(), hold: hold.value.toUpperCase(), ...state };
    try {
      const told = await request("best", { ...order, nodes: Number(state.nodes) }, (place) => {
        if (mine === asked) say(inLine(place));
      });
      if (mine !== asked) return;
      say("");
      show(told);
      const { text: written } = await request("fumen-write", { board, queue: order.queue, hold: order.hold });
      if (mine !== asked) return;
      link.value = written;
      history.replaceState(null, "", `#/analyse/position/${encodeURIComponent(written)}`);
    } catch (error) {
      if (mine !== asked) return;
      fill(answer);
      say(error.message, true);
    }
  }

  function show(told, chosen = 0) {
    const titled = (place) => ({
      title: place === 0 ? "Best" : `Choice ${place + 1}`,
      tone: place === 0 ? "--good" : "--accent",
      choice: told.choices[place],
    });
    fill(
      answer,
      told.expected ? h("p", {}, `Expected if the bot plays on: ${told.expected}.`) : null,
      choiceList(told, (place) => show(told, place), chosen),
      sideBySide(chosen === 0 ? [titled(0)] : [titled(chosen), titled(0)]),
      h("p", { class: "small soft" }, `The bot looked ${effort(told)}.`),
    );
  }

  paintable(
    view,
    () => board,
    (rows) => {
      board = rows;
      draw();
    },
  );
  const details = h(
    "details",
    {},
    h("summary", {}, "How far the game is"),
    h(
      "div",
      { class: "row" },
      field("Pieces placed", number("pieces", 100000)),
      field("Lines cleared", number("lines", 100000)),
      h(
        "label",
        { class: "switch" },
        h("input", {
          type: "checkbox",
          role: "switch",
          onchange: (event) => {
            state.back_to_back = event.target.checked;
          },
        }),
        h("span", {}, "Back-to-back alive"),
      ),
    ),
  );
  fill(
    main,
    pageHead(
      "What is best here?",
      "Paint a board, say which pieces come, and ask the bot. A fumen, a board as text from other tools, will do too.",
    ),
    h(
      "div",
      { class: "analysis" },
      h(
        "div",
        {},
        view.element,
        h("p", { class: "small soft" }, `${hasFingers() ? "Tap" : "Click"} or drag to paint cells.`),
      ),
      h(
        "form",
        {
          class: "stack",
          onsubmit: (event) => {
            event.preventDefault();
            think();
          },
        },
        h(
          "div",
          { class: "panel stack" },
          h("div", { class: "row" }, field("Piece in play, then the next", queue), field("Hold", hold)),
          h(
            "div",
            { class: "row" },
            field(
              "The game is about",
              choose(GOALS, state.mode, (value) => {
                state.mode = value;
              }),
            ),
            field(
              "Think for",
              choose(EFFORTS, state.nodes, (value) => {
                state.nodes = value;
              }),
            ),
          ),
          details,
          h(
            "div",
            { class: "row" },
            h("button", { type: "submit", class: "button primary" }, "What is best here?"),
            button("Empty the board", () => {
              board = [];
              draw();
            }),
          ),
          h(
            "div",
            { class: "row", style: { "align-items": "end" } },
            field("Fumen", link),
            button("Read the fumen", read),
          ),
          note,
        ),
        h("div", { class: "panel" }, answer),
        h("div", { class: "row" }, h("a", { class: "button", href: "#/analyse" }, "All games")),
      ),
    ),
  );
  draw();
  if (fumen) {
    link.value = fumen;
    read();
  } else fill(answer, h("p", { class: "soft" }, "The bot's choices will be here."));
  return () => {
    asked++;
  };
}

/**
 * Lets a board be painted: the first cell of a stroke says whether it fills or empties, and no cell on its way is
 * left out.
 */
function paintable(view, rows, change) {
  const { canvas } = view;
  let stroke = null;
  const put = ([x, y]) => {
    const cells = Array.from({ length: HEIGHT }, (_, row) => [...(rows()[row] ?? "").padEnd(WIDTH, ".")]);
    stroke.fill ??= cells[y][x] === ".";
    cells[y][x] = stroke.fill ? "G" : ".";
    const full = cells.map((row) => row.join(""));
    change(full.slice(0, full.findLastIndex((row) => /[^.]/.test(row)) + 1));
  };
  const touch = (event) => {
    const to = view.cellAt(event);
    if (!to) return;
    const from = stroke.last ?? to;
    const far = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]), 1);
    for (let part = 0; part <= far; part++)
      put([0, 1].map((axis) => Math.round(from[axis] + ((to[axis] - from[axis]) * part) / far)));
    stroke.last = to;
  };
  canvas.style.touchAction = "none";
  ownTouches(canvas);
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    stroke = { fill: null, last: null };
    touch(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (stroke) touch(event);
  });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, () => {
      stroke = null;
    });
}
