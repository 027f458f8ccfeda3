// Watch: machines at play on any game, one or two on the same pieces, or a person against a machine.

import { button, choose, field, fill, h, pageHead, refill, toggle } from "../dom.js";
import { gameChoices, gameOf } from "../games.js";
import { aboutPlayer, playerChoices, playersOf } from "../players.js";
import { newSeed, seedField, seedOf } from "../seed.js";
import { FIRST_SPEED, Show } from "../show.js";
import { request } from "../socket.js";
import { Verdict } from "../verdict.js";
import live from "./live.js";
import { isLeft } from "./play.js";

// What is watched if a game has no better choice, the first that there is.
const BEST = ["bot", "exact", "weights:dellacherie"];

// What is watched; it stays when one comes back.
const kept = { game: "sprint", first: "bot", second: "", seed: "1", speed: FIRST_SPEED, thoughts: true };

/** `#/watch`, `#/watch/live/ROOM` or `#/watch/play/GAME/PLAYER/PLAYER/SEED`, of which the last ones may be left out. */
export default function watchPage(main, lab, part, ...rest) {
  if (part === "live") return live(main, lab, rest[0]);
  if (part === "play" && rest.length) take(lab, rest);
  let show = null,
    players = [];
  const stage = h("div", { class: "tables" }),
    bar = h("div", { class: "stage-head" }),
    note = h("p", { class: "soft small stage-note", role: "status" }),
    race = h("div", { class: "race" }),
    side = h("div", { class: "panel stack" }),
    rooms = h("div");
  const wanted = {
    get game() {
      return kept.game;
    },
    get players() {
      return [kept.first, kept.second].filter(Boolean);
    },
    get seed() {
      return kept.seed;
    },
    get thoughts() {
      return kept.thoughts;
    },
    get speed() {
      return kept.speed;
    },
    set speed(speed) {
      kept.speed = speed;
    },
  };
  const verdict = new Verdict(() => wanted);

  const start = async () => {
    show?.stop();
    verdict.reset();
    verdict.element.hidden = !kept.second || kept.first === "human";
    // The address leads to what is seen.
    const address = ["#/watch/play", kept.game, kept.first, kept.second || "nobody", kept.seed];
    history.replaceState(null, "", address.map((word, index) => (index ? encodeURIComponent(word) : word)).join("/"));
    show = new Show(wanted, { stage, bar, note, race });
    const mine = show;
    await show.open().catch((error) => {
      if (mine !== show) return;
      fill(stage);
      fill(bar);
      note.textContent = `This cannot be watched: ${error.message}`;
    });
  };
  const seed = seedField("Seed of the pieces", kept.seed, (value) => {
    kept.seed = value;
    start();
  });
  const change = (values) => {
    Object.assign(kept, values);
    build();
    start();
  };
  /** Takes another game, and who can play it. */
  const turnTo = async (game) => {
    kept.game = game;
    try {
      players = await playersOf(game);
    } catch (error) {
      note.textContent = error.message;
      return;
    }
    const known = (name) => players.some((player) => player.name === name);
    const best = BEST.find(known) ?? players[0]?.name;
    if (kept.first !== "human" && !known(kept.first)) kept.first = best;
    if (kept.second && !known(kept.second)) kept.second = kept.first === "human" ? best : "";
    build();
    start();
  };
  const build = () => {
    // Whoever was asked for stands in the list, also if the lab then refuses.
    const asked = [kept.first, kept.second].filter(
      (name) => name && name !== "human" && !players.some((player) => player.name === name),
    );
    const choices = [...playerChoices(players), ...asked.map((name) => [name, name])];
    refill(
      side,
      field("Game", choose(gameChoices(lab.games), kept.game, turnTo)),
      field(
        "Player",
        Object.assign(
          choose([...choices, ["human", "You"]], kept.first, (first) => change({ first })),
          { id: "watch-player" },
        ),
      ),
      aboutPlayer(kept.first),
      field(
        "Against, on the same pieces",
        choose([["", "nobody"], ...choices], kept.second, (second) => change({ second })),
      ),
      aboutPlayer(kept.second),
      seed.element,
      h(
        "div",
        { class: "row" },
        button("New pieces", () => {
          kept.seed = newSeed();
          seed.set(kept.seed);
          start();
        }),
        button("Play against it", () =>
          change({
            second: kept.first === "human" ? kept.second || players[0].name : kept.first,
            first: "human",
          }),
        ),
      ),
      toggle("Show what it considers", kept.thoughts, (thoughts) => {
        kept.thoughts = thoughts;
        show?.redraw();
      }),
    );
  };
  fill(
    main,
    h(
      "div",
      { class: "watching" },
      pageHead("Watch", "Machines at play: alone, two on the same pieces, or one against you."),
      h("div", { class: "stack watching-stage" }, bar, stage, note, race, verdict.element),
      h("div", { class: "stack watching-side" }, side, rooms),
    ),
  );
  let stopped = false;
  const began = (async () => {
    players = await playersOf(kept.game);
    if (stopped) return;
    build();
    start();
  })();
  began.catch((error) => {
    note.textContent = error.message;
  });
  const look = async () => {
    const open = (await request("rooms").catch(() => [])).filter(({ room }) => !isLeft(room));
    refill(
      rooms,
      open.length
        ? h(
            "div",
            { class: "panel stack" },
            h("h2", {}, "Being played now"),
            open.map(({ room, mode }) =>
              h("a", { href: `#/watch/live/${room}` }, `${gameOf(lab, mode)?.label ?? mode}, room ${room}`),
            ),
          )
        : null,
    );
  };
  look();
  const looking = setInterval(look, 2000);
  const keys = (event) => {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey)
      return;
    show?.key(event);
  };
  addEventListener("keydown", keys);
  return () => {
    stopped = true;
    removeEventListener("keydown", keys);
    clearInterval(looking);
    verdict.leave();
    show?.stop();
  };
}

/** Takes what an address asks for. */
function take(lab, [game, first, second, seed]) {
  if (!gameOf(lab, game)) throw new Error(`there is no game "${game}"`);
  if (seed !== undefined && seedOf(seed) === null)
    throw new Error(`"${seed}" is no seed, which is a whole number below 2^64`);
  Object.assign(kept, { game, first: first ?? kept.first, second: second && second !== "nobody" ? second : "" });
  if (seed !== undefined) kept.seed = seedOf(seed);
}
