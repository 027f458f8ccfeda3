// A game that the Python package plays, in a real browser: `render_mode="human"`. Needs the environment of
// python/tests/run.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { browser } from "./harness.js";

const python = new URL("../../python/.venv/bin/python", import.meta.url).pathname;

// Plays until it is told to end.
const program = `
import gymnasium, bellmino, sys, threading
env = gymnasium.make("Bellmino/Small-v0", render_mode="human", oracle="discounted:0.9")
_, info = env.reset(seed=3)
print(env.unwrapped.url, flush=True)
ended = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
while not ended.wait(0.05):
    _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    if over:
        _, info = env.reset()
env.close()
`;

test("a running environment is drawn as it goes", { skip: !existsSync(python) && "no Python package" }, async () => {
  const child = spawn(python, ["-c", program], { stdio: ["pipe", "pipe", "ignore"] });
  const over = new Promise((resolve) => child.on("exit", resolve));
  try {
    const url = await new Promise((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())));
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(url);
    const until = (wanted) => page.waitForFunction(wanted, undefined, { timeout: 15000 });
    await until(() => document.querySelector("[data-fact='Optimal value']") !== null);
    // Games come and go, in the colours of their pieces.
    await until(() => Number(document.querySelector("[data-fact=Pieces]").textContent) >= 3);
    await until(() => /[IOTLJSZ]/.test(document.querySelector("main").dataset.board));
    await until(() => !document.querySelector("[data-fact='Seed, game']").textContent.endsWith(", 0"));
    await page.screenshot({ path: new URL("./screenshots/shown.png", import.meta.url).pathname });
    assert.deepEqual(problems, []);
    child.stdin.end();
    assert.equal(await over, 0);
    await page.close();
  } finally {
    child.kill();
  }
});
