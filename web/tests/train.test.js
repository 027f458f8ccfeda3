// Train: runs are started, followed, stopped and resumed.

import { test } from "node:test";
import { clean, open, page, shot, until } from "./harness.js";

test("Train: a run is started, followed, stopped and resumed", async () => {
  await open("train");
  const choose = (label, value) => page.getByLabel(label).first().selectOption(value);
  await choose("Method", "snes");
  await choose("Game", "baby");
  await choose("Features", "lee");
  await page.locator("[data-train=steps]").fill("100000");
  await page.locator("[data-train=games]").fill("1");
  await page.locator("[data-train=name]").fill("first");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.locator("[data-run=first][data-state=running]").waitFor();
  const steps = async () =>
    Number(/, ([\d,]+) of/.exec(await page.locator("[data-run=first]").textContent())[1].replaceAll(",", ""));
  while ((await steps()) < 3) await page.waitForTimeout(200);
  await page.locator("svg.plot path").first().waitFor();
  await shot("train");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator("[data-run=first][data-state=stopped]").waitFor();
  const before = await steps();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator("[data-run=first][data-state=running]").waitFor();
  while ((await steps()) <= before) await page.waitForTimeout(200);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator("[data-run=first][data-state=stopped]").waitFor();
  await page.getByRole("link", { name: "Watch it play" }).click();
  await until(() => Number(document.querySelector("section[data-side='0'] dd:last-child")?.textContent) > 2);
  // A name is never used twice.
  await open("train");
  await page.locator("[data-train=name]").fill("first");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.getByText("there is a run `first` already").waitFor();
  clean();
});
