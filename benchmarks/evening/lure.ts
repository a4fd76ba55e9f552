// A bot for lure that expects the others to play as greedy does: TypeScript for plain node, no packages.
import type { Choice, Die, Event, Fish, Observation } from "./game";

// Some types of the protocol: `arena rules lure` tells what those in `game.ts` mean.
type Hello = { type: "hello"; seat: number; seats: number; seed: number };
type Decide = {
  type: "decide";
  id: string;
  least: number;
  most: number;
  count: number;
  time: number; // milliseconds for the answer
  options: Choice[];
  observation: Observation;
  events: Event[];
};
type Over = { type: "over"; ranks: number[]; scores: number[] };

// What `greedy` does not do: it guesses how many are quicker. This bot works out what dice each of the others would
// take if it played as greedy does, and takes the dice and lures that do best against those, over WORLDS rolls of all.
const WORLDS = 40;
const LURE = 0.7; // points a lure is worth in the hand
const LEFT = [0.86, 0.91, 0.97]; // how greedy guesses, by turns

type Rest = { fish: Fish[]; rivals: number[][] }; // what lies there when we roll, and who rolls together with us

const sides = (die: string) => Number(die.slice(1));
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const extras = (lures: readonly string[]) =>
  lures.filter((lure) => lure.startsWith("extra")).map((lure) => Number(lure.slice(-1)));

// Luck that is the same for every cast, as greedy has it (Park and Miller 1988).
function lucky(): (die: string) => number {
  let luck = 1;
  return (die) => 1 + ((luck = (luck * 48271) % 2147483647) % sides(die));
}

function meets(asked: string | null, numbers: number[]): boolean {
  const copies = [...new Set(numbers)].map((number) => numbers.filter((other) => other === number).length);
  switch (asked) {
    case null: return true;
    case "all dice even": return numbers.every((number) => number % 2 === 0);
    case "all dice odd": return numbers.every((number) => number % 2 === 1);
    case "contains two 4s": return numbers.filter((number) => number === 4).length > 1;
    case "two dice alike": return Math.max(...copies) > 1;
    case "three dice alike": return Math.max(...copies) > 2;
    case "two pairs": return sum(copies.map((number) => Math.floor(number / 2))) > 1;
    case "no two dice alike": return Math.max(...copies) === 1;
    case "no die shows 1": return !numbers.includes(1);
    case "a die shows 10 or more": return Math.max(...numbers) >= 10;
  }
  return (asked.match(/\d+/g) ?? []).every((word) => numbers.includes(Number(word)));
}

const catches = (fish: Fish, numbers: number[]) => sum(numbers) >= fish.catch && meets(fish.requirement, numbers);

// All casts of these dice, in the order in which greedy looks at them.
function casts(special: string[]): string[][] {
  const also = special.length === 2 ? [[], [special[0]], [special[1]], special] : [[], ...special.map((die) => [die])];
  return [0, 1, 2, 3, 4, 5].flatMap((d6s) => also.map((dice) => [...Array<string>(d6s).fill("d6"), ...dice])).slice(1);
}

// The dice that greedy would choose on this seat.
function greedy(see: Observation, seat: number): string[] {
  const special = ["d12", "d20"].filter((die) => !see.resting[seat].includes(die as Die));
  const guess = LEFT[(seat + see.round) % 3];
  const worth = (dice: string[]) => {
    const roll = lucky();
    const rolls = Array.from({ length: 60 }, () => dice.map(roll));
    const left = guess ** (dice.length * (see.seats - 1));
    let points = 0;
    let none = 1;
    for (const fish of see.fish) {
      const likely = (left * rolls.filter((numbers) => catches(fish, numbers)).length) / 60;
      points += fish.vp * likely;
      none *= 1 - likely;
    }
    return points + LURE * none;
  };
  return best(casts(special), worth);
}

function best<T>(all: T[], worth: (one: T) => number): T {
  const values = all.map(worth);
  return all[values.indexOf(Math.max(...values))];
}

// What is left of the fish when we roll with so many dice, in each of the worlds.
function rests(see: Observation, others: string[][], count: number): Rest[] {
  const roll = lucky();
  return Array.from({ length: WORLDS }, () => {
    const rolls = others.map((dice) => dice.map(roll));
    let fish = see.fish;
    for (let size = 1; size < count; size++) {
      const group = rolls.filter((numbers) => numbers.length === size);
      fish = fish.filter((one) => {
        const totals = group.filter((numbers) => catches(one, numbers)).map(sum).sort((a, b) => a - b);
        return totals.length === 0 || totals[0] === totals[1]; // whose total is lowest takes it, if he is alone
      });
    }
    return { fish, rivals: rolls.filter((numbers) => numbers.length === count) };
  });
}

// Points of this roll, where nobody of the group has a lower total or the same.
function caught({ fish, rivals }: Rest, numbers: number[]): number {
  const total = sum(numbers);
  const lower = rivals.filter((other) => sum(other) <= total);
  const ours = fish.filter((one) => catches(one, numbers) && !lower.some((other) => catches(one, other)));
  return sum(ours.map((one) => one.vp));
}

// The numbers, and all that so many Adjusts can make of them.
function adjusted(numbers: number[], dice: readonly string[], adjusts: number): number[][] {
  if (adjusts === 0) return [numbers];
  const ways = dice.flatMap((die, at) =>
    [1, -1]
      .map((by) => numbers.map((number, other) => (other === at ? number + by : number)))
      .filter((after) => after[at] > 0 && after[at] <= sides(die)),
  );
  return [numbers, ...ways.flatMap((after) => adjusted(after, dice, adjusts - 1))];
}

// Points to be expected of a cast: fish, Boosts if there is one, a lure if there is none, less the lures played.
function worth(worlds: Rest[], dice: readonly string[], lures: readonly string[]): number {
  const roll = lucky();
  const adjusts = Math.min(1, lures.filter((lure) => lure === "adjust").length);
  const extra = extras(lures);
  const boost = 2 * lures.filter((lure) => lure === "boost").length;
  const points = worlds.map((world) => {
    const tries = adjusted(dice.map(roll), dice, adjusts).map((numbers) => caught(world, [...numbers, ...extra]));
    const most = Math.max(...tries);
    return most > 0 ? most + boost : LURE;
  });
  return sum(points) / worlds.length - LURE * lures.length;
}

// The indexes of the lures to play with these dice, and what that is worth: one after the other, while it gains.
function withLures(worlds: Rest[], dice: readonly string[], lures: readonly string[]): [number[], number] {
  let picks: number[] = [];
  let value = worth(worlds, dice, []);
  for (;;) {
    const more = lures.map((_, at) => at).filter((at) => !picks.includes(at));
    if (more.length === 0) return [picks, value];
    const next = best(more, (at) => worth(worlds, dice, [...picks, at].map((each) => lures[each])));
    const after = worth(worlds, dice, [...picks, next].map((each) => lures[each]));
    if (after <= value) return [picks, value];
    [picks, value] = [[...picks, next], after];
  }
}

function choose({ options, observation: see }: Decide): number[] {
  if (see.step === "adjust") {
    const dice = see.dice[see.seat];
    const extra = see.played.map(extras);
    const group = see.group.filter((seat) => seat !== see.seat);
    const rest = { fish: see.fish, rivals: group.map((seat) => [...see.rolls[seat], ...extra[seat]]) };
    const most = (numbers: number[], adjusts: number) =>
      Math.max(...adjusted(numbers, dice, adjusts).map((after) => caught(rest, [...after, ...extra[see.seat]])));
    const values = options.map((option) =>
      typeof option === "string"
        ? most(see.numbers, 0)
        : most(
            see.numbers.map((number, at) => (at === option.at ? number + option.by : number)),
            Math.min(see.adjusts, 2) - 1,
          ),
    );
    return [values.indexOf(Math.max(...values))];
  }
  const others = see.held.map((_, seat) => seat).filter((seat) => seat !== see.seat).map((seat) => greedy(see, seat));
  if (see.step === "lures") return withLures(rests(see, others, see.chosen.length), see.chosen, options as string[])[0];
  const worlds = [0, 1, 2, 3, 4, 5, 6, 7].map((count) => rests(see, others, count));
  const special = options.filter((option) => option !== "d6") as string[];
  const plain = casts(special).map((cast): [number, string[]] => [worth(worlds[cast.length], cast, []), cast]);
  const likely = plain.sort((a, b) => b[0] - a[0]).slice(0, 6).map(([, cast]) => cast);
  const dice = best(likely, (cast) => withLures(worlds[cast.length], cast, see.lures)[1]);
  const d6s = dice.filter((die) => die === "d6").length;
  const taken = (at: number) => (options[at] === "d6" ? at < d6s : dice.includes(options[at] as string));
  return options.map((_, at) => at).filter(taken);
}

function answer(message: Hello | Decide | Over): object | null {
  if (message.type === "hello") {
    return { type: "ready" };
  }
  if (message.type === "decide") {
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
