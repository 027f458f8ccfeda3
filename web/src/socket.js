// The connection to the lab: requests with answers, pushed events, and the difference of the two clocks. The lab is a
// server, or a worker of the page where the page says so.

import { OwnLab } from "./own-lab.js";

/** Whether the lab is in this page. */
export const isOwn = document.querySelector('meta[name="bellmino-lab"]')?.content === "own";

// How long to wait before connecting anew: at first, and at most. A connection that lasts for so long counts as good.
const FIRST_DELAY = 250;
const LAST_DELAY = 5000;
const LASTING = 5000;

const waiting = new Map();
const listeners = new Map();
let socket = null;
let next = 1;
let opened = null;
let delay = FIRST_DELAY;
let offset = 0;
let heard = 0;
let asked = 0;

// How often the lab is asked whether it is still there, and how long its answer may take.
const BEAT = 5000;
const SILENT = 8000;

/**
 * Called when the lab is there, is lost, or does not know this page any more. `why` is what the lab said when it
 * closed the connection, `largest` how many bytes it takes in one message.
 */
export const state = {
  connected: false,
  /** When the connection was lost the last time, on this page's clock. */
  lostAt: 0,
  ended: false,
  refused: false,
  why: "",
  largest: Infinity,
  onchange: () => {},
};

/** Opens the connection and keeps it open; resolves when it is there for the first time. */
export function connect() {
  opened ??= Promise.withResolvers ? Promise.withResolvers() : deferred();
  socket = isOwn ? new OwnLab() : new WebSocket(`ws://${location.host}/socket`);
  const mine = socket;
  let beating = null;
  let lasting = null;
  socket.onopen = async () => {
    // One that is lost again at once is not tried faster and faster.
    lasting = setTimeout(() => {
      delay = FIRST_DELAY;
    }, LASTING);
    heard = asked = performance.now();
    beating = setInterval(() => beat(mine), BEAT);
    try {
      await setClock();
    } catch {
      return; // Lost again already.
    }
    state.connected = true;
    state.refused = false;
    state.why = "";
    state.onchange();
    opened.resolve();
  };
  socket.onmessage = (event) => {
    heard = performance.now();
    receive(JSON.parse(event.data));
  };
  socket.onclose = (event) => {
    clearInterval(beating);
    clearTimeout(lasting);
    state.why = event?.reason ?? "";
    for (const { reject } of waiting.values()) reject(new Error("the connection to the lab was lost"));
    waiting.clear();
    if (state.connected) state.lostAt = performance.now();
    state.connected = false;
    state.onchange();
    if (!state.ended) askWhy();
    if (!state.ended) setTimeout(connect, delay);
    delay = Math.min(delay * 2, LAST_DELAY);
  };
  return opened.promise;
}

/** A lab that does not answer is taken for lost, also if the connection looks open: it is made anew. */
function beat(mine) {
  const now = performance.now();
  if (asked <= heard) {
    asked = now;
    request("clock", { t: now }).catch(() => {});
  } else if (now - asked > SILENT) {
    const lost = mine.onclose;
    mine.onclose = null;
    mine.close();
    lost();
  }
}

/** A lab that was started anew has another token, which this page does not know. */
async function askWhy() {
  if (isOwn) return;
  const answer = await fetch("/icon.svg", { cache: "no-store" }).catch(() => null);
  if (state.connected || state.refused === (answer?.status === 403)) return;
  state.refused = answer?.status === 403;
  state.onchange();
}

/**
 * Asks for something; resolves to the answer, rejects with the reason in words. `onplace` hears the place in the
 * queue of what has to wait. The promise has the `id` of the request, by which events refer to it.
 */
export function request(what, values = {}, onplace = null) {
  const id = next++;
  const answer = new Promise((resolve, reject) => {
    if (socket?.readyState !== WebSocket.OPEN) {
      reject(new Error("the lab is not there"));
      return;
    }
    const message = JSON.stringify({ id, do: what, ...values });
    // A larger one would cost the connection.
    const bytes = new TextEncoder().encode(message).length;
    if (bytes > state.largest) {
      const kilobytes = (size) => `${Math.ceil(size / 1024).toLocaleString("en-US")} KB`;
      reject(new Error(`this is too large: ${kilobytes(bytes)}, and the lab takes ${kilobytes(state.largest)}`));
      return;
    }
    waiting.set(id, { resolve, reject, onplace });
    socket.send(message);
  });
  return Object.assign(answer, { id });
}

/** Says something that wants no answer. */
export function tell(what, values = {}) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ do: what, ...values }));
}

/** Listens to an event of the lab; returns how to stop. */
export function on(event, listener) {
  if (!listeners.has(event)) listeners.set(event, new Set());
  listeners.get(event).add(listener);
  return () => listeners.get(event).delete(listener);
}

/** A time of this page (`performance.now`) on the lab's clock. */
export function labTime(time) {
  return time + offset;
}

/** The quickest of several answers is nearest to the truth. */
async function setClock() {
  let quickest = Infinity;
  for (let i = 0; i < 5; i++) {
    const sent = performance.now();
    const { now } = await request("clock", { t: sent });
    const took = performance.now() - sent;
    if (took < quickest) {
      quickest = took;
      offset = now - sent - took / 2;
    }
  }
}

function receive(message) {
  if (message.re !== undefined) {
    const { resolve, reject } = waiting.get(message.re) ?? {};
    waiting.delete(message.re);
    if (message.error !== undefined) reject?.(new Error(message.error));
    else resolve?.(message.ok);
    return;
  }
  // This one carries the number of its request.
  if (message.on === "waiting") waiting.get(message.of)?.onplace?.(message.place);
  for (const listener of listeners.get(message.on) ?? []) listener(message);
}

function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
