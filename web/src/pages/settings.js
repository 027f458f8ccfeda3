// Settings: keys, handling, look, and where everything is kept.

import { pieceView } from "../board.js";
import { button, choose, field, fill, h, pageHead, toggle } from "../dom.js";
import { keyName } from "../keys.js";
import { ACTIONS, change, LIMITS, reset, settings } from "../settings.js";

export default function settingsPage(main, lab) {
  let listening = null;
  const stopListening = () => {
    if (listening) removeEventListener("keydown", listening, true);
    listening = null;
  };

  function render() {
    stopListening();
    const { keys, handling, look } = settings();
    const { pieces } = lab.games.find(({ timed }) => timed);
    const duplicates = new Set(Object.values(keys).filter((key, index, all) => key && all.indexOf(key) !== index));
    const keyRows = ACTIONS.map(([action, text]) => {
      const set = button(
        h("kbd", { class: duplicates.has(keys[action]) ? "bad" : "" }, keyName(keys[action])),
        () => {
          stopListening();
          set.textContent = "press a key …";
          listening = (event) => {
            event.preventDefault();
            event.stopPropagation();
            stopListening();
            change("keys", { [action]: event.code === "Delete" ? "" : event.code });
            render();
            main.querySelector(`[data-action="${action}"]`)?.focus();
          };
          addEventListener("keydown", listening, true);
        },
        { "data-action": action, "aria-label": `${text}: ${keyName(keys[action])}; press to change` },
      );
      return h("tr", {}, h("td", {}, text), h("td", { class: "num" }, set));
    });
    const number = (key, label, help) => {
      const [least, most] = LIMITS[key];
      const input = h("input", {
        type: "number",
        min: least,
        max: most,
        step: 1,
        value: handling[key],
        "data-handling": key,
        disabled: key === "arr" && handling.advanced,
        onchange: (event) => {
          const value = Math.round(Math.min(most, Math.max(least, Number(event.target.value) || 0)));
          event.target.value = value;
          change("handling", { [key]: value });
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
    fill(
      main,
      pageHead("Settings", "Kept at once."),
      h(
        "div",
        { class: "two", style: { "grid-template-columns": "repeat(auto-fit, minmax(300px, 1fr))" } },
        h(
          "section",
          { class: "panel stack" },
          h(
            "div",
            { class: "row spread" },
            h("h2", {}, "Keys"),
            button("Defaults", () => {
              reset("keys");
              render();
            }),
          ),
          duplicates.size
            ? h("p", { class: "bad small" }, "One key stands for two actions; only the first will work.")
            : null,
          h("table", {}, h("tbody", {}, keyRows)),
          h(
            "p",
            { class: "soft small" },
            "Press a button, then the new key. ",
            h("kbd", {}, "Delete"),
            " takes the key away.",
          ),
        ),
        h(
          "section",
          { class: "stack" },
          h(
            "div",
            { class: "panel stack" },
            h(
              "div",
              { class: "row spread" },
              h("h2", {}, "Handling"),
              button("Defaults", () => {
                reset("handling");
                render();
              }),
            ),
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
            toggle("Advanced controls: repeat 0 ms", handling.advanced, (advanced) => {
              change("handling", { advanced });
              render();
            }),
          ),
          h(
            "div",
            { class: "panel stack" },
            h("h2", {}, "Look"),
            h(
              "div",
              { class: "controls" },
              field(
                "Theme",
                choose(
                  [
                    ["", "As the system"],
                    ["dark", "Dark"],
                    ["light", "Light"],
                  ],
                  look.theme,
                  (theme) => {
                    change("look", { theme });
                    render();
                  },
                ),
              ),
              field(
                "Marks on cells",
                choose(
                  [
                    ["none", "None"],
                    ["letters", "Letters"],
                    ["patterns", "Patterns"],
                  ],
                  look.marks,
                  (marks) => {
                    change("look", { marks });
                    render();
                  },
                ),
              ),
            ),
            h(
              "div",
              { class: "row" },
              pieces.map(({ cells, colour }) => pieceView(cells, colour, 15, [4, 2])),
            ),
            toggle("Ghost piece", look.ghost, (ghost) => change("look", { ghost })),
            toggle("Grid", look.grid, (grid) => change("look", { grid })),
          ),
          h(
            "div",
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
          ),
        ),
      ),
    );
  }
  render();
  return stopListening;
}
