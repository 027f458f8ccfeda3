// Sound made in the page: short tones, no files. Silent until somebody turns it on.

import { settings } from "./settings.js";

let context = null;
let output = null;

/** Sounds by name: tones of `[frequency, begin, length, loudness, shape]`, in hertz and seconds. */
const SOUNDS = {
  lock: [[150, 0, 0.06, 0.5, "triangle"]],
  hold: [[420, 0, 0.05, 0.3, "sine"]],
  tick: [[660, 0, 0.07, 0.4, "sine"]],
  go: [[990, 0, 0.14, 0.5, "sine"]],
  clear1: [[523, 0, 0.12, 0.5, "sine"]],
  clear2: chord([523, 659], 0.05),
  clear3: chord([523, 659, 784], 0.05),
  clear4: chord([523, 659, 784, 1047], 0.06),
  spin: chord([466, 698, 932], 0.05),
  fault: [[110, 0, 0.05, 0.25, "square"]],
  goal: chord([523, 659, 784, 1047, 1319], 0.1),
  over: chord([392, 330, 262], 0.14),
};

function chord(notes, apart) {
  return notes.map((note, index) => [note, index * apart, 0.22, 0.45, "sine"]);
}

/** Plays a sound, as loud as is wanted; nothing while it is turned off or the browser has no audio. */
export function sound(name) {
  const { volume } = settings().sound;
  if (!(volume > 0) || typeof AudioContext === "undefined") return;
  if (!context) {
    context = new AudioContext();
    output = context.createGain();
    output.connect(context.destination);
  }
  if (context.state === "suspended") context.resume().catch(() => {});
  output.gain.value = volume * volume * 0.5;
  heard.push(name);
  if (heard.length > 100) heard.shift();
  for (const [frequency, begin, length, loudness, shape] of SOUNDS[name]) {
    const at = context.currentTime + begin;
    const tone = context.createOscillator();
    const gain = context.createGain();
    tone.type = shape;
    tone.frequency.value = frequency;
    gain.gain.setValueAtTime(0.0001, at);
    gain.gain.exponentialRampToValueAtTime(loudness, at + 0.008);
    gain.gain.exponentialRampToValueAtTime(0.0001, at + length);
    tone.connect(gain).connect(output);
    tone.start(at);
    tone.stop(at + length + 0.02);
  }
}

/** The last sounds, for tests. */
const heard = [];
window.bellminoSounds = heard;
