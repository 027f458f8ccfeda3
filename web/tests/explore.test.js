// Explore: small games solved exactly.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { clean, folder, main, open, page, shot, until } from "./harness.js";

test("a solved table of the lab's own folder is opened by its name", async () => {
  const tables = join(folder, "tables");
  mkdirSync(tables, { recursive: true });
  const words = ["solve", "mini", "--objective", "discounted:0.5", "-o", join(tables, "mini-half"), "--quiet"];
  assert.equal(spawnSync(process.env.BELLMINO, words).status, 0);
  await open("explore");
  await page.locator("#explore-table").selectOption("mini-half");
  await page.getByText("Table of").waitFor();
  assert.match(await main().textContent(), /discounted:0.5/);
  await page.locator(".value-row").first().waitFor();
  await shot("table");
  clean();
});

test("Explore solves `baby`: the empty board with I3 at discount 0.9 is worth 9.0889857829", async () => {
  await open("explore");
  await until(() => document.querySelector("[data-value=board]")?.textContent === "9.0889857829");
  assert.match(await main().textContent(), /12,978/);
  await shot("explore");
  await page.locator("[data-slider=mixed]").fill("1");
  await until(() => Number(document.querySelector("[data-value=board]")?.textContent) < 9);
  await page.getByLabel("What to do").selectOption("place");
  await page.locator(".value-row").first().click();
  await until(() => document.querySelector("[data-contest=pieces]")?.textContent === "1");
  await page.getByLabel("What to do").selectOption("deal");
  await page.locator("[data-piece=L3]").click();
  await until(() => document.querySelector("[data-contest=pieces]")?.textContent === "1");
  // A contest that is lost on purpose is kept and can be looked at again.
  await page.getByLabel("What to do").selectOption("place");
  const again = page.getByRole("link", { name: "Look at it again" });
  for (let move = 0; move < 60 && (await again.count()) === 0; move++) {
    const rows = page.locator(".value-row");
    if (await rows.count()) await rows.last().click();
    await page.waitForTimeout(80);
  }
  await again.click();
  await page.locator("main[data-judged=yes]").waitFor();
  assert.match(await page.locator("h1").last().textContent(), /Baby, topped out/);
  await page.getByRole("button", { name: "Next move" }).click();
  await shot("contest-again");
  clean();
});
