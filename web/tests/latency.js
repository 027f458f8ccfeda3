// From a key to its picture: what is measured, alone, with spectators, and while the lab is at work.

import { connection } from "./lab.js";

/** Presses keys in Practice; resolves to the times from each press to its painted frame, in milliseconds. */
export async function keyToPicture(page, presses = 120) {
  await page.evaluate(() => {
    window.bellminoLatencies.length = 0;
  });
  for (let press = 0; press < presses; press++) {
    await page.keyboard.press(press % 2 ? "KeyA" : "KeyD");
    // Not in step with the screen.
    await page.waitForTimeout(12 + ((press * 7) % 17));
  }
  await page.waitForFunction((wanted) => window.bellminoLatencies.length >= wanted, presses, { timeout: 60000 });
  return page.evaluate(() => [...window.bellminoLatencies]);
}

/** The same for a key that only the page hears: what the browser and the machine take by themselves. */
export async function keyToFrame(page, presses = 60) {
  await page.evaluate(() => {
    window.frameTimes = [];
    window.frameKey ??=
      addEventListener("keydown", ({ code, timeStamp }) => {
        if (code !== "F9") return;
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => window.frameTimes.push(performance.now() - timeStamp);
          channel.port2.postMessage(0);
        });
      }) ?? true;
  });
  for (let press = 0; press < presses; press++) {
    await page.keyboard.press("F9");
    await page.waitForTimeout(12 + ((press * 7) % 17));
  }
  await page.waitForFunction((wanted) => window.frameTimes.length >= wanted, presses, { timeout: 60000 });
  return page.evaluate(() => [...window.frameTimes]);
}

/** The time that this share of all times is below. */
export function quantile(times, share) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Spectators of a room, outside of the browser; `{ frames, leave }`, the pictures that each has seen so far. */
export async function spectators(url, cookie, room, number = 200) {
  const frames = new Array(number).fill(0);
  const sockets = await Promise.all(
    frames.map(
      (_, index) =>
        new Promise((resolve, reject) => {
          const socket = connection(url, cookie);
          socket.onopen = () => {
            socket.send(JSON.stringify({ id: 1, do: "spectate", room }));
            resolve(socket);
          };
          socket.onmessage = ({ data }) => {
            if (data.startsWith('{"on":"play"')) frames[index] += 1;
          };
          socket.onerror = () => reject(new Error("a spectator was refused"));
        }),
    ),
  );
  return {
    frames,
    leave: () => {
      for (const socket of sockets) socket.close();
    },
  };
}

/** A training run and one analysis after the other, each as long as the lab allows; resolves to how to end both. */
export async function work(ask, name) {
  const order = { name, method: "snes", game: "classic", features: "lee", generations: 1e6, games: 4, seed: 1 };
  await ask("train-start", { order });
  let isWanted = true;
  const analyse = async () => {
    const queue = "TIOSZLJ";
    for (let turn = 0; isWanted; turn++)
      await ask("best", {
        mode: "practice",
        board: [],
        queue: [...queue].map((_, place) => queue[(place + turn) % 7]).join(""),
        hold: "",
        nodes: 1_000_000,
      });
  };
  const analysing = analyse();
  return async () => {
    isWanted = false;
    await analysing;
    await ask("train-stop", { name });
  };
}
