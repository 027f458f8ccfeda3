// Looking on while somebody plays.

import { BoardView, fittingCell } from "../board.js";
import { count, fill, h } from "../dom.js";
import { gameOf, pieceOf } from "../games.js";
import { on, request, tell } from "../socket.js";

/** The game of a room, as its player sees it. */
export default function live(main, lab, room) {
  if (!/^\d{1,9}$/.test(room ?? "")) throw new Error("a room has a number");
  const { width, height } = lab.games.find(({ timed }) => timed);
  const view = new BoardView({
    width,
    height,
    above: 0.8,
    cell: fittingCell(width, height + 0.8, { most: 64, high: innerHeight - 170, wide: innerWidth - 190 }),
    label: "The board of the player",
  });
  const hold = h("div", { class: "piece-box" }),
    next = h("div", { class: "next" }),
    facts = h("dl", { class: "facts small" }),
    note = h("p", { class: "warn", role: "status" }),
    title = h("h1", {}, "Looking on"),
    back = h("a", { href: "#/watch" }, "To Watch");
  fill(
    main,
    h("div", { class: "page-head" }, title, h("p", {}, "Looking on while somebody plays."), back),
    h(
      "div",
      { class: "table", style: { "justify-content": "center" } },
      view.element,
      h(
        "div",
        { class: "aside" },
        h("div", { class: "box" }, h("h2", { class: "label" }, "Hold"), hold),
        h("div", { class: "box" }, facts),
        h("div", { class: "box" }, h("h2", { class: "label" }, "Next"), next),
        note,
      ),
    ),
  );
  view.draw({ board: [] });
  const stopFrames = on("play", ({ view: shown, phase, mode }) => {
    const game = gameOf(lab, mode);
    title.textContent = `${game.label}, being played`;
    const active = shown.active && phase !== "over" ? { cells: shown.cells, colour: shown.active.piece } : null;
    view.draw({
      board: shown.rows,
      active,
      ghost: active && { cells: shown.ghost, colour: active.colour },
      dim: phase === "over" || phase === "paused",
    });
    fill(hold, pieceOf(game, shown.hold, 18, [4, 2], shown.hold_spent));
    fill(
      next,
      shown.queue.map((piece) => pieceOf(game, piece, 18, [4, 2.6])),
    );
    fill(
      facts,
      [
        ["Score", shown.stats.score],
        ["Lines", shown.stats.lines],
        ["Pieces", shown.stats.pieces],
      ].flatMap(([text, value]) => [h("dt", {}, text), h("dd", {}, count(value))]),
    );
    note.textContent = phase === "over" ? "The game is over." : phase === "paused" ? "Paused." : "";
  });
  const stopEnd = on("play-end", () => {
    note.textContent = "The player has left.";
  });
  request("spectate", { room: Number(room) }).catch((error) => {
    note.textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
  });
  return () => {
    stopFrames();
    stopEnd();
    tell("spectate-end");
  };
}
