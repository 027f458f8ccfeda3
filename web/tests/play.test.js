// Playing: Sprint, Blitz and Practice as a person plays them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  clean,
  connection,
  context,
  cookie,
  cookieOf,
  data,
  finger,
  fits,
  follow,
  open,
  page,
  phase,
  pieces,
  program,
  shot,
  startLab,
  until,
  url,
  visit,
} from "./harness.js";
import { keyToPicture, quantile, spectators, work } from "./latency.js";

test("from the menu into a Sprint, and a line is cleared by keys", async () => {
  await open();
  await page.waitForTimeout(600);
  await shot("menu");
  assert.match(await page.title(), /Bellmino/);
  // Practice has no clock; the line is made ready there with the pointer, as a person would.
  await follow(page.getByRole("link", { name: /^Practice/ }));
  await phase("ready");
  // Fill the lowest row but for the four columns under the next flat piece, then drop I pieces.
  const box = await page.locator(".play .well canvas").boundingBox();
  const cell = box.width / 10;
  const at = (x, y) => [box.x + (x + 0.5) * cell, box.y + box.height - (y + 0.5) * cell];
  await page.locator("[data-paint=G]").click();
  await page.mouse.move(...at(0, 0));
  await page.mouse.down();
  for (let x = 1; x <= 5; x++) await page.mouse.move(...at(x, 0));
  await page.mouse.up();
  const queue = page.getByLabel("Queue: the piece in play and the next ones");
  await queue.fill("IIOT");
  await page.getByRole("button", { name: "Set queue" }).click();
  await until(() => document.querySelector("main").dataset.piece === "I");
  for (let step = 0; step < 3; step++) await page.keyboard.press("KeyD");
  await until(() => Math.min(...JSON.parse(document.querySelector("main").dataset.cells).map(([x]) => x)) === 6);
  await page.keyboard.press("KeyW");
  await until(() => document.querySelector("main").dataset.lineCount === "1");
  await until(() => document.querySelector("[data-stat=clear]").textContent.includes("single"));
  await shot("practice");

  await page.goto(`${url}#/`);
  await follow(page.getByRole("link", { name: /^Sprint/ }));
  await phase("ready");
  assert.equal(await page.locator("[data-stat=lines]").textContent(), "40");
  assert.equal(await page.locator("[data-stat=time]").textContent(), "00:00.000");
  await page.keyboard.press("KeyW");
  await pieces(1);
  await until(() => document.querySelector("[data-stat=time]").textContent > "00:00.000");
  clean();
});

test("the first start offers two sets of keys, and the first key decides", async () => {
  const other = mkdtempSync(join(tmpdir(), "bellmino-"));
  const [child, , entry] = await startLab(other);
  try {
    await page.goto(`${entry}#/play/sprint`);
    await phase("ready");
    await page.locator("[data-preset=arrows] .keyboard").waitFor();
    await shot("first-start");
    assert.equal(await page.locator("[data-preset]").count(), 2);
    const card = await page.locator(".start-card").boundingBox();
    const board = await page.locator(".play .well canvas").first().boundingBox();
    assert.ok(card.x >= board.x + board.width, "the card stands beside the board");
    // What a newcomer tries: the arrow moves, and from now on these are the keys.
    const left = () => Math.min(...JSON.parse(document.querySelector("main").dataset.cells).map(([x]) => x));
    const before = await page.evaluate(left);
    await page.keyboard.press("ArrowLeft");
    await until(
      (x) => Math.min(...JSON.parse(document.querySelector("main").dataset.cells).map(([c]) => c)) === x,
      before - 1,
    );
    await page.keyboard.press("Space");
    await pieces(1);
    await page.keyboard.press("KeyW");
    assert.equal(await data("pieces"), "1");
    assert.equal(await page.locator("[data-choice=keys]").count(), 0);
    assert.match(await page.locator(".legend").textContent(), /Space.*Hard drop/);
    assert.match(await page.locator(".legend").textContent(), /↓Soft drop/);
    await page.reload();
    await phase("paused");
    await page.goto(`${page.url().replace(/#.*/, "")}#/settings`);
    assert.equal(await page.locator("[data-action=left]").textContent(), "←");
    assert.equal(await page.locator("[data-second=clockwise]").textContent(), "X");
    // The other one, with one press.
    await page.getByLabel("Begin from").selectOption("letters");
    await until(() => document.querySelector("[data-action=left]").textContent === "A");
  } finally {
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    rmSync(other, { recursive: true, force: true });
  }
});

test("hold, ghost and top-out; the game is recorded, opened again and analysed", async () => {
  await open("play/sprint");
  await phase("ready");
  const first = await data("piece");
  await page.keyboard.press("ShiftLeft");
  await until((piece) => document.querySelector(".piece-box").dataset.piece === piece, first);
  assert.match(await page.locator("h3.spent").textContent(), /Hold/, "the label says that hold is spent");
  const second = await data("piece");
  await page.keyboard.press("ShiftLeft");
  await page.waitForTimeout(60);
  assert.equal(await data("piece"), second, "hold works once per piece");
  const ghost = JSON.parse(await data("ghost"));
  assert.equal(Math.min(...ghost.map(([, y]) => y)), 0, "the ghost lies on the ground");
  await page.keyboard.press("KeyA");
  await until((before) => document.querySelector("main").dataset.ghost !== before, JSON.stringify(ghost));
  await page.keyboard.press("KeyW");
  await pieces(1);
  assert.equal(await page.locator("h3.spent").count(), 0, "hold is free again");
  await shot("play");
  for (let piece = 0; piece < 25 && (await data("phase")) !== "over"; piece++) {
    await page.keyboard.press("KeyW");
    await page.waitForTimeout(15);
  }
  await page.locator("[data-end=topped-out]").waitFor();
  await page.locator("[data-saved=yes]").waitFor();
  await page.waitForTimeout(100);
  await shot("end");
  assert.match(await page.locator("[data-stat=voice]").textContent(), /Topped out: .* pieces/);
  assert.match(await page.locator(".play .well canvas").getAttribute("aria-label"), /column heights from the left/);
  await page.getByRole("button", { name: "Same pieces again" }).waitFor();
  const { width, height } = page.viewportSize();
  const card = await page.locator(".overlay").boundingBox();
  assert.ok(card.x >= 0 && card.y >= 54 && card.y + card.height <= height, JSON.stringify(card));
  assert.ok(Math.abs(card.x + card.width / 2 - width / 2) < 2, "the end card is in the middle");
  await page.getByRole("link", { name: "Analyse", exact: true }).last().click();
  await page.locator("main[data-judged=yes]").waitFor({ timeout: 30000 });
  // Its pieces are drawn anew each time: how bad the worst of it is depends on them.
  const found = await Promise.all(
    ["mistake", "blunder"].map((grade) => page.locator(`[data-count=${grade}]`).textContent()),
  );
  assert.ok(
    found.some((text) => parseInt(text, 10) > 0),
    `dropping everything in the middle is judged a mistake: ${found}`,
  );
  await page.getByRole("button", { name: "Next mistake" }).click();
  await page.locator("h2[data-grade]").waitFor();
  await shot("analyse");
  await open("analyse");
  await page.locator("tbody tr").first().waitFor();
  assert.match(await page.locator("tbody tr").first().textContent(), /Sprint.*topped out/);
  await shot("games");
  clean();
});

test("the Blitz clock counts three minutes down, and pause stops it", async () => {
  await open("play/blitz");
  await phase("ready");
  const time = page.locator("[data-stat=time]");
  assert.equal(await time.textContent(), "03:00.000");
  await page.keyboard.press("KeyW");
  await until(() => document.querySelector("[data-stat=time]").textContent < "02:59.5");
  await page.keyboard.press("Escape");
  await phase("paused");
  const paused = await time.textContent();
  await page.waitForTimeout(300);
  assert.equal(await time.textContent(), paused);
  assert.match(paused, /^02:5\d\.\d{3}$/);
  // Nothing to see meanwhile, and a countdown before it goes on.
  assert.equal(await page.locator(".next").getAttribute("data-pieces"), "");
  await page.keyboard.press("KeyA");
  await phase("countdown");
  await page.locator("p.countdown").waitFor();
  await phase("playing");
  assert.equal((await page.locator(".next").getAttribute("data-pieces")).length, 5);
  await page.keyboard.press("KeyR");
  await phase("ready");
  clean();
});

test("a lab that is killed in the middle of a game loses at most its last second", async () => {
  const other = mkdtempSync(join(tmpdir(), "bellmino-"));
  let [child, address, again] = await startLab(other);
  try {
    await page.goto(`${again}#/play/blitz`);
    await phase("ready");
    // Along the floor and the walls, so that eight pieces fit.
    for (let piece = 0; piece < 8; piece++) {
      for (let step = 0; step < 4; step++) if (piece % 3) await page.keyboard.press(piece % 3 === 1 ? "KeyA" : "KeyD");
      await page.keyboard.press("KeyW");
      await pieces(piece + 1);
    }
    await page.waitForTimeout(1300);
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    // At once: what was cut off is in the list.
    [child, address, again] = await startLab(other);
    const games = await page
      .evaluate(
        (socketAddress) =>
          new Promise((resolve) => {
            const socket = new WebSocket(socketAddress);
            socket.onopen = () => socket.send('{"id":1,"do":"games"}');
            socket.onmessage = ({ data: text }) => resolve(JSON.parse(text).ok);
            socket.onerror = () => resolve("refused");
          }),
        `${address.replace("http", "ws")}socket`,
      )
      .catch((error) => error.message);
    // The page's origin is the old port, so that it is refused; a program asks instead.
    assert.equal(games, "refused");
    const kept = await new Promise((resolve, reject) => {
      const socket = connection(address, cookieOf(again));
      socket.onopen = () => socket.send('{"id":1,"do":"games"}');
      socket.onmessage = ({ data: text }) => {
        resolve(JSON.parse(text).ok);
        socket.close();
      };
      socket.onerror = () => reject(new Error("refused"));
    });
    assert.equal(kept.length, 1);
    assert.deepEqual([kept[0].mode, kept[0].state, kept[0].pieces], ["blitz", "stopped", 8]);
  } finally {
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    rmSync(other, { recursive: true, force: true });
  }
});

test("the same pieces again; finesse faults come with the shortest keys", async () => {
  await open("play/sprint");
  await phase("ready");
  const next = () => page.locator(".next").getAttribute("data-pieces");
  const queue = await next();
  await page.keyboard.press("KeyW");
  await pieces(1);
  assert.equal(await page.locator("[data-stat=faults]").textContent(), "0", "a plain drop is no fault");
  for (const key of ["KeyA", "KeyD", "KeyA", "KeyD", "KeyW"]) await page.keyboard.press(key);
  await pieces(2);
  await until(() => document.querySelector("[data-stat=faults]").textContent === "1");
  assert.match(await page.locator("[data-stat=fault]").textContent(), /5 keys, 1 do: W/);
  for (let piece = 0; piece < 25 && (await data("phase")) !== "over"; piece++) {
    await page.keyboard.press("KeyW");
    await page.waitForTimeout(15);
  }
  await page.getByRole("button", { name: "Same pieces again" }).click();
  await phase("ready");
  assert.equal(await next(), queue);
  clean();
});

test("a game goes on after a reload, back and forward, settings, and not in two tabs at once", async () => {
  await open("play/sprint");
  await phase("ready");
  for (const step of [0, 1]) {
    await page.keyboard.press(step ? "KeyA" : "KeyD");
    await page.keyboard.press("KeyW");
    await pieces(step + 1);
  }
  const goesOn = async () => {
    await phase("paused");
    assert.equal(await data("pieces"), "2");
    assert.match(await page.locator(".overlay").textContent(), /Your game is kept/);
  };
  await page.reload();
  await goesOn();
  await page.getByRole("link", { name: "Keys, handling, sound" }).click();
  await page.locator("[data-action=left]").waitFor();
  await page.goBack();
  await goesOn();
  await page.goForward();
  await page.locator("[data-action=left]").waitFor();
  await page.goBack();
  await goesOn();
  // Another tab has a game of its own, and can take this one over only when nobody plays it.
  const other = await context.newPage();
  await other.goto(`${url}#/play/sprint`);
  await other.locator("main[data-phase=ready]").waitFor();
  await other.waitForTimeout(200);
  const offered = (await other.locator("[data-waiting]").allTextContents()).join("");
  assert.doesNotMatch(offered, /, 2 pieces/, "it is being played");
  await page.goto(`${url}#/settings`);
  await page.locator("[data-action=left]").waitFor();
  await other.reload();
  await other.getByText(", 2 pieces").waitFor();
  await other.getByRole("button", { name: "Go on with it" }).click();
  await other.locator("main[data-phase=paused]").waitFor();
  await page.goBack();
  await goesOn();
  await other.getByText("Played elsewhere").waitFor();
  await other.close();
  clean();
});

/** Twenty in `./test --long`. */
const KILLS = Number(process.env.BELLMINO_KILLS ?? 4);

test(`${KILLS} kills of the lab at random moments, two tabs: no game is lost, none is doubled`, async () => {
  const other = mkdtempSync(join(tmpdir(), "bellmino-"));
  let [child, address] = await startLab(other, 0, "--no-token");
  const { port } = new URL(address);
  const [first, second] = [page, await context.newPage()];
  const tabs = [
    [first, "sprint"],
    [second, "blitz"],
  ];
  const number = async (tab) => Number(await tab.locator("main").getAttribute("data-pieces"));
  const stop = () => {
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
    return new Promise((resolve) => child.once("close", resolve));
  };
  // A seeded chance, so that a failure can be looked at again.
  let chance = 20_26;
  const below = (most) => {
    chance = (chance * 1_103_515_245 + 12_345) % 2 ** 31;
    return chance % most;
  };
  try {
    for (const [tab, mode] of tabs) {
      await tab.goto(`${address}#/play/${mode}`);
      await tab.locator("main[data-phase=ready]").waitFor();
      await tab.keyboard.press("KeyW");
      await tab.locator("main[data-pieces='1']").waitFor();
      await tab.waitForTimeout(500);
    }
    const lost = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const [tab] = tabs[kill % 2];
      await tab.bringToFront();
      // From the second kill on: out of the pause, and a piece to some place.
      if ((await tab.locator("main").getAttribute("data-phase")) === "paused") await tab.keyboard.press("KeyS");
      await tab.locator("main[data-phase=playing]").waitFor();
      for (let step = below(5); step > 0; step--) await tab.keyboard.press(kill % 4 < 2 ? "KeyA" : "KeyD");
      await tab.keyboard.press("KeyW");
      await tab.waitForTimeout(below(700));
      const before = await Promise.all(tabs.map(([one]) => number(one)));
      await stop();
      [child, address] = await startLab(other, port, "--no-token");
      for (const [index, [one]] of tabs.entries()) {
        await one.locator("main[data-phase=paused]").waitFor();
        await one.locator("#status[hidden]").waitFor({ state: "attached" });
        lost.push(before[index] - (await number(one)));
      }
    }
    // At most what was done in the last moment before a kill is missing.
    assert.ok(Math.max(...lost) <= 1, `pieces lost by a kill: ${lost}`);
    for (const [tab] of tabs) {
      await tab.bringToFront();
      await tab.keyboard.press("KeyS");
      await tab.locator("main[data-phase=playing]").waitFor();
      for (let piece = 0; piece < 40 && (await tab.locator("[data-saved=yes]").count()) === 0; piece++) {
        await tab.keyboard.press("KeyW");
        await tab.waitForTimeout(15);
      }
      await tab.locator("[data-saved=yes]").waitFor();
    }
    const games = await first.evaluate(
      (socketAddress) =>
        new Promise((resolve) => {
          const socket = new WebSocket(socketAddress);
          socket.onopen = () => socket.send('{"id":1,"do":"games"}');
          socket.onmessage = ({ data: text }) => JSON.parse(text).re && resolve(JSON.parse(text).ok);
        }),
      `${address.replace("http", "ws")}socket`,
    );
    const shown = games.map(({ mode, state }) => `${mode} ${state}`).sort();
    assert.deepEqual(shown, ["blitz topped-out", "sprint topped-out"]);
    assert.ok(games.every(({ pieces: placed }) => placed > 10));
    console.log(`${KILLS} kills: 2 games, each once; pieces lost by a kill: at most ${Math.max(...lost)}`);
  } finally {
    await stop();
    rmSync(other, { recursive: true, force: true });
    await second.close();
  }
});

test("on a phone: gestures and buttons play, and nothing is wider than the page", async () => {
  const kind = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
  await visit(kind);
  await open("play/sprint");
  await phase("ready");
  await page.waitForTimeout(300);
  await shot("phone-play");
  const touch = await finger();
  const box = await page.locator(".play .well canvas").first().boundingBox();
  const [x, y] = [box.x + box.width * 0.6, box.y + box.height * 0.4];
  const columns = () => page.evaluate(() => JSON.parse(document.querySelector("main").dataset.cells).map(([c]) => c));
  // A drag to the left by three columns of 28 pixels.
  const before = Math.min(...(await columns()));
  await touch("touchStart", x, y);
  for (let step = 1; step <= 12; step++) await touch("touchMove", x - step * 5, y);
  await touch("touchEnd");
  await until(
    (wanted) => Math.min(...JSON.parse(document.querySelector("main").dataset.cells).map(([c]) => c)) === wanted,
    before - 2,
  );
  // A tap turns, a flick down drops, a flick up holds.
  const cells = await data("cells");
  const piece = await data("piece");
  await touch("touchStart", x, y);
  await touch("touchEnd");
  if (piece !== "O") await until((was) => document.querySelector("main").dataset.cells !== was, cells);
  await touch("touchStart", x, y);
  for (let step = 1; step <= 4; step++) await touch("touchMove", x, y + step * 30);
  await touch("touchEnd");
  await pieces(1);
  await touch("touchStart", x, y);
  for (let step = 1; step <= 4; step++) await touch("touchMove", x, y - step * 30);
  await touch("touchEnd");
  await until(() => document.querySelector(".piece-box").dataset.piece !== "");
  // Buttons, held too.
  await page.locator("[data-touch=hard-drop]").tap();
  await pieces(2);
  await page.locator("[data-touch=clockwise]").tap();
  await page.getByRole("button", { name: "Pause" }).tap();
  await phase("paused");
  await shot("phone-paused");
  for (const mode of ["sprint", "blitz", "practice", "sprint/duel"]) {
    for (const width of [320, 360, 390, 430]) {
      await page.setViewportSize({ width, height: width === 320 ? 568 : 800 });
      await open(`play/${mode}`);
      await until(() => document.querySelector("main").dataset.phase);
      await fits();
    }
  }
  await page.setViewportSize({ width: 320, height: 568 });
  await open("settings");
  await fits();
  clean();
});

test("a phone on its side has the buttons beside the board, all in sight; words stay on the board", async () => {
  await visit({ viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true });
  for (const mode of ["sprint", "practice", "sprint/duel"]) {
    await open(`play/${mode}`);
    await phase("ready");
    const board = await page.locator(".play .well canvas").first().boundingBox();
    assert.ok(board.height > 290 && board.y + board.height <= 390, `${mode}: ${JSON.stringify(board)}`);
    for (const action of ["left", "hard-drop", "hold", "clockwise"]) {
      const key = await page.locator(`[data-touch=${action}]`).boundingBox();
      const apart = key.x + key.width <= board.x || key.x >= board.x + board.width;
      assert.ok(apart && key.y + key.height <= 390, `${mode}, ${action}: ${JSON.stringify(key)}`);
    }
    const pill = await page.locator(".pill-start").boundingBox();
    assert.ok(pill.x >= board.x - 2 && pill.x + pill.width <= board.x + board.width + 2, JSON.stringify([pill, board]));
    await fits();
  }
  await shot("phone-on-its-side");
  clean();
});

test("at twice the size the card before a game does not hide the board", async () => {
  await visit({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });
  for (const mode of ["sprint", "practice"]) {
    await open(`play/${mode}`);
    await until(() => document.querySelector(".start-card"));
    const card = await page.locator(".start-card").boundingBox();
    const board = await page.locator(".play .well canvas").first().boundingBox();
    const apart = card.y >= board.y + board.height || card.x >= board.x + board.width;
    assert.ok(apart, `${mode}: ${JSON.stringify([card, board])}`);
    await fits();
  }
  await shot("zoomed-play");
});

test("sound is silent until it is wanted, and then told for clears and ends", async () => {
  await open("play/practice");
  await until(() => document.querySelector("main").dataset.phase);
  await page.keyboard.press("KeyW");
  await pieces(1);
  assert.deepEqual(await page.evaluate(() => window.bellminoSounds), []);
  await open("settings");
  await page.getByLabel("Volume").selectOption("0.3");
  await open("play/blitz");
  await phase("ready");
  for (let piece = 0; piece < 25 && (await data("phase")) !== "over"; piece++) {
    await page.keyboard.press("KeyW");
    await page.waitForTimeout(15);
  }
  await until(() => window.bellminoSounds.includes("over") && window.bellminoSounds.includes("lock"));
  await open("settings");
  await page.getByLabel("Volume").selectOption("0");
  clean();
});

// How long it takes depends on what else the machine does: `web/tests/latency` holds it against its bounds.
test("every key press is shown: alone, with 200 spectators, and while an analysis and a training run", async () => {
  await open("play/practice");
  await until(() => document.querySelector("main").dataset.phase);
  const told = (times) => [0.5, 0.99].map((share) => quantile(times, share).toFixed(1)).join(" and ");
  const alone = await keyToPicture(page);
  // Spectators in this process, so that the browser is the player's alone.
  const { frames, leave } = await spectators(url, cookie, Number(await data("room")));
  const watched = await keyToPicture(page);
  leave();
  assert.ok(Math.min(...frames) > 5, `every spectator saw the game: ${Math.min(...frames)} pictures at least`);
  const helper = await program();
  const rest = await work(helper.ask, "noise");
  const busy = await keyToPicture(page);
  await rest();
  helper.close();
  for (const times of [alone, watched, busy]) assert.ok(times.length >= 120, `${times.length} of 120 keys were shown`);
  console.log(
    `key press to painted frame, median and 99th percentile in ms: ${told(alone)} alone,`,
    `${told(watched)} with 200 spectators, ${told(busy)} while an analysis and a training run`,
  );
  clean();
});
