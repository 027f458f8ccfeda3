// Which of two machines is better, by how much, and how sure that is: many games on the same pieces.

import { button, choose, count, field, fill, h, inLine, refill } from "./dom.js";
import { titleOf } from "./players.js";
import { on, request } from "./socket.js";

const GAMES = [10, 30, 100, 400];

/** The part of the page that lets two machines meet. `wanted()` says what is watched: `game`, `players` and `seed`. */
export class Verdict {
  constructor(wanted) {
    Object.assign(this, { wanted, games: 30, running: null });
    this.result = h("div", { class: "stack tight", role: "status" });
    this.element = h("section", { class: "panel stack verdict", "aria-label": "Who is better?" });
    this.stopHearing = on("comparison", ({ of, now }) => {
      if (of === this.running?.id) this.draw(now, true);
    });
    this.build();
  }

  build() {
    refill(
      this.element,
      h("h2", {}, "Who is better?"),
      h("p", { class: "small soft" }, "One game says little. Let them meet in many, each time on the same pieces."),
      h(
        "div",
        { class: "row" },
        field(
          "Games",
          choose(
            GAMES.map((games) => [String(games), String(games)]),
            String(this.games),
            (games) => {
              this.games = Number(games);
            },
          ),
        ),
        this.running
          ? button("Stop", () => request("watch-compare-end").catch(() => {}))
          : button("Let them meet", () => this.start(), { class: "primary" }),
      ),
      this.result,
    );
  }

  /** Lets them meet; the lab says after each game how it stands. */
  async start() {
    const { game, players, seed } = this.wanted();
    const names = [...players];
    const asked = request("watch-compare", { game, players, seed, games: this.games }, (place) => {
      if (place) this.result.textContent = inLine(place);
    });
    const mine = { id: asked.id, names, seed };
    this.running = mine;
    fill(this.result, h("p", { class: "soft" }, "The first games are under way …"));
    this.build();
    try {
      const last = await asked;
      if (this.running === mine) this.draw(last, false);
    } catch (error) {
      if (this.running === mine) fill(this.result, h("p", { class: "bad" }, error.message));
    }
    if (this.running === mine) {
      this.running = null;
      this.build();
    }
  }

  /** Other players or another game: what was found does not hold for them. */
  reset() {
    if (this.running) request("watch-compare-end").catch(() => {});
    this.running = null;
    fill(this.result);
    this.build();
  }

  draw({ standing, wanted, most_pieces }, goesOn) {
    const { names, seed } = this.running;
    const titles = names.map(titleOf);
    const share = (number) => ({ width: `${(100 * number) / Math.max(1, standing.games)}%` });
    const [first, second] = standing.wins;
    fill(
      this.result,
      h(
        "p",
        { "data-verdict": goesOn ? "so far" : (standing.better ?? "none") },
        goesOn ? h("span", { class: "soft" }, "So far: ") : null,
        goesOn ? null : h("strong", {}, headline(standing, titles), " "),
        amount(standing, titles),
      ),
      h(
        "div",
        { class: "wins", "aria-hidden": "true" },
        h("span", { class: "first", style: share(first) }),
        h("span", { class: "draws", style: share(standing.draws) }),
        h("span", { class: "second", style: share(second) }),
      ),
      h(
        "p",
        { class: "small soft" },
        `${titles[0]} won ${count(first)}, ${titles[1]} ${count(second)}` +
          `${standing.draws ? `, ${count(standing.draws)} drawn` : ""}; ` +
          `${count(standing.games)}${goesOn || standing.games < wanted ? ` of ${count(wanted)}` : ""} games, ` +
          `seed ${seed}.`,
      ),
      goesOn
        ? null
        : h(
            "p",
            { class: "small soft" },
            most_pieces ? `Each game was stopped after ${count(most_pieces)} pieces. ` : null,
            "Of equal players, one in twenty such meetings would name a better one.",
            command(names, this.wanted(), standing.games, most_pieces),
          ),
    );
  }

  leave() {
    if (this.running) request("watch-compare-end").catch(() => {});
    this.running = null;
    this.stopHearing();
  }
}

/** The verdict in a few words. */
function headline({ better, games }, titles) {
  if (games < 2) return "Too few games to say.";
  return better === null ? "No difference beyond chance." : `${titles[better]} is better.`;
}

/** By how much, with its interval, in words. */
function amount({ difference, measure, unfinished, games, better }, titles) {
  const missing = [0, 1].filter((side) => unfinished[side] > 0);
  const gave = missing.map((side) => {
    const times = unfinished[side] === games ? "never" : `not in ${count(unfinished[side])} of ${count(games)} games`;
    return `${titles[side]} ${times} ${times === "never" ? "reached" : "reaching"} the goal`;
  });
  if (!difference || games < 2) return gave.length ? `${gave.join("; ")}.` : "";
  const decimals = Math.abs(difference.mean) < 10 ? 1 : 0;
  // Seen from whoever does better on average.
  const fewer = measure === "pieces";
  const leads = better ?? (difference.mean > 0 === fewer ? 1 : 0);
  const sign = (leads === 0 ? 1 : -1) * (fewer ? -1 : 1);
  const [low, high] = difference.ci95.map((end) => sign * end).sort((a, b) => a - b);
  const unit = fewer ? "pieces fewer" : "points more";
  const verb = fewer ? "needs" : "scores";
  const among = gave.length ? "; over the games that both finished" : "";
  return (
    `${titles[leads]} ${verb} ${count(sign * difference.mean, decimals)} ${unit} per game on average ` +
    `(95 % sure: between ${count(low, decimals)} and ${count(high, decimals)}${among}). ` +
    (gave.length ? `${gave.join("; ")}.` : "")
  );
}

/** How the command line asks the same, if it knows these players. */
function command(names, { game, seed }, games, most) {
  if (!names.every((name) => /^(bot|random|lowest|fewest-holes|weights:.+)$/.test(name))) return null;
  const words = [
    "bellmino evaluate",
    game,
    ...names.map((name) => `--player ${name}`),
    `--games ${games} --seed ${seed}`,
  ];
  return [
    " The same on the command line: ",
    h("code", {}, [...words, ...(most ? [`--pieces ${most}`] : [])].join(" ")),
  ];
}
