// The moves of a game that is watched, as far back as one may want to go: a game without an end does not fill the
// memory.

// How far back one can go, and points of the whole way at most.
const KEPT = 2000;
const POINTS = 200;

/** Moves by their number, from 0; the oldest are forgotten. */
export class Moves {
  constructor() {
    Object.assign(this, { list: [], first: 0, way: [], every: 1 });
  }

  /** How many there were. */
  get length() {
    return this.first + this.list.length;
  }

  /** The number of placements at which what is known begins. */
  get oldest() {
    return this.first ? this.first + 1 : 0;
  }

  get last() {
    return this.list.at(-1);
  }

  /** A move, if it is there and not forgotten. */
  get(number) {
    return this.list[number - this.first];
  }

  push(...moves) {
    for (const move of moves) {
      if (this.length % this.every === 0) this.way.push(move);
      this.list.push(move);
      if (this.way.length > 2 * POINTS) {
        this.way = this.way.filter((_, place) => place % 2 === 0);
        this.every *= 2;
      }
    }
    // The way needs the sums only.
    this.way = this.way.map(({ pieces, lines, score }) => ({ pieces, lines, score }));
  }

  /** Forgets what is far before this number of placements. */
  forget(before) {
    const old = Math.min(before - KEPT, this.length - 1) - this.first;
    // Not one by one.
    if (old < KEPT / 4) return;
    this.list.splice(0, old);
    this.first += old;
  }

  /** The way until a number of placements: sums after some of them, the last one too. */
  until(number) {
    const last = this.get(Math.min(number, this.length) - 1);
    return [...this.way.filter(({ pieces }) => pieces < (last?.pieces ?? 0)), ...(last ? [last] : [])];
  }
}
