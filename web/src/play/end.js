// The end screen: what came of the game, how it compares, and what can be done next.

import { button, count, h, stopwatch } from "../dom.js";
import { keyNames } from "../keys.js";
import { hasFingers } from "../touch.js";
import { verdictLine } from "./duel.js";
import { pace } from "./pace.js";

/** The end of a game, from its last picture. */
export function endCard(game, frame, { restart, undo, duel }) {
  const { end, left, view, finesse, splits, best, again } = frame;
  const isRace = game.ranked === "time";
  const seconds = Math.max(view.time, 1) / 1000;
  const { stats } = view;
  const value = (other) => (isRace ? stopwatch(other.milliseconds) : count(other.score));
  const clean = finesse.pieces ? (100 * (finesse.pieces - finesse.faults)) / finesse.pieces : 100;
  const keys = hasFingers() ? "Touches" : "Keys";
  const facts = [
    ["Time", stopwatch(view.time)],
    ["Score", count(stats.score)],
    ["Drop points", count(stats.drop_points)],
    ["Lines", count(stats.lines)],
    ["Pieces", count(stats.pieces)],
    ["Pieces per second", count(stats.pieces / seconds, 2)],
    [`${keys} per piece`, count(view.presses / Math.max(1, stats.pieces), 2)],
    [`${keys} per second`, count(view.presses / seconds, 2)],
    [
      "Finesse",
      `${count(clean)} %, ${count(finesse.faults)} ${finesse.faults === 1 ? "fault" : "faults"}`,
      "Pieces placed with as few keys as possible; a fault took more",
    ],
    ["Longest combo", end.longest_combo],
    ["Perfect clears", stats.perfect_clears],
  ];
  return [
    verdictLine(frame),
    h("h2", { "data-end": view.outcome }, end.title),
    h(
      "div",
      { class: "big end-value" },
      !isRace
        ? `${count(stats.score)} points`
        : view.outcome === "goal"
          ? stopwatch(view.time)
          : `${left.lines} lines left`,
    ),
    h(
      "p",
      { class: `small ${end.trouble ? "bad" : "soft"}`, role: "status", "data-saved": end.saved ? "yes" : "no" },
      end.trouble
        ? `Not saved: ${end.trouble}. The lab goes on trying; do not end it.`
        : end.saved
          ? "Saved."
          : "Saving …",
      again ? " The same pieces again: it does not count among the bests." : "",
    ),
    end.is_best ? h("p", { class: "good", style: { "font-weight": 700 } }, "New personal best!") : null,
    h(
      "div",
      { class: "row end-actions", style: { "justify-content": "center" } },
      button([duel ? "Rematch " : "Play again ", restartKey()], () => restart(false), { class: "primary" }),
      button("Same pieces again", () => restart(true)),
      game.practice ? button("Undo", undo) : null,
      end.game ? h("a", { class: "button", href: `#/analyse/${end.game}` }, "Analyse") : null,
      h("a", { class: "button", href: "#/" }, "Menu"),
    ),
    h(
      "div",
      { class: "end-columns" },
      h(
        "dl",
        { class: "facts small" },
        facts.flatMap(([text, number, title]) => [h("dt", { title }, text), h("dd", {}, number)]),
      ),
      h(
        "div",
        { class: "stack" },
        end.clears.length ? clears(end.clears) : null,
        game.ranked && splits.length ? pace(splits, best, isRace, end.is_best) : null,
        end.bests.length
          ? h(
              "div",
              {},
              h("h3", {}, "Personal bests"),
              h(
                "ol",
                { class: "small num bests" },
                end.bests.map((other) => h("li", { class: other.id === end.game ? "good" : "" }, value(other))),
              ),
            )
          : null,
        duel?.table(),
      ),
    ),
  ];
}

/** The key that begins anew, for whoever has keys. */
function restartKey() {
  const [name] = keyNames("restart");
  return name && !hasFingers() ? h("kbd", {}, name) : null;
}

/** How often each kind of clear was made, as bars. */
function clears(list) {
  const most = Math.max(...list.map(([, number]) => number));
  return h(
    "div",
    {},
    h("h3", {}, "Clears"),
    h(
      "table",
      { class: "clears small" },
      h(
        "tbody",
        {},
        list.map(([name, number]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, name[0].toUpperCase() + name.slice(1)),
            h("td", {}, h("span", { class: "clear-bar", style: { width: `${(100 * number) / most}%` } })),
            h("td", { class: "num" }, number),
          ),
        ),
      ),
    ),
  );
}
