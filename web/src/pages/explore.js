// Explore: small games solved exactly. Paint a board, choose a piece, see every placement with its value.

import { BoardView, colourOf, fittingCell, pieceView } from "../board.js";
import { plot } from "../chart.js";
import { button, choose, count, field, fill, h, inLine, pageHead } from "../dom.js";
import { gameChoices } from "../games.js";
import { request } from "../socket.js";

const kept = { game: "baby", discount: 0.9, height: null, mixed: 0, mode: "look" };
const FORGOTTEN = "this solution is no longer in memory";
const MODES = { look: "Look", place: "You place, the worst dealer deals", deal: "You deal, the best player places" };

export default function explore(main, lab) {
  const games = lab.games.filter((game) => game.small);
  let game = games.find(({ name }) => name === kept.game) ?? games[0];
  let board = [],
    piece = 0,
    look = null,
    shown = 0,
    view = null,
    solving = 0,
    total = 0,
    moves = 0,
    history = [],
    stopped = false,
    from = null,
    opened = null;
  const stage = h("div", { class: "explore-stage" }),
    palette = h("div", { class: "row palette", role: "radiogroup", "aria-label": "Piece to place" });
  const list = h("ol", { class: "values" }),
    answer = h("div", { class: "stack" }),
    figures = h("dl", { class: "facts small" }),
    curve = h("div");
  const note = h("p", { class: "small warn", role: "status" }),
    dealer = h("div", { class: "stack" }),
    contest = h("div", { class: "stack" });
  const side = h("div", { class: "stack" });

  const slider = (label, key, min, max, step, text) => {
    const output = h("output", { class: "num" }, text(kept[key]));
    return h(
      "label",
      { class: "field" },
      h("span", { class: "row spread" }, label, output),
      h("input", {
        type: "range",
        min,
        max,
        step,
        value: kept[key],
        "data-slider": key,
        oninput: (event) => {
          kept[key] = Number(event.target.value);
          output.textContent = text(kept[key]);
          if (key === "height") reset();
          solve();
        },
      }),
    );
  };

  function build() {
    kept.height ??= game.height;
    fill(
      side,
      h(
        "div",
        { class: "panel stack" },
        field(
          "Game",
          choose(gameChoices(games), game.name, (name) => {
            kept.game = name;
            game = games.find((one) => one.name === name);
            kept.height = game.height;
            piece = 0;
            build();
            reset();
            solve();
          }),
        ),
        slider("Discount", "discount", 0, 0.99, 0.01, (value) => value.toFixed(2)),
        slider("Height", "height", 2, game.tallest, 1, (value) => `${value} rows`),
        slider("Share of the worst dealer", "mixed", 0, 1, 0.05, (value) =>
          value === 0 ? "0: chance deals" : value === 1 ? "1: always the worst" : value.toFixed(2),
        ),
        field(
          "Open a table",
          lab.tables.length
            ? Object.assign(
                choose([["", "choose one"], ...lab.tables], "", (table) => {
                  if (table) openTable(table);
                }),
                { id: "explore-table" },
              )
            : h(
                "span",
                { class: "small soft", title: `${lab.folder}/tables` },
                "none in the lab's folder ",
                h("code", {}, "tables"),
              ),
        ),
        field(
          "What to do",
          choose(Object.entries(MODES), kept.mode, (mode) => {
            kept.mode = mode;
            reset();
            draw();
            refresh();
          }),
        ),
      ),
      h("div", { class: "panel stack" }, h("h3", {}, "Solution"), figures, curve),
    );
  }

  /** The piece in hand has no place. */
  function stuck() {
    history.push({ piece, cells: [] });
    over(`No place for ${game.pieces[piece].name}: the game is over after ${moves} pieces with ${total} points.`);
  }

  /** A contest has ended: the lab keeps it. */
  async function over(text) {
    note.textContent = text;
    try {
      const { game: id } = await request("explore-keep", { placed: kept.mode === "place", moves: history });
      note.append(" ", h("a", { href: `#/analyse/${id}` }, "Look at it again"));
    } catch (error) {
      note.append(` It was not kept: ${error.message}`);
    }
  }

  /** Back to the empty board. */
  function reset() {
    board = [];
    total = moves = 0;
    history = [];
    from = null;
    makeView();
  }

  function makeView() {
    const cell = fittingCell(game.width, kept.height + 1, {
      most: 76,
      least: 30,
      high: innerHeight - 330,
      wide: Math.min(420, innerWidth - 60),
    });
    view = new BoardView({
      width: game.width,
      height: kept.height,
      above: 1,
      cell,
      label: "The board; click cells to fill or empty them",
    });
    view.element.tabIndex = 0;
    fill(stage, view.element);
    let filling = null;
    const paint = (event) => {
      const at = view.cellAt(event);
      if (!at || kept.mode !== "look") return;
      const [x, y] = at;
      const rows = Array.from({ length: kept.height }, (_, row) => [...(board[row] ?? ".".repeat(game.width))]);
      filling ??= rows[y][x] === ".";
      const cell = filling ? "G" : ".";
      if (rows[y][x] === cell) return;
      rows[y][x] = cell;
      board = rows.map((row) => row.join(""));
      look = null;
      draw();
    };
    view.canvas.style.touchAction = "none";
    view.canvas.addEventListener("pointerdown", (event) => {
      view.canvas.setPointerCapture(event.pointerId);
      filling = null;
      paint(event);
      if (kept.mode === "place") place(shown);
    });
    view.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons && kept.mode === "look") paint(event);
      else if (kept.mode === "place") point(event);
    });
    view.canvas.addEventListener("pointerup", () => {
      if (kept.mode === "look") refresh();
      filling = null;
    });
    view.element.addEventListener("keydown", (event) => {
      const act = {
        ArrowDown: () => show(shown + 1),
        ArrowRight: () => show(shown + 1),
        ArrowUp: () => show(shown - 1),
        ArrowLeft: () => show(shown - 1),
        Enter: () => kept.mode === "place" && place(shown),
      }[event.key];
      if (act) {
        event.preventDefault();
        act();
      }
    });
    draw();
  }

  function showFigures(rows) {
    fill(
      figures,
      rows.flatMap(([text, value]) => [h("dt", {}, text), h("dd", {}, value)]),
    );
  }

  /** Says where a question is in the queue. */
  function wait(mine, place) {
    if (mine === solving && !stopped) note.textContent = inLine(place);
  }

  /** Opens a table instead of solving. */
  async function openTable(table) {
    const mine = ++solving;
    note.textContent = "";
    try {
      const result = await request("explore-open", { table }, (place) => wait(mine, place));
      if (mine !== solving || stopped) return;
      opened = table;
      game = result.game;
      kept.height = game.height;
      piece = 0;
      reset();
      showFigures([
        ["Table of", game.title],
        ["Objective", result.objective],
        ["Dealer", result.dealer],
        ["Value", result.value.toFixed(10)],
        ["Proven error below", result.error_bound.toExponential(1)],
        ["Sweeps", count(result.sweeps)],
      ]);
      fill(curve);
      await refresh();
    } catch (error) {
      if (mine === solving && error.message !== "cancelled") note.textContent = error.message;
    }
  }

  /** Solves again; an earlier question that is still open is dropped, and so is a table. */
  async function solve() {
    const mine = ++solving;
    if (opened) {
      opened = null;
      game = games.find(({ name }) => name === kept.game) ?? games[0];
      kept.height = game.height;
      piece = 0;
      build();
      reset();
    }
    note.textContent = "";
    const patience = setTimeout(() => {
      if (mine === solving && !stopped) note.textContent = "Solving …";
    }, 300);
    const set = kept.height === game.height ? [] : [`board.height=${kept.height}`];
    try {
      const question = { game: game.name, set, discount: kept.discount, mixed: kept.mixed, from };
      const told = (place) => {
        clearTimeout(patience);
        wait(mine, place);
      };
      const result = await request("explore-solve", { question }, told);
      if (mine !== solving || stopped) return;
      showFigures([
        ["Value, empty board", from ? "–" : result.value.toFixed(10)],
        ["Proven error below", result.error_bound.toExponential(1)],
        ["Boards", count(result.boards)],
        ["States", count(result.states)],
        ["Sweeps", count(result.sweeps)],
        ["Time", `${(result.seconds * 1000).toFixed(1)} ms`],
      ]);
      fill(
        curve,
        plot({
          series: [{ colour: "var(--accent)", points: result.changes.map((change, index) => [index + 1, change]) }],
          log: true,
          width: 260,
          height: 130,
          xLabel: "sweep",
          yLabel: "largest change",
          label: "Convergence of the solution",
        }),
      );
      await refresh();
    } catch (error) {
      if (mine === solving && error.message !== "cancelled") note.textContent = error.message;
    } finally {
      clearTimeout(patience);
    }
  }

  /** Asks for the values of what is on the board. */
  async function refresh() {
    try {
      const dealt = history.map((move) => move.piece);
      const answered = await request("explore-look", { board, piece, dealt });
      if (stopped) return;
      if (answered.placements === null) {
        if (opened) throw new Error("this board with this piece is not in the table");
        if (JSON.stringify(from) === JSON.stringify(board)) throw new Error("this board cannot be solved");
        // Not reachable from the empty board: solved from here.
        from = board;
        return solve();
      }
      look = answered;
      look.order = look.placements
        .map((_, index) => index)
        .sort(
          (a, b) =>
            look.placements[a].fatal - look.placements[b].fatal || look.placements[b].value - look.placements[a].value,
        );
      note.textContent = "";
      show(0);
      if (kept.mode === "deal" && look.placements.length === 0) stuck();
    } catch (error) {
      // Others needed the room: once more.
      if (error.message === FORGOTTEN) return opened ? openTable(opened) : solve();
      look = null;
      note.textContent = error.message;
      draw();
    }
  }

  function show(index) {
    shown = Math.max(0, Math.min((look?.order.length ?? 1) - 1, index));
    draw();
  }

  /** The placement nearest to the pointer. */
  function point(event) {
    if (!look?.order.length) return;
    const box = view.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * view.width - 0.5,
      y = (1 - (event.clientY - box.top) / box.height) * view.height - 0.5;
    const far = (index) =>
      Math.min(...look.placements[look.order[index]].cells.map((cell) => Math.hypot(cell[0] - x, cell[1] - y)));
    const mean = (index) =>
      Math.hypot(
        look.placements[look.order[index]].cells.reduce((sum, cell) => sum + cell[0], 0) /
          look.placements[look.order[index]].cells.length -
          x,
        0.3 *
          (look.placements[look.order[index]].cells.reduce((sum, cell) => sum + cell[1], 0) /
            look.placements[look.order[index]].cells.length -
            y),
      );
    const nearest = look.order.map((_, index) => index).sort((a, b) => far(a) + mean(a) - far(b) - mean(b))[0];
    if (nearest !== shown) show(nearest);
  }

  const worst = (deals) => deals?.reduce((least, deal) => (deal.value < least.value - 1e-12 ? deal : least));

  /** In a contest: the chosen placement is made and a piece is dealt. */
  function place(index) {
    const placement = look?.placements[look.order[index]];
    if (!placement) return;
    moves += 1;
    history.push({ piece, cells: placement.cells });
    total += placement.fatal ? 0 : placement.points;
    if (placement.fatal) {
      over(`Over the top: the game is over after ${moves} pieces with ${total} points.`);
      look = null;
      return draw();
    }
    const best = look.placements[look.order[0]];
    const lost = best.value - placement.value;
    contestNote = lost > 1e-9 ? `You gave away ${lost.toFixed(4)}.` : "The best placement.";
    board = placement.after;
    if (kept.mode === "place") {
      piece = worst(placement.deals).piece;
      refresh().then(() => {
        if (look && look.placements.length === 0) stuck();
      });
    } else {
      look = null;
      draw();
    }
  }
  let contestNote = "";

  /** In a contest: the person deals and the best player places. */
  async function deal(index) {
    piece = index;
    await refresh();
    if (look?.order.length) place(0);
  }

  function draw() {
    const paletteKey = `${game.name} ${piece} ${kept.mode}`;
    if (palette.dataset.key !== paletteKey)
      fill(
        palette,
        game.pieces.map(({ name, colour, cells }, index) =>
          h(
            "button",
            {
              type: "button",
              class: "button piece-button",
              role: "radio",
              "aria-checked": index === piece,
              "data-piece": name,
              "aria-label": kept.mode === "deal" ? `Deal ${name}` : name,
              disabled: kept.mode === "place",
              onclick: () => {
                if (kept.mode === "deal") deal(index);
                else {
                  piece = index;
                  refresh();
                }
              },
            },
            pieceView(cells, colour, 18, [4, 3]),
            h("span", {}, name),
          ),
        ),
      );
    palette.dataset.key = paletteKey;
    const placement = look?.placements[look.order?.[shown]];
    const { colour } = game.pieces[piece];
    view.draw({
      board,
      ghost: placement ? { cells: placement.cells, colour } : null,
      outlines: placement
        ? [
            {
              cells: placement.cells,
              tone: shown === 0 ? "--good" : colourOf(colour),
              label: placement.fatal ? "ends" : placement.value.toFixed(3),
            },
          ]
        : [],
    });
    const named = game.pieces[piece].name;
    fill(
      answer,
      look
        ? [
            h("p", {}, `Value of this board with ${named}`),
            h(
              "div",
              { class: "big", "data-value": "board" },
              look.placements.length ? look.value.toFixed(10) : "0 (no place)",
            ),
          ]
        : h("p", { class: "soft" }, kept.mode === "deal" ? "Deal a piece: choose one below the board." : "…"),
    );
    if (listed === look) {
      // The same list: only the mark moves, so that a row is never replaced under the pointer.
      [...list.querySelectorAll(".value-row")].forEach((row, index) => {
        row.classList.toggle("chosen", index === shown);
        row.setAttribute("aria-pressed", index === shown);
      });
    } else {
      listed = look;
      drawList();
    }
    drawDeals(placement);
  }
  let listed = null;

  function drawList() {
    const values = look?.placements.filter((one) => !one.fatal).map((one) => one.value) ?? [];
    const [low, high] = [Math.min(...values), Math.max(...values)];
    fill(
      list,
      look?.order.map((number, index) => {
        const one = look.placements[number];
        const share = one.fatal ? 0 : high > low ? 12 + (88 * (one.value - low)) / (high - low) : 100;
        return h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: `value-row${index === shown ? " chosen" : ""}${index === 0 && !one.fatal ? " best" : ""}`,
              "aria-pressed": index === shown,
              onmouseenter: () => {
                if (kept.mode !== "place") show(index);
              },
              onfocus: () => {
                if (shown !== index) show(index);
              },
              onclick: () => (kept.mode === "place" ? place(index) : show(index)),
            },
            h("span", { class: "bar", style: { width: `${share}%` } }),
            h("span", { class: "num" }, one.fatal ? "ends the game" : one.value.toFixed(6)),
            h(
              "span",
              { class: "soft small" },
              one.lines ? `${one.lines} ${one.lines > 1 ? "lines" : "line"}, +${one.points}` : "",
            ),
          ),
        );
      }) ?? [],
    );
  }

  function drawDeals(placement) {
    const deals = placement?.deals;
    const bad = deals && worst(deals);
    fill(
      dealer,
      deals
        ? [
            h("h3", {}, "Then the worst piece to get is"),
            h(
              "div",
              { class: "row" },
              deals.map((dealt) => {
                const { name, colour: tone, cells } = game.pieces[dealt.piece];
                return h(
                  "div",
                  { class: `deal${dealt === bad ? " worst" : ""}`, "data-deal": name },
                  pieceView(cells, tone, 13, [4, 3]),
                  h("div", { class: "num small" }, `${name} ${dealt.value.toFixed(4)}`),
                );
              }),
            ),
          ]
        : null,
    );
    fill(
      contest,
      kept.mode === "look"
        ? null
        : h(
            "div",
            { class: "panel" },
            h(
              "dl",
              { class: "facts" },
              [
                ["Points", total],
                ["Pieces", moves],
              ].flatMap(([text, value]) => [h("dt", {}, text), h("dd", { "data-contest": text.toLowerCase() }, value)]),
            ),
            kept.mode === "place" && moves ? h("p", { class: "small soft" }, contestNote) : null,
          ),
    );
  }

  build();
  reset();
  fill(
    main,
    pageHead(
      "Explore",
      "Small games, solved exactly. Draw on the board, choose a piece, and see what each placement is worth.",
    ),
    h(
      "div",
      { class: "exploring" },
      side,
      h(
        "div",
        { class: "stack", style: { "align-items": "center" } },
        stage,
        palette,
        h(
          "div",
          { class: "row" },
          button("Empty the board", () => {
            reset();
            solve();
          }),
        ),
        note,
        contest,
      ),
      h("div", { class: "panel stack" }, answer, list, dealer),
    ),
  );
  solve();
  return () => {
    stopped = true;
  };
}
