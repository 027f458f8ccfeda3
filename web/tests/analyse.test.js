// Analyse in a browser: verdicts, boards side by side, addresses, positions; on a desktop and on a phone, in both
// themes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { clean, fits, main, open, page, shot, until, visit } from "./harness.js";

const PHONE = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
let files, blitz;

before(() => {
  files = mkdtempSync(join(tmpdir(), "bellmino-records-"));
  blitz = join(files, "blitz.toml");
  const words = [
    "play",
    "blitz",
    "--player",
    "weights:snes-sprint",
    "--seed",
    "3",
    "--pieces",
    "30",
    "--record",
    blitz,
  ];
  const played = spawnSync(process.env.BELLMINO, [...words, "--json", "--quiet"]);
  assert.equal(played.status, 0, String(played.stderr));
});

after(() => rmSync(files, { recursive: true, force: true }));

/** Opens the record and waits until it is judged. */
async function judged() {
  await open("analyse");
  await page.locator("#record-file").setInputFiles(blitz);
  await page.locator("main[data-judged=yes]").waitFor({ timeout: 60000 });
}

test("a game is judged in its own coin, kept judged, and each step has an address", async () => {
  await judged();
  const address = () => page.evaluate(() => location.hash);
  const id = (await address()).split("/")[2];
  await page.getByRole("button", { name: "Next mistake" }).click();
  await until(() => /^#\/analyse\/\d+\/\d+$/.test(location.hash));
  const heading = page.locator("h2[data-grade]");
  assert.match(await heading.textContent(), /^Move \d+: (inaccuracy|mistake|blunder), −[\d,]+ points$/);
  assert.match(await main().textContent(), /Expected if the bot plays on from here: [\d,]+ points/);
  // Two boards with their lines of play, and words for those who do not see them.
  const boards = page.locator("[data-compared] .choice canvas");
  await until(() => document.querySelectorAll("[data-compared] .choice").length === 2);
  assert.match(await boards.first().getAttribute("aria-label"), /^1\. [A-Z] in columns? \d.*column heights/);
  assert.match(
    await page.locator("[data-compared]").textContent(),
    /The bot looked \d+ pieces ahead, [\d,]+ placements/,
  );
  await page.locator("[data-compared]").getByRole("button", { name: "On", exact: true }).click();
  assert.match(await boards.first().getAttribute("aria-label"), /^2\. /);
  await shot("analyse-game-dark");
  // The step is in the address: opened again, it is there, and nothing is judged again.
  const at = await address();
  await visit();
  await open(at.slice(2));
  await page.locator("main[data-judged=yes]").waitFor();
  const again = await page.locator("h2[data-grade]").textContent();
  assert.equal(again.split(":")[0], `Move ${at.split("/")[3]}`);
  // Never better than the best: the curve falls where something was given away.
  const verdicts = await page.evaluate(async (game) => {
    const { request } = await import("/src/socket.js");
    return (await request("game-judge", { game: Number(game) })).verdicts;
  }, id);
  assert.equal(verdicts.length, 30);
  for (const { before: expected, after: rest, loss } of verdicts)
    assert.ok(Math.abs(expected - rest - loss) < 1e-6 && loss >= 0, `${expected} ${rest} ${loss}`);
  assert.doesNotMatch(await main().textContent(), /-0|by 0 |stack|1\.0M/);
  clean();
});

test("a beginner's early errors in a Sprint are marked, with reasons; the list has plain names", async () => {
  const file = join(files, "beginner.toml");
  const words = ["play", "sprint", "--player", "lowest", "--seed", "78", "--record", file, "--json", "--quiet"];
  assert.equal(spawnSync(process.env.BELLMINO, words).status, 0);
  await open("analyse");
  await page.locator("#record-file").setInputFiles(file);
  await page.locator("main[data-judged=yes]").waitFor({ timeout: 60000 });
  const marks = Number.parseInt(await page.locator("[data-count=inaccuracy]").textContent(), 10);
  assert.ok(marks >= 5, `${marks} inaccuracies`);
  await page.getByRole("button", { name: "Next mistake" }).click();
  await until(() => /^Move \d+: inaccuracy/.test(document.querySelector("h2[data-grade]").textContent));
  assert.ok(Number(await page.evaluate(() => location.hash.split("/")[3])) < 40, "early in the game");
  assert.match(await main().textContent(), /It makes (a hole|\d holes), not mended for long/);
  assert.doesNotMatch(await main().textContent(), /null|undefined|as good as the best\./);
  await shot("analyse-beginner");
  await open("analyse");
  await page.locator("tbody tr").first().waitFor();
  assert.match(await page.locator("tbody tr").first().textContent(), /^Sprint/);
  clean();
});

test("a game is replayed, and the keys go through it", async () => {
  await judged();
  const place = page.locator(".stage-head .num");
  assert.equal(await place.textContent(), "1 / 30");
  await page.keyboard.press("ArrowRight");
  assert.equal(await place.textContent(), "2 / 30");
  await page.getByRole("button", { name: "Replay" }).click();
  await until(() => document.querySelector(".stage-head .num").textContent === "4 / 30");
  await page.getByRole("button", { name: "Stop the replay" }).click();
  await page.keyboard.press("End");
  assert.equal(await place.textContent(), "30 / 30");
  clean();
});

test("what is best here, for a painted board and for a fumen", async () => {
  await open("analyse/position");
  const canvas = page.locator(".well canvas").first();
  const box = await canvas.boundingBox();
  const cell = box.width / 10;
  const at = (x, y) => [box.x + (x + 0.5) * cell, box.y + box.height - (y + 0.5) * cell];
  await page.mouse.move(...at(0, 0));
  await page.mouse.down();
  await page.mouse.move(...at(8, 0));
  await page.mouse.up();
  assert.match(await canvas.getAttribute("aria-label"), /column heights 1 1 1 1 1 1 1 1 1 0, 0 holes/);
  await page.getByLabel("Piece in play, then the next").fill("IOTSZ");
  await page.keyboard.press("Enter");
  await page.locator("[data-answer] .choice-list li").first().waitFor();
  assert.match(await page.locator("[data-answer]").textContent(), /best.*placements looked at, \d+ ms/);
  await until(() => location.hash.startsWith("#/analyse/position/v115"));
  const address = await page.evaluate(() => location.hash);
  await shot("analyse-position-dark");
  // A wrong fumen says so, a good one takes that back; Enter reads it.
  const fumen = page.getByLabel("Fumen");
  const good = await fumen.inputValue();
  await fumen.fill("v115@nonsense!");
  await fumen.press("Enter");
  await page.locator("p.bad").waitFor();
  await fumen.fill(good);
  await fumen.press("Enter");
  await page.locator("p.bad").waitFor({ state: "detached" });
  assert.equal(await fumen.inputValue(), good, "nothing was overwritten");
  // The address brings the position back.
  await visit({ colorScheme: "light" });
  await open(address.slice(2));
  await page.locator("[data-answer] .choice-list li").first().waitFor();
  assert.match(await page.locator(".well canvas").first().getAttribute("aria-label"), /column heights 1 1 1/);
  await shot("analyse-position-light");
  await page.getByLabel("Piece in play, then the next").fill("");
  await page.getByRole("button", { name: "What is best here?" }).click();
  await page.locator("p.bad", { hasText: "which piece" }).waitFor();
  clean();
});

test("a game that cannot be there, and records that are too large, are told so", async () => {
  for (const wrong of ["abc", "-1", "1e9", "999999999"]) {
    await open(`analyse/${wrong}`);
    await page.getByText(/[Tt]here is no game/).waitFor();
    assert.ok(await page.evaluate(() => document.getElementById("status").hidden), "the lab answers");
  }
  await open("analyse");
  // Who changes a record by hand takes its checksum out.
  const record = readFileSync(blitz, "utf8").replace(/^# checksum: .*$/m, "");
  const padded = join(files, "padded.toml");
  writeFileSync(padded, `${record}\n# ${"x".repeat(400_000)}\n`);
  await page.locator("#record-file").setInputFiles(padded);
  await until(() => /^#\/analyse\/\d+/.test(location.hash));
  await open("analyse");
  const huge = join(files, "huge.toml");
  writeFileSync(huge, `${record}\n# ${"x".repeat(1_200_000)}\n`);
  await page.locator("#record-file").setInputFiles(huge);
  await page.getByText(/records of up to 1,000 KB/).waitFor();
  const changed = join(files, "changed.toml");
  writeFileSync(changed, readFileSync(blitz, "utf8").replace(/seed = .*/, 'seed = "1"'));
  await page.locator("#record-file").setInputFiles(changed);
  await page
    .getByText(/changed after it was written/)
    .first()
    .waitFor();
  const broken = join(files, "broken.toml");
  writeFileSync(broken, "version = 1\n");
  await page.locator("#record-file").setInputFiles(broken);
  await page
    .getByText(/missing field|record/)
    .first()
    .waitFor();
  clean();
});

test("everything fits on a small phone, in both themes", async () => {
  for (const colorScheme of ["dark", "light"]) {
    await visit({ ...PHONE, colorScheme });
    await judged();
    await page.getByRole("button", { name: "Next mistake" }).tap();
    await until(() => document.querySelectorAll("[data-compared] .choice").length === 2);
    await fits();
    await page.screenshot({
      path: new URL(`./screenshots/analyse-phone-${colorScheme}.png`, import.meta.url).pathname,
      fullPage: true,
    });
    await open("analyse/position");
    await page.getByRole("button", { name: "What is best here?" }).tap();
    await page.locator("[data-answer] .choice-list li").first().waitFor();
    await fits();
    await page.screenshot({
      path: new URL(`./screenshots/position-phone-${colorScheme}.png`, import.meta.url).pathname,
      fullPage: true,
    });
  }
  clean();
});
