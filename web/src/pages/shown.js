// Shown: a game that a program plays, drawn as the program tells it.

import { BoardView, fittingCell, pieceView } from "../board.js";
import { fill, h, pageHead } from "../dom.js";
import { on, request, tell } from "../socket.js";

export default function shownPage(main, _lab, part) {
  const number = Number(part) || 1;
  const note = h("p", { class: "warn", role: "status" });
  const others = h("p", { class: "soft small" });
  const table = h("div", { class: "table", style: { "justify-content": "center" } });
  fill(main, pageHead(`Game ${number}`, "A program plays; the page shows how the game stands."), table, note, others);
  let draw = null;
  let latest = null;
  // Heard from the start: the first picture may come before the answer.
  const stopPictures = on("shown", (shown) => {
    latest = shown;
    draw?.(shown);
  });
  const stopEnd = on("play-end", () => {
    note.textContent = "This game is no longer shown.";
  });

  const begin = (game) => {
    const { width, height } = game;
    const view = new BoardView({
      width,
      height,
      above: 1,
      cell: fittingCell(width, height + 1, {
        most: width > 6 ? 30 : 64,
        high: innerHeight - 190,
        wide: innerWidth - 220,
      }),
      label: `The board of game ${number}`,
    });
    const piece = (name, ...look) => {
      const { cells, colour } = game.pieces.find((known) => known.name === name) ?? {};
      return pieceView(cells, colour, ...look);
    };
    const hold = h("div", { class: "piece-box" });
    const next = h("div", { class: "next" });
    const facts = h("dl", { class: "facts small" });
    const boxOfHold = h("div", { class: "box" }, h("h3", {}, "Hold"), hold);
    fill(
      table,
      view.element,
      h(
        "div",
        { class: "aside" },
        h("h2", {}, game.title),
        boxOfHold,
        h("div", { class: "box" }, facts),
        h("div", { class: "box" }, h("h3", {}, "Next"), next),
      ),
    );
    view.draw({ board: [] });
    draw = (shown) => {
      if (!shown?.board) return; // Nothing is known yet.
      view.draw({ board: shown.board, active: shown.active, dim: Boolean(shown.note) });
      boxOfHold.hidden = !shown.hold;
      fill(hold, piece(shown.hold, 18, [4, 2]));
      fill(
        next,
        shown.queue.map((name) => piece(name, 18, [4, 2.6])),
      );
      fill(
        facts,
        shown.facts.flatMap(([text, value]) => [h("dt", {}, text), h("dd", { "data-fact": text }, value)]),
      );
      note.textContent = shown.note;
      Object.assign(main.dataset, { board: shown.board.join("/"), queue: shown.queue.join(" ") });
    };
    draw(latest);
  };

  request("shown-open", { number })
    .then(begin)
    .catch(() => {
      fill(
        note,
        "No program shows a game here now. A Python environment with ",
        h("code", {}, 'render_mode="human"'),
        " does. ",
        h("a", { href: "#/" }, "To the menu"),
      );
    });
  request("shown")
    .then((list) => {
      const links = list
        .filter((one) => one.number !== number)
        .map((one) => h("a", { href: `#/shown/${one.number}` }, `${one.number}: ${one.title}`));
      if (links.length)
        fill(others, "Also shown: ", ...links.flatMap((link, place) => (place ? [", ", link] : [link])));
    })
    .catch(() => {});
  return () => {
    stopPictures();
    stopEnd();
    tell("spectate-end");
  };
}
