// Duels: a machine plays beside you, on the same pieces, at a pace of its own. The lab plays it and says who has won.

import { BoardView } from "../board.js";
import { choose, clock, count, field, fill, h, stopwatch } from "../dom.js";
import { playerChoices, playersOf, titleOf } from "../players.js";
import { change, settings } from "../settings.js";
import { request } from "../socket.js";

const PACES = ["0.5", "0.75", "1", "1.5", "2", "2.5", "3", "4", "5"];

/** The machine's side of a duel. */
export class Duel {
  constructor(game, owner) {
    Object.assign(this, { game, owner, rows: [], players: [] });
    const { width, height } = game;
    this.view = new BoardView({ width, height, cell: this.cell(), label: "The machine's board" });
    this.name = h("h3", { "data-rival": "name" });
    this.facts = h("p", { class: "small num", "data-rival": "facts" });
    this.clear = h("p", { class: "small soft" });
    this.element = h("div", { class: "box rival" }, this.name, this.view.element, this.facts, this.clear);
    this.load();
  }

  /** Which machine, and how fast. */
  order() {
    const { player, pace } = settings().duel;
    return { player, pace };
  }

  cell() {
    return innerWidth <= 640 ? 4 : Math.max(8, Math.min(17, Math.floor((innerHeight - 250) / 20)));
  }

  resize() {
    this.view.resize(this.cell());
  }

  /** The duels so far. */
  async load() {
    try {
      const [players, all] = await Promise.all([playersOf(this.game.name), request("duels")]);
      this.players = players.filter(({ name }) => this.game.rivals.includes(name));
      this.rows = all.filter(({ mode }) => mode === this.game.name);
    } catch {
      return; // The connection is lost; the page is drawn anew when it is back.
    }
    this.owner.redrawCard();
  }

  show({ rival, phase }) {
    if (!rival) return;
    const isHidden = phase === "paused" || phase === "countdown";
    this.view.draw({ board: isHidden ? [] : rival.rows, dim: phase === "over" });
    const left = rival.lines_left === null ? `${count(rival.score)} points` : `${rival.lines_left} lines left`;
    this.name.textContent = `${titleOf(rival.player)}, ${rival.pace}/s`;
    this.facts.textContent =
      rival.ended === null
        ? `${left} · ${rival.pieces} pieces`
        : rival.outcome === "goal"
          ? `${rival.lines_left === null ? left : `done in ${stopwatch(rival.ended)}`}`
          : "topped out";
    this.clear.textContent = rival.last_clear ?? "";
    this.element.dataset.pieces = rival.pieces;
  }

  /** What is chosen before a duel. */
  controls() {
    const { player, pace } = this.order();
    const set = (values) => {
      change("duel", values);
      this.owner.restart();
    };
    return h(
      "div",
      { class: "stack" },
      h(
        "div",
        { class: "controls" },
        field(
          "Against",
          choose(playerChoices(this.players), player, (name) => set({ player: name })),
        ),
        field(
          "Pieces a second",
          choose(
            PACES.map((one) => [one, one]),
            String(pace),
            (one) => set({ pace: Number(one) }),
          ),
        ),
      ),
      this.table(),
    );
  }

  /** Won, drawn and lost against each machine at each pace. */
  table() {
    if (this.rows.length === 0) return null;
    const value = (mean) => (mean === null ? "–" : this.game.ranked === "time" ? clock(mean) : count(mean));
    return h(
      "table",
      { class: "small duels", "data-duels": this.rows.length },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          [
            ["Duels", null],
            ["W", "Won"],
            ["D", "Drawn"],
            ["L", "Lost"],
            ["You", "Your mean"],
            ["It", "The machine's mean"],
          ].map(([text, title]) => h("th", { scope: "col", class: title ? "num" : "", title }, text)),
        ),
      ),
      h(
        "tbody",
        {},
        this.rows.map((row) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, `${titleOf(row.player)}, ${row.pace}/s`),
            [row.won, row.drawn, row.lost, value(row.own_mean), value(row.rival_mean)].map((text) =>
              h("td", { class: "num" }, text),
            ),
          ),
        ),
      ),
    );
  }
}

/** Who has won, for the end screen. */
export function verdictLine({ verdict, rival }) {
  if (!rival) return null;
  const words = {
    won: ["You win the duel", "good"],
    lost: ["The machine wins the duel", "bad"],
    drawn: ["The duel is drawn", ""],
  };
  const [text, tone] = words[verdict] ?? ["The machine is still playing …", "soft"];
  const its =
    rival.lines_left === null
      ? `${count(rival.score)} points`
      : rival.outcome === "goal"
        ? stopwatch(rival.ended)
        : `${rival.lines_left} lines left`;
  return fill(
    h("p", { class: `verdict ${tone}`, "data-verdict": verdict ?? "open" }),
    `${text} · ${titleOf(rival.player)}: ${its}`,
  );
}
