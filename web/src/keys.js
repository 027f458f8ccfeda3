// Keyboard: names of keys, and presses and releases as actions.

import { settings } from "./settings.js";

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

/**
 * Listens for the keys of a game: `handler(action, down, time)` for each press and release, repeats left out.
 * Keys typed into a field are not for the game. Returns how to stop; keys still down are released then.
 */
export function listen(handler) {
  const down = new Map();
  const press = (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
      if (event.repeat && down.has(event.code)) event.preventDefault();
      return;
    }
    const action = actionOf(event.code);
    if (!action) return;
    event.preventDefault();
    if (down.has(event.code)) return;
    down.set(event.code, action);
    handler(action, true, event.timeStamp);
  };
  const release = (event) => {
    const action = down.get(event.code);
    if (!action) return;
    down.delete(event.code);
    handler(action, false, event.timeStamp);
  };
  const releaseAll = () => {
    for (const action of down.values()) handler(action, false, performance.now());
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

function actionOf(code) {
  return Object.entries(settings().keys).find(([, key]) => key === code)?.[0];
}

function isTyping(target) {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.closest("dialog") !== null)
  );
}
