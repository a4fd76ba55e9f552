// A bot: TypeScript for plain node, no packages. Write `choose`; the rest may stay as it is.
export {};

// Some types of the protocol: `arena rules GAME` tells what options, observation and events hold.
type Hello = { type: "hello"; seat: number; seats: number; seed: number };
type Decide = {
  type: "decide";
  id: string;
  least: number;
  most: number;
  count: number;
  time: number; // milliseconds for the answer
  options: unknown[];
  observation: Record<string, unknown>;
  events: { type: string }[];
};
type Over = { type: "over"; ranks: number[]; scores: number[] };

// Pick between `least` and `most` different ones of `options`, by index. Here: any.
// Look at things with `console.error(...)`.
function choose({ options, least, most }: Decide): number[] {
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

function below(n: number): number {
  dice = (dice + 0x9e3779b9) | 0;
  let z = Math.imul(dice ^ (dice >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return Math.floor((((z ^ (z >>> 15)) >>> 0) / 2 ** 32) * n);
}

function answer(message: Hello | Decide | Over): object | null {
  if (message.type === "hello") {
    dice = message.seed % 4294967291; // a match begins: its seed lets equal questions get equal answers
    return { type: "ready" };
  }
  if (message.type === "decide") {
    // a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay`
    return { type: "choose", id: message.id, picks: choose(message) };
  }
  return null; // "over", or something of a later version
}

// What is used of node, so that no package of its types is needed.
declare const process: {
  stdin: {
    setEncoding(encoding: string): void;
    on(event: "data", heard: (chunk: string) => void): void;
  };
  stdout: { write(text: string): void };
};

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const reply = answer(JSON.parse(line));
    if (reply) process.stdout.write(JSON.stringify(reply) + "\n");
  }
});
