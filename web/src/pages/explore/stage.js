// The board of the explorer with what is in hand: painted, pointed at, walked on.

import { BoardView, colourOf, fittingCell, pieceView } from "../../board.js";
import { button, choose, field, fill, h, toggle } from "../../dom.js";
import { ownTouches } from "../../touch.js";
import { boardText, markOf, readBoard, shortWorth, size } from "./words.js";

/**
 * The stage of a desk. `acts`: `setBoard(board)`, `changed()` after a change of the hand, `show(place)`, `take(place)`,
 * `putAside()`, `walk()`, `back()`, `empty()`, `deal(piece)`, `say(text)`.
 */
export function stagePanel(desk, acts) {
  const well = h("div", { class: "explore-stage" }),
    palette = h("div", { class: "row palette", role: "group", "aria-label": "Piece" }),
    hand = h("div", { class: "row hand" }),
    legend = h("p", { class: "small soft" });
  const text = h("input", {
    type: "text",
    class: "num",
    spellcheck: "false",
    placeholder: "empty",
    id: "explore-board",
    onchange: (event) => {
      try {
        acts.setBoard(readBoard(event.target.value));
        event.target.removeAttribute("aria-invalid");
      } catch (error) {
        event.target.setAttribute("aria-invalid", "true");
        acts.say(error.message);
      }
    },
  });
  const aside = button("Put it aside", acts.putAside, { id: "explore-put-aside" });
  const back = button("Back", acts.back),
    walk = button("Make this placement", acts.walk);
  let view = null,
    key = "";

  function makeView() {
    const { game } = desk;
    const cell = fittingCell(game.width, game.height + game.above, {
      most: 76,
      least: 24,
      high: Math.max(220, innerHeight - 330),
      wide: Math.min(420, innerWidth - 60),
    });
    view = new BoardView({ width: game.width, height: game.height, above: game.above, cell, label: "The board" });
    view.element.tabIndex = 0;
    view.element.setAttribute("role", "group");
    view.element.setAttribute("aria-label", "The board: arrow keys go through the placements, Enter makes one");
    fill(well, view.element);
    listen();
  }

  function listen() {
    let filling = null;
    const { canvas, element } = view;
    canvas.style.touchAction = "none";
    ownTouches(canvas);
    const paint = (event) => {
      const at = view.cellAt(event);
      if (!at) return;
      const [x, y] = at;
      const { game, position } = desk;
      const rows = Array.from({ length: game.height }, (_, row) => [
        ...(position.board[row] ?? ".".repeat(game.width)),
      ]);
      filling ??= rows[y][x] === ".";
      rows[y][x] = filling ? "G" : ".";
      position.board = trimmed(rows.map((row) => row.join("")));
      desk.look = null;
      draw();
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      if (desk.mode === "look") {
        filling = null;
        acts.leaveBoard();
        paint(event);
      } else if (desk.mode === "place") {
        // A finger points first, and takes what it has pointed at.
        const before = desk.shown;
        point(event);
        if (event.pointerType === "mouse" || desk.shown === before) acts.take(desk.shown);
      }
    });
    canvas.addEventListener("pointermove", (event) => {
      if (desk.mode === "look" && event.buttons) paint(event);
      else if (desk.mode === "place" && event.pointerType === "mouse") point(event);
    });
    canvas.addEventListener("pointerup", () => {
      if (desk.mode === "look") acts.changed();
      filling = null;
    });
    element.addEventListener("keydown", (event) => {
      const act = {
        ArrowDown: () => acts.show(desk.shown + 1),
        ArrowRight: () => acts.show(desk.shown + 1),
        ArrowUp: () => acts.show(desk.shown - 1),
        ArrowLeft: () => acts.show(desk.shown - 1),
        Enter: () => (desk.mode === "place" ? acts.take(desk.shown) : acts.walk()),
      }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
  }

  /** Shows the placement nearest to the pointer. */
  function point(event) {
    const { look } = desk;
    if (!look?.order.length) return;
    const box = view.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * view.width - 0.5,
      y = (1 - (event.clientY - box.top) / box.height) * view.height - 0.5;
    const far = (place) => {
      const { cells } = look.placements[look.order[place]];
      const mean = (axis) => cells.reduce((sum, cell) => sum + cell[axis], 0) / cells.length;
      const nearest = Math.min(...cells.map((cell) => Math.hypot(cell[0] - x, cell[1] - y)));
      return nearest + Math.hypot(mean(0) - x, 0.3 * (mean(1) - y));
    };
    const places = look.order.map((_, place) => place).sort((a, b) => far(a) - far(b));
    if (places[0] !== desk.shown) acts.show(places[0]);
  }

  function draw() {
    const { game, position, look, mode } = desk;
    if (!view || view.width !== game.width || view.height !== game.height + game.above) makeView();
    const placement = desk.placement();
    const colour = placement ? game.pieces[placement.piece].colour : "G";
    const heat = desk.heat && look ? heatOf(look) : null;
    view.draw({
      board: position.board,
      heat: heat?.cells,
      ghost: placement ? { cells: placement.cells, colour } : null,
      outlines: placement
        ? [
            {
              cells: placement.cells,
              tone: look.order[desk.shown] === markOf(look) ? "--good" : colourOf(colour),
              label: heat ? null : placement.fatal ? "ends" : shortWorth(placement.value),
            },
          ]
        : [],
    });
    legend.textContent = heat
      ? "Each cell has the value of the best placement that fills it: " +
        `pale ${shortWorth(heat.low)}, strong ${shortWorth(heat.high)}.`
      : "";
    if (document.activeElement !== text) text.value = boardText(position.board);
    text.disabled = mode !== "look";
    back.disabled = mode !== "look" || desk.trail.length === 0;
    walk.hidden = mode !== "look";
    aside.hidden = mode !== "place" || (look?.put_aside ?? null) === null;
    walk.disabled = !placement?.after;
    drawHand();
  }

  /** The hand is drawn anew only when it is another one, so that nothing loses the focus. */
  function drawHand() {
    const { game, position, solved, mode, deals } = desk;
    const now = JSON.stringify([
      game.name,
      game.pieces,
      game.dealer,
      position,
      solved?.known,
      solved?.pieces,
      mode,
      desk.hasHold(),
      deals,
    ]);
    if (now === key) return;
    key = now;
    const focus = document.activeElement?.closest?.("[data-hand]")?.dataset.hand;
    const least = deals && Math.min(...deals.map(({ value }) => size(value)));
    fill(
      palette,
      game.pieces.map(({ name, colour, cells }, piece) => {
        const dealt = deals?.find((one) => one.piece === piece);
        return h(
          "button",
          {
            type: "button",
            class: `button piece-button${dealt && size(dealt.value) <= least + 1e-12 ? " worst" : ""}`,
            "aria-pressed": piece === position.queue[0],
            "data-piece": name,
            "data-hand": `piece-${name}`,
            "aria-label":
              mode === "deal"
                ? `Deal ${name}${dealt ? `, worth ${shortWorth(dealt.value, 4)} to the player` : ""}`
                : name,
            disabled: mode === "place" || (mode === "deal" && !dealt),
            onclick: () => (mode === "deal" ? acts.deal(piece) : acts.choose(piece)),
          },
          pieceView(cells, colour, 18, [4, 3]),
          h("span", {}, name),
          mode === "deal" ? h("span", { class: "num small" }, dealt ? shortWorth(dealt.value, 4) : "not now") : null,
        );
      }),
    );
    fill(hand, mode === "look" ? handFields() : known());
    if (focus) [...document.querySelectorAll("[data-hand]")].find((one) => one.dataset.hand === focus)?.focus();
  }

  /** In a contest: the pieces that are known beyond the current one. */
  function known() {
    const { game, position, solved } = desk;
    const rest = position.queue.slice(1);
    const name = (piece) => game.pieces[piece].name;
    return [
      desk.hasHold()
        ? h(
            "span",
            { class: "small", id: "explore-aside" },
            `Aside: ${position.held === null ? "nothing" : name(position.held)}`,
          )
        : null,
      rest.length ? h("span", { class: "small" }, `Next: ${rest.map(name).join(", ")}`) : null,
      solved?.pieces ? h("span", { class: "small" }, `Pieces left: ${position.left}`) : null,
    ];
  }

  function handFields() {
    const { game, position, solved } = desk;
    const pieces = game.pieces.map(({ name }, piece) => [String(piece), name]);
    const tag = (select, name) => Object.assign(select, { id: `explore-${name}` });
    const next = Array.from({ length: Math.max(0, (solved?.known ?? 1) - 1) }, (_, index) =>
      field(
        index ? `Next but ${index}` : "Next piece",
        tag(
          choose(pieces, String(position.queue[index + 1]), (piece) => {
            position.queue[index + 1] = Number(piece);
            acts.changed();
          }),
          `next-${index}`,
        ),
      ),
    );
    const held = desk.hasHold()
      ? field(
          "Held",
          tag(
            choose([["", "nothing"], ...pieces], position.held === null ? "" : String(position.held), (piece) => {
              position.held = piece === "" ? null : Number(piece);
              acts.changed();
            }),
            "held",
          ),
        )
      : null;
    const before = {
      bag: () =>
        h(
          "fieldset",
          { class: "row bag" },
          h("legend", { class: "small soft" }, "Out of the bag already"),
          game.pieces.map(({ name }, piece) =>
            toggle(name, position.out.includes(piece), (on) => {
              position.out = on ? [...position.out, piece] : position.out.filter((one) => one !== piece);
              acts.changed();
            }),
          ),
        ),
      sequence: () =>
        field(
          "Place in the order",
          tag(
            choose(
              game.dealer.order.map((piece, place) => [String(place), `${place + 1}: ${game.pieces[piece].name}`]),
              String(position.place),
              (place) => acts.choosePlace(Number(place)),
            ),
            "place",
          ),
        ),
    }[game.dealer.kind]?.();
    const left = solved?.pieces
      ? h(
          "label",
          { class: "field grow" },
          h("span", { class: "row spread" }, "Pieces left", h("output", { class: "num" }, position.left)),
          h("input", {
            type: "range",
            min: 1,
            max: solved.pieces,
            value: position.left,
            "data-slider": "left",
            "data-hand": "left",
            oninput: (event) => {
              position.left = Number(event.target.value);
              acts.changed();
            },
          }),
        )
      : null;
    return [...next, held, before ?? null, left];
  }

  const element = h(
    "section",
    { class: "stack stage" },
    h("h2", { class: "visually-hidden" }, "Board and piece"),
    well,
    legend,
    palette,
    hand,
    h(
      "div",
      { class: "row palette" },
      walk,
      aside,
      back,
      button("Empty the board", acts.empty),
      toggle(
        "Heat map",
        desk.heat,
        (on) => {
          acts.heat(on);
          draw();
        },
        { id: "explore-heat" },
      ),
    ),
    h("div", { class: "board-text" }, field("Board as text: rows of # and . from the top, apart by /", text)),
  );
  return { element, draw, makeView };
}

/** For each cell the value of the best placement that fills it. */
function heatOf({ placements }) {
  const best = new Map();
  for (const { cells, value, fatal } of placements) {
    if (fatal || typeof value !== "number") continue;
    for (const [x, y] of cells) {
      const known = best.get(`${x} ${y}`);
      if (!known || known.value < value) best.set(`${x} ${y}`, { x, y, value });
    }
  }
  if (best.size === 0) return null;
  const values = [...best.values()].map(({ value }) => value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const share = (value) => (high > low ? (value - low) / (high - low) : 1);
  const cells = [...best.values()].map(({ x, y, value }) => ({
    x,
    y,
    share: share(value),
    label: shortWorth(value, 2),
  }));
  return { low, high, cells };
}

/** Rows without the empty ones at the top. */
function trimmed(rows) {
  const last = rows.findLastIndex((row) => /[^.]/.test(row));
  return rows.slice(0, last + 1);
}
