// Watch: machines at play, alone, against each other and against a person.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, open, page, shot, until, visit } from "./harness.js";

test("the bot finishes a Sprint; two players meet on the same pieces", async () => {
  await open("watch");
  await page.locator("#watch-player").selectOption("bot:quick");
  await page.getByLabel("Placements per second").fill("8");
  await page.getByText(/goal reached/i).waitFor({ timeout: 90000 });
  assert.ok(Number(await page.locator("section[data-side='0'] dd").first().textContent()) >= 40);
  await page.getByRole("link", { name: "Analyse it" }).waitFor();
  await page.getByRole("button", { name: "One back" }).click();
  await page.waitForTimeout(100);
  await shot("watch");
  await page.getByRole("combobox", { name: "Game", exact: true }).selectOption("classic");
  await page.locator("#watch-player").selectOption("weights:dellacherie");
  await page.getByRole("combobox", { name: "Against, on the same pieces" }).selectOption("lowest");
  await until(
    () =>
      [...document.querySelectorAll("section[data-side]")].length === 2 &&
      [...document.querySelectorAll("section[data-side] dl dd:last-child")].every(
        (place) => Number(place.textContent) > 20,
      ),
  );
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".race svg.plot path").first().waitFor();
  assert.match(await page.locator(".race svg").getAttribute("aria-label"), /Dellacherie's six features [\d,]+, Lowest/);
  await shot("watch-two");
  clean();
});

test("a reached goal is good news, and candidates are drawn and compared", async () => {
  await open("watch/play/sprint/bot:quick/nobody/5");
  assert.match(await page.locator("section[data-side='0'] h2").textContent(), /The bot, quick/);
  assert.equal(await page.locator("section[data-side='0'] .cryptic").textContent(), "bot:quick");
  await page.getByText("2,000 placements for each move").waitFor();
  const drawn = await page.waitForFunction(() => {
    const bars = [...document.querySelectorAll("[data-candidate] .bar")].map((bar) => parseFloat(bar.style.width));
    return bars.length === 5 && [bars, document.querySelectorAll("[data-candidate] canvas").length];
  });
  const [widths, pictures] = await drawn.jsonValue();
  assert.equal(Math.max(...widths), 100);
  assert.ok(
    widths.every((width, index) => index < 2 || width <= widths[index - 1]),
    `what it does first, then the best: ${widths}`,
  );
  assert.equal(pictures, 5);
  const words = await page.locator("[data-candidate]").allTextContents();
  assert.equal(words[0], "its choice");
  for (const text of words.slice(1)) assert.match(text, /^([\d,.]+ worse|as good|not followed as far)$/);
  await page.getByLabel("Placements per second").fill("8");
  await page.locator("[data-end='0'].good").waitFor({ timeout: 90000 });
  assert.match(await page.locator("[data-end='0']").textContent(), /^Goal reached with \d+ pieces/);
  clean();
});

test("of a game without an end the last moves are kept, and the way of all of it", async () => {
  await open("watch");
  const kept = await page.evaluate(async () => {
    const { Moves } = await import("/src/moves.js");
    const moves = new Moves();
    for (let piece = 1; piece <= 30000; piece++) {
      moves.push({ pieces: piece, lines: Math.floor(piece / 2.5), score: piece, board: [] });
      moves.forget(piece);
    }
    const way = moves.until(29000);
    return {
      length: moves.length,
      held: moves.list.length,
      oldest: moves.get(moves.oldest - 1)?.pieces - moves.oldest,
      forgotten: moves.get(10) ?? null,
      last: moves.last.pieces,
      points: way.length,
      begin: way[0].pieces,
      end: way.at(-1).pieces,
    };
  });
  const { held, points, ...rest } = kept;
  assert.deepEqual(rest, { length: 30000, oldest: 0, forgotten: null, last: 30000, begin: 1, end: 29000 });
  assert.ok(held >= 2000 && held <= 2600, `${held} moves are held`);
  assert.ok(points >= 150 && points <= 402, `${points} points`);
  clean();
});

test("two machines meet in many games, and the better one is named with its interval", async () => {
  await open("watch/play/mini/exact/lowest/1");
  await page.getByRole("combobox", { name: "Games", exact: true }).selectOption("100");
  await page.getByRole("button", { name: "Let them meet" }).click();
  await page.locator("[data-verdict='0']").waitFor({ timeout: 60000 });
  const said = await page.locator("[data-verdict]").textContent();
  assert.match(said, /^Exact best play is better\. Exact best play scores [\d.,]+ points more per game on average/);
  const [, mean, low, high] = /scores ([\d.,]+) .*between ([\d.,]+) and ([\d.,]+)\)/.exec(said).map(Number);
  assert.ok(0 < low && low < mean && mean < high, said);
  assert.match(await page.locator(".verdict").textContent(), /100 games, seed 1/);
  await shot("verdict");
  // Equal players: nobody is named, and other players begin anew.
  await page.getByRole("combobox", { name: "Against, on the same pieces" }).selectOption("exact");
  assert.equal(await page.locator("[data-verdict]").count(), 0);
  await page.getByRole("button", { name: "Let them meet" }).click();
  await page.locator("[data-verdict=none]").waitFor({ timeout: 60000 });
  assert.match(await page.locator("[data-verdict]").textContent(), /^No difference beyond chance/);
  // It can be stopped.
  await page.getByRole("combobox", { name: "Game", exact: true }).selectOption("sprint");
  await page.locator("#watch-player").selectOption("bot:quick");
  await page.getByRole("combobox", { name: "Against, on the same pieces" }).selectOption("lowest");
  await page.getByRole("combobox", { name: "Games", exact: true }).selectOption("400");
  await page.getByRole("button", { name: "Let them meet" }).click();
  await page.locator("[data-verdict='so far']").waitFor({ timeout: 60000 });
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Let them meet" }).waitFor();
  clean();
});

test("a wrong seed is told and nothing is changed; a large one is kept whole", async () => {
  const sockets = [];
  page.on("websocket", (socket) => sockets.push(socket));
  await open("watch/play/mini/lowest/nobody/1");
  const seed = page.getByLabel("Seed of the pieces");
  for (const wrong of ["99999999999999999999", "1e99", "-5", "3.7", "", "18446744073709551616"]) {
    await seed.fill(wrong);
    await seed.blur();
    await page.getByText("A seed is a whole number from 0 to 18,446,744,073,709,551,615").waitFor();
    assert.equal(await seed.inputValue(), wrong, "what was typed stays to be mended");
    assert.equal(await seed.getAttribute("aria-invalid"), "true");
  }
  await seed.fill("18446744073709551615");
  await seed.blur();
  await page.waitForURL(/18446744073709551615$/);
  await page.locator("section[data-side='0']").waitFor();
  assert.equal(await page.getByText("A seed is a whole number").count(), 0);
  await page.reload();
  await page.locator("section[data-side='0']").waitFor();
  assert.equal(await seed.inputValue(), "18446744073709551615");
  assert.equal(sockets.length, 2, "one connection for each time the page was opened");
  await page.goto("about:blank");
  await open("watch/play/mini/lowest/nobody/1e99");
  await page.getByText('"1e99" is no seed').waitFor();
  clean();
});

test("a person plays against a machine on a small board", async () => {
  await open("watch");
  await page.getByRole("combobox", { name: "Game", exact: true }).selectOption("mini");
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

test("a finger aims, turns and places", async () => {
  await visit({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await open("watch/play/classic/human/lowest/3");
  const pieces = () => page.locator("section[data-side='0'] dl dd").last().textContent();
  await page.getByText("Touch the board to aim").waitFor();
  await page.getByRole("button", { name: "Turn", exact: true }).tap();
  const box = await page.locator("section[data-side='0'] .well canvas").boundingBox();
  await page.touchscreen.tap(box.x + box.width * 0.9, box.y + box.height * 0.8);
  await page.waitForTimeout(300);
  assert.equal(await pieces(), "0", "the first touch aims");
  await page.touchscreen.tap(box.x + box.width * 0.9, box.y + box.height * 0.8);
  await until(() => document.querySelector("section[data-side='0'] dl dd:last-child").textContent === "1");
  await page.getByRole("button", { name: "Place" }).tap();
  await until(() => document.querySelector("section[data-side='0'] dl dd:last-child").textContent === "2");
  clean();
});
