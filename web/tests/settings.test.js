// Settings: keys, handling and look.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, data, open, page, phase, shot, until } from "./harness.js";

test("keys and handling are changed and found again after a reload", async () => {
  await open("settings");
  await page.locator("[data-action=left]").click();
  await page.keyboard.press("KeyJ");
  await until(() => document.querySelector("[data-action=left]").textContent === "J");
  await page.locator("[data-handling=das]").fill("99");
  await page.locator("[data-handling=das]").blur();
  await page.getByLabel("Marks on cells").selectOption("patterns");
  await shot("settings");
  await page.reload();
  await page.locator("html[data-ready=yes]").waitFor();
  assert.equal(await page.locator("[data-action=left]").textContent(), "J");
  assert.equal(await page.locator("[data-handling=das]").inputValue(), "99");
  await open("play/practice");
  await phase("ready");
  const start = JSON.parse(await data("cells"));
  await page.keyboard.press("KeyJ");
  await until((left) => JSON.parse(document.querySelector("main").dataset.cells)[0][0] <= left, start[0][0] - 1);
  await open("settings");
  for (const reset of await page.getByRole("button", { name: "Defaults" }).all()) await reset.click();
  assert.equal(await page.locator("[data-action=left]").textContent(), "A");
  await page.getByLabel("Marks on cells").selectOption("none");
  clean();
});
