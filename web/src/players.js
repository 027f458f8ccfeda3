// Players by name: what the lab calls them, and what people do.

import { h } from "./dom.js";
import { request } from "./socket.js";

// What the lab has said of players so far.
const known = new Map([["human", { name: "human", title: "You", about: "" }]]);

// The longest title in a list to choose from.
const LONGEST = 44;

/** Who can play a game: `[{ name, title, about }]`. */
export async function playersOf(game) {
  const players = await request("players", { game });
  for (const player of players) known.set(player.name, player);
  return players;
}

/** What people call a player. */
export function titleOf(name) {
  return known.get(name)?.title ?? name;
}

/** The players as choices of a select. */
export function playerChoices(players) {
  const short = (title) => (title.length > LONGEST ? `${title.slice(0, LONGEST - 1).trimEnd()}…` : title);
  return players.map(({ name, title }) => [name, short(title)]);
}

/** What a player does, with the name by which programs know it. */
export function aboutPlayer(name) {
  const { about } = known.get(name) ?? {};
  if (!name || name === "human") return null;
  return h(
    "p",
    { class: "small soft about" },
    about ? `${about[0].toUpperCase()}${about.slice(1)}. ` : null,
    h("code", {}, name),
  );
}
