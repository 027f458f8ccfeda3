// Practice: a position is painted, changed, taken back, and played from.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { clean, data, finger, open, page, phase, pieces, shot, startLab, until, visit } from "./harness.js";

/** The middle of a cell on the screen. */
async function cellAt(x, y) {
  const box = await page.locator(".play .well canvas").first().boundingBox();
  const cell = box.width / 10;
  return [box.x + (x + 0.5) * cell, box.y + box.height - (y + 0.5) * cell];
}

/** The rows of the board as they were last drawn, from the text for screen readers. */
const heights = (wanted) =>
  until(
    (text) => document.querySelector(".play .well canvas").getAttribute("aria-label").includes(text),
    `column heights from the left: ${wanted}`,
  );

test("Practice: undo and redo, and a fumen goes out and in", async () => {
  await open("play/practice");
  await phase("ready");
  const first = await data("piece");
  await page.keyboard.press("KeyW");
  await pieces(1);
  await page.keyboard.press("KeyW");
  await pieces(2);
  await page.keyboard.press("KeyZ");
  await until(() => document.querySelector("main").dataset.pieces === "1");
  await page.keyboard.press("KeyZ");
  await until(
    (piece) =>
      document.querySelector("main").dataset.pieces === "0" && document.querySelector("main").dataset.piece === piece,
    first,
  );
  await page.keyboard.press("KeyY");
  await until(() => document.querySelector("main").dataset.pieces === "1");
  await page.getByRole("button", { name: "Copy" }).click();
  await until(() => document.querySelector("[aria-label=Fumen]").value.startsWith("v115@"));
  await page.getByRole("button", { name: "Empty the board" }).click();
  await phase("ready");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await until(() => Math.min(...JSON.parse(document.querySelector("main").dataset.ghost).map(([, y]) => y)) > 0);
  clean();
});

test("painting, queue and garbage are taken back and made again with everything else", async () => {
  await open("play/practice");
  await until(() => document.querySelector("main").dataset.phase);
  await page.keyboard.press("KeyR");
  await phase("ready");
  await page.keyboard.press("KeyW");
  await pieces(1);
  const queue = await page.locator(".next").getAttribute("data-pieces");
  // One quick stroke from one side to the other: every cell in between is painted.
  await page.locator("[data-paint=T]").click();
  await page.mouse.move(...(await cellAt(0, 5)));
  await page.mouse.down();
  await page.mouse.move(...(await cellAt(8, 5)), { steps: 1 });
  await page.mouse.up();
  await heights("6 6 6 6 6 6 6 6 6 ");
  await shot("practice-painted");
  assert.equal(await page.locator(".next").getAttribute("data-pieces"), queue, "a stroke leaves the pieces alone");
  await page.getByRole("button", { name: "Add garbage" }).click();
  await heights("7 7 7 7 7 7 7 7 7 ");
  const field = page.getByLabel("Queue: the piece in play and the next ones");
  await field.fill("ZZIO");
  await field.press("Enter");
  await until(() => document.querySelector("main").dataset.piece === "Z");
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "INPUT", "the board has the focus again");
  await page.keyboard.press("KeyZ");
  await until((wanted) => document.querySelector(".next").dataset.pieces === wanted, queue);
  await page.keyboard.press("KeyZ");
  await heights("6 6 6 6 6 6 6 6 6 ");
  await page.keyboard.press("KeyZ");
  await until(() => document.querySelector("main").dataset.pieces === "1");
  await page.keyboard.press("KeyZ");
  await until(() => document.querySelector("main").dataset.pieces === "0");
  for (let step = 0; step < 3; step++) await page.keyboard.press("KeyY");
  await heights("7 7 7 7 7 7 7 7 7 ");
  clean();
});

test("no gravity unless it is wanted", async () => {
  await open("play/practice");
  await until(() => document.querySelector("main").dataset.phase);
  await page.keyboard.press("KeyR");
  await phase("ready");
  await page.keyboard.press("KeyA");
  await phase("playing");
  const cells = await data("cells");
  await page.waitForTimeout(1300);
  assert.equal(await data("cells"), cells);
  await page.getByRole("switch", { name: "Gravity" }).click();
  await phase("ready");
  await page.keyboard.press("KeyA");
  await phase("playing");
  const high = await data("cells");
  await until((was) => document.querySelector("main").dataset.cells !== was, high);
  await page.getByRole("switch", { name: "Gravity" }).click();
  await phase("ready");
  clean();
});

test("a fumen that is wrong is told, a good one clears the message, and the copied text stays", async () => {
  await open("play/practice");
  await until(() => document.querySelector("main").dataset.phase);
  const fumen = page.getByLabel("Fumen");
  await fumen.fill("nonsense");
  await fumen.press("Enter");
  await until(() => document.querySelector("[data-stat=notice]").textContent !== "");
  await fumen.fill("v115@vhAAgH");
  await fumen.press("Enter");
  await until(() => document.querySelector("[data-stat=notice]").textContent === "");
  await page.getByRole("button", { name: "Copy" }).click();
  await until(() => /@(?!vhAAgH$)/.test(document.querySelector("[aria-label=Fumen]").value));
  const text = await fumen.inputValue();
  await page.keyboard.press("KeyA");
  assert.equal(await fumen.inputValue(), text);
  clean();
});

test("positions in the address that cannot be read are told", async () => {
  for (const address of ['{"board":5}', "garbage", '{"board":["GGGGGGGGGG"]}']) {
    await open(`play/practice/${encodeURIComponent(address)}`);
    const said = page.locator("[data-stat=notice]:not(:empty), .overlay .bad");
    await said.first().waitFor();
    assert.match(await said.first().textContent(), /position|full/);
  }
  clean();
});

test("on a phone the board is painted only when that is chosen", async () => {
  await visit({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "light" });
  await open("play/practice");
  await until(() => document.querySelector("main").dataset.phase);
  // A finger on the board plays: a tap turns, and paints nothing.
  await page.touchscreen.tap(...(await cellAt(7, 6)));
  await phase("playing");
  await page.locator("[data-touch=hard-drop]").tap();
  await pieces(1);
  await page.locator("[data-paint=J]").tap();
  await page.evaluate(() => scrollTo(0, 0));
  const draw = await finger(false);
  await draw("touchStart", ...(await cellAt(0, 9)));
  await draw("touchMove", ...(await cellAt(3, 9)));
  await draw("touchEnd");
  await heights("10 10 10 10 ");
  await shot("phone-practice");
  clean();
});

test("after a flick on the board the next tap counts, and a finger paints", async () => {
  await visit({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await open("play/practice");
  await phase("ready");
  // In the time that a finger takes: the browser remembers a flick for a moment.
  const touch = await finger(false);
  const [x, y] = await cellAt(5, 12);
  // On a busy machine it may be too slow for a flick, and no piece drops.
  for (let attempt = 0; attempt < 10 && Number(await data("pieces")) < 1; attempt++) {
    await touch("touchStart", x, y);
    for (let step = 1; step <= 4; step++) {
      await touch("touchMove", x, y + step * 30);
      await page.waitForTimeout(8);
    }
    await touch("touchEnd");
    await page.waitForTimeout(100);
  }
  await pieces(1);
  await page.locator("[data-paint=J]").tap();
  assert.equal(await page.locator("[data-paint=J]").getAttribute("aria-checked"), "true");
  await page.evaluate(() => scrollTo(0, 0));
  await touch("touchStart", ...(await cellAt(0, 9)));
  await touch("touchMove", ...(await cellAt(3, 9)));
  await touch("touchEnd");
  await heights("10 10 10 10 ");
  // A quick stroke is a flick too.
  await page.locator("[data-paint=off]").tap();
  assert.equal(await page.locator("[data-paint=off]").getAttribute("aria-checked"), "true");
  clean();
});

test("Copy says what it did: the text is in the field, whether or not the browser let it be copied", async () => {
  await open("play/practice");
  await until(() => document.querySelector("main").dataset.phase);
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.getByRole("button", { name: "Copy" }).click();
  await until(() => document.querySelector("[data-stat=notice]").textContent.includes("take the text from the field"));
  const text = await page.getByLabel("Fumen").inputValue();
  assert.match(text, /^v115@/);
  const before = await data("pieces");
  await page.keyboard.press("KeyW");
  await pieces(Number(before) + 1);
  assert.equal(await page.getByLabel("Fumen").inputValue(), text, "the key was the game's");
  await page.getByLabel("Fumen").fill("");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await until(() => document.querySelector("[data-stat=notice]").textContent.includes("Paste a fumen"));
  clean();
});

test("a painted board and what can be taken back outlive a killed lab", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bellmino-"));
  let [own, address, entry] = await startLab(folder);
  const { port } = new URL(address);
  const cells = (wanted) =>
    until(
      (text) => document.querySelector(".play .well canvas").getAttribute("aria-label").includes(text),
      `column heights from the left: ${wanted}`,
    );
  try {
    await page.goto(entry);
    await page.goto(`${address}#/play/practice`);
    await phase("ready");
    await page.keyboard.press("KeyW");
    await pieces(1);
    await page.locator("[data-paint=T]").click();
    await page.mouse.click(...(await cellAt(0, 7)));
    await cells("8 ");
    await page.waitForTimeout(500);
    own.removeAllListeners("exit");
    const ended = new Promise((resolve) => own.once("exit", resolve));
    own.kill("SIGKILL");
    await ended;
    [own, address, entry] = await startLab(folder, port);
    await page.goto(entry);
    await page.goto(`${address}#/play/practice`);
    await phase("paused");
    await cells("8 ");
    // Back to before the stroke, and to before the piece.
    for (let step = 0; step < 2; step++) await page.keyboard.press("KeyZ");
    await until(() => document.querySelector("main").dataset.pieces === "0");
    await page.getByRole("button", { name: "Undo", disabled: true }).waitFor();
  } finally {
    own.removeAllListeners("exit");
    own.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
});

test("what is best here: on request, always, and never of another position", async () => {
  await open(
    `play/practice/${encodeURIComponent('{"board":["GGGGGGGG.G","GGGGGGG...","......GG.."],"queue":"TIOSZJL"}')}`,
  );
  await until(() => document.querySelector("main").dataset.piece === "T");
  const button = page.getByRole("button", { name: "What is best here?" });
  assert.equal(await button.isVisible(), false);
  await page.getByLabel("Advice").selectOption("asked");
  await button.click();
  await page.locator("[data-advice='3']").waitFor();
  const first = page.locator(".advised li").first();
  assert.match(await first.textContent(), /T in columns 8 to 10, row 1.*T-spin double/);
  assert.match(await page.locator(".advice [role=status]").textContent(), /pieces deep, \d+ ms/);
  await shot("practice-advice");
  // Another piece, another position: what was said is gone, until it is asked again or always told.
  await page.keyboard.press("KeyW");
  await page.locator("[data-advice=none]").waitFor({ state: "attached" });
  await page.getByLabel("Advice").selectOption("always");
  await page.locator("[data-advice='3']").waitFor();
  const told = await first.textContent();
  await page.keyboard.press("KeyW");
  await until((before) => ![null, before].includes(document.querySelector(".advised li")?.textContent ?? null), told);
  await page.getByLabel("Advice").selectOption("off");
  await page.locator("[data-advice=none]").waitFor({ state: "attached" });
  clean();
});
