// Every placement with its picture and value, and what each next piece is worth after it.

import { pieceView } from "../../board.js";
import { fill, h } from "../../dom.js";
import { smallBoard } from "./picture.js";
import { clearText, markOf, placeText, shortWorth, size, worth } from "./words.js";

/**
 * The list of placements; `onshow(place)` when one is pointed at, `ontake(place)` when it is chosen. `draw(desk)`
 * draws it for what the desk looks at.
 */
export function valuesPanel({ onshow, ontake }) {
  const answer = h("div"),
    aside = h("p", { class: "small" }),
    list = h("ol", { class: "values" }),
    deals = h("div", { class: "stack" });
  let listed = null;

  function draw(desk) {
    const { look, game, mode } = desk;
    fill(answer, head(desk));
    aside.hidden = !look || look.put_aside === null;
    aside.textContent = aside.hidden
      ? ""
      : `Put aside: ${worth(look.put_aside)}${size(look.put_aside) > size(bestOf(look)) ? ", the best" : ""}`;
    if (listed !== look) {
      listed = look;
      drawList(desk);
    }
    // The same list: only the mark moves, so that a row is never replaced under the pointer.
    [...list.querySelectorAll(".value-row")].forEach((row, place) => {
      row.classList.toggle("chosen", place === desk.shown);
      row.setAttribute("aria-pressed", place === desk.shown);
    });
    drawDeals(game, desk.placement(), mode);
  }

  function drawList({ look, game, mode }) {
    const values = look?.order.map((number) => size(look.placements[number].value)).filter(Number.isFinite) ?? [];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    fill(
      list,
      look?.order.map((number, place) => {
        const one = look.placements[number];
        const value = size(one.value);
        const share =
          one.fatal || !Number.isFinite(value) ? 0 : high > low ? 12 + (88 * (value - low)) / (high - low) : 100;
        return h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: `value-row${number === markOf(look) ? " best" : ""}`,
              onmouseenter: () => mode !== "place" && onshow(place),
              onfocus: () => onshow(place),
              onclick: () => ontake(place),
            },
            h("span", { class: "bar", style: { width: `${share}%` } }),
            smallBoard({
              width: game.width,
              height: game.height,
              above: game.above,
              board: look.board,
              cells: one.cells,
              colour: game.pieces[one.piece].colour,
              cell: 8,
            }),
            h(
              "span",
              { class: "value-text" },
              h(
                "span",
                { class: "num" },
                one.fatal ? "ends the game" : worth(one.value),
                look.who === "player" && number === look.chosen
                  ? h("span", { class: "good small" }, " its move")
                  : null,
              ),
              h("span", { class: "soft small" }, `${one.held ? "held " : ""}${placeText(game, one)}`),
            ),
            h("span", { class: "soft small" }, clearText(one)),
          ),
        );
      }) ?? [],
    );
  }

  function drawDeals(game, placement, mode) {
    const known = placement?.deals;
    const least = known && Math.min(...known.map(({ value }) => size(value)));
    fill(
      deals,
      known && mode !== "deal"
        ? [
            h("h3", {}, "Then each next piece is worth"),
            h(
              "div",
              { class: "row" },
              known.map((dealt) => dealCard(game, dealt, size(dealt.value) <= least + 1e-12)),
            ),
          ]
        : null,
    );
  }

  return { element: h("section", { class: "panel stack" }, answer, aside, list, deals), draw };
}

/** A piece that may be dealt, with its worth. */
export function dealCard(game, { piece, value, probability }, isWorst) {
  const { name, colour, cells } = game.pieces[piece];
  return h(
    "div",
    { class: `deal${isWorst ? " worst" : ""}`, "data-deal": name },
    pieceView(cells, colour, 13, [4, 3]),
    h("div", { class: "num small" }, `${name} ${shortWorth(value, 4)}`),
    h("div", { class: "soft small" }, `${isWorst ? "worst, " : ""}${percent(probability)}`),
  );
}

/** How likely a piece is; what a dealer chooses is certain. */
function percent(probability) {
  if (probability >= 1) return "dealt for certain";
  return probability <= 0 ? "not dealt" : `${(100 * probability).toFixed(0)} %`;
}

function head({ look, game, position, mode, solved }) {
  if (!look)
    return h(
      "p",
      { class: "soft" },
      mode === "deal" ? "Deal a piece: choose one below the board." : "Nothing to show yet.",
    );
  const named = position.queue.map((piece) => game.pieces[piece].name).join(", ");
  const whose =
    { player: " to the player who is evaluated", average: " if every placement is as likely" }[look.who] ?? "";
  if (solved?.relative) return relativeHead(look, named, solved, whose);
  return [
    h("h2", {}, `Value of this board with ${named}${whose}`),
    h(
      "div",
      { class: "big", "data-value": "board" },
      look.placements.length || look.put_aside !== null ? worth(look.value, 10) : "0 (no place)",
    ),
  ];
}

/** For ever: what counts is how many points each piece brings, and that depends on no single placement. */
function relativeHead(look, named, solved, whose) {
  return [
    h("h2", {}, `Points per piece, for ever${whose}`),
    h(
      "div",
      { class: "big", "data-value": "board" },
      look.value === "ends" || !look.placements.length ? "can end the game" : worth(solved.value, 10),
    ),
    h(
      "p",
      { class: "small soft" },
      `From the empty board. Below, each placement of ${named} beside the best one, in points in the long run.`,
    ),
  ];
}

const bestOf = (look) => (look.best === null ? "ends" : look.placements[look.best].value);
