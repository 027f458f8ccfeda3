// The frame of the lab: who may come in, what bad messages do, how pages fit, how it ends.

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { browser, cookie, entry, lab, open, page, shot, url, visit } from "./harness.js";

test("nobody comes in without the token; with it in the address the page opens and forgets it", async () => {
  const stranger = await browser.newContext();
  const other = await stranger.newPage();
  const refused = await other.goto(url);
  assert.equal(refused.status(), 403);
  assert.match(await other.locator("h1").textContent(), /asks for its token/);
  assert.equal(refused.headers()["x-frame-options"], "DENY");
  assert.equal((await other.goto(`${url}?token=${"0".repeat(48)}`)).status(), 403);
  await other.goto(`${entry}#/settings`);
  await other.locator("html[data-ready=yes]").waitFor();
  assert.equal(other.url(), `${url}#/settings`);
  const [kept] = await stranger.cookies();
  assert.deepEqual([kept.httpOnly, kept.sameSite, kept.path], [true, "Strict", "/"]);
  await stranger.close();
});

test("a foreign origin and a foreign host are refused; malformed messages end only their connection", async () => {
  const { port } = new URL(url);
  const status = (headers, path = "/") =>
    new Promise((resolve, reject) => {
      const request = http.get({ host: "127.0.0.1", port, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on("upgrade", (_, socket) => {
        socket.destroy();
        resolve(101);
      });
      request.on("error", reject);
    });
  const upgrade = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
  };
  assert.equal(await status({ Host: `127.0.0.1:${port}`, Cookie: cookie }), 200);
  assert.equal(await status({ Host: `127.0.0.1:${port}` }), 403);
  assert.equal(await status({ Host: `evil.example:${port}`, Cookie: cookie }), 403);
  const own = { ...upgrade, Host: `127.0.0.1:${port}`, Origin: `http://127.0.0.1:${port}`, Cookie: cookie };
  assert.equal(await status(own, "/socket"), 101);
  assert.equal(await status({ ...own, Cookie: "" }, "/socket"), 403);
  assert.equal(await status({ ...own, Origin: "http://evil.example" }, "/socket"), 403);

  // A page of another origin, in the browser itself.
  const server = http
    .createServer((_, response) => response.end("<!doctype html><title>elsewhere</title>"))
    .listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const reached = await page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const socket = new WebSocket(address);
        socket.onopen = () => resolve("open");
        socket.onerror = () => resolve("refused");
      }),
    `ws://127.0.0.1:${port}/socket`,
  );
  server.close();
  assert.equal(reached, "refused");

  await open();
  const closed = await page.evaluate(
    (address) =>
      Promise.all(
        ["{", '{"do":"nothing"}', '{"id":1,"do":"watch-open"}', "x".repeat(300000)].map(
          (text) =>
            new Promise((resolve) => {
              const socket = new WebSocket(address);
              socket.onopen = () => socket.send(text);
              socket.onclose = () => resolve("closed");
              setTimeout(() => resolve("still open"), 5000);
            }),
        ),
      ),
    `ws://127.0.0.1:${port}/socket`,
  );
  assert.deepEqual(closed, ["closed", "closed", "closed", "closed"]);
  await page.reload();
  await page.locator("html[data-ready=yes]").waitFor();
});

test("a flood of messages ends its connection", async () => {
  await open();
  const why = await page.evaluate(
    (address) =>
      new Promise((resolve) => {
        const socket = new WebSocket(address);
        socket.onopen = () => {
          for (let i = 0; i < 5000; i++) socket.send('{"do":"rooms"}');
        };
        socket.onclose = () => resolve("closed");
        setTimeout(() => resolve("still open"), 8000);
      }),
    `${url.replace("http", "ws")}socket`,
  );
  assert.equal(why, "closed");
});

test("pages fit a phone's width, in the light theme too", async () => {
  await visit({ viewport: { width: 390, height: 844 }, colorScheme: "light", deviceScaleFactor: 2 });
  for (const name of ["", "watch", "explore", "analyse", "train", "settings", "play/sprint"]) {
    await open(name);
    await page.waitForTimeout(700);
    await shot(`phone-${name.replace("/", "-") || "menu"}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${name || "menu"} is ${wide} wide`);
  }
});

test("Quit asks, and then ends the lab", async () => {
  await open();
  await page.getByRole("button", { name: "Quit" }).click();
  await page.getByRole("button", { name: "Stay" }).click();
  assert.equal(lab.exitCode, null);
  const ended = new Promise((resolve) => lab.once("exit", resolve));
  await page.getByRole("button", { name: "Quit" }).click();
  await page.getByRole("button", { name: "End the lab" }).click();
  assert.equal(await ended, 0);
  await page.getByText("The lab is closed").waitFor();
});
