// The frame of the lab: who may come in, what bad messages do, how pages fit, how it ends.

import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { browser, clean, cookie, data, entry, lab, main, open, page, phase, pieces, program, url } from "./harness.js";

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
        ["{", '{"do":"nothing"}', '{"do":"watch-open"}', "x".repeat(1200000)].map(
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
  const { ask, close } = await program();
  await assert.rejects(ask("watch-open"), /the lab cannot do `watch-open`: missing field/);
  await assert.rejects(ask("nothing"), /nothing/);
  assert.ok((await ask("clock", { t: 0 })).now > 0, "a refused request costs nothing else");
  close();
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

test("the frame is there before the lab has answered", async () => {
  await page.routeWebSocket(/socket$/, () => {});
  await page.goto(`${url}#/explore`);
  await page.getByRole("heading", { name: "Explore" }).waitFor();
  assert.equal(await page.locator("#nav a").count(), 5);
  assert.equal(await page.locator("#nav a[aria-current=page]").textContent(), "Explore");
  assert.match(await page.locator("#theme").getAttribute("aria-label"), /theme/);
  assert.match(await main().textContent(), /Connecting/);
  assert.equal(await page.title(), "Explore · Bellmino");
  clean();
});

test("an address that leads nowhere says so, once, and the lab stays connected", async () => {
  const sockets = [];
  page.on("websocket", (socket) => sockets.push(socket));
  for (const [address, expected] of [
    ["%", /leads nowhere: the lab has no such page/],
    ["nowhere", /leads nowhere/],
    ["constructor", /leads nowhere/],
    ["analyse/abc", /no game “abc”/],
    ["analyse/99999", /no game 99999/],
    ["watch/live/abc", /a room has a number/],
    ["watch/live/9999", /Nobody plays there/],
    ["watch/play", /Machines at play/],
    ["watch/play/nonsense/bot", /no game "nonsense"/],
    ["watch/play/sprint/nonsense", /nonsense/],
    ["play/nonsense", /no timed game "nonsense"/],
    ["play/practice/garbage", /no position that can be read/],
    ['play/practice/{"board":5}', /no position that can be read/],
    ['play/practice/{"queue":"Q"}', /Q.* is no piece/],
  ]) {
    sockets.length = 0;
    await page.goto("about:blank");
    await open(encodeURI(address).replace("%25", "%"));
    await main().filter({ hasText: expected }).waitFor();
    await page.waitForTimeout(700);
    assert.equal(sockets.length, 1, `${address}: ${sockets.length} connections`);
    assert.equal(await page.locator("#status").isVisible(), false, address);
    assert.match(await main().textContent(), expected);
  }
  clean();
});

test("the skip link goes to the page and leaves it as it is", async () => {
  await open("play/sprint");
  await phase("ready");
  await page.keyboard.press("KeyW");
  await pieces(1);
  const room = await data("room");
  await page.locator(".skip").focus();
  await page.keyboard.press("Enter");
  await page.waitForTimeout(200);
  assert.equal(await data("room"), room, "the same game");
  assert.match(page.url(), /#\/play\/sprint$/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "page");
  clean();
});

test("a record of 400 KB is taken; one that is too large is refused in words", async () => {
  const { ask, close } = await program();
  const { session } = await ask("watch-open", { game: "mini", players: ["lowest"], seed: 3 });
  let last = null;
  while (last?.kept === undefined) last = (await ask("watch-moves", { session, side: 0, count: 200 })).at(-1) ?? last;
  const { record } = await ask("game-open", { game: last.kept });
  close();
  const padded = (bytes) => `${record}\n${"# nothing\n".repeat(bytes / 10)}`;
  await open("analyse");
  const file = (text) => ({ name: "game.toml", mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.locator("input[type=file]").setInputFiles(file(padded(1_200_000)));
  await page.getByText(/game.toml has 1,\d+ KB; records of up to 1,000 KB can be opened/).waitFor();
  await page.locator("input[type=file]").setInputFiles(file(padded(400_000)));
  await page.waitForURL(/#\/analyse\/\d+/);
  clean();
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
