// The frame of the lab: routes, navigation, theme, and what to do when the lab is gone.

import { fill, h, icon } from "./dom.js";
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

const NAMES = {
  "": "Menu",
  play: "Play",
  watch: "Watch",
  explore: "Explore",
  analyse: "Analyse",
  train: "Train",
  settings: "Settings",
  shown: "Shown",
};
const PAGES = {
  "": home,
  play: playPage,
  watch: watchPage,
  explore: explorePage,
  analyse: analysePage,
  train: trainPage,
  settings: settingsPage,
  shown: shownPage,
};
const NAV = [
  ["", "Menu"],
  ["watch", "Watch"],
  ["explore", "Explore"],
  ["analyse", "Analyse"],
  ["train", "Train"],
];

const main = document.getElementById("page");
const nav = document.getElementById("nav");
const statusLine = document.getElementById("status");
const themeButton = document.getElementById("theme");

/** What the lab said first: its version, games and players. */
export const lab = {};

let leave = null;

async function route() {
  const [, name = "", ...rest] = location.hash.split("/").map(decodeURIComponent);
  leave?.();
  leave = null;
  const page = PAGES[name] ?? PAGES[""];
  document.title = `${NAMES[name] ?? "Menu"} · Bellmino`;
  fill(
    nav,
    NAV.map(([key, text]) => h("a", { href: `#/${key}`, "aria-current": key === name ? "page" : null }, text)),
  );
  fill(main);
  main.className = `page-${name || "menu"}`;
  scrollTo(0, 0);
  leave = page(main, lab, ...rest) ?? null;
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
    : "The lab does not answer; trying again …";
}

themeButton.addEventListener("click", () => change("look", { theme: theme() === "dark" ? "light" : "dark" }));
fill(document.getElementById("settings-link"), icon("gear"));
watch(showTheme);
matchMedia("(prefers-color-scheme: light)").addEventListener("change", showTheme);
showTheme();

socket.state.onchange = async () => {
  showState();
  if (socket.state.connected && lab.version) {
    // Back after a break: what was under way is gone.
    Object.assign(lab, await socket.request("hello"));
    route();
  }
};
await socket.connect();
Object.assign(lab, await socket.request("hello"));
take(lab.settings);
addEventListener("hashchange", route);
await route();
document.documentElement.dataset.ready = "yes";
