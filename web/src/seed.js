// Seeds: whole numbers from 0 to 2^64 - 1. They are kept as texts, since the page's own numbers cannot hold them all.

import { field, h } from "./dom.js";

const LARGEST = 2n ** 64n - 1n;

/** What a seed is, in words. */
export const SEEDS = `A seed is a whole number from 0 to ${LARGEST.toLocaleString("en-US")}.`;

/** The seed that a text says, or null if it says none. */
export function seedOf(text) {
  const digits = String(text).trim();
  if (!/^\d{1,20}$/.test(digits)) return null;
  const seed = BigInt(digits);
  return seed <= LARGEST ? String(seed) : null;
}

/** A new seed that can be read out and typed. */
export function newSeed() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0] % 1000000);
}

/** A labelled input for a seed. `onseed` hears the good ones; what is wrong with others is said below it. */
export function seedField(label, seed, onseed, props = {}) {
  const why = h("span", { class: "bad", role: "alert" });
  const say = (wrong) => {
    why.textContent = wrong ? SEEDS : "";
    input.setAttribute("aria-invalid", wrong);
  };
  const input = h("input", {
    type: "text",
    inputmode: "numeric",
    autocomplete: "off",
    spellcheck: false,
    value: seed,
    ...props,
    // What is mended is no longer complained about, so that nothing moves under a click that comes next.
    oninput: () => {
      if (seedOf(input.value) !== null) say(false);
    },
    onchange: () => {
      const said = seedOf(input.value);
      say(said === null);
      if (said !== null) onseed(said);
    },
  });
  const element = h("div", { class: "stack tight small" }, field(label, input), why);
  const set = (value) => {
    input.value = value;
    say(false);
  };
  return { element, input, set };
}
