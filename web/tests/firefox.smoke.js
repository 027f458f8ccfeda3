// Every page in Firefox: it opens, says nothing wrong, and keys place pieces.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import puppeteer from "puppeteer-core";
import { cookieOf, programOf, startLab } from "./lab.js";
import { furnish } from "./pages.js";

let folder, lab, url, browser, page, helper, pages;
const problems = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "bellmino-"));
  let entry;
  [lab, url, entry] = await startLab(folder);
  helper = await programOf(url, cookieOf(entry));
  pages = await furnish(helper.ask);
  browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    headless: true,
    // A loaded machine takes its time.
    timeout: 180000,
    protocolTimeout: 180000,
  });
  page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 720 });
  page.setDefaultTimeout(90000);
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  // The token becomes a cookie.
  await page.goto(entry);
});

after(async () => {
  await browser?.close();
  helper?.close();
  lab?.removeAllListeners("exit");
  lab?.kill("SIGINT");
  rmSync(folder, { recursive: true, force: true });
});

const open = async (address) => {
  await page.goto("about:blank");
  await page.goto(`${url}#/${address}`);
  await page.waitForSelector("html[data-ready=yes]");
};

test("every page opens in Firefox", async () => {
  for (const [name, address, ready] of pages) {
    await open(address);
    await page.waitForSelector(ready, { timeout: 90000 });
    assert.ok((await page.$eval("main", (main) => main.textContent.trim().length)) > 20, name);
    assert.deepEqual(problems, [], name);
  }
});

test("keys place pieces in Firefox", async () => {
  await open("play/practice");
  await page.waitForSelector("main[data-phase=ready]");
  await page.keyboard.press("KeyW");
  await page.waitForFunction(() => Number(document.querySelector("main").dataset.pieces) >= 1);
  assert.deepEqual(problems, []);
});
