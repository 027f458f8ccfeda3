// Settings: keys, handling, touch, sound, look, and where everything is kept.

import { pieceView } from "../board.js";
import { button, choose, field, fill, h, pageHead, toggle } from "../dom.js";
import { keyboard } from "../keyboard.js";
import { actionName, keyName } from "../keys.js";
import { ACTIONS, change, choosePreset, LIMITS, PRESETS, presetInUse, reset, settings, watch } from "../settings.js";
import { sound } from "../sound.js";

export default function settingsPage(main, lab) {
  const binding = new Binding(() => render());
  function render() {
    if (binding.isListening) return;
    const focused = document.activeElement?.closest?.("[data-focus]")?.dataset.focus;
    fill(
      main,
      pageHead("Settings", "Kept at once, and the same on every open page."),
      h(
        "div",
        { class: "settings" },
        keysPanel(binding),
        h("div", { class: "stack" }, handlingPanel(), touchPanel(), soundPanel()),
        h("div", { class: "stack" }, lookPanel(lab), placesPanel(lab)),
      ),
    );
    if (focused) main.querySelector(`[data-focus="${focused}"]`)?.focus();
  }
  // Also when another page has changed something.
  const stop = watch(render);
  render();
  return () => {
    stop();
    binding.stop();
  };
}

/** The next key pressed becomes that of an action. */
class Binding {
  constructor(done) {
    this.done = done;
    this.listener = null;
  }

  get isListening() {
    return this.listener !== null;
  }

  stop() {
    if (this.listener) removeEventListener("keydown", this.listener, true);
    this.listener = null;
  }

  start(place, action, index) {
    this.stop();
    place.textContent = "press a key …";
    this.listener = (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.stop();
      // Esc leaves everything as it was.
      if (event.code !== "Escape") {
        const keys = [...settings().keys[action]];
        if (event.code === "Delete") keys.splice(index, 1);
        else keys[index] = event.code;
        change("keys", { [action]: [...new Set(keys.filter(Boolean))].slice(0, 2) });
      }
      this.done();
    };
    addEventListener("keydown", this.listener, true);
  }
}

/** What every key that stands for more than one action does. */
function clashes() {
  const actions = new Map();
  for (const [action] of ACTIONS)
    for (const code of settings().keys[action]) actions.set(code, [...(actions.get(code) ?? []), action]);
  return new Map([...actions].filter(([, list]) => list.length > 1));
}

function keysPanel(binding) {
  const { keys } = settings();
  const twice = clashes();
  const place = (action, text, index) => {
    const code = keys[action][index];
    const set = button(
      h("kbd", { class: twice.has(code) ? "bad" : "" }, code ? keyName(code) : "+"),
      () => binding.start(set, action, index),
      {
        "data-action": index ? null : action,
        "data-second": index ? action : null,
        "data-focus": `${action} ${index}`,
        disabled: index > keys[action].length,
        "aria-label": `${text}, ${index ? "second" : "first"} key: ${keyName(code)}; press to change`,
      },
    );
    return set;
  };
  const preset = presetInUse();
  return h(
    "section",
    { class: "panel stack" },
    h("h2", {}, "Keys"),
    field(
      "Begin from",
      choose(
        [
          ...(preset ? [] : [["", "Keys of your own"]]),
          ...PRESETS.map(({ name, title, note }) => [name, `${title}: ${note}`]),
        ],
        preset?.name ?? "",
        (name) => name && choosePreset(name),
      ),
    ),
    keyboard(keys),
    [...twice].map(([code, actions]) =>
      h(
        "p",
        { class: "bad small", "data-clash": code },
        `${keyName(code)} stands for ${actions.map((action) => actionName(action)).join(" and ")}; ` +
          "only the first will work.",
      ),
    ),
    h(
      "table",
      { class: "bindings" },
      h(
        "tbody",
        {},
        ACTIONS.map(([action, text]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, text),
            h("td", { class: "num" }, h("span", { class: "row" }, place(action, text, 0), place(action, text, 1))),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "soft small" },
      "Press a button, then the new key: Ctrl, Alt and Shift are keys too. ",
      h("kbd", {}, "Esc"),
      " leaves it as it was, ",
      h("kbd", {}, "Delete"),
      " takes the key away.",
    ),
  );
}

function handlingPanel() {
  const { handling } = settings();
  const wrong = h("p", { class: "small bad", role: "status", "data-wrong": "handling" });
  const number = (key, label, help) => {
    const [least, most] = LIMITS[key];
    const input = h("input", {
      type: "number",
      min: least,
      max: most,
      step: 1,
      value: handling[key],
      "data-handling": key,
      "data-focus": key,
      "aria-label": `${label}, milliseconds`,
      disabled: key === "arr" && handling.advanced,
      onchange: (event) => {
        const text = event.target.value.trim();
        const value = Number(text);
        const isRight = text !== "" && Number.isInteger(value) && value >= least && value <= most;
        event.target.setAttribute("aria-invalid", String(!isRight));
        wrong.textContent = isRight ? "" : `${label}: a whole number from ${least} to ${most}; ${handling[key]} stays.`;
        if (isRight) change("handling", { [key]: value });
      },
    });
    return h(
      "tr",
      {},
      h("td", {}, h("div", {}, label), h("div", { class: "soft small" }, help)),
      h(
        "td",
        { class: "num" },
        h("span", { class: "row", style: { "justify-content": "end", "flex-wrap": "nowrap" } }, input, "ms"),
      ),
    );
  };
  return h(
    "section",
    { class: "panel stack" },
    h(
      "div",
      { class: "row spread" },
      h("h2", {}, "Handling"),
      button("Defaults", () => reset("handling"), { "data-focus": "handling-defaults" }),
    ),
    h("p", { class: "soft small" }, "A game that has begun keeps the handling it began with."),
    h(
      "table",
      {},
      h(
        "tbody",
        {},
        number("das", "Delay before repeat (DAS)", "Holding left or right moves on after this"),
        number("arr", "Repeat (ARR)", "Time between the moves that follow; 0 goes to the wall at once"),
        number("soft", "Soft drop", "Time per row while soft drop is held; 0 falls at once"),
        number("cut", "DAS cut", "A new piece waits this long before a held key moves it"),
      ),
    ),
    wrong,
    toggle("Advanced controls: repeat 0 ms", handling.advanced, (advanced) => change("handling", { advanced }), {
      "data-focus": "advanced",
    }),
    toggle(
      "Held turn and hold keys act on the next piece (IRS, IHS)",
      handling.initial,
      (initial) => change("handling", { initial }),
      { "data-handling": "initial", "data-focus": "initial" },
    ),
  );
}

function touchPanel() {
  const { touch } = settings();
  const set = (key) => (value) => change("touch", { [key]: value });
  return h(
    "section",
    { class: "panel stack" },
    h("h2", {}, "Touch"),
    toggle("Gestures on the board", touch.gestures, set("gestures"), { "data-focus": "gestures" }),
    toggle("Buttons below it", touch.buttons, set("buttons"), { "data-focus": "buttons" }),
    toggle("Buttons the other way round", touch.mirrored, set("mirrored"), { "data-focus": "mirrored" }),
    field(
      `A drag of ${touch.step} pixels is a column`,
      h("input", {
        type: "range",
        min: 14,
        max: 60,
        value: touch.step,
        "data-focus": "step",
        onchange: (event) => change("touch", { step: Number(event.target.value) }),
      }),
    ),
  );
}

function soundPanel() {
  return h(
    "section",
    { class: "panel stack" },
    h("h2", {}, "Sound"),
    field(
      "Volume",
      choose(
        [
          ["0", "Off"],
          ["0.3", "Quiet"],
          ["0.6", "Middle"],
          ["1", "Loud"],
        ],
        String(settings().sound.volume),
        (volume) => {
          change("sound", { volume: Number(volume) });
          sound("clear4");
        },
      ),
    ),
  );
}

function lookPanel(lab) {
  const { look } = settings();
  const { pieces } = lab.games.find(({ timed }) => timed);
  const set = (key) => (value) => change("look", { [key]: value });
  const list = (label, key, choices) => field(label, choose(choices, look[key], set(key)));
  return h(
    "section",
    { class: "panel stack" },
    h("h2", {}, "Look"),
    h(
      "div",
      { class: "controls" },
      list("Theme", "theme", [
        ["", "As the system"],
        ["dark", "Dark"],
        ["light", "Light"],
      ]),
      list("Colours", "colours", [
        ["safe", "For any colour vision"],
        ["guideline", "As in modern games"],
      ]),
      list("Marks on cells", "marks", [
        ["none", "None"],
        ["letters", "Letters"],
        ["patterns", "Patterns"],
      ]),
    ),
    h(
      "div",
      { class: "row", "data-pieces": look.colours },
      pieces.map(({ cells, colour }) => pieceView(cells, colour, 15, [4, 2])),
    ),
    toggle("Ghost piece", look.ghost, set("ghost"), { "data-focus": "ghost" }),
    toggle("Grid", look.grid, set("grid"), { "data-focus": "grid" }),
    toggle("Effects for clears", look.effects, set("effects"), { "data-focus": "effects" }),
    toggle("Show finesse faults and the shortest keys", look.finesse, set("finesse"), { "data-focus": "finesse" }),
  );
}

function placesPanel(lab) {
  return h(
    "section",
    { class: "panel stack" },
    h("h2", {}, "Where things are kept"),
    h(
      "p",
      { class: "small" },
      "Games and settings: ",
      h("code", { class: "num", style: { "overflow-wrap": "anywhere" } }, lab.store),
    ),
    h(
      "p",
      { class: "small soft" },
      "Beside it: games of your own in ",
      h("code", {}, "games/NAME.toml"),
      ", weights in ",
      h("code", {}, "weights/NAME.json"),
      ", solved tables in ",
      h("code", {}, "tables/"),
      ".",
    ),
    lab.damaged.length
      ? h(
          "p",
          { class: "small bad", "data-damaged": "settings" },
          `Damaged in the store, and set to the defaults: ${lab.damaged.join(", ")}.`,
        )
      : null,
    h("p", { class: "soft small" }, `Bellmino ${lab.version}`),
  );
}
