// Drawn keyboards: which keys do what, at a glance.

import { h } from "./dom.js";
import { actionName, keyName } from "./keys.js";

const ROWS = [
  [
    ["Tab", 1.5],
    "KeyQ",
    "KeyW",
    "KeyE",
    "KeyR",
    "KeyT",
    "KeyY",
    "KeyU",
    "KeyI",
    "KeyO",
    "KeyP",
    ["", 1.5],
    ["", 1],
    ["", 1],
    ["", 1],
  ],
  [
    ["CapsLock", 1.8],
    "KeyA",
    "KeyS",
    "KeyD",
    "KeyF",
    "KeyG",
    "KeyH",
    "KeyJ",
    "KeyK",
    "KeyL",
    ["Enter", 2.2],
    ["", 1],
    ["ArrowUp", 1],
    ["", 1],
  ],
  [
    ["ShiftLeft", 2.3],
    "KeyZ",
    "KeyX",
    "KeyC",
    "KeyV",
    "KeyB",
    "KeyN",
    "KeyM",
    ["ShiftRight", 3.7],
    ["ArrowLeft", 1],
    ["ArrowDown", 1],
    ["ArrowRight", 1],
  ],
  [
    ["ControlLeft", 1.8],
    ["AltLeft", 1.5],
    ["Space", 6.4],
    ["AltRight", 1.5],
    ["ControlRight", 1.8],
    ["", 3],
  ],
];

/** What stands on a key that does something. */
const SIGNS = {
  left: "⇠",
  right: "⇢",
  "soft-drop": "⇣",
  "hard-drop": "⤓",
  counter: "↺",
  clockwise: "↻",
  half: "⟳",
  hold: "⇄",
};

/** The sign of an action, as on the drawn keys and on the buttons for fingers. */
export function signOf(action) {
  return SIGNS[action];
}

/** A keyboard with the game's keys marked; a text says the same. */
export function keyboard(keys) {
  const action = (code) => Object.keys(SIGNS).find((name) => code && keys[name]?.includes(code));
  const words = Object.keys(SIGNS)
    .filter((name) => keys[name]?.length)
    .map((name) => `${actionName(name)}: ${keys[name].map(keyName).join(" or ")}`);
  return h(
    "div",
    { class: "keyboard", role: "img", "aria-label": words.join("; ") },
    ROWS.map((row) =>
      h(
        "div",
        { class: "keyboard-row" },
        row.map((key) => {
          const [code, width] = Array.isArray(key) ? key : [key, 1];
          const name = action(code);
          return h(
            "span",
            { class: `cap ${code ? "" : "no"} ${name ? "used" : ""}`, style: { "--w": width } },
            name ? SIGNS[name] : (/^Key(.)/.exec(code)?.[1] ?? ""),
          );
        }),
      ),
    ),
  );
}

/** Every game key with its name, in two columns. */
export function legend(keys, actions) {
  return h(
    "dl",
    { class: "legend small" },
    actions
      .filter((action) => keys[action]?.length)
      .flatMap((action) => [
        h(
          "dt",
          {},
          keys[action].map((code) => h("kbd", {}, keyName(code))),
        ),
        h("dd", {}, actionName(action).replace(/ \(.*/, "")),
      ]),
  );
}
