// The lab in a worker: the module, time, and the browser's own store. Messages in and out are those of docs/PROTOCOL.md.

const KEPT = "kept";
// How long time may stand still in a game that goes on, in milliseconds.
const TICK = 4;

const early = [];
let lab = null;
let memory = null;
let store = null;
let isWriting = false;
let isTicking = false;
let isWorking = false;
// Why nothing is kept, if it is so.
let trouble = "";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const turns = new MessageChannel();

/** Text that the module has laid down. */
const text = (at, bytes) => decoder.decode(new Uint8Array(memory.buffer, at, bytes));
const replied = (bytes) => text(lab.reply(), bytes);

/** Writes a letter for the module. */
function letter(words) {
  const bytes = encoder.encode(words);
  const at = lab.letter(bytes.length);
  // Memory may have grown.
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
}

self.onmessage = ({ data }) => {
  if (lab) hear(data);
  else early.push(data);
};

function hear(message) {
  letter(message);
  const why = replied(lab.page_hear(Date.now()));
  if (why) postMessage({ closed: why });
  goOn();
}

/** Lets time go by, work go on, and writes down what has changed, each in its own turn so that keys come between. */
function goOn() {
  if (!isTicking) {
    isTicking = true;
    tick();
  }
  if (!isWorking) {
    isWorking = true;
    turns.port2.postMessage(null);
  }
  write();
}

function tick() {
  const goes = lab.page_tick() === 1;
  write();
  if (goes) setTimeout(tick, TICK);
  else isTicking = false;
}

turns.port1.onmessage = () => {
  const more = lab.page_work() === 1;
  write();
  if (!isTicking) {
    isTicking = true;
    tick();
  }
  if (more) turns.port2.postMessage(null);
  else isWorking = false;
};

/** Writes down what has changed; the page hears that it is kept when it is. */
async function write() {
  if (isWriting) return;
  const bytes = lab.page_changed();
  if (bytes === 0) return;
  isWriting = true;
  const changes = JSON.parse(replied(bytes));
  const why = trouble || (await keep(changes).catch((error) => `the browser keeps nothing: ${error.message}`));
  letter(why ?? "");
  lab.page_stored();
  isWriting = false;
  goOn();
}

/** One change of the store: all of it or nothing. */
function keep(changes) {
  return new Promise((resolve, reject) => {
    const change = store.transaction(KEPT, "readwrite", { durability: "strict" });
    for (const [key, content] of changes) {
      if (content === null) change.objectStore(KEPT).delete(key);
      else change.objectStore(KEPT).put(content, key);
    }
    change.oncomplete = () => resolve("");
    change.onabort = () => reject(change.error ?? new Error("the change was not made"));
  });
}

/** What a request to the store comes to. */
const done = (asked) =>
  new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });

/** Opens the browser's store and puts in what is kept there. One tab has it at a time. */
async function openStore() {
  const isMine = await new Promise((resolve) => {
    if (!navigator.locks) return resolve(true);
    navigator.locks.request("bellmino", { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      // Held for as long as this worker lives.
      return lock && new Promise(() => {});
    });
    return null;
  });
  if (!isMine) throw new Error("another tab has the lab open; what is done here is not kept");
  const opening = indexedDB.open("bellmino", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(KEPT);
  store = await done(opening);
  const kept = store.transaction(KEPT).objectStore(KEPT);
  const [keys, contents] = await Promise.all([done(kept.getAllKeys()), done(kept.getAll())]);
  for (const [index, key] of keys.entries()) {
    letter(JSON.stringify([key, contents[index]]));
    const why = replied(lab.page_put());
    // What cannot be read stays where it is.
    if (why) console.warn(why);
  }
}

async function start() {
  const compiled = await WebAssembly.compileStreaming(fetch(new URL("bellmino.wasm", import.meta.url)));
  const imports = {
    page: { now: () => performance.now(), say: (at, bytes) => postMessage(text(at, bytes)) },
  };
  // A crate that draws would like to have more here; nothing calls it.
  for (const { module, name } of WebAssembly.Module.imports(compiled)) {
    imports[module] ??= {};
    imports[module][name] ??= () => {
      throw new Error(`${module}.${name} is not there`);
    };
  }
  const { exports } = await WebAssembly.instantiate(compiled, imports);
  memory = exports.memory;
  lab = exports;
  await openStore().catch((error) => {
    trouble = error.message;
  });
  postMessage({ ready: true });
  for (const message of early.splice(0)) hear(message);
}

start().catch((error) => postMessage({ closed: `the lab could not be loaded: ${error.message}` }));
