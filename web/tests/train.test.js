// Train: runs are started, followed, stopped and resumed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, open, page, shot, until } from "./harness.js";

/** How many steps of a run are done, as its row says; 0 while it says nothing. */
async function stepsOf(run) {
  const said = /, ([\d,]+) of/.exec(await page.locator(`[data-run=${run}]`).textContent());
  return Number((said?.[1] ?? "0").replaceAll(",", ""));
}

test("Train: a run is started, followed, stopped and resumed", async () => {
  await open("train");
  const choose = (label, value) => page.getByRole("combobox", { name: label, exact: true }).selectOption(value);
  await choose("Game", "baby");
  await choose("Method", "snes");
  await choose("Features", "lee");
  await page.locator("[data-train=steps]").fill("100000");
  await page.locator("[data-train=games]").fill("1");
  await page.locator("[data-train=name]").fill("first");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.locator("[data-run=first][data-state=running]").waitFor();
  const steps = () => stepsOf("first");
  while ((await steps()) < 3) await page.waitForTimeout(200);
  await page.locator("svg.plot path").first().waitFor();
  await shot("train");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator("[data-run=first][data-state=stopped]").waitFor();
  const before = await steps();
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await page.locator("[data-run=first][data-state=running]").waitFor();
  while ((await steps()) <= before) await page.waitForTimeout(200);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
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

test("Sprint is trained for; runs are compared, meet each other and are deleted", async () => {
  await open("train");
  const choose = (label, value) => page.getByRole("combobox", { name: label, exact: true }).selectOption(value);
  const begin = async (name, game, steps) => {
    await choose("Game", game);
    await choose("Method", "snes");
    await choose("Features", "lee");
    await page.locator("[data-train=steps]").fill(String(steps));
    await page.locator("[data-train=games]").fill("1");
    await page.locator("[data-train=name]").fill(name);
    await page.getByRole("button", { name: "Start training" }).click();
    await page.locator(`[data-run=${name}][data-state=done]`).waitFor({ timeout: 90000 });
  };
  await begin("one", "baby", 4);
  await begin("two", "baby", 6);
  await begin("race", "sprint", 2);
  const axes = page.locator("svg.plot text");
  await page.locator("[data-run=race]").click();
  await page.getByText("minus pieces to the goal").waitFor();
  assert.ok((await axes.allTextContents()).includes("generation"), "the axis across is named");
  // Temporal differences are for placement games only.
  await choose("Game", "sprint");
  assert.deepEqual(
    await page
      .getByRole("combobox", { name: "Method", exact: true })
      .locator("option")
      .evaluateAll((all) => all.map((one) => one.value)),
    ["cem", "cma-es", "snes"],
  );

  await page.locator("[data-run=two]").click();
  await page.getByText(/lines per lost game/).waitFor();
  await page.locator("[data-compare=one]").check();
  await until(() => document.querySelectorAll("svg.plot path").length === 2);
  const texts = await axes.allTextContents();
  assert.ok(texts.includes("one") && texts.includes("two"), `both are named: ${texts}`);
  await page.locator("[data-compare=race]").check();
  await page.getByText("race cannot be compared").waitFor();
  await page.locator("[data-compare=race]").uncheck();
  await page.getByRole("link", { name: "Watch it meet one" }).click();
  await until(() => document.querySelectorAll("section[data-side]").length === 2);
  assert.match(await page.locator("section[data-side='1'] h2").textContent(), /Your run one/);
  // Trained runs stay in the list, in every game that they can play.
  await page.getByRole("combobox", { name: "Game", exact: true }).selectOption("sprint");
  await until(() => [...document.querySelectorAll("#watch-player option")].some(({ value }) => value === "run:race"));

  await open("train");
  await page.locator("[data-run=one]").click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Keep it" }).click();
  assert.equal(await page.locator("[data-run=one]").count(), 1);
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.locator("[data-run=one]").waitFor({ state: "detached" });
  clean();
});

test("Train updates and takes the focus from nobody; wrong numbers are told", async () => {
  await open("train");
  const choose = (label, value) => page.getByRole("combobox", { name: label, exact: true }).selectOption(value);
  await choose("Game", "baby");
  await choose("Method", "snes");
  await choose("Features", "lee");
  await page.locator("[data-train=steps]").fill("100000");
  await page.locator("[data-train=name]").fill("long");
  const seed = page.locator("[data-train=seed]");
  await seed.fill("3.7");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.getByText("A seed is a whole number").waitFor();
  assert.equal(await page.locator("[data-run=long]").count(), 0, "nothing was started");
  await seed.fill("7");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.locator("[data-run=long][data-state=running]").waitFor();
  const steps = () => stepsOf("long");
  for (const focused of [
    page.locator("[data-run=long]"),
    page.getByRole("combobox", { name: "Curve" }),
    page.locator("[data-train=name]"),
  ]) {
    await focused.focus();
    const before = await steps();
    while ((await steps()) <= before) await page.waitForTimeout(200);
    assert.ok(await focused.evaluate((element) => element === document.activeElement), "the focus has stayed");
  }
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator("[data-run=long][data-state=stopped]").waitFor();
  clean();
});

test("Tables over windows are trained, and what they learn is watched", async () => {
  await open("train");
  const choose = (label, value) => page.getByRole("combobox", { name: label, exact: true }).selectOption(value);
  await choose("Game", "small");
  await choose("Method", "tuples");
  const labelled = (label) => page.getByLabel(label, { exact: true });
  assert.equal(await page.getByRole("combobox", { name: "Features", exact: true }).count(), 0, "they have none");
  await labelled("Windows").fill("9x9x");
  assert.equal(await page.locator("[data-train=windows]:invalid").count(), 1);
  await labelled("Windows").fill("12x1");
  await labelled("Steps").fill("12");
  await labelled("Moves in each").fill("5000");
  await labelled("Rate").fill("0.5");
  await labelled("Curiosity").fill("0.05");
  await page.locator("[data-train=name]").fill("tables");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.getByText("a window of 12x1 does not fit a board").waitFor();
  await labelled("Windows").fill("3x4, 5x2");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.locator("[data-run=tables][data-state=done]").waitFor({ timeout: 90000 });
  await page.getByText("points per game").first().waitFor();
  await page.locator("svg.plot path").first().waitFor();
  await shot("train-tuples");
  await page.getByRole("link", { name: "Watch it play" }).click();
  await until(() => Number(document.querySelector("section[data-side='0'] dd:last-child")?.textContent) > 2);
  assert.match(await page.locator("section[data-side='0'] h2").textContent(), /Your run tables/);
  // The tables are for this board, and are offered nowhere else.
  const offered = () =>
    page.locator("#watch-player option").evaluateAll((all) => all.map(({ value }) => value).includes("run:tables"));
  assert.ok(await offered());
  await page.getByRole("combobox", { name: "Game", exact: true }).selectOption("classic");
  await until(
    () => ![...document.querySelectorAll("#watch-player option")].some(({ value }) => value === "run:tables"),
  );
  clean();
});
