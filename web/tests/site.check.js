// The lab without a server of ours: the folder that `./site` makes, from a plain file server and below another address.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const FOLDER = process.env.BELLMINO_SITE;
const BELOW = "/somebody/lab/";
const KINDS = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

const shots = new URL("./screenshots/", import.meta.url).pathname;
let server, browser, context, page, url;
const problems = [];
const asked = [];

before(async () => {
  mkdirSync(shots, { recursive: true });
  server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const name = pathname.startsWith(BELOW) ? normalize(pathname.slice(BELOW.length) || "index.html") : "..";
    try {
      if (name.startsWith("..")) throw new Error("elsewhere");
      const bytes = await readFile(join(FOLDER, name));
      response.writeHead(200, { "content-type": KINDS[extname(name)] ?? "application/octet-stream" });
      response.end(bytes);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}${BELOW}`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "dark" });
  context.setDefaultTimeout(60000);
  page = await context.newPage();
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("request", (request) => asked.push(request.url()));
});

after(async () => {
  await browser?.close();
  server?.close();
});

const open = async (hash) => {
  await page.goto(`${url}#/${hash}`);
  await page.locator("html[data-ready=yes]").waitFor();
};
const main = (wanted) => page.locator(`main${wanted}`).waitFor();
const data = (name) => page.locator("main").getAttribute(`data-${name}`);

test("Practice and Sprint are played by keys, and what was played is there after a reload", async () => {
  await open("play/practice");
  await main("[data-phase=ready]");
  for (const [index, key] of ["KeyA", "KeyD", "KeyA"].entries()) {
    await page.keyboard.press(key);
    await page.keyboard.press("KeyW");
    await main(`[data-pieces="${index + 1}"]`);
  }
  await open("play/sprint");
  await main("[data-phase=ready]");
  for (let piece = 0; piece < 40 && (await data("phase")) !== "over"; piece++) {
    await page.keyboard.press("KeyW");
    await page.waitForTimeout(20);
  }
  await main("[data-phase=over]");
  await page.locator("[data-saved=yes]").waitFor();
  await page.screenshot({ path: join(shots, "site-sprint.png") });
  await page.reload();
  await open("analyse");
  await page.getByText("Sprint").first().waitFor();
  const kept = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("bellmino", 1);
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const keys = opening.result.transaction("kept").objectStore("kept").getAllKeys();
          keys.onsuccess = () => resolve(keys.result);
        };
      }),
  );
  assert.ok(kept.includes("game/1") && kept.includes("game/2"), `${kept}`);
  await page.screenshot({ path: join(shots, "site-analyse.png") });
});

test("a machine is watched until its game is over", async () => {
  await open("watch/play/sprint/bot:quick/nobody/5");
  await page.getByLabel("Placements per second").fill("8");
  await page.locator("[data-end='0'].good").waitFor({ timeout: 120000 });
  await page.getByRole("link", { name: "Analyse it" }).waitFor();
  await page.screenshot({ path: join(shots, "site-watch.png") });
});

test("a small game is solved and every placement has its value", async () => {
  await open("explore");
  await page.locator("#explore-game").selectOption("mini");
  const value = page.locator('[data-figure="Value, empty board"]');
  await page.waitForFunction(() =>
    document.querySelector('[data-figure="Value, empty board"]')?.textContent.startsWith("5.1718327491"),
  );
  assert.match(await value.textContent(), /^5\.1718327491/);
  await page.locator(".value-row").first().waitFor();
  await page.screenshot({ path: join(shots, "site-explore.png") });
});

test("nothing else was asked, and nobody complained", () => {
  assert.ok(asked.length > 20);
  const elsewhere = asked.filter((address) => !address.startsWith(url) && !address.startsWith("blob:"));
  assert.deepEqual(elsewhere, []);
  assert.deepEqual(problems, []);
});
