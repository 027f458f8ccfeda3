// Fingers: gestures on the board and buttons below it, as presses and releases of the game's keys.

import { h } from "./dom.js";
import { signOf } from "./keyboard.js";
import { actionName } from "./keys.js";
import { settings } from "./settings.js";

/** Whether this device is used with fingers first: a keyboard or a mouse beside a touch screen are taken for more. */
export function hasFingers() {
  const has = (query) => matchMedia(query).matches;
  return has("(pointer: coarse)") || (navigator.maxTouchPoints > 0 && !has("(any-pointer: fine)"));
}

// A finger that stays this near is a tap; one that goes down this fast, in pixels a millisecond, drops the piece.
const NEAR = 12;
const FLICK = 0.6;

/**
 * Keeps the browser's own gestures off an element. After a flick it would take the next tap, wherever that is, for a
 * hand that stops the scrolling, and nothing would be pressed.
 */
export function ownTouches(element, isWanted = () => true) {
  element.addEventListener("touchstart", (event) => event.cancelable && isWanted() && event.preventDefault(), {
    passive: false,
  });
}

/**
 * Gestures on an element: a drag to the side moves the piece column by column, a slow drag down is soft drop, a flick
 * down hard drop, a flick up hold, a tap turns (on the left half of the board counter-clockwise). `handler` is that
 * of keys; `begins()` begins a game that waits for it with a tap, and says whether it did: that tap turns nothing.
 */
export function gestures(element, handler, isWanted, begins = () => false) {
  let finger = null;
  const tap = (action, time) => {
    handler(action, true, time);
    handler(action, false, time);
  };
  const endSoft = (time) => {
    if (finger?.soft) handler("soft-drop", false, time);
    if (finger) finger.soft = false;
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse" || !settings().touch.gestures || !isWanted() || finger) return;
    event.preventDefault();
    element.setPointerCapture?.(event.pointerId);
    const { clientX: x, clientY: y, timeStamp: time } = event;
    finger = { id: event.pointerId, x, y, time, startX: x, startY: y, moved: false, soft: false, recent: [[y, time]] };
  });
  element.addEventListener("pointermove", (event) => {
    if (event.pointerId !== finger?.id) return;
    event.preventDefault();
    const { clientX: x, clientY: y, timeStamp: time } = event;
    const { step } = settings().touch;
    finger.recent.push([y, time]);
    if (finger.recent.length > 5) finger.recent.shift();
    // To the side or down, whichever it is more.
    while (Math.abs(x - finger.x) >= step && !finger.soft) {
      const side = Math.sign(x - finger.x);
      finger.x += side * step;
      finger.y = y;
      finger.moved = true;
      tap(side < 0 ? "left" : "right", time);
    }
    const [before, then] = finger.recent[0];
    const speed = (y - before) / Math.max(1, time - then);
    if (!finger.soft && y - finger.y > 2 * step && speed < FLICK && speed > 0) {
      finger.soft = finger.moved = true;
      handler("soft-drop", true, time);
    }
    if (finger.soft && y < finger.y + step) endSoft(time);
  });
  const end = (event) => {
    if (event.pointerId !== finger?.id) return;
    const { clientX: x, clientY: y, timeStamp: time } = event;
    const [before, then] = finger.recent[0];
    const speed = (y - before) / Math.max(1, time - then);
    const down = y - finger.startY;
    const wasSoft = finger.soft;
    endSoft(time);
    const { startX, moved } = finger;
    finger = null;
    if (event.type === "pointercancel") return;
    if (!wasSoft && speed > FLICK && down > 30) tap("hard-drop", time);
    else if (!moved && speed < -FLICK && down < -30) tap("hold", time);
    else if (!moved && Math.hypot(x - startX, down) < NEAR) {
      if (begins()) return;
      const box = element.getBoundingClientRect();
      tap(x < box.left + box.width / 2 ? "counter" : "clockwise", time);
    }
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
}

const LEFT = ["left", "right", "soft-drop", "hard-drop"];
const RIGHT = ["hold", "counter", "clockwise"];
const WORDS = {
  left: "left",
  right: "right",
  "soft-drop": "soft drop",
  "hard-drop": "drop",
  hold: "hold",
  counter: "turn",
  clockwise: "turn",
};

/** Buttons for two thumbs. They can be held; the keys behind them repeat as keys do. */
export function touchButtons(handler) {
  const key = (action) => {
    const press = (event) => {
      event.preventDefault();
      event.currentTarget.setPointerCapture?.(event.pointerId);
      event.currentTarget.classList.add("down");
      handler(action, true, event.timeStamp);
    };
    const release = (event) => {
      if (!event.currentTarget.classList.contains("down")) return;
      event.currentTarget.classList.remove("down");
      handler(action, false, event.timeStamp);
    };
    return h(
      "button",
      {
        type: "button",
        class: `touch-key touch-${action}`,
        "data-touch": action,
        "aria-label": actionName(action),
        onpointerdown: press,
        onpointerup: release,
        onpointercancel: release,
        oncontextmenu: (event) => event.preventDefault(),
        // For whoever presses it without a pointer.
        onclick: (event) => {
          if (event.detail !== 0) return;
          handler(action, true, event.timeStamp);
          handler(action, false, event.timeStamp);
        },
      },
      h("span", { class: "touch-sign" }, signOf(action)),
      h("span", { class: "touch-word", "aria-hidden": "true" }, WORDS[action]),
    );
  };
  const sides = [LEFT, RIGHT];
  if (settings().touch.mirrored) sides.reverse();
  return h(
    "div",
    { class: "touch-keys" },
    sides.map((actions) => h("div", { class: `touch-side touch-${actions.length}` }, actions.map(key))),
  );
}
