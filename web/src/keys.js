// Keyboard: names of keys, and presses and releases as actions.

import { ACTIONS, choosePreset, hasKeys, PRESETS, settings } from "./settings.js";

const NAMES = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ShiftLeft: "Left Shift",
  ShiftRight: "Right Shift",
  ControlLeft: "Left Ctrl",
  ControlRight: "Right Ctrl",
  AltLeft: "Left Alt",
  AltRight: "Right Alt",
  Escape: "Esc",
  Space: "Space",
  Enter: "Enter",
  Backspace: "Backspace",
  Tab: "Tab",
  Comma: ",",
  Period: ".",
  Slash: "/",
  Semicolon: ";",
  Quote: "'",
  BracketLeft: "[",
  BracketRight: "]",
  Backslash: "\\",
  Minus: "-",
  Equal: "=",
  Backquote: "`",
};

/** A key's name for people. */
export function keyName(code) {
  if (!code) return "none";
  return NAMES[code] ?? code.replace(/^Key|^Digit/, "").replace(/^Numpad/, "Num ");
}

/** The names of an action's keys. */
export function keyNames(action) {
  return settings().keys[action].map(keyName);
}

/** What an action is called. */
export function actionName(action) {
  return ACTIONS.find(([name]) => name === action)[1];
}

/**
 * Listens for the keys of a game: `handler(action, down, time)` for each press and release, repeats left out.
 * Keys typed into a field are not for the game, nor are shortcuts of the browser: a key with Ctrl, Alt or Meta,
 * unless that one is itself a key of the game. Returns how to stop; keys still down are released then.
 */
export function listen(handler) {
  const down = new Map();
  const press = (event) => {
    if (isTyping(event.target) || isShortcut(event)) return;
    if (event.repeat) {
      if (down.has(event.code)) event.preventDefault();
      return;
    }
    const action = actionOf(event.code);
    // A button that has the focus takes its own keys, except in the middle of a game.
    if (!action || (isPressing(event) && !down.size && !isPlaying())) return;
    event.preventDefault();
    if (down.has(event.code)) return;
    const isHeld = [...down.values()].includes(action);
    down.set(event.code, action);
    // The second key of an action that is held does nothing.
    if (!isHeld) handler(action, true, event.timeStamp);
  };
  const release = (event) => {
    const action = down.get(event.code);
    if (!action) return;
    event.preventDefault();
    down.delete(event.code);
    if (![...down.values()].includes(action)) handler(action, false, event.timeStamp);
  };
  const releaseAll = () => {
    for (const action of new Set(down.values())) handler(action, false, performance.now());
    down.clear();
  };
  addEventListener("keydown", press);
  addEventListener("keyup", release);
  addEventListener("blur", releaseAll);
  return () => {
    removeEventListener("keydown", press);
    removeEventListener("keyup", release);
    removeEventListener("blur", releaseAll);
    releaseAll();
  };
}

/**
 * The action of a key. Before anybody has chosen keys, the first key that only one of the two offered sets has
 * chooses it.
 */
function actionOf(code) {
  const find = (keys) => Object.entries(keys).find(([, codes]) => codes.includes(code))?.[0];
  if (hasKeys()) return find(settings().keys);
  const offered = PRESETS.slice(0, 2).filter(({ keys }) => find(keys));
  if (offered.length === 0) return undefined;
  const actions = new Set(offered.map(({ keys }) => find(keys)));
  // Arrows mean arrows; what means the same in both decides nothing.
  if (offered.length === 1 || actions.size > 1) choosePreset(offered[0].name);
  return find(offered[0].keys);
}

/**
 * Whether a key belongs to the browser: with Meta always, with Ctrl or Alt unless that is a key of the game under
 * way.
 */
function isShortcut({ code, ctrlKey, altKey, metaKey }) {
  const isKey = (name) =>
    isPlaying() &&
    Object.values(settings().keys)
      .flat()
      .some((one) => one.startsWith(name));
  return (
    metaKey ||
    (ctrlKey && !code.startsWith("Control") && !isKey("Control")) ||
    (altKey && !code.startsWith("Alt") && !isKey("Alt"))
  );
}

/** Space and Enter press what has the focus. */
function isPressing({ code, target }) {
  return /^(Space|Enter)$/.test(code) && target instanceof HTMLElement && target.closest("button, a, summary") !== null;
}

function isPlaying() {
  return document.querySelector("main")?.dataset.phase === "playing";
}

function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.closest("dialog") !== null)
  );
}
