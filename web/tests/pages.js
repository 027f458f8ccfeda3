// Every page of the lab, with something in it: what the tests of all pages open.

const HANDS = { das: 150, arr: 75, soft: 35, cut: 100 };

// A game is judged, or its curve has begun.
const JUDGED = "main[data-judged=yes], main svg.plot path";

/**
 * Fills a lab by `ask` (see `program` in harness.js): a finished Sprint, a game on a small board, a training run, and
 * a room in which somebody plays. Resolves to every page: `[name, address, what is there when it is complete]`.
 */
export async function furnish(ask) {
  const sprint = await finished(ask, "sprint", "bot:quick");
  const small = await finished(ask, "baby", "lowest");
  const order = { name: "example", method: "snes", game: "baby", features: "lee", generations: 12, games: 2, seed: 1 };
  await ask("train-start", { order });
  const { room } = await ask("play-open", { mode: "practice", seed: 1, hands: HANDS, setup: null });
  return [
    ["menu", "", ".card"],
    ["sprint", "play/sprint", "main[data-phase=ready]"],
    ["blitz", "play/blitz", "main[data-phase=ready]"],
    ["practice", "play/practice", "main[data-phase=ready]"],
    ["duel", "play/sprint/duel", "main[data-phase=ready]"],
    ["watch", "watch", "section[data-side='0']"],
    ["watch-run", "watch/play/baby/run:example", "section[data-side='0']"],
    ["live", `watch/live/${room}`, ".well canvas"],
    ["explore", "explore", ".value-row"],
    ["games", "analyse", "tbody tr"],
    ["position", "analyse/position", "h1"],
    ["analyse", `analyse/${sprint}`, JUDGED],
    ["analyse-small", `analyse/${small}`, JUDGED],
    ["train", "train", "[data-run=example]"],
    ["settings", "settings", "[data-action=left]"],
    ["shown", "shown", "h1"],
    ["lost", "nowhere", ".lost"],
  ];
}

/** The number of a game that a machine has finished. */
async function finished(ask, game, player) {
  const { session } = await ask("watch-open", { game, players: [player], seed: 1 });
  for (;;) {
    const moves = await ask("watch-moves", { session, side: 0, count: 200 });
    const last = moves.at(-1);
    if (last?.kept !== undefined) return last.kept;
    if (!last) throw new Error(`the game of ${player} was not kept`);
  }
}
