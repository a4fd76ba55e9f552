// A bot: plain node, no packages. Write `choose`; the rest may stay as it is.
"use strict";

// Pick between `least` and `most` different ones of `options`, by index. Here: any.
// `arena rules GAME` tells what they mean, and what stands in `observation` and `events`.
// An answer has `time` milliseconds. Look at things with `console.error(...)`.
function choose({ options, least, most, observation, events, time }) {
  const indexes = options.map((_, index) => index);
  const size = least + below(most - least + 1);
  for (let i = 0; i < size; i++) {
    const j = i + below(options.length - i);
    [indexes[i], indexes[j]] = [indexes[j], indexes[i]];
  }
  return indexes.slice(0, size);
}

// Dice that can be seeded, which Math.random cannot: 32 bits at a time (splitmix32).
let dice = 0;

function below(n) {
  dice = (dice + 0x9e3779b9) | 0;
  let z = Math.imul(dice ^ (dice >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return Math.floor((((z ^ (z >>> 15)) >>> 0) / 2 ** 32) * n);
}

function answer(message) {
  if (message.type === "hello") {
    dice = message.seed % 4294967291; // a match begins: its seed lets equal questions get equal answers
    return { type: "ready" };
  }
  if (message.type === "decide") {
    // a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
    return { type: "choose", id: message.id, picks: choose(message) };
  }
  return null; // "over", with `ranks` and `scores`, or something of a later version
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const reply = answer(JSON.parse(line));
    if (reply) process.stdout.write(JSON.stringify(reply) + "\n");
  }
});
