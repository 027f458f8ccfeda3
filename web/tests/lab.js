// A lab for tests, and how programs talk to it.

import { spawn } from "node:child_process";

/** Starts the lab on a free port, or this one, and waits for its address. */
export function startLab(data, port = 0, ...more) {
  return new Promise((resolve, reject) => {
    const words = ["lab", "--no-open", "--port", String(port), "--data", data, "--quiet", ...more];
    const child = spawn(process.env.BELLMINO, words, { stdio: ["ignore", "pipe", "inherit"] });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`the lab ended with ${code}`)));
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      // The address without the token, and with it.
      if (text.includes("\n")) resolve([child, text.trim().replace(/\?.*/, ""), text.trim()]);
    });
  });
}

/** The cookie that a browser gets for an address with its token. */
export function cookieOf(address) {
  const { port, searchParams } = new URL(address);
  return `bellmino-${port}=${searchParams.get("token")}`;
}

/** A program's connection to the lab. */
export function connection(address, known) {
  return new WebSocket(`${address.replace("http", "ws")}socket`, { headers: { cookie: known } });
}

/**
 * A program's own questions to the lab: `ask(what, values)` resolves to the answer or rejects with the reason in
 * words.
 */
export async function programOf(address, known) {
  const socket = connection(address, known);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error("refused"));
  });
  const waiting = new Map();
  socket.onmessage = ({ data: text }) => {
    const { re, ok, error } = JSON.parse(text);
    if (error === undefined) waiting.get(re)?.resolve(ok);
    else waiting.get(re)?.reject(new Error(error));
  };
  let next = 1;
  const ask = (what, values = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(next, { resolve, reject });
      socket.send(JSON.stringify({ id: next++, do: what, ...values }));
    });
  return { ask, close: () => socket.close() };
}
