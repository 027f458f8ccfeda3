// A report in a real browser: it opens from a file without errors and asks nobody for anything, in both themes and on
// a phone.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const shots = new URL("./screenshots/", import.meta.url).pathname;
let folder, file, browser;

const bellmino = (...words) => execFileSync(process.env.BELLMINO, [...words, "--quiet"]);

before(async () => {
  mkdirSync(shots, { recursive: true });
  folder = mkdtempSync(join(tmpdir(), "bellmino-report-"));
  file = join(folder, "report.html");
  const players = ["bot", "weights:snes-blitz", "lowest"].flatMap((player) => ["--player", player]);
  const games = ["--nodes", "100", "--pieces", "100", "--games", "10", "--seed", "1"];
  bellmino("evaluate", "blitz", ...players, ...games, "--tables", join(folder, "tables"));
  bellmino("report", join(folder, "tables"), "-o", file);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
});

after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const [theme, width, ink] of [
  ["light", 1040, "rgb(34, 34, 34)"],
  ["dark", 1040, "rgb(230, 230, 230)"],
  ["dark", 390, "rgb(230, 230, 230)"],
]) {
  test(`a report opens in the ${theme} theme, ${width} wide`, async () => {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme });
    const page = await context.newPage();
    const problems = [];
    const asked = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => problems.push(message.text()));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    assert.deepEqual(problems, []);
    assert.equal(asked.length, 1, `only the page itself: ${asked}`);
    assert.match(await page.title(), /Report on blitz/);
    assert.ok((await page.locator("svg.plot").count()) >= 8);
    assert.ok((await page.locator("table caption").count()) >= 6);
    // Every plot has a name and follows the theme.
    assert.equal(await page.getByRole("img", { name: /./ }).count(), await page.locator("svg.plot").count());
    const letters = page.locator("svg.plot text").first();
    assert.equal(await letters.evaluate((text) => getComputedStyle(text).fill), ink);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `it is ${wide} wide`);
    await page.screenshot({ path: join(shots, `report-${theme}-${width}.png`), fullPage: true });
    // Paper is white.
    await page.emulateMedia({ media: "print" });
    assert.equal(await letters.evaluate((text) => getComputedStyle(text).fill), "rgb(34, 34, 34)");
    await context.close();
  });
}

test("a report is small enough to be sent", () => {
  assert.ok(statSync(file).size < 1_000_000, `${statSync(file).size} bytes`);
});
