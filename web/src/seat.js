// One board with its player, of a game that is watched.

import { BoardView, boardPicture, pieceView } from "./board.js";
import { Chooser } from "./chooser.js";
import { count, fill, h, inLine } from "./dom.js";
import { pieceOf } from "./games.js";
import { Moves } from "./moves.js";
import { titleOf } from "./players.js";
import { request } from "./socket.js";

// Beyond so many placements a second nobody could follow what is considered.
const FOLLOWED = 4;

/**
 * One board with its player. `show` is the game that it is part of, with its session, its place in time and its
 * speed.
 */
export class Seat {
  constructor(show, name, side, cell) {
    const { game } = show;
    Object.assign(this, { show_: show, name, side, moves: new Moves(), ended: null, loading: false, shown: -1 });
    this.guideline = game.kind === "guideline";
    this.view = new BoardView({
      width: game.width,
      height: game.height,
      above: 1,
      cell,
      label: `The board of ${titleOf(name)}`,
    });
    this.hold = h("div", { class: "piece-box" });
    this.next = h("div", { class: "next" });
    this.thoughts = h("div");
    this.clear = h("p", { class: "small", style: { color: "var(--accent)", "min-height": "1.4em" } });
    this.piece = h("div");
    this.facts = h("dl", { class: "facts small" });
    this.score = h("div", { class: "big", "data-score": side });
    this.end = h("p", { class: "small", role: "status", "data-end": side });
    this.element = h(
      "section",
      { class: "table", "aria-label": titleOf(name), "data-side": side },
      h(
        "div",
        { class: "aside" },
        h("h2", {}, titleOf(name)),
        name === "human" ? null : h("code", { class: "cryptic" }, name),
        h("div", { class: "box" }, h("h3", {}, "Score"), this.score, this.facts),
        h(
          "div",
          { class: "box" },
          h("h3", {}, this.guideline ? "Hold" : name === "human" ? "Your piece" : "Piece"),
          this.guideline ? this.hold : this.piece,
        ),
        this.clear,
        this.end,
        name === "human" ? null : this.thoughts,
      ),
      this.view.element,
      this.guideline
        ? h("div", { class: "aside narrow" }, h("div", { class: "box" }, h("h3", {}, "Next"), this.next))
        : null,
    );
    this.draw(null, []);
  }

  /** Asks the lab for more moves. */
  async more(wanted = 40) {
    if (this.loading || this.ended || this.name === "human") return;
    this.loading = true;
    try {
      const what = { session: this.show_.session, side: this.side, count: wanted };
      const moves = await request("watch-moves", what, (place) => {
        // Only if there is nothing to show meanwhile.
        if (this.moves.length <= this.show_.at) this.end.textContent = inLine(place);
      });
      this.end.textContent = "";
      this.moves.push(...moves);
      if (moves.length === 0) this.ended = "no place for the next piece";
      if (moves.length === 0 && this.moves.last?.end) this.ended = this.moves.last.end;
      if (moves.at(-1)?.end) this.ended = moves.at(-1).end;
    } catch (error) {
      if (!this.show_.stopped) this.end.textContent = error.message;
    }
    this.loading = false;
  }

  /** Draws the board as it is after `at` placements; the fraction shows the next piece before it lands. */
  show(at) {
    const whole = Math.floor(at);
    if (this.moves.length - whole < 60 && !this.show_.human) this.more(this.show_.speed > 20 ? 200 : 40);
    this.moves.forget(whole);
    const before = this.moves.get(Math.min(whole, this.moves.length) - 1);
    const move = this.moves.get(whole);
    const phase = move && at - whole > 0.35 ? "placed" : "before";
    const key = `${whole} ${phase} ${this.moves.length > whole} ${this.ended !== null}`;
    if (key === this.shown) return;
    this.shown = key;
    this.draw(move && phase === "placed" ? move : null, before?.board ?? [], before, move);
  }

  draw(active, board, before, next) {
    const over = this.ended && !next;
    const fatal = over && before?.fatal ? before : null;
    const followed = !this.show_.playing || this.show_.speed <= FOLLOWED;
    const [chosen, ...rest] = this.show_.thoughts && followed && next ? (next.candidates ?? []) : [];
    const considered = chosen ? [chosen, ...rest.sort((a, b) => b.value - a.value)] : [];
    const outlines = active
      ? []
      : considered
          .map(({ cells }, index) => ({
            cells,
            tone: index ? "--soft" : "--good",
            dashed: index > 0,
            label: String(index + 1),
          }))
          .reverse();
    this.view.draw({ board, active: active ?? fatal, flash: active?.cleared, dim: over, outlines });
    this.consider(considered, board, next);
    if (this.guideline) {
      const { hold, queue } = this.atHand ?? before ?? {};
      fill(this.hold, pieceOf(this.show_.game, hold, 16, [4, 2]));
      fill(
        this.next,
        [...(queue ?? "")]
          .slice(0, 6)
          .map((piece, index) => pieceOf(this.show_.game, piece, index ? 13 : 18, [4, index ? 2.5 : 3])),
      );
      this.clear.textContent = before?.clear ?? "";
    }
    const shown = next ?? (over ? null : this.waiting);
    fill(
      this.piece,
      shown ? pieceView(normal(shown.cells), shown.colour, 18, [4, 4]) : h("span", { class: "soft" }, "–"),
    );
    this.score.textContent = count(before?.score, before && before.score % 1 ? 1 : 0);
    fill(
      this.facts,
      [
        ["Lines", before?.lines],
        ["Pieces", before?.pieces],
      ].flatMap(([text, value]) => [h("dt", {}, text), h("dd", {}, count(value))]),
    );
    const finished = over && before?.kept ? h("a", { href: `#/analyse/${before.kept}` }, "Analyse it") : null;
    const lost = over && before?.not_kept ? `It was not kept: ${before.not_kept}` : null;
    const reached = /^goal/.test(this.ended ?? "");
    this.end.className = `small ${over ? (reached ? "good" : "bad") : "soft"}`;
    if (over) fill(this.end, reached ? `${capital(this.ended)}. ` : `Game over: ${this.ended}. `, finished, lost);
    else if (!this.loading) fill(this.end);
  }

  /** What the player thinks of, each drawn small with what it is worth as a bar. */
  consider(considered, board, next) {
    const values = considered.map(({ value }) => value);
    const [most, least] = [Math.max(...values), Math.min(...values)];
    const decimals = most - least < 10 ? 2 : 0;
    const words = (value, index) => {
      if (index === 0) return "its choice";
      const worse = count(values[0] - value, decimals);
      return Number(worse) === 0 ? "as good" : worse.startsWith("-") ? "not followed as far" : `${worse} worse`;
    };
    fill(
      this.thoughts,
      considered.length
        ? h("h3", { title: "What it does, and how much worse the others are in the player's own measure" }, "Considers")
        : null,
      considered.length
        ? h(
            "ol",
            { class: "candidates num" },
            considered.map(({ cells, value }, index) =>
              h(
                "li",
                { "data-candidate": index + 1 },
                boardPicture(board, this.show_.game.width, { cells, colour: next.colour }),
                h(
                  "span",
                  { class: "worth" },
                  h("span", {
                    class: "bar",
                    style: { width: `${most > least ? 12 + (88 * (value - least)) / (most - least) : 100}%` },
                  }),
                  h("span", {}, words(value, index)),
                ),
              ),
            ),
          )
        : null,
    );
  }

  /** Lets the person choose. */
  async ask() {
    const options = await request("watch-options", { session: this.show_.session, side: this.side });
    const board = this.moves.last?.board ?? [];
    if (options.end) {
      this.ended = options.end;
      this.draw(null, board, this.moves.last);
      this.show_.finish();
      return;
    }
    this.waiting = { cells: options.options[0].cells, colour: options.colour };
    this.atHand = this.guideline ? options : null;
    this.draw(null, board, this.moves.last);
    this.chooser ??= new Chooser(this.view, (option) => this.place(option));
    this.chooser.offer(board, options.options, options.colour);
  }

  async place(option) {
    this.chooser.offer([], [], "G");
    const move = await request("watch-place", { session: this.show_.session, side: this.side, option });
    this.moves.push(move);
    if (move.end) this.ended = move.end;
    await this.show_.answer();
    if (move.end) {
      this.waiting = null;
      this.draw(null, move.board, move);
      this.show_.finish();
    } else {
      await this.ask();
    }
  }
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function normal(cells) {
  const least = (axis) => Math.min(...cells.map((cell) => cell[axis]));
  return cells.map(([x, y]) => [x - least(0), y - least(1)]);
}
