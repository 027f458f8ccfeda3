// Settings: keys, handling, look, touch, sound, practice and duels. The lab keeps them and tells every open page of a
// change.

import { on, tell } from "./socket.js";

/** What can be done in a game, in the order of the settings page. */
export const ACTIONS = [
  ["left", "Move left"],
  ["right", "Move right"],
  ["soft-drop", "Soft drop"],
  ["hard-drop", "Hard drop"],
  ["counter", "Turn counter-clockwise"],
  ["clockwise", "Turn clockwise"],
  ["half", "Half turn (off without a key)"],
  ["hold", "Hold"],
  ["pause", "Pause"],
  ["restart", "Restart"],
  ["undo", "Undo (Practice)"],
  ["redo", "Redo (Practice)"],
];

const OTHERS = { half: [], pause: ["Escape"], restart: ["KeyR"] };

/** Keys to begin with; the first two are offered at the first start. */
export const PRESETS = [
  {
    name: "arrows",
    title: "Arrows and Space",
    note: "as on TETR.IO and Jstris",
    keys: {
      ...OTHERS,
      left: ["ArrowLeft"],
      right: ["ArrowRight"],
      "soft-drop": ["ArrowDown"],
      "hard-drop": ["Space"],
      counter: ["KeyZ", "ControlLeft"],
      clockwise: ["ArrowUp", "KeyX"],
      hold: ["KeyC", "ShiftLeft"],
      undo: ["KeyU", "Backspace"],
      redo: ["KeyY"],
    },
  },
  {
    name: "letters",
    title: "A, D, S, W and arrows",
    note: "left hand moves, right hand turns",
    keys: {
      ...OTHERS,
      left: ["KeyA"],
      right: ["KeyD"],
      "soft-drop": ["KeyS"],
      "hard-drop": ["KeyW"],
      counter: ["ArrowLeft"],
      clockwise: ["ArrowRight"],
      hold: ["ShiftLeft"],
      undo: ["KeyZ"],
      redo: ["KeyY"],
    },
  },
  {
    name: "both-hands",
    title: "J, L, K and D, F",
    note: "right hand moves, left hand turns",
    keys: {
      ...OTHERS,
      left: ["KeyJ"],
      right: ["KeyL"],
      "soft-drop": ["KeyK"],
      "hard-drop": ["Space"],
      counter: ["KeyD"],
      clockwise: ["KeyF"],
      hold: ["KeyS", "ShiftLeft"],
      undo: ["KeyU", "Backspace"],
      redo: ["KeyY"],
    },
  },
  {
    name: "numpad",
    title: "Number pad",
    note: "one hand on the pad",
    keys: {
      ...OTHERS,
      left: ["Numpad4"],
      right: ["Numpad6"],
      "soft-drop": ["Numpad5", "Numpad2"],
      "hard-drop": ["Numpad8", "Space"],
      counter: ["Numpad7", "Numpad1"],
      clockwise: ["Numpad9", "Numpad3"],
      hold: ["Numpad0"],
      undo: ["KeyU", "Backspace"],
      redo: ["KeyY"],
    },
  },
];

export const DEFAULTS = {
  keys: PRESETS[1].keys,
  handling: { das: 150, arr: 75, soft: 35, cut: 100, advanced: false, initial: false },
  look: { theme: "", marks: "none", colours: "safe", ghost: true, grid: true, effects: true, finesse: true },
  touch: { buttons: true, gestures: true, mirrored: false, step: 28 },
  sound: { volume: 0 },
  practice: { gravity: false, advice: "off" },
  duel: { player: "bot:quick", pace: 1 },
};

/** The limits of each number of the handling, in milliseconds. */
export const LIMITS = { das: [0, 500], arr: [0, 250], soft: [0, 250], cut: [0, 250] };

const current = structuredClone(DEFAULTS);
const watchers = new Set();
let areKeysChosen = false;

/** The settings as they are; change them with `change`. */
export function settings() {
  return current;
}

/** Whether somebody has said which keys to play with. */
export function hasKeys() {
  return areKeysChosen;
}

/** Takes what the lab has kept. */
export function take(kept) {
  areKeysChosen ||= Object.keys(kept?.keys ?? {}).length > 0;
  for (const part of Object.keys(DEFAULTS)) {
    const known = Object.entries(kept?.[part] ?? {}).filter(([key]) => key in DEFAULTS[part]);
    Object.assign(current[part], Object.fromEntries(known));
  }
  for (const [action, keys] of Object.entries(current.keys)) {
    // An older lab kept one key for each action.
    if (!Array.isArray(keys)) current.keys[action] = [keys].filter(Boolean);
  }
  for (const watcher of watchers) watcher(current);
}

/**
 * Changes some values of one part and keeps them; the others stay as they are, also if another page has changed them.
 */
export function change(part, values) {
  if (part === "keys") areKeysChosen = true;
  Object.assign(current[part], values);
  tell("set", { key: part, value: values });
  for (const watcher of watchers) watcher(current);
}

/** Back to the defaults of one part. */
export function reset(part) {
  change(part, structuredClone(DEFAULTS[part]));
}

/** The keys of a preset from now on. */
export function choosePreset(name) {
  change("keys", structuredClone(PRESETS.find((preset) => preset.name === name).keys));
}

/** The preset whose keys are in use, if they are those of one. */
export function presetInUse() {
  return PRESETS.find(({ keys }) => ACTIONS.every(([action]) => String(keys[action]) === String(current.keys[action])));
}

/** Calls `watcher` at every change; returns how to stop. */
export function watch(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** The theme in use: the chosen one or the system's. */
export function theme() {
  return current.look.theme || (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
}

/** Whether things may move that need not. */
export function mayMove() {
  return current.look.effects && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

on("settings", ({ key, value }) => take({ [key]: value }));
