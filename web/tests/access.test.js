// Every page for everybody: axe finds nothing wrong, nothing is wider than the window, in both themes, on a desktop
// and on a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { clean, open, page, program, shot, visit } from "./harness.js";
import { furnish } from "./pages.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PHONE = { deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const SIZES = {
  desktop: { viewport: { width: 1280, height: 720 } },
  phone: { viewport: { width: 360, height: 740 }, ...PHONE },
};

let helper, furnished;
/** Every page, in a lab that is filled once. */
async function pages() {
  helper ??= await program();
  furnished ??= await furnish(helper.ask);
  return furnished;
}
after(() => helper?.close());

for (const [size, kind] of Object.entries(SIZES))
  test(`no page has a barrier on a ${size}, dark or light`, async () => {
    await visit(kind);
    const found = [];
    for (const [name, address, ready] of await pages()) {
      await open(address);
      await page.locator(ready).first().waitFor({ timeout: 60000 });
      await page.waitForTimeout(500);
      for (const theme of ["dark", "light"]) {
        assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
        found.push(...(await barriers()).map((barrier) => `${name}, ${theme}: ${barrier}`), ...(await tooWide(name)));
        await shot(`${size}-${theme}-${name}`);
        await page.locator("#theme").click();
        await page.waitForTimeout(150);
      }
    }
    assert.deepEqual([...new Set(found)], []);
    clean();
  });

test("no page is wider than a phone of 320 or 390 pixels", async () => {
  const found = [];
  for (const width of [320, 390]) {
    await visit({ viewport: { width, height: 660 }, ...PHONE });
    for (const [name, address, ready] of await pages()) {
      await open(address);
      await page.locator(ready).first().waitFor({ timeout: 60000 });
      found.push(...(await tooWide(name)));
    }
  }
  assert.deepEqual(found, []);
  clean();
});

test("the form of tables over windows has no barrier, and fits a phone", async () => {
  await visit(SIZES.phone);
  await open("train");
  await page.getByRole("combobox", { name: "Method", exact: true }).selectOption("tuples");
  await page.locator("[data-train=windows]").waitFor();
  assert.deepEqual([...(await barriers()), ...(await tooWide("tables"))], []);
  clean();
});

/** What axe finds on the page that is shown. */
async function barriers() {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${target.join(" ")}`));
}

/** Says so if the page is wider than the window. */
async function tooWide(name) {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  const { width } = page.viewportSize();
  return Math.max(wide, window) > width ? [`${name} is ${Math.max(wide, window)} wide on ${width}`] : [];
}
