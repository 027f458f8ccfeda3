// Asks the module in WebAssembly what the native program was asked, and holds the answers side by side, to the last bit.
//   node tests/wasm/same.mjs MODULE.wasm LETTERS.json NATIVE.txt
import { readFileSync } from "node:fs";

const [module, letters, native] = process.argv.slice(2);
const compiled = await WebAssembly.compile(readFileSync(module));

// A crate that draws would like to have a canvas here; nothing calls it.
const imports = {};
for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
  imports[from] ??= {};
  imports[from][name] = () => {
    throw new Error(`${from}.${name} is not there`);
  };
}
const { memory, letter, ask, reply } = new WebAssembly.Instance(compiled, imports).exports;

function answer(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  // Memory may grow with every call: it is looked at afterwards.
  const place = letter(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const length = ask();
  return new TextDecoder().decode(new Uint8Array(memory.buffer, reply(), length));
}

// How long something took and how much memory there was is told by a machine, which this module does not know.
const machine = new Set(["seconds", "states_per_second", "peak_bytes"]);
// Ends of intervals come out of quantiles, whose logarithms each platform rounds its own way in the last digit.
const rounded = (value) => value.map((end) => (typeof end === "number" ? Number(end.toPrecision(12)) : end));
const timeless = (text) =>
  JSON.stringify(
    JSON.parse(text, (key, value) => {
      if (machine.has(key)) return 0;
      return key === "ci95" && Array.isArray(value) ? rounded(value) : value;
    }),
  );

/** Where two texts begin to differ. */
function difference(one, other) {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return [one, other].map((text) => text.slice(Math.max(0, at - 120), at + 120));
}

const expected = readFileSync(native, "utf8").trimEnd().split("\n");
const asked = JSON.parse(readFileSync(letters, "utf8"));
if (expected.length !== asked.length || asked.length === 0) {
  throw new Error(`${asked.length} letters, but ${expected.length} native answers`);
}
let different = 0;
for (const [index, value] of asked.entries()) {
  const begin = performance.now();
  const [page, here] = [timeless(answer(value)), timeless(expected[index])];
  const took = ((performance.now() - begin) / 1000).toFixed(2);
  const same = page === here;
  different += same ? 0 : 1;
  console.log(`${same ? "same" : "DIFFERENT"}  ${took} s  ${JSON.stringify(value)}`);
  if (!same) console.log(difference(here, page).join("\n"));
}
console.log(`WebAssembly and native: ${asked.length} answers compared, ${different} different`);
process.exit(different === 0 ? 0 : 1);
