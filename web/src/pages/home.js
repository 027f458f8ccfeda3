// The menu: what can be done here, with a game going on beside it.

import { BoardView } from "../board.js";
import { button, clock, count, fill, h, icon, toggle } from "../dom.js";
import { gameOf } from "../games.js";
import { quit } from "../quit.js";
import { change, settings } from "../settings.js";
import { request } from "../socket.js";

const TONES = ["#56b4e9", "#e69f00", "#009e73"];

/** The best game so far in words. */
function record(game, ranked) {
  return game ? `Best ${ranked === "time" ? clock(game.milliseconds) : count(game.score)}` : null;
}

export default function home(main, lab) {
  const card = (href, title, text, tone, note) =>
    h(
      "a",
      { class: "card", href, style: { "--tone": tone } },
      h("strong", {}, title),
      h("span", {}, text),
      note ? h("em", {}, note) : null,
    );
  const best = lab.bests ?? {};
  const demo = h("aside", { class: "demo", "aria-label": "A game going on" });
  fill(
    main,
    h(
      "div",
      { class: "menu" },
      h(
        "div",
        {},
        h(
          "div",
          { class: "hero" },
          h("h1", {}, "What is the best move?"),
          h(
            "p",
            {},
            "A laboratory for games of falling blocks, in the family of Tetris. Play them, see where you went wrong, " +
              "watch machines at it, and look up the best move where it is known exactly.",
          ),
          h(
            "div",
            { class: "row" },
            h("a", { class: "button primary large", href: "#/play/sprint" }, icon("play"), "Play now"),
            h("a", { class: "button large", href: "#/watch" }, "Watch a machine"),
          ),
        ),
        h("h2", { class: "label" }, "Play"),
        h(
          "div",
          { class: "cards" },
          lab.games
            .filter(({ timed }) => timed)
            .map(({ name, label, aim, ranked }, index) =>
              card(`#/play/${name}`, label, aim, TONES[index % TONES.length], record(best[name], ranked)),
            ),
        ),
        h("h2", { class: "label" }, "Find out"),
        h(
          "div",
          { class: "cards four" },
          card("#/watch", "Watch", "How do machines play? One alone, two in a race, or one against you", "#cc79a7"),
          card("#/analyse", "Analyse", "Where did I go wrong? Your games move by move, and what was better", "#d55e00"),
          card(
            "#/explore",
            "Explore",
            "What is best, exactly? Small boards solved: every move with its true value",
            "#f0e442",
          ),
          card(
            "#/train",
            "Train",
            "Can a machine learn it? Start one that knows nothing and follow its progress",
            "#2a78c8",
          ),
        ),
        h(
          "div",
          { class: "row", style: { gap: "12px 20px" } },
          toggle("Advanced controls", settings().handling.advanced, (advanced) => change("handling", { advanced }), {
            id: "advanced",
            title: "Pieces move to the side at once when the key is held (auto-repeat 0 ms)",
          }),
          h("a", { class: "button", href: "#/settings" }, "Keys and settings"),
          button("Quit", quit, { class: "danger" }),
        ),
        h(
          "p",
          { class: "small soft", style: { "margin-top": "14px" } },
          `Everything runs on this computer, and your games stay on it. Bellmino ${lab.version}.`,
        ),
      ),
      demo,
    ),
  );
  return show(demo, gameOf(lab, "classic"));
}

/** A machine plays the classic game, slowly, to look at. */
function show(demo, { width, height }) {
  const view = new BoardView({ width, height, cell: 24, label: "A machine plays the classic game" });
  const caption = h("p", { class: "caption" }, "A machine at play");
  fill(demo, view.element, caption);
  view.draw({ board: [] });
  let timer = null,
    session = null,
    stopped = false;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  (async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    ({ session } = await request("watch-open", { game: "classic", players: ["weights:dellacherie"], seed }));
    let moves = await request("watch-moves", { session, side: 0, count: 20 });
    let board = moves.pop()?.board ?? [];
    moves = [];
    const step = async () => {
      if (stopped) return;
      if (moves.length === 0) moves = await request("watch-moves", { session, side: 0, count: 40 });
      const move = moves.shift();
      if (!move || stopped) return;
      view.draw({ board, active: move, flash: move.cleared });
      caption.textContent = `A machine at play: ${count(move.lines)} lines`;
      timer = setTimeout(
        () => {
          board = move.board;
          view.draw({ board });
          timer = setTimeout(step, 120);
        },
        move.cleared.length ? 260 : 220,
      );
    };
    if (still) view.draw({ board });
    else await step();
  })().catch(() => {});
  return () => {
    stopped = true;
    clearTimeout(timer);
    if (session !== null) request("watch-close", { session }).catch(() => {});
  };
}
