// The end of the lab, after a question.

import { ask } from "./dom.js";
import { request, state } from "./socket.js";

/** Asks, and then ends the lab. */
export async function quit() {
  const answer = await ask(
    "End the lab?",
    "The server stops and this page with it. Your games and settings are kept.",
    [
      ["End the lab", "end", "danger"],
      ["Stay", null, "primary"],
    ],
  );
  if (answer !== "end") return;
  state.ended = true;
  await request("quit");
}
