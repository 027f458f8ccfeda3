// Watch: machines at play, alone, against each other and against a person.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, open, page, shot, until } from "./harness.js";

test("the bot finishes a Sprint; two players meet on the same pieces", async () => {
  await open("watch");
  await page.locator("#watch-player").selectOption("bot:quick");
  await page.getByLabel("Placements per second").fill("8");
  await until(() => /goal reached/.test(document.querySelector("main").textContent));
  assert.ok(Number(await page.locator("section[data-side='0'] dd").first().textContent()) >= 40);
  await page.getByRole("link", { name: "Analyse it" }).waitFor();
  await page.getByRole("button", { name: "One back" }).click();
  await page.waitForTimeout(100);
  await shot("watch");
  await page.getByLabel("Game").selectOption("classic");
  await page.locator("#watch-player").selectOption("weights:dellacherie");
  await page.getByLabel("Against, on the same pieces").selectOption("lowest");
  await until(
    () =>
      [...document.querySelectorAll("section[data-side]")].length === 2 &&
      [...document.querySelectorAll("section[data-side] dl dd:last-child")].every(
        (place) => Number(place.textContent) > 20,
      ),
  );
  await page.getByRole("button", { name: "Pause" }).click();
  await shot("watch-two");
  clean();
});

test("a person plays against a machine on a small board", async () => {
  await open("watch");
  await page.getByLabel("Game").selectOption("mini");
  await page.getByRole("button", { name: "Play against it" }).click();
  await page.locator("section[data-side='1']").waitFor();
  const box = await page.locator("section[data-side='0'] .well canvas").boundingBox();
  for (let move = 0; move < 60 && !/wins|win|draw/i.test(await page.locator(".stage-note").textContent()); move++) {
    await page.mouse.click(box.x + (box.width * ((move % 3) + 0.5)) / 3, box.y + box.height * 0.8);
    await page.waitForTimeout(40);
  }
  assert.match(await page.locator(".stage-note").textContent(), /win|draw/i);
  await shot("contest");
  clean();
});
