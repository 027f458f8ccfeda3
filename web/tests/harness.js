// What the browser tests share: a lab of their own on a free port, a browser, a fresh page for every test. Screenshots go to screenshots/.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach } from "node:test";
import { chromium } from "playwright-core";

const shots = new URL("./screenshots/", import.meta.url).pathname;
/** The lab of this file of tests and the page of this test. */
export let folder, lab, url, entry, cookie, browser, context, page;
let problems = [];

/** Starts the lab on a free port, or this one, and waits for its address. */
export function startLab(data, port = 0, ...more) {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.env.BELLMINO,
      ["lab", "--no-open", "--port", String(port), "--data", data, "--quiet", ...more],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
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

/** Lets the browser's present pages in. */
export async function enter() {
  const [name, value] = cookie.split("=");
  await context.addCookies([{ name, value, url, sameSite: "Strict", httpOnly: true }]);
}

/** A program's connection to the lab. */
export function connection(address, known) {
  return new WebSocket(`${address.replace("http", "ws")}socket`, { headers: { cookie: known } });
}

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
  lab?.kill("SIGINT");
  rmSync(folder, { recursive: true, force: true });
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
export const until = (text, argument) => page.waitForFunction(text, argument, { timeout: 15000 });
export const pieces = (number) =>
  until((wanted) => Number(document.querySelector("main").dataset.pieces) >= wanted, number);
export const phase = (name) => until((wanted) => document.querySelector("main").dataset.phase === wanted, name);
export const clean = () => assert.deepEqual(problems, []);
