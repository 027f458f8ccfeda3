// Analyse: the games that are kept, and the way to each of them.

import { ask, button, clock, count, day, fill, h, pageHead } from "../dom.js";
import { gameOf } from "../games.js";
import { playersOf, titleOf } from "../players.js";
import { request } from "../socket.js";
import openGame, { modeName, STATES } from "./analyse-game.js";
import position from "./analyse-position.js";

// The store has noticed that it is not what was written.
const DAMAGED = "damaged";
// A record that is larger is none that a person has played.
const MAX_RECORD = 1_000_000;

export default function analyse(main, lab, id, step) {
  if (!id) return list(main, lab);
  if (id === "position") return position(main, lab, step);
  if (!/^[1-9]\d{0,14}$/.test(id)) {
    fill(
      main,
      pageHead("Analyse", `There is no game “${id.slice(0, 40)}”.`),
      h("a", { class: "button", href: "#/analyse" }, "All games"),
    );
    return null;
  }
  return openGame(main, Number(id), step);
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** All games. */
function list(main, lab) {
  const body = h("tbody");
  const note = h("p", { class: "soft", role: "status" });
  const file = h("input", {
    type: "file",
    accept: ".toml,.txt",
    class: "visually-hidden",
    id: "record-file",
    onchange: async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      try {
        if (chosen.size > MAX_RECORD)
          throw new Error(
            `${chosen.name} has ${count(chosen.size / 1000)} KB; records of up to 1,000 KB can be opened`,
          );
        const { game } = await request("game-import", { text: await chosen.text() });
        location.hash = `#/analyse/${game}`;
      } catch (error) {
        note.textContent = error.message;
      }
      // The same file may be chosen again.
      file.value = "";
    },
  });
  fill(
    main,
    pageHead("Analyse", "Every game you finish is kept. Open one to see what each move cost, and what was better."),
    h(
      "div",
      { class: "row", style: { "margin-bottom": "12px" } },
      h("label", { class: "button", for: "record-file", tabindex: 0 }, "Open a record file"),
      file,
      h("a", { class: "button", href: "#/analyse/position" }, "What is best here?"),
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
            h("th", {}, h("span", { class: "visually-hidden" }, "Delete")),
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
    // What people call the players; whoever is not known keeps the name.
    const modes = [...new Set(games.map(({ mode }) => mode))].filter((mode) => gameOf(lab, mode));
    await Promise.all(modes.map((mode) => playersOf(mode).catch(() => [])));
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
          h(
            "td",
            {},
            h("a", { href: `#/analyse/${game.id}` }, modeName(game.mode)),
            h("div", { class: "soft narrow-only" }, capital(titleOf(game.player))),
          ),
          h("td", {}, capital(titleOf(game.player))),
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
  return null;
}
