// Duels: you and a machine side by side.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, data, open, page, phase, pieces, shot, until } from "./harness.js";

const machine = (wanted) => until((least) => Number(document.querySelector(".rival").dataset.pieces) >= least, wanted);

test("a duel in Sprint is lost by topping out, the tally is kept, and there is a rematch", async () => {
  await open("play/sprint");
  await page.getByRole("link", { name: "Duel with a machine" }).click();
  await until(() => document.querySelector(".rival"));
  await phase("ready");
  await page.getByLabel("Against").selectOption("weights:sprint4");
  await page.getByLabel("Pieces a second").selectOption("3");
  await until(() => /, 3\/s/.test(document.querySelector("[data-rival=name]").textContent));
  await page.keyboard.press("KeyA");
  await phase("playing");
  await machine(4);
  await shot("duel");
  assert.match(await page.locator("[data-rival=facts]").textContent(), /lines left/);
  const paused = async () => {
    await page.keyboard.press("Escape");
    await phase("paused");
    const before = await page.locator(".rival").getAttribute("data-pieces");
    await page.waitForTimeout(700);
    assert.equal(await page.locator(".rival").getAttribute("data-pieces"), before, "a pause is one for both");
    await page.keyboard.press("KeyA");
    await phase("playing");
  };
  await paused();
  for (let piece = 0; piece < 30 && (await data("phase")) !== "over"; piece++) {
    await page.keyboard.press("KeyW");
    await page.waitForTimeout(15);
  }
  await page.locator("[data-verdict=lost]").waitFor();
  await page.locator(".overlay [data-duels]").waitFor();
  await shot("duel-end");
  const row = await page.locator(".overlay [data-duels] tbody tr").first().textContent();
  assert.match(row, /, 3\/s001/, "won, drawn, lost");
  await page.getByRole("button", { name: /Rematch/ }).click();
  await phase("ready");
  assert.equal(await page.locator(".rival").getAttribute("data-pieces"), "0");
  clean();
});

test("a duel in Blitz waits for the machine's last score", async () => {
  await open("play/blitz/duel");
  await phase("ready");
  await page.keyboard.press("KeyW");
  await pieces(1);
  for (let piece = 0; piece < 30 && (await data("phase")) !== "over"; piece++) {
    await page.keyboard.press("KeyW");
    await page.waitForTimeout(15);
  }
  // It goes on alone to its three minutes, as fast as it can think.
  await page.locator("[data-verdict=lost]").waitFor({ timeout: 60000 });
  assert.match(await page.locator("[data-verdict]").textContent(), /points/);
  clean();
});
