// Settings: keys, handling, look, touch and sound.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, context, data, open, page, phase, shot, until, url } from "./harness.js";

test("keys and handling are changed and found again after a reload", async () => {
  await open("settings");
  await page.getByLabel("Begin from").selectOption("letters");
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
  await page.getByRole("button", { name: "Defaults" }).click();
  await page.getByLabel("Begin from").selectOption("letters");
  assert.equal(await page.locator("[data-action=left]").textContent(), "A");
  await page.getByLabel("Marks on cells").selectOption("none");
  clean();
});

test("two keys for an action, Ctrl as a key, Esc cancels, clashes are shown", async () => {
  await open("settings");
  await page.getByLabel("Begin from").selectOption("letters");
  await page.locator("[data-action=hold]").click();
  await page.keyboard.press("ControlLeft");
  await until(() => document.querySelector("[data-action=hold]").textContent === "Left Ctrl");
  await page.locator("[data-second=hold]").click();
  await page.keyboard.press("KeyC");
  await until(() => document.querySelector("[data-second=hold]").textContent === "C");
  await page.locator("[data-action=left]").click();
  await page.keyboard.press("Escape");
  await until(() => document.querySelector("[data-action=left]").textContent === "A");
  await page.locator("[data-second=right]").click();
  await page.keyboard.press("KeyC");
  assert.match(await page.locator("[data-clash=KeyC]").textContent(), /Move right and Hold/);
  await page.locator("[data-second=right]").click();
  await page.keyboard.press("Delete");
  await until(() => document.querySelector("[data-clash]") === null);
  await open("play/sprint");
  await phase("ready");
  const piece = await data("piece");
  await page.keyboard.press("ControlLeft");
  await until((held) => document.querySelector(".piece-box").dataset.piece === held, piece);
  // A game key counts while Ctrl, itself a game key, is held.
  const cells = await data("cells");
  await page.keyboard.down("ControlLeft");
  await page.keyboard.press("KeyA");
  await page.keyboard.up("ControlLeft");
  await until((was) => document.querySelector("main").dataset.cells !== was, cells);
  await open("settings");
  await page.getByLabel("Begin from").selectOption("letters");
  clean();
});

test("what one tab sets, the other has, and neither takes it back", async () => {
  await open("settings");
  await page.getByLabel("Begin from").selectOption("letters");
  const other = await context.newPage();
  await other.goto(`${url}#/settings`);
  await other.locator("[data-action=left]").click();
  await other.keyboard.press("KeyJ");
  await until(() => document.querySelector("[data-action=left]").textContent === "J");
  await page.locator("[data-action=right]").click();
  await page.keyboard.press("KeyL");
  await other.waitForFunction(() => document.querySelector("[data-action=right]").textContent === "L");
  await page.reload();
  await page.locator("html[data-ready=yes]").waitFor();
  const shown = await page.locator("[data-action=left], [data-action=right]").allTextContents();
  assert.deepEqual(shown, ["J", "L"]);
  await other.close();
  await page.getByLabel("Begin from").selectOption("letters");
  clean();
});

test("colours of modern games, initial turns, and every field has a name", async () => {
  await open("settings");
  await page.getByLabel("Colours").selectOption("guideline");
  await page.locator("[data-pieces=guideline]").waitFor();
  await page.getByRole("switch", { name: /IRS, IHS/ }).click();
  const unnamed = await page.evaluate(
    () => [...document.querySelectorAll("input, select")].filter((one) => !one.labels.length && !one.ariaLabel).length,
  );
  assert.equal(unnamed, 0);
  await open("play/sprint");
  await until(() => document.querySelector("main").dataset.phase);
  await page.keyboard.press("KeyR");
  await phase("ready");
  // Held while the piece before is dropped, the key turns the next one as it enters.
  await page.keyboard.down("ArrowRight");
  await page.keyboard.press("KeyW");
  await until(() => document.querySelector("main").dataset.pieces === "1");
  const rows = new Set(JSON.parse(await data("cells")).map(([, y]) => y)).size;
  await page.keyboard.up("ArrowRight");
  if ((await data("piece")) !== "O") assert.ok(rows > 2, "it stands upright");
  await open("settings");
  await page.getByRole("switch", { name: /IRS, IHS/ }).click();
  await page.getByLabel("Colours").selectOption("safe");
  clean();
});
