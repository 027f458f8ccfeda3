// The frame of the lab: routes, navigation, theme, and what to do when the lab is gone or an address leads nowhere.

import { fill, h, icon, pageHead } from "./dom.js";
import analysePage from "./pages/analyse.js";
import explorePage from "./pages/explore.js";
import home from "./pages/home.js";
import playPage from "./pages/play.js";
import settingsPage from "./pages/settings.js";
import shownPage from "./pages/shown.js";
import trainPage from "./pages/train.js";
import watchPage from "./pages/watch.js";
import { change, take, theme, watch } from "./settings.js";
import * as socket from "./socket.js";

// A page gets the place to draw in, the lab and the rest of its address; it returns how to leave it. It throws what
// is wrong with its address.
const PAGES = {
  "": ["Menu", home],
  play: ["Play", playPage],
  watch: ["Watch", watchPage],
  explore: ["Explore", explorePage],
  analyse: ["Analyse", analysePage],
  train: ["Train", trainPage],
  settings: ["Settings", settingsPage],
  shown: ["Shown", shownPage],
};

const main = document.getElementById("page");
const links = [...document.querySelectorAll("#nav a, #settings-link")];
const statusLine = document.getElementById("status");
const themeButton = document.getElementById("theme");

/** What the lab said first: its version, games and players. */
export const lab = {};

let leave = null;

/** The page that an address names and the rest of it; no page if it names none. */
function placeOf(hash) {
  if (!hash.startsWith("#/")) return { name: "", page: PAGES[""], rest: [] };
  try {
    const [name, ...rest] = hash.slice(2).split("/").map(decodeURIComponent);
    return { name, page: Object.hasOwn(PAGES, name) ? PAGES[name] : null, rest: rest.filter(Boolean) };
  } catch {
    return { name: "", page: null, rest: [] };
  }
}

/** Leaves the page that is shown and clears the place for the one of the address. */
function turnTo({ name, page }) {
  leave?.();
  leave = null;
  document.title = `${page?.[0] ?? "Not found"} · Bellmino`;
  for (const link of links) {
    if (page && link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  fill(main);
  for (const key of Object.keys(main.dataset)) delete main.dataset[key];
  main.className = page ? `page-${name || "menu"}` : "page-lost";
  scrollTo(0, 0);
}

function route() {
  const place = placeOf(location.hash);
  turnTo(place);
  try {
    if (!place.page) throw new Error("the lab has no such page");
    leave = place.page[1](main, lab, ...place.rest) ?? null;
  } catch (error) {
    lost(error);
  }
}

/** An address that leads nowhere: what is wrong with it, and where one can go. */
function lost(error) {
  document.title = "Not found · Bellmino";
  let shown = location.hash;
  try {
    shown = decodeURIComponent(shown);
  } catch {
    // Shown as it is.
  }
  fill(
    main,
    h(
      "div",
      { class: "panel stack lost" },
      h("h1", {}, "There is nothing here"),
      h("p", {}, "The address ", h("code", {}, shown), " leads nowhere: ", error.message, "."),
      h(
        "div",
        { class: "row" },
        h("a", { class: "button primary", href: "#/" }, "To the menu"),
        links.map((link) => {
          const href = link.getAttribute("href");
          return h("a", { class: "button", href }, PAGES[href.slice(2)][0]);
        }),
      ),
    ),
  );
}

function showTheme() {
  const now = theme();
  document.documentElement.dataset.theme = now;
  const other = now === "dark" ? "light" : "dark";
  fill(themeButton, icon(now === "dark" ? "sun" : "moon"));
  themeButton.title = `Use the ${other} theme`;
  themeButton.setAttribute("aria-label", themeButton.title);
}

function showState() {
  statusLine.hidden = socket.state.connected;
  if (socket.state.ended)
    fill(
      main,
      h(
        "div",
        { class: "panel stack" },
        h("h1", {}, "The lab is closed"),
        h("p", {}, "Start it again with ", h("kbd", {}, "bellmino lab"), " and reload this page."),
      ),
    );
  statusLine.hidden ||= socket.state.ended;
  statusLine.textContent = socket.state.refused
    ? "The lab was started anew: open the address that it printed."
    : socket.state.why
      ? `The lab has closed the connection (${socket.state.why}); trying again …`
      : "The lab does not answer; trying again …";
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
  main.scrollIntoView();
});
themeButton.addEventListener("click", () => change("look", { theme: theme() === "dark" ? "light" : "dark" }));
fill(document.getElementById("settings-link"), icon("gear"));
watch(showTheme);
matchMedia("(prefers-color-scheme: light)").addEventListener("change", showTheme);
showTheme();

// The frame is there before the lab has answered.
const first = placeOf(location.hash);
turnTo(first);
fill(main, pageHead(first.page?.[0] ?? "Bellmino", "Connecting to the lab …"));

socket.state.onchange = async () => {
  showState();
  if (socket.state.connected && lab.version) {
    // Back after a break: what was under way is gone, but for games, which wait at their seats.
    const said = await socket.request("hello").catch(() => null);
    if (!said) return; // Lost again already.
    Object.assign(lab, said);
    take(lab.settings);
    route();
  }
};
await socket.connect();
Object.assign(lab, await socket.request("hello"));
socket.state.largest = lab.largest;
take(lab.settings);
addEventListener("hashchange", () => {
  // Only addresses with a path are pages.
  if (location.hash && !location.hash.startsWith("#/")) return;
  route();
  main.focus({ preventScroll: true });
});
route();
document.documentElement.dataset.ready = "yes";
