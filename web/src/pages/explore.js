// Explore: small games solved exactly. Paint a board, choose what is in hand, see every placement with its value;
// play against the solution; walk through all boards.

import { choose, field, fill, h, inLine, pageHead } from "../dom.js";
import { gameChoices } from "../games.js";
import { request } from "../socket.js";
import { contestPanel } from "./explore/contest.js";
import { figuresPanel } from "./explore/figures.js";
import { frontierPanel } from "./explore/frontier.js";
import { mapPanel } from "./explore/map.js";
import { commandOf, FIRST, orderOf, questionPanel } from "./explore/question.js";
import { rulesPanel } from "./explore/rules.js";
import { stagePanel } from "./explore/stage.js";
import { valuesPanel } from "./explore/values.js";
import { markOf, size } from "./explore/words.js";

// What one has chosen stays while one is elsewhere.
const kept = { game: { name: "baby", text: null, set: [] }, asked: { ...FIRST }, mode: "look", heat: false };
// The largest table that fits into one message.
const MAX_TABLE = 180 * 1024;
const FORGOTTEN = "this solution is no longer in memory";
const MODES = {
  look: "Look at boards",
  place: "You place, the dealer deals",
  deal: "You deal, the player places",
};

export default function explore(main, lab) {
  const games = lab.games.filter((game) => game.small);
  const desk = {
    game: null,
    solved: null,
    look: null,
    shown: 0,
    mode: "look",
    heat: kept.heat,
    deals: null,
    trail: [],
    position: { board: [], queue: [0], held: null, out: [], place: 0, left: null },
    /** The placement that is shown. */
    placement() {
      return this.look?.placements[this.look.order[this.shown]] ?? null;
    },
    /** Whether a piece can be put aside. */
    hasHold: () => (opened ? opened.hold : kept.asked.hold),
  };
  let taking = 0,
    solving = 0,
    looking = 0,
    stopped = false,
    from = null,
    opened = null,
    missed = { key: "", starts: [] };

  const note = h("p", { class: "small warn", role: "status", id: "explore-note" });
  const say = (...parts) => fill(note, ...parts);
  const chooser = h("div", { class: "stack" }),
    height = h("div"),
    command = h("code", { class: "small command" });
  const question = questionPanel(kept.asked, lab, () => solve());
  const figures = figuresPanel();
  const rules = rulesPanel(takeGame);
  const map = mapPanel((board) => setBoard(board));
  const frontier = frontierPanel(() => orderOf(kept.game, kept.asked, null));
  const values = valuesPanel({
    onshow: show,
    ontake: (place) => (desk.mode === "place" ? contest.take(place) : show(place)),
  });
  const stage = stagePanel(desk, {
    setBoard: (board) => setBoard(board),
    leaveBoard: () => desk.trail.push(desk.position.board),
    changed: () => refresh(),
    choose: (piece) => choosePiece(piece),
    choosePlace: (place) => choosePlace(place),
    show,
    take: (place) => contest.take(place),
    putAside: () => contest.putAside(),
    walk: () => desk.placement()?.after && setBoard(desk.placement().after),
    back: () => setBoard(desk.trail.pop() ?? [], false),
    say,
    empty: () => {
      if (desk.mode === "look") setBoard([]);
      else begin();
    },
    deal: (piece) => contest.deal(piece),
    heat: (on) => {
      desk.heat = kept.heat = on;
    },
  });
  const contest = contestPanel(desk, { look: () => refresh(), draw, say });
  const mode = choose(Object.entries(MODES), desk.mode, (wanted) => {
    desk.mode = wanted;
    begin();
  });

  function draw() {
    if (!desk.game) return;
    stage.draw();
    values.draw(desk);
    figures.showTime(desk.look, desk.position.left);
  }

  /** Takes a game if there is nothing wrong with it; else says what. */
  async function takeGame(order) {
    // A question about the game before it, asked while this one is under way, does not put it aside.
    const mine = ++taking;
    solving++;
    try {
      const game = await request("explore-game", { game: order });
      if (mine !== taking || stopped) return null;
      kept.game = order;
      opened = null;
      showGame(game);
      solve();
      return null;
    } catch (error) {
      return error.message;
    }
  }

  /** Shows a game, with nothing on its board. */
  function showGame(game) {
    desk.game = game;
    Object.assign(desk, { look: null, shown: 0, solved: null, trail: [] });
    desk.position = { board: [], queue: [0], held: null, spent: false, out: [], place: 0, left: null };
    from = null;
    const isOwn = opened || kept.game.text !== null;
    // A game of the lab whose rules were changed is no longer what its name says.
    const isChanged = !isOwn && kept.game.set.length > 0;
    const what = opened ? "table" : isOwn ? "your own" : "changed";
    fill(
      chooser,
      field(
        "Game",
        Object.assign(
          choose(
            [
              ...(isOwn || isChanged ? [["", `${game.title} (${game.width}×${game.height}, ${what})`]] : []),
              ...gameChoices(games),
            ],
            isOwn || isChanged ? "" : kept.game.name,
            (name) => name && takeGame({ name, text: null, set: [] }),
          ),
          { id: "explore-game" },
        ),
      ),
    );
    fill(height, opened ? null : heightSlider(game));
    question.show(game);
    if (game.catalogue) rules.show(game, kept.game);
    stage.makeView();
  }

  function heightSlider(game) {
    const rows = (value) => `${value} ${value === 1 ? "row" : "rows"}`;
    const output = h("output", { class: "num" }, rows(game.height));
    return h(
      "label",
      { class: "field" },
      h("span", { class: "row spread" }, "Height", output),
      h("input", {
        type: "range",
        min: 1,
        max: Math.max(game.tallest, game.height),
        value: game.height,
        "data-slider": "height",
        oninput: (event) => {
          output.textContent = rows(Number(event.target.value));
        },
        onchange: async (event) => {
          const set = kept.game.set.filter((change) => !change.startsWith("board.height="));
          const why = await takeGame({ ...kept.game, set: [...set, `board.height=${event.target.value}`] });
          if (why) say(why);
          document.querySelector("[data-slider=height]")?.focus();
        },
      }),
    );
  }

  /** Solves again; an earlier question that is still open is dropped, and so is a table. */
  async function solve() {
    if (opened) {
      opened = null;
      const why = await takeGame(kept.game);
      if (why) say(why);
      return;
    }
    const order = orderOf(kept.game, kept.asked, from);
    command.textContent = commandOf(order);
    frontier.reset();
    await get("explore-solve", { question: order });
  }

  /** Opens a table instead of solving. */
  async function openTable(table) {
    taking++;
    from = null;
    await get("explore-open", { table }, (told) => showTable(told, table, table));
  }

  /** Gets a solution from the lab, and shows it. */
  async function get(what, values, taken = () => {}) {
    const mine = ++solving;
    const isMine = () => mine === solving && !stopped;
    say();
    const patience = setTimeout(() => isMine() && say("Solving …"), 300);
    try {
      const told = await request(what, values, (place) => {
        clearTimeout(patience);
        if (isMine()) say(inLine(place));
      });
      if (!isMine()) return;
      say();
      taken(told);
      desk.solved = told;
      figures.show(told, from);
      if (told.pieces) desk.position.left = Math.min(desk.position.left ?? told.pieces, told.pieces);
      else desk.position.left = null;
      if (!desk.hasHold()) desk.position.held = null;
      map.reset(desk);
      if (desk.mode === "look") await refresh();
      else await begin();
    } catch (error) {
      if (isMine() && error.message !== "cancelled") fail(error);
    } finally {
      clearTimeout(patience);
    }
  }

  /** Begins what one wants to do: looking, or a contest on the empty board. */
  async function begin() {
    say();
    if (desk.mode === "look") {
      contest.leave();
      Object.assign(desk.position, {
        board: [],
        queue: [desk.position.queue[0] ?? 0],
        held: null,
        spent: false,
        left: desk.solved?.pieces ?? null,
      });
      return refresh();
    }
    if (from) {
      // Contests begin on the empty board.
      from = null;
      return solve();
    }
    try {
      await contest.start();
    } catch (error) {
      fail(error);
    }
  }

  /** The pieces on the table: as many as are known; those that are missing come from the dealer. */
  async function fillHand() {
    const { position, solved, game } = desk;
    position.queue = position.queue.slice(0, solved.known);
    if (game.dealer.kind === "sequence") return choosePlace(position.place, false);
    while (position.queue.length < solved.known) {
      const { board, queue } = position;
      const told = await request("explore-deals", { board, queue, dealt: before(), seed: 1 });
      position.queue = [...queue, told.piece];
    }
  }

  /** What was dealt before the pieces on the table, where the dealer remembers it. */
  function before() {
    const { position, game } = desk;
    if (game.dealer.kind === "bag") return position.out;
    if (game.dealer.kind === "sequence") return game.dealer.order.slice(0, position.place);
    return null;
  }

  function choosePiece(piece) {
    const { game, position } = desk;
    if (game.dealer.kind === "sequence") {
      const place = game.dealer.order.indexOf(piece);
      return place < 0 ? say(`${game.pieces[piece].name} is never dealt.`) : choosePlace(place);
    }
    position.queue = [piece, ...position.queue.slice(1)];
    refresh();
  }

  /** In an order the place says what is on the table. */
  function choosePlace(place, look = true) {
    const { order } = desk.game.dealer;
    desk.position.place = place;
    desk.position.queue = Array.from(
      { length: desk.solved?.known ?? 1 },
      (_, index) => order[(place + index) % order.length],
    );
    if (look) refresh();
  }

  /** Goes to a board. */
  function setBoard(board, isStep = true) {
    if (desk.mode !== "look") {
      desk.mode = mode.value = "look";
      contest.leave();
      Object.assign(desk.position, { held: null, spent: false });
      desk.position.left = desk.solved?.pieces ?? null;
    }
    if (isStep) desk.trail.push(desk.position.board);
    desk.position.board = board;
    return refresh();
  }

  /** Asks for the values of what is on the board. */
  async function refresh() {
    const mine = ++looking;
    const isMine = () => mine === looking && !stopped;
    try {
      if (!desk.solved) return;
      if (desk.mode === "look") await fillHand();
      if (!isMine()) return;
      const { board, queue, held, spent, left } = desk.position;
      const dealt = desk.mode === "look" ? before() : contest.before();
      const told = await request("explore-look", { board, queue, dealt, held, spent, left });
      if (!isMine()) return;
      if (told.placements === null) return await elsewhere();
      desk.look = { ...told, board, order: ordered(told) };
      if (desk.mode === "look") say();
      map.mark(board);
      // Whose move is looked at: that of the player who is evaluated, or the best.
      show(desk.look.order.indexOf(markOf(told)));
    } catch (error) {
      if (!isMine()) return;
      // Others needed the room: once more.
      if (error.message === FORGOTTEN) return again();
      fail(error);
    }
  }

  /** Gets the same solution once more. */
  function again() {
    if (!opened) return solve();
    const { table, name, data } = opened;
    if (table) return openTable(table);
    return get("explore-read", { name, data }, (told) => showTable(told, null, name, data));
  }

  /**
   * A position that the solution does not have: looked for from the empty board, and then solved from its own, with a
   * dealer that begins anew.
   */
  function elsewhere() {
    const { board, queue, held } = desk.position;
    if (opened) throw new Error("this board with these pieces is not in the table");
    const key = JSON.stringify([kept.game, orderOf(null, kept.asked, null), board, queue, held, before()]);
    if (missed.key !== key) missed = { key, starts: [...(from ? [null] : []), ...(board.length ? [board] : [])] };
    if (missed.starts.length === 0) {
      missed = { key: "", starts: [] };
      throw new Error("these pieces cannot come up on this board");
    }
    from = missed.starts.shift();
    if (from) Object.assign(desk.position, { out: [], place: 0, held: null });
    return solve();
  }

  function fail(error) {
    desk.look = null;
    say(error.message);
    draw();
  }

  function show(place) {
    desk.shown = Math.max(0, Math.min((desk.look?.order.length ?? 1) - 1, place));
    draw();
  }

  /** Opens a table from a file of one's own. */
  async function readTable(file) {
    if (file.size > MAX_TABLE)
      return say(
        `${file.name} has ${Math.ceil(file.size / 1024)} KB; ` +
          `tables of more than ${MAX_TABLE / 1024} KB go into ${lab.folder}/tables.`,
      );
    const bytes = new Uint8Array(await file.arrayBuffer());
    const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    from = null;
    await get("explore-read", { name: file.name, data }, (told) => showTable(told, null, file.name, data));
  }

  /** Shows what a table is about. */
  function showTable(told, table, name, data = null) {
    opened = { table, name, data, hold: told.hold };
    showGame(told.game);
    command.textContent = `bellmino solve … -o ${name}`;
    frontier.reset();
  }

  const tables = lab.tables.length
    ? Object.assign(
        choose(["", ...lab.tables], "", (table) => table && openTable(table)),
        { id: "explore-table" },
      )
    : null;
  fill(
    main,
    pageHead(
      "Explore",
      "Small games, solved exactly. Draw on the board, choose a piece, and see what each placement is worth.",
    ),
    h(
      "div",
      { class: "exploring" },
      h(
        "div",
        { class: "stack" },
        h(
          "section",
          { class: "panel stack" },
          h("h2", {}, "Question"),
          chooser,
          field("What to do", mode),
          height,
          question.element,
          tables ? field("Open a table of the lab", tables) : null,
          field(
            "Open a table file",
            h("input", {
              type: "file",
              id: "explore-table-file",
              title: `Larger ones lie in ${lab.folder}/tables`,
              onchange: (event) => event.target.files[0] && readTable(event.target.files[0]),
            }),
          ),
          command,
        ),
        figures.element,
      ),
      h("div", { class: "stack centre" }, stage.element, note, contest.element),
      values.element,
      map.element,
      frontier.element,
      rules.element,
    ),
  );
  takeGame(kept.game).then((why) => {
    // A game of one's own that is gone from the folder.
    if (why && !stopped) takeGame({ name: "baby", text: null, set: [] });
  });
  return () => {
    stopped = true;
    frontier.leave();
  };
}

/** The placements, the best first; those that end the game last. */
function ordered({ placements }) {
  const places = placements.map((_, number) => number);
  return places.sort((a, b) => {
    const [one, other] = [placements[a], placements[b]];
    return one.fatal - other.fatal || compare(size(other.value), size(one.value));
  });
}

/** Infinite values are as large as each other. */
function compare(a, b) {
  return a === b ? 0 : a - b;
}
