// Analyse, one game: placement by placement, with what each cost and what was better.

import { BoardView, fittingCell } from "../board.js";
import { plot } from "../chart.js";
import { boardWords, choiceList, effort, sideBySide, worth } from "../choices.js";
import { button, clock, copied, count, day, fill, h, iconButton, inLine, pageHead } from "../dom.js";
import { pieceOf } from "../games.js";
import { on, request, tell } from "../socket.js";

export const STATES = { goal: "finished", "topped-out": "topped out", stopped: "stopped" };
const TONES = { best: "--good", good: "--good", inaccuracy: "--accent", mistake: "--warn", blunder: "--bad" };
const WORDS = { best: "the best", good: "good", inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder" };
const MARKED = ["inaccuracy", "mistake", "blunder"];
// The pace of a replay whose game has no times of its own, and the longest pause of one that has, in milliseconds.
const PACE = 500;
const LONGEST = 5000;

export const modeName = (mode) => mode[0].toUpperCase() + mode.slice(1);

export default function openGame(main, id, step) {
  return new GamePage(main, id, Math.max(0, (Number.parseInt(step ?? "1", 10) || 1) - 1)).leave;
}

class GamePage {
  constructor(main, id, at) {
    Object.assign(this, { main, id, at, steps: [], verdicts: [], game: null, rules: null, done: false, looked: null });
    this.well = h("div");
    this.hold = h("div", { class: "piece-box" });
    this.next = h("div", { class: "next" });
    this.verdict = h("div", { class: "stack", role: "status" });
    this.compared = h("div", { class: "stack", "data-compared": "" });
    this.curve = h("div");
    this.summary = h("div", { class: "row" });
    this.mistakes = h("ol", { class: "mistakes" });
    this.title = h("h1", {}, "Game");
    this.facts = h("p", {});
    this.place = h("span", { class: "num" });
    this.note = h("p", { class: "small soft", role: "status" });
    this.actions = h("span", { class: "row" });
    this.keeping = h("span", { class: "row" });
    this.replaying = iconButton("play", "Replay", () => this.replay());
    this.build();
    const stop = on("verdict", (event) => {
      if (event.game === id) this.judged(event.verdict);
    });
    const keys = (event) => this.key(event);
    addEventListener("keydown", keys);
    this.leave = () => {
      stop();
      clearTimeout(this.timer);
      clearTimeout(this.lookTimer);
      removeEventListener("keydown", keys);
      delete main.dataset.judged;
      tell("game-judge-end");
    };
    this.load().catch((error) => {
      // Nobody is looking at it any more.
      this.done = true;
      const why = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
      if (!this.steps.length) {
        fill(main, pageHead("Analyse", why), h("a", { class: "button", href: "#/analyse" }, "All games"));
        return;
      }
      this.note.textContent = why;
      this.draw();
    });
  }

  build() {
    fill(
      this.main,
      h("div", { class: "page-head" }, this.title, this.facts),
      this.note,
      h(
        "div",
        { class: "analysis" },
        h(
          "div",
          {},
          h(
            "div",
            { class: "stage-head" },
            iconButton("first", "First move", () => this.go(0)),
            iconButton("back", "Move before", () => this.go(this.at - 1)),
            this.replaying,
            this.place,
            iconButton("next", "Next move", () => this.go(this.at + 1)),
            iconButton("last", "Last move", () => this.go(this.steps.length - 1)),
          ),
          h(
            "div",
            { class: "table" },
            this.well,
            h(
              "div",
              { class: "aside", style: { width: "96px" } },
              h("div", { class: "box" }, h("h2", { class: "box-head" }, "Hold"), this.hold),
              h("div", { class: "box" }, h("h2", { class: "box-head" }, "Next"), this.next),
            ),
          ),
        ),
        h(
          "div",
          { class: "stack" },
          h(
            "div",
            { class: "panel stack" },
            this.verdict,
            this.compared,
            h(
              "div",
              { class: "row" },
              button("Mistake before", () => this.jump(-1)),
              button("Next mistake", () => this.jump(1)),
              this.actions,
            ),
          ),
          h("div", { class: "panel stack" }, this.summary, this.curve),
          h("div", { class: "panel stack" }, h("h2", { class: "box-head" }, "Worst moves"), this.mistakes),
          h("div", { class: "row" }, this.keeping, h("a", { class: "button", href: "#/analyse" }, "All games")),
        ),
      ),
    );
  }

  async load() {
    const { game, rules, steps, record, fumen } = await request("game-open", { game: this.id });
    Object.assign(this, { game, rules, steps, record, fumen });
    this.verdicts = new Array(steps.length);
    this.at = Math.max(0, Math.min(steps.length - 1, this.at));
    const { width, height } = rules;
    const room = { most: width > 6 ? 26 : 56, high: Math.max(300, innerHeight - 250), wide: innerWidth - 150 };
    this.view = new BoardView({ width, height, above: 1, cell: fittingCell(width, height + 1, room), label: "" });
    fill(this.well, this.view.element);
    const guideline = rules.kind === "guideline";
    if (guideline)
      fill(
        this.actions,
        button("Play on from here", () => this.playOn(), { class: "primary" }),
      );
    fill(
      this.keeping,
      guideline ? button("Best moves of this position", () => this.openPosition()) : null,
      fumen ? button("Copy as fumen", () => this.copy(fumen, "Fumen")) : null,
      button("Save as file", () => this.save()),
    );
    this.title.textContent = `${modeName(game.mode)}, ${STATES[game.state] ?? game.state}`;
    this.facts.textContent = [
      day(game.started),
      ...(game.milliseconds ? [clock(game.milliseconds)] : []),
      `${count(game.score)} points`,
      `${count(game.lines)} lines`,
      `${count(game.pieces)} pieces`,
    ].join(" · ");
    this.draw();
    const { verdicts } = await request("game-judge", { game: this.id }, (place) => {
      this.note.textContent = inLine(place);
    });
    for (const said of verdicts ?? []) this.verdicts[said.step] = said;
    this.note.textContent = "";
    this.done = true;
    this.main.dataset.judged = "yes";
    this.draw();
  }

  judged(verdict) {
    this.verdicts[verdict.step] = verdict;
    if (verdict.step === this.at) this.draw();
    else this.drawCurve();
  }

  // Getting around

  go(step) {
    if (!this.steps.length) return;
    this.at = Math.max(0, Math.min(this.steps.length - 1, step));
    history.replaceState(null, "", `#/analyse/${this.id}/${this.at + 1}`);
    this.draw();
  }

  jump(by) {
    for (let step = this.at + by; step >= 0 && step < this.steps.length; step += by)
      if (MARKED.includes(this.verdicts[step]?.grade)) return this.go(step);
    return undefined;
  }

  key(event) {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.altKey || event.metaKey)
      return;
    const act = {
      ArrowLeft: () => this.go(this.at - 1),
      ArrowRight: () => this.go(this.at + 1),
      Home: () => this.go(0),
      End: () => this.go(this.steps.length - 1),
    }[event.code];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  /** Plays the game again, at its own speed if it has one; again to stop. */
  replay() {
    if (this.timer) {
      clearTimeout(this.timer);
      this.timer = null;
    } else {
      if (this.at === this.steps.length - 1) this.go(0);
      this.replayOn();
    }
    this.showReplay();
  }

  replayOn() {
    const [now, next] = [this.steps[this.at], this.steps[this.at + 1]];
    if (!next) {
      this.timer = null;
      this.showReplay();
      return;
    }
    const pause = now.at === null || now.at === undefined ? PACE : Math.min(LONGEST, next.at - now.at);
    this.timer = setTimeout(() => {
      this.go(this.at + 1);
      this.replayOn();
    }, pause);
  }

  showReplay() {
    const label = this.timer ? "Stop the replay" : "Replay";
    const fresh = iconButton(this.timer ? "pause" : "play", label, () => this.replay());
    const hadFocus = document.activeElement === this.replaying;
    this.replaying.replaceWith(fresh);
    this.replaying = fresh;
    if (hadFocus) fresh.focus();
  }

  // What can be done with it

  position() {
    const { before, queue, hold } = this.steps[this.at];
    return { board: before, queue, hold: hold ?? "" };
  }

  playOn() {
    location.hash = `#/play/practice/${encodeURIComponent(JSON.stringify(this.position()))}`;
  }

  async openPosition() {
    try {
      const { text } = await request("fumen-write", this.position());
      location.hash = `#/analyse/position/${encodeURIComponent(text)}`;
    } catch (error) {
      this.note.textContent = error.message;
    }
  }

  async copy(text, what) {
    if (await copied(text)) this.note.textContent = `${what} copied.`;
    else
      this.note.replaceChildren(
        h("textarea", { rows: 3, readonly: true, "aria-label": what, onfocus: (event) => event.target.select() }, text),
      );
  }

  save() {
    const link = h("a", {
      href: URL.createObjectURL(new Blob([this.record], { type: "application/toml" })),
      download: `bellmino-${this.game.mode}-${this.game.id}.toml`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  // Drawing

  draw() {
    if (!this.steps.length) return;
    const { at, rules } = this;
    const step = this.steps[at],
      said = this.verdicts[at];
    const better =
      said && said.grade !== "best" ? { cells: said.cells, tone: "--good", dashed: true, label: "best" } : null;
    this.view.draw({
      board: step.before,
      active: { cells: step.cells, colour: step.piece },
      outlines: [...(better ? [better] : []), { cells: step.cells, tone: said ? TONES[said.grade] : "--text" }],
    });
    const placed = step.place ?? step.piece;
    this.view.canvas.setAttribute(
      "aria-label",
      `Move ${at + 1}: ${placed}, on a board with ${boardWords(step.before, rules.width)}`,
    );
    fill(this.hold, pieceOf(rules, step.hold, 16, [4, 2]));
    fill(
      this.next,
      [...step.queue].map((piece, index) => pieceOf(rules, piece, index ? 13 : 17, [4, 2.6])),
    );
    this.place.textContent = `${at + 1} / ${this.steps.length}`;
    this.drawVerdict(step, said);
    this.look();
    this.drawCurve();
  }

  drawVerdict(step, said) {
    const who = this.rules.kind === "guideline" ? "The bot" : "The exact best player";
    if (!said) {
      fill(
        this.verdict,
        h("h2", {}, `Move ${this.at + 1}`),
        h("p", { class: "soft" }, this.done ? "Not judged." : `${who} is looking at the game …`),
      );
      return;
    }
    const lost = lossOf(said);
    const words =
      said.grade === "best"
        ? `${who} would have done the same.`
        : said.fatal
          ? "It loses the whole game."
          : lost
            ? `It gives away ${lost}${said.reasons.length ? `: it ${said.reasons.join(", and ")}` : ""}.`
            : MARKED.includes(said.grade)
              ? `It ${said.reasons.join(", ")}. The bot would still mend that in time.`
              : "It is as good as the best.";
    fill(
      this.verdict,
      h(
        "h2",
        { "data-grade": said.grade, style: { color: `var(${TONES[said.grade]})` } },
        `Move ${this.at + 1}: ${MARKED.includes(said.grade) ? inWords(said) : WORDS[said.grade]}`,
      ),
      h("p", {}, words, step.clear ? ` Played: ${step.clear}.` : ""),
      said.expected
        ? h("p", { class: "soft small" }, `Expected if the bot plays on from here: ${said.expected}.`)
        : null,
    );
  }

  /** Asks for the boards behind the verdict, a moment after the last step. */
  look() {
    const { at } = this;
    if (this.rules.kind !== "guideline" || this.looked === at) return;
    if (this.looked !== null) fill(this.compared);
    this.looked = null;
    clearTimeout(this.lookTimer);
    if (this.timer || !this.verdicts[at]) return;
    this.lookTimer = setTimeout(async () => {
      try {
        const told = await request("game-look", { game: this.id, step: at });
        if (this.at === at) this.drawCompared(told);
      } catch (error) {
        if (this.at === at) fill(this.compared, h("p", { class: "small soft" }, error.message));
      }
    }, 150);
  }

  drawCompared(told, other = null) {
    this.looked = this.at;
    const { choices, played } = told;
    const said = told.verdict;
    const shown = other ?? (played || (choices.length > 1 ? 1 : 0));
    const titled = (place) => ({
      title: place === played ? "Played" : place === 0 ? "Best" : `Choice ${place + 1}`,
      tone: place === played ? TONES[said.grade] : place === 0 ? "--good" : "--accent",
      choice: choices[place],
    });
    fill(
      this.compared,
      sideBySide(shown === 0 ? [titled(0)] : [titled(shown), titled(0)]),
      choiceList(
        told,
        (place) => this.drawCompared(told, place),
        shown,
        (choice, place) =>
          // What was played is called what its verdict calls it.
          place === played && said && MARKED.includes(said.grade) && !said.loss_words
            ? `${said.grade}: ${said.reasons.join(", ")}`
            : worth(choice, place),
      ),
      h("p", { class: "small soft" }, `The bot looked ${effort(told)}.`),
    );
  }

  drawCurve() {
    if (this.curveAsked) return;
    this.curveAsked = true;
    requestAnimationFrame(() => {
      this.curveAsked = false;
      const { verdicts } = this;
      const known = verdicts.filter(Boolean);
      const coin = known[0]?.coin ?? "points";
      const forecast = known.some(({ before }) => before !== null);
      // Where a game has no end, what was given away so far takes the place of the result.
      let given = 0;
      const points = verdicts.flatMap((said, index) => {
        if (!said) return [];
        given += said.fatal ? 0 : said.loss;
        if (!forecast) return [[index + 1, -given]];
        return [
          [index + 1, said.before],
          [index + 1, said.after],
        ].filter(([, value]) => value !== null);
      });
      const at = new Map(points);
      // A move that loses the whole game stands below all others.
      const lowest = Math.min(...points.map(([, value]) => value), coin === "pieces" ? Infinity : -1);
      for (const { step, fatal } of known)
        if (fatal && forecast && coin !== "pieces" && coin !== "points") {
          at.set(step + 1, lowest);
          points.push([step + 1, lowest]);
        }
      points.sort(([one], [other]) => one - other);
      const marks = known
        .filter(({ grade, step }) => MARKED.includes(grade) && at.has(step + 1))
        .map((said) => ({
          x: said.step + 1,
          y: at.get(said.step + 1),
          colour: `var(${TONES[said.grade]})`,
          title: `Move ${said.step + 1}: ${inWords(said)}`,
        }));
      fill(
        this.curve,
        plot({
          series: [{ colour: "var(--accent)", points }],
          marks,
          cursor: this.at + 1,
          onpick: (x) => this.go(Math.round(x) - 1),
          width: 560,
          height: 190,
          xLabel: "move",
          yLabel: forecast ? meaning(coin) : "points given away so far",
          flip: coin === "pieces",
          label: `${forecast ? meaning(coin) : "Points given away so far"}, move by move`,
        }),
      );
      this.drawSummary(known);
    });
  }

  drawSummary(known) {
    const number = (grade) => known.filter((said) => said.grade === grade).length;
    const lost = known.reduce((sum, said) => sum + (said.fatal ? 0 : said.loss), 0);
    fill(
      this.summary,
      MARKED.map((grade) =>
        h(
          "span",
          { class: "pill", "data-count": grade, style: { color: `var(${TONES[grade]})` } },
          `${number(grade)} ${plural(grade, number(grade))}`,
        ),
      ),
      h(
        "span",
        { class: "soft small", "data-lost": lost },
        this.done ? `given away in all: ${total(known)}` : `${known.length} of ${this.steps.length} judged`,
      ),
    );
    const worst = known
      .filter((said) => MARKED.includes(said.grade))
      .sort((a, b) => b.fatal - a.fatal || b.loss - a.loss)
      .slice(0, 5);
    const line = (said) =>
      h(
        "li",
        {},
        h(
          "a",
          {
            href: `#/analyse/${this.id}/${said.step + 1}`,
            onclick: (event) => {
              event.preventDefault();
              this.go(said.step);
            },
          },
          `Move ${said.step + 1}`,
        ),
        h("span", { style: { color: `var(${TONES[said.grade]})` } }, ` ${inWords(said)}`),
        said.reasons.length ? h("span", { class: "soft" }, ` ${said.reasons.join(", ")}`) : null,
      );
    fill(
      this.mistakes,
      worst.length
        ? worst.map(line)
        : h("li", { class: "soft", style: { "list-style": "none" } }, this.done ? "None. Well played." : "…"),
    );
  }
}

/** What the curve shows. */
function meaning(coin) {
  return (
    {
      pieces: "expected pieces in the end (fewer is better)",
      points: "expected points in the end",
      average: "points that each move gives away, in the long run",
    }[coin] ?? `exact value of the game (${coin})`
  );
}

/** What a mark says: its word, and what the move cost. */
function inWords(said) {
  if (said.fatal) return `${said.grade}, loses the game`;
  const lost = lossOf(said);
  return lost ? `${said.grade}, −${lost}` : said.grade;
}

/** What a game gave away in all, in words. */
function total(known) {
  const lost = known.reduce((sum, said) => sum + (said.fatal ? 0 : said.loss), 0);
  const games = known.filter(({ fatal }) => fatal).length;
  const times = games > 1 ? `${games} times` : "once";
  const given = amount(lost, known[0]?.coin);
  if (!games) return given;
  return `${given === "nothing" ? "" : `${given}, and `}the whole game ${times}`;
}

/** What a placement gave away, in words; null if that is nothing to speak of. */
function lossOf({ loss_words: words, fatal }) {
  return fatal ? "the whole game" : words;
}

/** A sum of losses, with no more digits than are known. */
function amount(lost, coin) {
  if (lost < (coin === "pieces" ? 0.05 : coin === "points" ? 5 : 5e-4)) return "nothing";
  if (coin === "pieces") return `${count(lost, 1)} pieces`;
  if (coin === "points") return `${count(Math.round(lost / 10) * 10)} points`;
  return coin === "average" ? `${count(lost, 2)} points` : count(lost, 3);
}

function plural(word, number) {
  return number === 1 ? word : word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
}
