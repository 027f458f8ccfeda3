// Values, placements and boards in words.

/** A value as text: a number with so many decimals, or the word that stands for one. */
export function worth(value, decimals = 6) {
  if (value === "infinite") return "infinite";
  if (value === "ends") return "can end the game";
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** The same where there is little room. */
export function shortWorth(value, decimals = 3) {
  if (value === "infinite") return "∞";
  return value === "ends" ? "ends" : worth(value, Math.abs(value) >= 100 ? 1 : decimals);
}

/** A value to compare by. */
export function size(value) {
  return value === "infinite" ? Infinity : value === "ends" ? -Infinity : value;
}

/** What one value is less than another, as text; nothing if it is not. */
export function lossText(best, chosen) {
  const lost = size(best) - size(chosen);
  if (!(lost > 1e-9)) return "";
  return Number.isFinite(lost) ? worth(lost, 4) : "everything";
}

/** Rows cleared and points, as text; nothing for none. */
export function clearText({ lines, points }) {
  return lines ? `${lines} ${lines > 1 ? "rows" : "row"}, +${points}` : "";
}

/** Where a placement lies: columns from the left, rows from the bottom, both from 1, as everywhere in the lab. */
export function placeText(game, { piece, rotation, cells }) {
  const [left, right] = [Math.min, Math.max].map((pick) => pick(...cells.map(([x]) => x)) + 1);
  const row = Math.min(...cells.map(([, y]) => y)) + 1;
  const columns = left === right ? `column ${left}` : `columns ${left}–${right}`;
  return `${game.pieces[piece].name}${rotation ? ` turned ${rotation}×` : ""}, ${columns}, row ${row}`;
}

/** A board as `bellmino solve --state` takes it: rows from the top, apart by /. */
export function boardText(board) {
  return board
    .map((row) => row.replaceAll(/[^.]/g, "#"))
    .toReversed()
    .join("/");
}

/** Rows from the bottom, from such a text; or why it is none. */
export function readBoard(text) {
  const rows = text
    .split(/[/\n]/)
    .map((row) => row.trim())
    .filter(Boolean);
  const wrong = /[^#.]/u.exec(rows.join(""));
  if (wrong) throw new Error(`“${wrong[0]}” is no cell: write # for a filled cell and . for an empty one.`);
  return rows.toReversed().map((row) => row.replaceAll("#", "G"));
}

/** Which placement is marked: the one that is made by who plays, the best player or one who is evaluated. */
export function markOf({ who, best, chosen }) {
  return who === "best" ? best : chosen;
}
