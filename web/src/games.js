// What the lab says about its games. The page draws from it and knows no rule of its own.

import { pieceView } from "./board.js";

/** The game of a name. */
export function gameOf(lab, name) {
  return lab.games.find((game) => game.name === name);
}

/** The games as choices of a select. */
export function gameChoices(games) {
  return games.map(({ name, title, width, height }) => [name, `${title} (${width}×${height})`]);
}

/** A piece of a game alone, by its letter, which is also said to those who do not see it. */
export function pieceOf(game, letter, ...look) {
  const piece = game.pieces.find(({ colour }) => colour === letter);
  const canvas = pieceView(piece?.cells, letter, ...look);
  if (!piece) return canvas;
  canvas.removeAttribute("aria-hidden");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", piece.name);
  return canvas;
}
