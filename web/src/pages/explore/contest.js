// Contests: you place and the dealer deals, or you deal and the best player places. The lab deals, and knows every
// value.

import { fill, h } from "../../dom.js";
import { request } from "../../socket.js";
import { smallBoard } from "./picture.js";
import { clearText, lossText, placeText, size } from "./words.js";

/**
 * The contest of a desk. `look()` looks at the position, `draw()` draws it, `say(text)` tells something. `start()`
 * begins on the empty board, `take(place)` makes a placement, `putAside()` puts the piece into hold, `deal(piece)`
 * deals.
 */
export function contestPanel(desk, { look, draw, say }) {
  const element = h("div", { class: "stack contest" });
  let played = null;

  async function start() {
    played = {
      dealt: [],
      moves: [],
      points: 0,
      given: 0,
      seed: Math.floor(Math.random() * 2 ** 52),
      verdict: "",
      last: null,
      isOver: false,
    };
    Object.assign(desk.position, { board: [], queue: [], held: null, spent: false, left: desk.solved?.pieces ?? null });
    Object.assign(desk, { look: null, deals: null, shown: 0, trail: [] });
    show();
    await next();
  }

  /** Deals until the player can place, or asks the person for the next piece. */
  async function next() {
    const mine = played;
    const { position, solved, mode } = desk;
    while (position.queue.length < solved.known) {
      const told = await request("explore-deals", { ...where(), seed: mine.seed });
      if (mine !== played) return;
      if (told.deals === null) return say("this board is not among the solved ones");
      desk.deals = mode === "deal" ? told.deals : null;
      if (mode === "deal") return draw();
      push(told.piece);
    }
    await think();
  }

  /** The player's turn. */
  async function think() {
    const mine = played;
    await look();
    if (mine !== played || !desk.look) return;
    if (desk.look.placements.length === 0 && desk.look.put_aside === null) {
      const { name } = desk.game.pieces[desk.position.queue[0]];
      return over(`No place for ${name}`);
    }
    if (desk.mode !== "deal") return;
    if (asideIsBest(desk.look)) putAside();
    else take(desk.look.order.indexOf(madeBy(desk.look)));
  }

  /** The current piece goes into hold, and the next one has to be placed. */
  async function putAside() {
    const { look: seen, position, game, mode } = desk;
    if (!seen || seen.put_aside === null || played.isOver) return;
    const [piece, ...rest] = position.queue;
    played.moves.push(null);
    if (mode === "place") judge(seen, seen.put_aside, false);
    else played.last = { words: `puts ${game.pieces[piece].name} aside` };
    desk.look = null;
    desk.shown = 0;
    Object.assign(position, { held: piece, spent: true, queue: rest });
    show();
    draw();
    await next();
  }

  /** Says what a person's choice of this value gave away. */
  function judge(seen, value, fatal) {
    const best = seen.best === null ? null : seen.placements[seen.best];
    const aside = asideIsBest(seen);
    const most = aside ? seen.put_aside : (best?.value ?? value);
    const lost = fatal && (aside || (best && !best.fatal)) ? "the game" : lossText(most, value);
    const right = aside ? "putting it aside" : best && placeText(desk.game, best);
    played.given += lost ? 1 : 0;
    played.verdict = lost ? `You gave away ${lost}; ${right} was best.` : "The best there was.";
  }

  /** What was dealt before the pieces on the table. */
  function before() {
    return played.dealt.slice(0, played.dealt.length - desk.position.queue.length);
  }

  /** What the lab needs to know to deal: all pieces from the start. */
  function where() {
    const { board, queue, held, spent, left } = desk.position;
    return { board, queue, dealt: before(), held, spent, left };
  }

  function push(piece) {
    played.dealt.push(piece);
    desk.position.queue = [...desk.position.queue, piece];
  }

  /** The person deals. */
  async function deal(piece) {
    const { deals } = desk;
    if (!deals || played.isOver) return;
    const chosen = deals.find((one) => one.piece === piece);
    const worst = deals.reduce((least, one) => (size(one.value) < size(least.value) - 1e-12 ? one : least));
    const lost = lossText(chosen.value, worst.value);
    played.given += lost ? 1 : 0;
    played.verdict = lost
      ? `You gave the player ${lost}: ${desk.game.pieces[worst.piece].name} was worse.`
      : "The worst piece there was.";
    desk.deals = null;
    push(piece);
    await next();
  }

  /** Makes a placement of the list. */
  async function take(place) {
    const { look: seen, position, game, mode } = desk;
    const placement = seen?.placements[seen.order[place]];
    if (!placement || played.isOver) return;
    played.moves.push(placement.cells);
    played.points += placement.fatal ? 0 : placement.points;
    const words = `${placeText(game, placement)}${clearText(placement) ? `, ${clearText(placement)}` : ""}`;
    played.last = { board: position.board, placement, words };
    if (mode === "place") judge(seen, placement.value, placement.fatal);
    desk.look = null;
    desk.shown = 0;
    if (placement.fatal) return over("Over the top");
    if (placement.held) position.held = position.queue[0];
    Object.assign(position, { board: placement.after, queue: position.queue.slice(1), spent: false });
    if (position.left !== null) position.left -= 1;
    if (position.left === 0) return over("All pieces are placed");
    show();
    draw();
    await next();
  }

  /** A contest has ended: the lab keeps it. */
  async function over(why) {
    const mine = played;
    mine.isOver = true;
    show();
    draw();
    const text = `${why}: the game is over after ${placed(mine)} pieces with ${mine.points} points.`;
    say(text);
    try {
      const { dealt, moves } = mine;
      const { game } = await request("explore-keep", { placed: desk.mode === "place", dealt, moves });
      if (mine === played) say(`${text} `, h("a", { href: `#/analyse/${game}` }, "Look at it again"));
    } catch (error) {
      if (mine === played) say(`${text} It was not kept: ${error.message}`);
    }
  }

  function show() {
    if (!played || desk.mode === "look") return fill(element);
    const { game, mode } = desk;
    const { last } = played;
    const rows = [
      ["Points", "points", played.points],
      ["Pieces", "pieces", placed(played)],
      [mode === "place" ? "Not the best" : "Not the worst", "given", played.given],
    ];
    fill(
      element,
      h(
        "section",
        { class: "panel stack" },
        h("h2", {}, mode === "place" ? "You place" : "You deal"),
        h(
          "dl",
          { class: "facts" },
          rows.flatMap(([name, key, value]) => [h("dt", {}, name), h("dd", { "data-contest": key }, value)]),
        ),
        h("p", { class: "small", role: "status", id: "verdict" }, played.verdict),
        last && mode === "deal"
          ? h(
              "div",
              { class: "row", id: "did" },
              last.placement
                ? smallBoard({
                    width: game.width,
                    height: game.height,
                    above: game.above,
                    board: last.board,
                    cells: last.placement.cells,
                    colour: game.pieces[last.placement.piece].colour,
                    cell: 12,
                  })
                : null,
              h("p", { class: "small" }, `The player: ${last.words}`),
            )
          : null,
      ),
    );
  }

  /** Back to looking. */
  function leave() {
    played = null;
    desk.deals = null;
    show();
  }

  return { element, start, take, putAside, deal, before, leave };
}

/** The placement that is made by who plays; one who takes any takes one by chance. */
function madeBy({ who, placements, chosen, best }) {
  if (who === "average") return Math.floor(Math.random() * placements.length);
  return (who === "player" ? chosen : best) ?? 0;
}

/** Whether putting the piece aside is better than every placement. */
function asideIsBest({ put_aside: aside, placements, best }) {
  return aside !== null && (best === null || size(aside) > size(placements[best].value) + 1e-12);
}

/** How many pieces were placed. */
function placed({ moves }) {
  return moves.filter((move) => move !== null).length;
}
