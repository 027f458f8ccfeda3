// What the browser tests share: a lab of their own on a free port, a browser, a fresh page for every test.
// Screenshots go to screenshots/.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach } from "node:test";
import { chromium } from "playwright-core";
import { cookieOf, programOf, startLab } from "./lab.js";

export { connection, cookieOf, startLab } from "./lab.js";

const shots = new URL("./screenshots/", import.meta.url).pathname;
/** The lab of this file of tests and the page of this test. */
export let folder, lab, url, entry, cookie, browser, context, page;
let problems = [];

/** Lets the browser's present pages in. */
export async function enter() {
  const [name, value] = cookie.split("=");
  await context.addCookies([{ name, value, url, sameSite: "Strict", httpOnly: true }]);
}

/** A program's own questions to the lab of these tests, or to another: see `lab.js`. */
export const program = (address = url, known = cookie) => programOf(address, known);

before(async () => {
  mkdirSync(shots, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), "bellmino-"));
  [lab, url, entry] = await startLab(folder);
  cookie = cookieOf(entry);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});

after(async () => {
  await browser?.close();
  if (lab && lab.exitCode === null) {
    const ended = new Promise((resolve) => lab.once("exit", resolve));
    lab.kill("SIGINT");
    await ended;
  }
  // What the lab has started may still write for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

beforeEach(() => visit());

/** A fresh page in a browser of this kind. */
export async function visit(kind = {}) {
  await context?.close();
  context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme: "dark", ...kind });
  context.setDefaultTimeout(15000);
  page = await context.newPage();
  await enter();
  problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
}

export const main = () => page.locator("main");
export const data = (name) => main().getAttribute(`data-${name}`);
export const open = async (hash = "") => {
  await page.goto(`${url}#/${hash}`);
  await page.locator("html[data-ready=yes]").waitFor();
};
export const shot = (name) => page.screenshot({ path: join(shots, `${name}.png`) });
/** How long a page may take for anything on a busy machine, in milliseconds; how quick it is, is measured elsewhere. */
const PATIENCE = 30000;

/** What a test that waits in vain wants to know of the page. */
function standing() {
  const { hash } = location;
  const { className, dataset, textContent } = document.querySelector("main");
  return `at ${hash}, ${className} ${JSON.stringify(dataset)}: ${textContent.slice(0, 400)}`;
}

/** Follows a link. A click that falls between two pictures of a busy page may be lost: it is made once more. */
export async function follow(link) {
  const before = page.url();
  const hasLeft = () => page.waitForURL((url) => String(url) !== before, { timeout: 3000 });
  await link.click();
  await hasLeft().catch(async () => {
    await link.click();
    await hasLeft();
  });
}

/** Waits until a condition holds; what it looks at may not be on the page yet, which is no error of the page. */
export async function until(condition, argument) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    try {
      const found = await page.evaluateHandle(condition, argument);
      if (await found.evaluate((value) => Boolean(value))) return;
    } catch (error) {
      if (!/of null \(reading|context was destroyed/.test(error.message)) throw error;
    }
    if (Date.now() >= end) {
      throw new Error(`not within ${PATIENCE / 1000} seconds: ${condition}\n${await page.evaluate(standing)}`);
    }
    await page.waitForTimeout(10);
  }
}
export const pieces = (number) =>
  until((wanted) => Number(document.querySelector("main").dataset.pieces) >= wanted, number);
export const phase = (name) => until((wanted) => document.querySelector("main").dataset.phase === wanted, name);
/** Waits until nothing is wider than the window: a page that was resized takes a moment for it. */
export const fits = () =>
  until((room) => Math.max(document.documentElement.scrollWidth, innerWidth) <= room, page.viewportSize().width);
export const clean = () => assert.deepEqual(problems, []);

/**
 * A finger on the page: `touch(type, x, y)`; for flicks with 12 ms between two events, however long the machine
 * takes.
 */
export async function finger(isFlick = true) {
  const client = await context.newCDPSession(page);
  let timestamp = 0;
  return (type, x, y) => {
    timestamp = Math.max(timestamp + 0.012, type === "touchStart" ? Date.now() / 1000 : 0);
    const touchPoints = type === "touchEnd" ? [] : [{ x, y }];
    return client.send("Input.dispatchTouchEvent", { type, touchPoints, ...(isFlick ? { timestamp } : {}) });
  };
}
