// The card before a game: what it is about, its keys, and at the first start which keys to play with. It stands
// beside the board and never on it.

import { button, clock, fill, h } from "../dom.js";
import { keyboard, legend, signOf } from "../keyboard.js";
import { choosePreset, hasKeys, PRESETS, settings } from "../settings.js";
import { hasFingers } from "../touch.js";

const SHOWN = ["left", "right", "soft-drop", "hard-drop", "counter", "clockwise", "half", "hold", "pause", "restart"];

// What the signs on the drawn keys mean.
const SIGNS = [
  [["left", "right"], "move"],
  [["soft-drop"], "down faster"],
  [["hard-drop"], "drop"],
  [["counter", "clockwise"], "turn"],
  [["hold"], "hold for later"],
];

/** The card of a game that waits for its first key; `redraw` draws it anew. */
export function startCard(game, waiting, { redraw, goOn, duel }) {
  const isNew = !hasKeys() && !hasFingers();
  const actions = game.practice ? [...SHOWN, "undo", "redo"] : SHOWN;
  return h(
    "section",
    { class: "box stack start-card", "aria-label": "Before the game" },
    h("p", {}, game.aim),
    // A game without a piece is no game to go on with; in Practice it may be a position that was set up.
    waiting && (waiting.pieces > 0 || game.practice) ? offer(waiting, goOn) : null,
    duel?.controls(),
    isNew ? choice(redraw) : hasFingers() ? fingers() : legend(settings().keys, actions),
    h(
      "p",
      { class: "small soft" },
      `The first ${hasFingers() ? "touch" : "key"} ${game.practice ? "begins" : "starts the clock"}. `,
      h("a", { href: "#/settings" }, hasFingers() ? "Touch, sound, look" : "Keys, handling, sound"),
    ),
    game.practice
      ? null
      : duel
        ? h("p", { class: "small" }, h("a", { href: `#/play/${game.name}` }, "Play alone"))
        : h("p", { class: "small" }, h("a", { href: `#/play/${game.name}/duel` }, "Duel with a machine")),
  );
}

/** A game of before that can go on. */
function offer({ lines, pieces, milliseconds, seat }, goOn) {
  return h(
    "p",
    { class: "notice row", "data-waiting": seat },
    `You have an unfinished game: ${lines} lines, ${pieces} pieces, ${clock(milliseconds)}.`,
    button("Go on with it", () => goOn(seat)),
  );
}

/** Two drawn keyboards to choose from with one press. */
function choice(redraw) {
  const choose = (name) => {
    choosePreset(name);
    redraw();
  };
  return h(
    "div",
    { class: "stack", "data-choice": "keys" },
    h("h2", {}, "Which keys?"),
    PRESETS.slice(0, 2).map(({ name, title, note, keys }) =>
      h(
        "button",
        { type: "button", class: "preset", "data-preset": name, onclick: () => choose(name) },
        h("strong", {}, title),
        h("span", { class: "small soft" }, note),
        keyboard(keys),
      ),
    ),
    h(
      "p",
      { class: "small signs" },
      SIGNS.map(([actions, words]) => h("span", {}, h("b", {}, actions.map(signOf).join(" ")), ` ${words}`)),
    ),
    h("p", { class: "small soft" }, "Choose one, or just begin: the first key decides. Both can be changed later."),
  );
}

/** What fingers do. */
function fingers() {
  const { gestures, buttons } = settings().touch;
  return h(
    "ul",
    { class: "small fingers" },
    gestures
      ? [
          h("li", {}, "Drag to the side to move, slowly down for soft drop."),
          h("li", {}, "Tap to turn: left half ↺, right half ↻."),
          h("li", {}, "Flick down to drop, flick up to hold."),
        ]
      : null,
    buttons ? h("li", {}, "Or use the buttons; they can be held.") : null,
  );
}

/** The card of a paused game. */
export function pauseCard({ goOn, restart, menu, notice }) {
  return [
    h("h2", {}, "Paused"),
    notice ? h("p", { class: "small warn" }, notice) : null,
    h(
      "p",
      { class: "soft small" },
      `Your game is kept, also if you leave this page.${hasFingers() ? "" : " Any game key goes on."}`,
    ),
    h(
      "div",
      { class: "row", style: { "justify-content": "center" } },
      button("Go on", goOn, { class: "primary" }),
      button("New game", restart),
      menu ? h("a", { class: "button", href: "#/" }, "Menu") : null,
    ),
  ];
}

/** Puts a card into its place. */
export function showCard(place, card) {
  place.hidden = !card;
  fill(place, card);
}
