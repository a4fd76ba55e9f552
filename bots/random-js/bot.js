// Picks at random, in any game. Plain node, no packages.
"use strict";

const { readSync, writeSync } = require("fs");

let state = 1;

// The next of 2^32 equally likely numbers (xorshift32), as a fraction below 1.
function fraction() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

const below = (n) => Math.floor(fraction() * n);

function reseed(seed) {
  state = 0x9e3779b9;
  // bitwise operators see 32 bits only, a seed has 53; zero is the one state that never changes
  for (const half of [seed % 2 ** 32, Math.floor(seed / 2 ** 32)]) {
    state = (state ^ half) || 1;
    for (let i = 0; i < 8; i++) fraction();
  }
}

function choose({ id, least, most, count }) {
  const order = Array.from({ length: count }, (_, i) => i);
  const size = least + below(most - least + 1);
  for (let i = 0; i < size; i++) {
    const j = i + below(count - i);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return { type: "choose", id, picks: order.slice(0, size) };
}

function answer(message) {
  if (message.type === "hello") {
    reseed(message.seed);
    return { type: "ready", name: "random-js" };
  }
  return message.type === "decide" ? choose(message) : null;
}

// Reads and writes without streams, for making `process.stdin` and `process.stdout` would be a tenth of the start. No text is
// used that is not ASCII, so bytes are characters.
const room = Buffer.allocUnsafe(65536);
let rest = "";
for (let size; (size = readSync(0, room)) > 0; ) {
  const lines = (rest + room.toString("latin1", 0, size)).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const reply = answer(JSON.parse(line));
    if (reply) writeSync(1, JSON.stringify(reply) + "\n");
  }
}
