// "What is best here?" beside the board of Practice: off, on request, or always. The lab thinks; what it says of a
// position is shown for as long as that position is on the board.

import { button, choose, field, fill, h } from "../dom.js";
import { change, settings } from "../settings.js";
import { request } from "../socket.js";

const TONES = ["--good", "--accent", "--warn"];

export class Advice {
  constructor(owner) {
    Object.assign(this, { owner, position: "", told: null, asked: "" });
    this.list = h("ol", { class: "advised small", "data-advice": "none" });
    this.words = h("p", { class: "small soft", role: "status" });
    this.button = button("What is best here?", () => this.ask());
    this.element = h(
      "div",
      { class: "box stack advice" },
      h(
        "div",
        { class: "row", style: { "align-items": "end" } },
        field(
          "Advice",
          choose(
            [
              ["off", "Off"],
              ["asked", "On request"],
              ["always", "Always"],
            ],
            settings().practice.advice,
            (advice) => {
              change("practice", { advice });
              this.forget();
              this.show(owner.frame);
              owner.focusBoard();
            },
          ),
        ),
        this.button,
      ),
      this.words,
      this.list,
    );
    this.button.hidden = settings().practice.advice !== "asked";
  }

  /** The position has perhaps changed. */
  show(frame) {
    if (!frame) return;
    const { advice } = settings().practice;
    const { rows, hold, active, queue } = frame.view;
    this.button.hidden = advice !== "asked";
    const position = JSON.stringify([rows, hold, active?.piece, queue, frame.view.combo, frame.view.back_to_back]);
    if (position === this.position) return;
    this.position = position;
    if (this.told) this.forget();
    if (advice === "always" && active && frame.phase !== "over") this.ask();
  }

  forget() {
    this.told = null;
    this.position = "";
    this.words.textContent = "";
    fill(this.list);
    this.list.dataset.advice = "none";
    this.owner.redraw();
  }

  /** Asks, unless the same was asked already; an answer that comes too late is not shown. */
  async ask() {
    const { view } = this.owner.frame;
    const asked = this.position;
    if (!view.active || asked === this.asked) return;
    this.asked = asked;
    this.words.textContent = "Thinking …";
    try {
      const told = await request("best", {
        mode: "practice",
        board: view.rows,
        queue: [view.active.piece, ...view.queue].join(""),
        hold: view.hold ?? "",
        back_to_back: view.back_to_back,
        combo: view.combo,
      });
      if (asked === this.position) this.tell(told);
    } catch (error) {
      if (asked === this.position) this.words.textContent = error.message;
    } finally {
      if (this.asked === asked) this.asked = "";
    }
  }

  tell(told) {
    this.told = told;
    this.words.textContent = `${told.depth} pieces deep, ${told.milliseconds} ms`;
    this.list.dataset.advice = told.choices.length;
    fill(
      this.list,
      told.choices.map(({ place, held, clear, words, reasons }, index) =>
        h(
          "li",
          { style: { "--tone": `var(${TONES[index]})` } },
          h("strong", {}, held ? `hold, then ${place}` : place),
          // Why it is worse stands below.
          index ? ` · ${words.split(": ")[0].replace(/^-/, "−")}` : "",
          clear && clear !== "none" ? ` · ${clear}` : "",
          reasons.length ? h("div", { class: "soft" }, reasons.join(", ")) : null,
        ),
      ),
    );
    this.owner.redraw();
  }

  /** What is drawn on the board: the best choice, and the others dashed. */
  outlines() {
    return (this.told?.choices ?? [])
      .map(({ cells }, index) => ({ cells, tone: TONES[index], label: String(index + 1), dashed: index > 0 }))
      .reverse();
  }
}
