// Settings: keys, handling and look. The lab keeps them.

import { tell } from "./socket.js";

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

export const DEFAULTS = {
  keys: {
    left: "KeyA",
    right: "KeyD",
    "soft-drop": "KeyS",
    "hard-drop": "KeyW",
    counter: "ArrowLeft",
    clockwise: "ArrowRight",
    half: "",
    hold: "ShiftLeft",
    pause: "Escape",
    restart: "KeyR",
    undo: "KeyZ",
    redo: "KeyY",
  },
  handling: { das: 150, arr: 75, soft: 35, cut: 100, advanced: false },
  look: { theme: "", marks: "none", ghost: true, grid: true },
};

/** The limits of each number of the handling, in milliseconds. */
export const LIMITS = { das: [0, 500], arr: [0, 250], soft: [0, 250], cut: [0, 250] };

const current = structuredClone(DEFAULTS);
const watchers = new Set();

/** The settings as they are; change them with `change`. */
export function settings() {
  return current;
}

/** Takes what the lab has kept. */
export function take(kept) {
  for (const part of Object.keys(DEFAULTS)) {
    const known = Object.entries(kept?.[part] ?? {}).filter(([key]) => key in DEFAULTS[part]);
    Object.assign(current[part], Object.fromEntries(known));
  }
  for (const watcher of watchers) watcher(current);
}

/** Changes one part and keeps it. */
export function change(part, values) {
  Object.assign(current[part], values);
  tell("set", { key: part, value: current[part] });
  for (const watcher of watchers) watcher(current);
}

/** Back to the defaults of one part. */
export function reset(part) {
  change(part, structuredClone(DEFAULTS[part]));
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
