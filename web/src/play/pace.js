// Pace: the time of every ten lines, or the points of every half minute, beside those of the best game.

import { clock, count, h, stopwatch } from "../dom.js";

/** The difference to the best game, in words and with its class: ahead is good. */
export function ahead(own, best, isRace) {
  const difference = own - best;
  const sign = difference > 0 ? "+" : "−";
  const amount = isRace ? (Math.abs(difference) / 1000).toFixed(2) : count(Math.abs(difference));
  const isAhead = isRace ? difference < 0 : difference > 0;
  return { text: difference === 0 ? "±0" : `${sign}${amount}`, tone: isAhead ? "good" : difference === 0 ? "" : "bad" };
}

/** The last split of a game under way, in a line; nothing before the first. */
export function paceLine(splits, best, isRace) {
  const index = splits.length - 1;
  if (index < 0) return [];
  const name = isRace
    ? `${10 * splits.length} lines: ${clock(splits[index])}`
    : `${clock(30_000 * splits.length).slice(0, 5)}: ${count(splits[index])}`;
  if (best[index] === undefined) return [name];
  const { text, tone } = ahead(splits[index], best[index], isRace);
  return [name, " ", h("span", { class: tone }, text)];
}

/** All splits, the part between two of them, and how they compare. */
export function pace(splits, best, isRace, isBest) {
  const compare = best.length > 0 && !isBest;
  return h(
    "div",
    {},
    h("h3", {}, isRace ? "Pace per ten lines" : "Pace per half minute"),
    h(
      "table",
      { class: "pace small num" },
      h(
        "tbody",
        {},
        splits.map((split, index) => {
          const part = split - (splits[index - 1] ?? 0);
          const other = compare && best[index] !== undefined ? ahead(split, best[index], isRace) : null;
          return h(
            "tr",
            {},
            h("th", { scope: "row" }, isRace ? 10 * (index + 1) : clock(30_000 * (index + 1)).slice(0, 5)),
            h("td", { class: "num" }, isRace ? stopwatch(split) : count(split)),
            h("td", { class: "num soft" }, isRace ? (part / 1000).toFixed(2) : `+${count(part)}`),
            compare ? h("td", { class: `num ${other?.tone ?? ""}` }, other?.text ?? "") : null,
          );
        }),
      ),
    ),
  );
}
