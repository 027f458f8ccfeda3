// What new users stumbled over, each once.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  clean,
  data,
  finger,
  fits,
  folder,
  main,
  open,
  page,
  phase,
  pieces,
  shot,
  startLab,
  until,
  visit,
} from "./harness.js";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const text = (selector) => page.locator(selector).first().textContent();
const says = (selector, wanted) =>
  until(([where, what]) => document.querySelector(where)?.textContent.includes(what), [selector, wanted]);
const fillIn = async (selector, value) => {
  await page.locator(selector).fill(value);
  await page.locator(selector).blur();
};
/** The middle of a cell of the board on the screen. */
const cellAt = async (x, y) => {
  const box = await page.locator(".play .well canvas").first().boundingBox();
  const cell = box.width / 10;
  return [box.x + (x + 0.5) * cell, box.y + box.height - (y + 0.5) * cell];
};
const stroke = async (from, to) => {
  await page.mouse.move(...(await cellAt(...from)));
  await page.mouse.down();
  await page.mouse.move(...(await cellAt(...to)), { steps: 1 });
  await page.mouse.up();
};

test("Explore: a player who is evaluated has its own value as headline, and its own move marked", async () => {
  await open("explore");
  await says("[data-value=board]", "9.0889857829");
  await page.getByText("More: reward").click();
  await page.locator("#explore-player").selectOption("lowest");
  await says("main", "to the player who is evaluated");
  const headline = Number(await text("[data-value=board]"));
  const marked = await text(".value-row.best .num");
  assert.match(marked, /its move$/);
  assert.ok(Math.abs(Number.parseFloat(marked) - headline) < 1e-6, `${marked} of ${headline}`);
  // The mean over the first pieces is the value of the solution.
  await page.locator("[data-piece=L3]").click();
  await until((was) => document.querySelector("[data-value=board]").textContent !== was, headline.toFixed(10));
  const other = Number(await text("[data-value=board]"));
  const whole = Number(await text('[data-figure="Value, empty board"]'));
  assert.ok(Math.abs((headline + other) / 2 - whole) < 1e-8, `${headline}, ${other}, ${whole}`);
  // Every placement as likely: none is marked, and their mean is told.
  await page.locator("#explore-player").selectOption("");
  await page.locator("#explore-placer").selectOption("average");
  await says("main", "if every placement is as likely");
  const values = (await page.locator(".value-row .num").allTextContents()).map(Number.parseFloat);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  assert.ok(Math.abs(Number(await text("[data-value=board]")) - mean) < 1e-5, `${values}`);
  assert.equal(await page.locator(".value-row.best").count(), 0);
  await page.locator("#explore-placer").selectOption("best");
  clean();
});

test("Explore: points per piece are told, the worst dealer is certain, changed rules change the name", async () => {
  await open("explore");
  await says("[data-value=board]", "9.0889857829");
  await page.locator("#explore-dealer").selectOption("worst");
  await says(".deal.worst", "worst, dealt for certain");
  assert.doesNotMatch((await page.locator("[data-deal]").allTextContents()).join(), /%/);
  await page.locator("#explore-dealer").selectOption("random");
  await says("[data-deal]", "50 %");
  await page.locator("#explore-objective").selectOption("average");
  await says("[data-value=board]", "1.1303084918");
  await page.locator("#explore-objective").selectOption("discounted");
  await page.locator("[data-slider=height]").fill("5");
  await until(() => /\(4×5, changed\)/.test(document.querySelector("#explore-game").selectedOptions[0].textContent));
  await page.locator("#explore-game").selectOption("baby");
  await until(() => /\(4×4\)/.test(document.querySelector("#explore-game").selectedOptions[0].textContent));
  clean();
});

test("Explore: what cannot be asked is told in words, and the bound that was wanted is told", async () => {
  await open("explore");
  await says("[data-value=board]", "9.0889857829");
  assert.match(await text('[data-figure="Wanted below"]'), /^9\.1e-9$/);
  for (const wrong of ["-1", "1.5"]) {
    await fillIn("#explore-preview", wrong);
    await says("#explore-note", `pieces known ahead: ${wrong} is not a whole number from 0 to 8`);
  }
  await fillIn("#explore-preview", "0");
  await says("[data-value=board]", "9.0889857829");
  await fillIn("#explore-board", "ab.d");
  await says("#explore-note", "“a” is no cell");
  assert.equal(await text("[data-value=board]"), "9.0889857829", "the board stays");
  await fillIn("#explore-board", "##.#");
  await until(() => document.querySelector("#explore-board").value === "##.#");
  await until(() => document.querySelector("#explore-note").textContent === "");
  clean();
});

test("Train: steps without an end are no zeros, the best has a line, and errors go when they are mended", async () => {
  await open("train");
  const choose = (label, value) => page.getByRole("combobox", { name: label, exact: true }).selectOption(value);
  const labelled = (label) => page.getByLabel(label, { exact: true });
  await choose("Game", "mini");
  await choose("Method", "cem");
  await choose("Features", "lee");
  await labelled("Generations").fill("3");
  await labelled("Games each").fill("2");
  await page.locator("[data-train=name]").fill("with a blank");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.getByText("a name has 1 to 60 letters").waitFor();
  await page.locator("[data-train=name]").fill("short");
  await until(() => !document.querySelector("main").textContent.includes("a name has 1 to 60 letters"));
  await page.getByRole("button", { name: "Start training" }).click();
  await page.locator("[data-run=short][data-state=done]").waitFor({ timeout: 90000 });
  await says("svg.plot", "the best there is: 13.16");
  assert.doesNotMatch((await page.locator("svg.plot text").allTextContents()).join(), /1\.5/, "no half generations");
  await shot("train-optimum");
  // So few moves that no game ends: there is no mean, and none is drawn.
  await choose("Game", "classic");
  await choose("Method", "tuples");
  await labelled("Windows").fill("2x2");
  await labelled("Steps").fill("4");
  await labelled("Moves in each").fill("3");
  await page.locator("[data-train=name]").fill("endless");
  await page.getByRole("button", { name: "Start training" }).click();
  await page.locator("[data-run=endless][data-state=done]").waitFor({ timeout: 90000 });
  await page.locator("[data-endless='4']").waitFor();
  assert.match(await text("svg.plot"), /nothing to show yet/);
  clean();
});

test("Analyse: a game that is not there is said to be not there, and nothing else stands there", async () => {
  await open("analyse/9999");
  await says("main", "no game");
  assert.equal(await page.locator(".stage-head, .analysis").count(), 0);
  assert.equal(await text("h1"), "Analyse");
  await page.getByRole("link", { name: "All games" }).click();
  await page.locator("table").waitFor();
  clean();
});

test("Analyse: the list of choices calls a move what its verdict calls it", async () => {
  const file = join(folder, "beginner.toml");
  const words = ["play", "sprint", "--player", "lowest", "--seed", "78", "--record", file, "--json", "--quiet"];
  assert.equal(spawnSync(process.env.BELLMINO, words).status, 0);
  await open("analyse");
  await page.locator("#record-file").setInputFiles(file);
  await page.locator("main[data-judged=yes]").waitFor({ timeout: 60000 });
  let seen = 0;
  for (let mistake = 0; mistake < 12; mistake++) {
    await page.getByRole("button", { name: "Next mistake" }).click();
    const grade = /: (\w+)/.exec(await text("h2[data-grade]"))[1];
    await until(() => document.querySelectorAll("[data-compared] .choice").length > 0);
    const figures = await page.locator("[data-compared] figcaption").allTextContents();
    if (!figures.includes("Played")) continue;
    const row = await text(".choice-list [aria-pressed=true]");
    assert.doesNotMatch(row, /as good/, `${await text("h2[data-grade]")}: ${row}`);
    if (row.includes(grade)) seen++;
  }
  assert.ok(seen > 0, "there was one without a loss");
  clean();
});

test("Practice: advice says each reason once", async () => {
  await open(
    `play/practice/${encodeURIComponent('{"board":["GGGGGGGG.G","GGGGGGG...","......GG.."],"queue":"TIOSZJL"}')}`,
  );
  await until(() => document.querySelector("main").dataset.piece === "T");
  await page.getByLabel("Advice").selectOption("asked");
  await page.getByRole("button", { name: "What is best here?" }).click();
  await page.locator("[data-advice='3']").waitFor();
  const rows = await page
    .locator(".advised li")
    .evaluateAll((all) => all.map((one) => [one.textContent, one.querySelector("div")?.textContent ?? ""]));
  assert.ok(rows.some(([, reasons]) => reasons));
  for (const [row, reasons] of rows)
    for (const reason of reasons.split(", ").filter(Boolean)) assert.equal(row.split(reason).length, 2, row);
  clean();
});

test("Practice: a stroke along a whole row leaves one cell open; a click paints only if that is chosen", async () => {
  await open("play/practice");
  await until(() => document.querySelector("main").dataset.phase);
  const words = (wanted) =>
    until((what) => document.querySelector(".play .well canvas").getAttribute("aria-label").includes(what), wanted);
  await words("the board is empty");
  await stroke([2, 6], [2, 6]);
  await page.waitForTimeout(1500);
  await words("the board is empty");
  assert.equal(await page.getByRole("button", { name: "Undo" }).isDisabled(), true, "a stray click changes nothing");
  await page.locator("[data-paint=G]").click();
  await stroke([0, 2], [9, 2]);
  await until(() =>
    /3 3 3 3 3 3 3 3 3 0/.test(document.querySelector(".play .well canvas").getAttribute("aria-label")),
  );
  await says("[data-stat=notice]", "A row cannot be full");
  clean();
});

test("Practice: what is taken back takes its faults along, and what is copied is good news", async () => {
  await open("play/practice");
  await phase("ready");
  for (const key of ["KeyA", "KeyD", "KeyA", "KeyD", "KeyW"]) await page.keyboard.press(key);
  await pieces(1);
  await says("[data-stat=faults]", "1");
  await page.keyboard.press("KeyZ");
  await until(() => document.querySelector("main").dataset.pieces === "0");
  await says("[data-stat=faults]", "0");
  await page.keyboard.press("KeyY");
  await until(() => document.querySelector("main").dataset.pieces === "1");
  await says("[data-stat=faults]", "1");
  await page.getByRole("button", { name: "Empty the board" }).click();
  await phase("ready");
  await says("[data-stat=faults]", "0");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await says("[data-stat=notice]", "Copied.");
  assert.equal(await page.locator("[data-stat=notice].warn").count(), 0);
  clean();
});

test("Play: a game that goes on is what it was, a duel or one's own; an empty one is not offered", async () => {
  await open("play/sprint/duel");
  await phase("ready");
  await page.keyboard.press("KeyW");
  await pieces(1);
  await open("play/sprint");
  await page.getByRole("button", { name: "Go on with it" }).click();
  await phase("paused");
  await says("main h2", "Sprint, a duel");
  await page.locator(".rival").waitFor();
  assert.match(await page.evaluate(() => location.hash), /sprint\/duel$/);
  // The other way round, from a page that has a duel of its own.
  await page.getByRole("button", { name: "New game" }).click();
  await phase("ready");
  await open("play/sprint");
  await phase("ready");
  await page.keyboard.press("KeyW");
  await pieces(1);
  await open("play/sprint/duel");
  await page.getByRole("button", { name: "Go on with it" }).click();
  await phase("paused");
  await until(() => document.querySelector("main h2").textContent === "Sprint");
  assert.equal(await page.locator(".rival").count(), 0);
  // One that was begun and nothing placed in it.
  await page.getByRole("button", { name: "New game" }).click();
  await phase("ready");
  await page.keyboard.press("KeyA");
  await phase("playing");
  await open("play/sprint/duel");
  await phase("ready");
  await page.waitForTimeout(500);
  assert.equal(await page.locator("[data-waiting]").count(), 0);
  clean();
});

test("Play on a phone: the tap that begins turns nothing, and no keys are named", async () => {
  await visit(PHONE);
  await open("play/sprint");
  await phase("ready");
  const cells = await data("cells");
  const touch = await finger();
  const box = await page.locator(".play .well canvas").first().boundingBox();
  await touch("touchStart", box.x + box.width * 0.7, box.y + box.height * 0.4);
  await touch("touchEnd");
  await phase("playing");
  const columns = (all) => JSON.parse(all).map(([x]) => x);
  assert.deepEqual(columns(await data("cells")), columns(cells));
  await page.getByRole("button", { name: "Pause" }).tap();
  await phase("paused");
  assert.doesNotMatch(await text(".overlay"), /key/);
  await page.getByRole("button", { name: "Go on" }).tap();
  await phase("playing");
  for (let piece = 0; piece < 30 && (await data("phase")) !== "over"; piece++)
    await page
      .locator("[data-touch=hard-drop]")
      .tap({ timeout: 2000 })
      .catch(() => {});
  await page.getByRole("button", { name: "Play again" }).waitFor();
  assert.equal(await page.locator(".play kbd").count(), 0);
  assert.doesNotMatch(await text(".overlay"), /key/i);
  await shot("phone-end");
  clean();
});

test("Play: a lab that is gone stops the clock, and what happened is said once", async () => {
  const other = mkdtempSync(join(tmpdir(), "bellmino-"));
  let [child, address, entry] = await startLab(other);
  const port = Number(new URL(address).port);
  try {
    await page.goto(`${entry}#/play/sprint`);
    await phase("ready");
    await page.keyboard.press("KeyW");
    await pieces(1);
    await page.waitForTimeout(1200);
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    await page.locator(".status:visible").waitFor();
    await page.waitForTimeout(200);
    const time = await text("[data-stat=time]");
    await page.waitForTimeout(1000);
    assert.equal(await text("[data-stat=time]"), time, "the clock stands");
    [child, address, entry] = await startLab(other, port);
    await page.goto("about:blank");
    await page.goto(`${entry}#/play/sprint`);
    await phase("paused");
    const told = await main().textContent();
    assert.equal(told.split("The lab had ended").length, 2, told);
  } finally {
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    rmSync(other, { recursive: true, force: true });
  }
});

test("Watch: a game that this page has left is not told to be played", async () => {
  await open("play/sprint");
  await phase("ready");
  await page.keyboard.press("KeyW");
  await pieces(1);
  const room = await data("room");
  await page.evaluate(() => {
    location.hash = "#/watch";
  });
  await page.locator("#watch-player").waitFor();
  await page.waitForTimeout(2500);
  assert.equal(await page.locator(`[href="#/watch/live/${room}"]`).count(), 0);
  // Another page plays, and is told.
  const other = await page.context().newPage();
  await other.goto(page.url().replace(/#.*/, "#/play/blitz"));
  await other.locator("main[data-phase=ready]").waitFor();
  await page.getByRole("link", { name: /^Blitz, room/ }).waitFor();
  await other.close();
  clean();
});

test("Settings: a number that is none, or out of range, is told and changes nothing", async () => {
  await open("settings");
  const das = page.locator("[data-handling=das]");
  const before = await das.inputValue();
  for (const wrong of ["", "9999", "-1"]) {
    await fillIn("[data-handling=das]", wrong);
    await says("[data-wrong=handling]", `a whole number from 0 to 500; ${before} stays`);
    assert.equal(await das.getAttribute("aria-invalid"), "true");
  }
  await page.reload();
  await page.locator("html[data-ready=yes]").waitFor();
  assert.equal(await das.inputValue(), before);
  clean();
});

test("a duel's end is in sight at once, with what matters first and without Quit", async () => {
  await visit({ viewport: { width: 1440, height: 900 } });
  await open("play/sprint/duel");
  await phase("ready");
  for (let piece = 0; piece < 40 && (await data("phase")) !== "over"; piece++) {
    await page.keyboard.press("KeyW");
    await page.waitForTimeout(15);
  }
  await page.locator("[data-verdict=lost]").waitFor({ timeout: 60000 });
  await page.locator("[data-saved=yes]").waitFor();
  const card = await page.locator(".overlay.wide").boundingBox();
  assert.ok(card.y >= 0 && card.y + card.height <= 900, JSON.stringify(card));
  const middle = card.x + card.width / 2;
  assert.ok(Math.abs(middle - 720) < 4, `in the middle: ${middle}`);
  const again = await page.getByRole("button", { name: /Rematch/ }).boundingBox();
  const facts = await page.locator(".overlay dl.facts").boundingBox();
  assert.ok(again.y < facts.y, "what one does next stands above the figures");
  assert.equal(await page.locator(".overlay").getByRole("button", { name: "Quit" }).count(), 0);
  await shot("duel-end-1440");
  clean();
});

test("boards are as high as the window lets them: 900 pixels of 1080, in Play and in Watch", async () => {
  await visit({ viewport: { width: 1920, height: 1080 } });
  const isHigh = async (where, selector) => {
    const box = await page.locator(selector).first().boundingBox();
    assert.ok(box.height >= 900 && box.y + box.height <= 1080, `${where}: ${JSON.stringify(box)}`);
  };
  for (const mode of ["sprint", "practice", "sprint/duel"]) {
    await open(`play/${mode}`);
    await until(() => document.querySelector("main").dataset.phase);
    await isHigh(mode, ".play .well canvas");
    await fits();
    await shot(`large-play-${mode.replace("/", "-")}`);
  }
  for (const players of ["bot", "bot/weights:dellacherie"]) {
    await open(`watch/play/sprint/${players}`);
    await until(() => Number(document.querySelector("section[data-side='0'] dd:last-child")?.textContent) > 2);
    await isHigh(players, "section[data-side='0'] .well canvas");
    await fits();
    await shot(`large-watch-${players.includes("/") ? 2 : 1}`);
  }
  clean();
});

test("charts have no text below 12 pixels, on any screen", async () => {
  const least = () =>
    page.evaluate(() => {
      const texts = [...document.querySelectorAll("svg.plot")].flatMap((svg) => {
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return [...svg.querySelectorAll("text")].map(
          (one) => scale * Number.parseFloat(getComputedStyle(one).fontSize),
        );
      });
      return texts.length ? Math.min(...texts) : 0;
    });
  for (const [width, height] of [
    [320, 640],
    [390, 844],
    [1000, 700],
    [1440, 900],
    [1920, 1080],
  ]) {
    await visit({ viewport: { width, height }, colorScheme: width % 20 ? "dark" : "light" });
    await open("explore");
    await page.locator("#figures svg.plot").waitFor();
    await page.waitForTimeout(200);
    assert.ok((await least()) >= 11.99, `Explore at ${width}: ${await least()}`);
    await shot(`explore-at-${width}`);
    await open("watch/play/sprint/bot/weights:dellacherie");
    await page.locator(".race svg.plot").waitFor();
    await page.waitForTimeout(200);
    assert.ok((await least()) >= 11.99, `Watch at ${width}: ${await least()}`);
    await fits();
    await shot(`watch-at-${width}`);
  }
  clean();
});

test("two machines on a phone show what comes next; at twice the size Watch is in order", async () => {
  await visit(PHONE);
  await open("watch/play/sprint/bot/weights:dellacherie");
  await until(() => Number(document.querySelector("section[data-side='1'] dd:last-child")?.textContent) > 2);
  for (const side of [0, 1]) {
    const rights = await page
      .locator(`section[data-side='${side}'] :is(.next canvas, .aside)`)
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    assert.ok(rights.length > 3 && Math.max(...rights) <= 390 - 8, `${side}: ${rights}`);
  }
  await shot("phone-watch-2");
  await visit({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });
  for (const address of [
    "watch/play/sprint/bot/weights:dellacherie",
    "play/sprint",
    "analyse",
    "train",
    "explore",
    "",
  ]) {
    await open(address);
    await page.waitForTimeout(700);
    await fits();
    const levels = await page
      .locator("h1, h2, h3")
      .evaluateAll((all) =>
        all
          .filter((one) => one.offsetParent || one.className === "visually-hidden")
          .map(({ tagName }) => Number(tagName[1])),
      );
    levels.reduce((before, level) => {
      assert.ok(level <= before + 1, `${address}: ${levels}`);
      return level;
    }, 0);
  }
  clean();
});
