// How large cards can be in a box, and which boxes a match has: arithmetic, without a look at the page.
// @ts-check

/** @typedef {import('./table.js').Card} Card */
/** @typedef {import('./table.js').Zone} Zone */
/** @typedef {import('./table.js').Table} Table */
/**
 * A place as it would be drawn.
 * @typedef {object} Item
 * @property {Zone} zone
 * @property {Card[]} cards each drawn by itself
 * @property {number[]} letters of the longest word of each card; 0 for a card that is a sentence
 * @property {number} least how much of a card is seen at least where others lie on it
 * @property {number} caption how wide its title is
 * @property {[number, number] | null} size of what is no card
 */
/** @typedef {{items: Item[], step: number}} Shelf places side by side; with a step cards overlap, so much of each is seen */
/** @typedef {{card: number, shelves: Shelf[], worth: number, heaps?: boolean}} Fit heaps: cards alike lie on one */
/** @typedef {(zone: Zone, heaps: boolean) => Card[]} Drawn the cards of a place, each by itself or those alike on a heap */
/** @typedef {{x: number, y: number, w: number, h: number}} Box in shares of the stage */
/** @typedef {{middle: Box, seats: (Box & {seat: number, line?: boolean, spot?: boolean})[]}} Plan */

/** Widths of cards. They are few, so that a card more or less seldom changes them all. */
const SIZES = [156, 138, 122, 108, 95, 84, 74, 66, 58, 51, 45, 40, 35];
const STRIPS = [1, 0.8, 0.64, 0.5, 0.4, 0.31, 0.24, 0.18, 0];
const GAP = 4;
const APART = 14;
const SMALL = 60;
/** As wide as this a card is worth nothing. */
const TINY = 20;
const CAPTION = 18;
/** Letters of a name for which a card is a sentence. */
export const LONG = 22;
const NARROW = 620;
/** The least of a card that is seen, for each letter of its value. */
const STRIP = [12, 12, 18, 27];
/** What a card is worth less if others lie on it, and a place that is told in words. */
const COVERED = 0.72;
const WORDY = -60;
/** How much more it matters what lies before the seat that is looked at. */
const DEAR = 40;
const MOMENTS = 16;
const SOME = 4;

/** @param {Card} card */
export const number = (card) => card.count ?? 1;
/** @param {{cards: Card[]}} zone */
export const total = (zone) => zone.cards.reduce((sum, card) => sum + number(card), 0);
/** @param {Zone} zone what a heap holds stands below it, and that of many cards */
export const counted = (zone) => {
  const many =
    zone.kind === 'pile' ? zone.cards.length && zone.cards.at(-1)?.name : zone.kind !== 'track' && total(zone) > 4;
  return many && zone.kind !== 'tokens' ? String(total(zone)) : '';
};

/**
 * The name of a card without its value, which stands before it.
 * @param {Card} card
 */
export function short({ name = '', value }) {
  const ending = ` ${value}`;
  return value && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
}

/** @param {string} name @returns {number} how many letters side by side it takes in two lines */
export const lettersOf = (name) =>
  Math.max(3, Math.ceil(name.length / 2), ...name.split(/[ -]/).map((word) => word.length));

/**
 * The places of an owner, or of the middle, as they would be drawn: each card, heaps of those alike; each without empty places, too.
 * @param {Table} table
 * @param {number | null} owner
 * @param {Drawn} drawn
 * @returns {Item[][]}
 */
export function itemsOf(table, owner, drawn) {
  const zones = table.zones.filter((zone) => (zone.owner ?? null) === owner && (!zone.quiet || zone.cards.length));
  return [false, true].flatMap((heaps) => {
    const items = itemsIn(zones, (zone) => drawn(zone, heaps));
    return [items, items.filter(({ zone }) => zone.cards.length)];
  });
}

/**
 * The first of several ways to show the same in which cards are not small, or else that in which they are seen best.
 * @param {Item[][]} ways
 * @param {{wide: number, high: number}} room
 * @returns {Fit | null}
 */
export function fitOf(ways, { wide, high }) {
  /** @type {Fit | null} */
  let best = null;
  for (const [at, items] of ways.entries()) {
    const found = fit(items, wide, high);
    if (found && (!best || found.worth > best.worth)) best = { ...found, heaps: at > 1 };
    if (best && best.card >= SMALL) break;
  }
  return best;
}

/**
 * What several ways to show the same are worth; less than nothing if none has room.
 * @param {Item[][]} ways
 * @param {{wide: number, high: number}} room
 * @param {number} [dire] how much worse it is if there is no room for words
 */
function worthOf(ways, { wide, high }, dire = 2) {
  const found = fitOf(ways, { wide, high });
  if (found) return found.worth;
  const told = ways[3].reduce((sum, { caption, cards, size }) => {
    const said = caption + cards.reduce((all, { name = '' }) => all + 50 + 6.2 * name.length, 0);
    return (
      sum + (size && size[1] > 25 ? size[1] + (size[0] > wide ? high : 0) : 24 * Math.ceil((size?.[0] ?? said) / wide))
    );
  }, 0);
  return WORDY * (1 + (dire * Math.max(0, told - high)) / Math.max(1, high));
}

/**
 * @param {Zone[]} zones
 * @param {(zone: Zone) => Card[]} drawn
 * @returns {Item[]}
 */
function itemsIn(zones, drawn) {
  return zones.map((zone) => {
    const { kind, title, note = '' } = zone;
    const caption = 6.2 * (title.length + note.length + counted(zone).length) + 8;
    /** @type {[number, number] | null} */
    let size = null;
    if (kind === 'track') size = [29 * ((zone.spaces ?? 0) + 1), 63];
    if (kind === 'tokens') {
      const chips = zone.cards.map(({ value, name }) => 46 + (value ? 6 : 6.5 * (name ?? '').length));
      size = [caption + 6 + chips.reduce((sum, each) => sum + each, 0), 25];
    }
    const cards = size ? [] : kind === 'pile' ? zone.cards.slice(-1) : drawn(zone);
    const long = cards.some((card) => short(card).length > LONG);
    const letters = cards.map((card) => (long ? 0 : lettersOf(short(card))));
    const least = Math.max(
      ...cards.map(({ value = '', count = 1 }) => STRIP[Math.max(Math.min(3, value.length), Number(count > 1) * 2)]),
    );
    return { zone, cards, letters, least, caption, size };
  });
}

/** @param {number} letters @param {number} card */
const breadth = (letters, card) =>
  letters ? Math.max(card, 0.66 * Math.max(10, 0.165 * card) * letters + 10) : Math.max(112, 1.7 * card);

/**
 * How wide a place is.
 * @param {Item} item
 * @param {number} card
 * @param {number} strip of each that is seen where others lie on it; 0: none lies on another
 */
function width({ cards, letters, caption, size, least }, card, strip) {
  if (size) return size[0];
  const fans = strip && cards.length > 1 && !letters.includes(0);
  const spread = letters.reduce((sum, each) => sum + breadth(each, card) + GAP, -GAP);
  return Math.max(
    caption,
    cards.length ? (fans ? card + Math.max(strip, least) * (cards.length - 1) : spread) : Math.min(50, card * 0.6),
  );
}

/**
 * In how many lines the cards of a place stand that is wider than there is room.
 * @param {Item} item
 * @param {number} card
 * @param {number} wide
 */
function linesOf({ zone, letters, size }, card, wide) {
  if (zone.kind === 'track') return Infinity;
  if (size) return Math.ceil(size[0] / wide);
  let [lines, left] = [1, wide];
  for (const each of letters) {
    const broad = breadth(each, card);
    if (broad > wide) return Infinity;
    if (broad > left) [lines, left] = [lines + 1, wide];
    left -= broad + GAP;
  }
  return lines;
}

/**
 * The places in rows, from the first to the last, none wider than there is room.
 * @param {Item[]} items
 * @param {number} card
 * @param {number} strip
 * @param {number} wide
 * @param {number} high
 * @returns {Item[][] | null} null where there is no room
 */
function rowsOf(items, card, strip, wide, high) {
  /** @type {Item[][]} */
  const rows = [];
  let [left, tall, room] = [-1, 0, high + GAP];
  for (const item of items) {
    const broad = width(item, card, strip);
    const lines = broad > wide ? linesOf(item, card, wide) : 1;
    if ((lines > 1 && strip && !item.size && !item.letters.includes(0)) || item.caption > wide) return null;
    const height = item.size ? item.size[1] * lines : (1.3 * card + GAP) * lines + CAPTION - GAP;
    if (broad > left || lines > 1) {
      rows.push([]);
      left = wide;
      room -= tall && tall + GAP;
      tall = 0;
    }
    rows[rows.length - 1].push(item);
    left -= (lines > 1 ? wide : broad) + APART;
    tall = Math.max(tall, height);
    if (tall + GAP > room) return null;
  }
  return rows;
}

/**
 * How cards are seen best in a box: larger ones that overlap, or smaller ones side by side.
 * @param {Item[]} items
 * @param {number} wide
 * @param {number} high
 * @returns {Fit | null} null where not even a fan has room
 */
function fit(items, wide, high) {
  /** @type {Fit | null} */
  let best = null;
  for (const card of SIZES) {
    for (const share of STRIPS) {
      const strip = share === 1 ? 0 : Math.max(12, share * card);
      const rows = rowsOf(items, card, strip, wide, high);
      if (!rows) continue;
      let worth = 0;
      const shelves = rows.map((row) => {
        const step = strip && stepOf(row, card, strip, wide);
        for (const { zone, cards } of row) {
          const seen = step && cards.length > 1 ? COVERED * Math.min(card - TINY, 1.6 * step) : card - TINY;
          worth += (zone.kind === 'pile' ? 0.3 : 1) * cards.length * Math.sqrt(seen);
        }
        return { items: row, step };
      });
      worth += card / 1000;
      if (!best || worth > best.worth) best = { card, shelves, worth };
      break;
    }
  }
  return best;
}

/**
 * How much of each card is seen in a row that is as wide as there is room; 0: all of it.
 * @param {Item[]} row
 * @param {number} card
 * @param {number} strip
 * @param {number} wide
 */
function stepOf(row, card, strip, wide) {
  const room = wide - APART * (row.length - 1);
  const sum = (/** @type {number} */ step) => row.reduce((all, item) => all + width(item, card, step), 0);
  if (sum(0) <= room) return 0;
  let step = strip;
  while (step < card - 1 && sum(step + 1) <= room) step += 1;
  return step;
}

/**
 * Boxes in rows of so many, each row as wide as all.
 * @param {number[]} seats
 * @param {number} columns
 * @param {Box} box
 */
const grid = (seats, columns, { x, y, w, h }) =>
  seats.map((seat, at) => {
    const row = Math.floor(at / columns);
    const wide = w / Math.min(columns, seats.length - row * columns);
    const high = h / Math.ceil(seats.length / columns);
    return { seat, x: x + wide * (at % columns), y: y + high * row, w: wide, h: high };
  });

/**
 * The ways in which seats may stand around the middle, clockwise; a seat that is looked at sits below all others.
 * @param {number} seats
 * @param {number | null} focus
 * @param {number} wide
 * @param {number} high
 * @returns {Generator<Plan>}
 */
function* plans(seats, focus, wide, high) {
  const all = Array.from({ length: seats }, (_, at) => at);
  const others = focus === null ? all : all.map((at) => (focus + 1 + at) % seats).slice(0, -1);
  const count = others.length;
  const half = focus === null ? Math.ceil(count / 2) : count;
  const [above, below] = [others.slice(0, half), others.slice(half).reverse()];
  const columns = new Set([half, Math.ceil(half / 2)]);
  for (const foot of focus === null ? [0] : [0.26, 0.34, 0.42]) {
    const own = foot ? [{ seat: Number(focus), x: 0, y: 1 - foot, w: 1, h: foot }] : [];
    for (const share of [0.18, 0.24, 0.3, 0.37, 0.45, 0.54]) {
      const rest = 1 - foot - share;
      for (const each of columns) {
        const rows = Math.ceil(above.length / each);
        const top = (rest * rows) / (rows + Math.ceil(below.length / each));
        const seated = [
          ...grid(above, each, { x: 0, y: 0, w: 1, h: top }),
          ...grid(below, each, { x: 0, y: top + share, w: 1, h: rest - top }),
        ];
        yield { middle: { x: 0, y: top, w: 1, h: share }, seats: [...seated, ...own] };
      }
      for (const each of new Set([1, Math.ceil(count / 2), Math.ceil(count / 3)])) {
        const turned = each * 2 >= count ? [...others.slice(0, each), ...others.slice(each).reverse()] : others;
        const beside = grid(turned, each, { x: share, y: 0, w: 1 - share, h: 1 - foot });
        yield { middle: { x: 0, y: 0, w: share, h: 1 - foot }, seats: [...beside, ...own] };
      }
    }
  }
  const across = Math.max(2, Math.floor(wide / 180));
  for (const [foot, line] of [0.18, 0.25, 0.32, 0.4, 0.48].flatMap((each) => [
    [each, 37],
    ...(seats > 4 ? [] : [[each, 62]]),
  ])) {
    const lines = (line * Math.ceil(count / across)) / high;
    const shown = { x: 0, y: 1 - foot, w: 1, h: foot };
    yield {
      middle: { x: 0, y: lines, w: 1, h: 1 - lines - foot },
      seats: [
        ...grid(others, across, { x: 0, y: 0, w: 1, h: lines }).map((each) => ({ ...each, line: true })),
        focus === null ? { ...shown, seat: -1, spot: true } : { ...shown, seat: focus },
      ],
    };
  }
}

/**
 * The room for cards in a box, without what stands around them.
 * @param {Box} box
 * @param {number} wide of the stage
 * @param {number} high
 * @returns {{wide: number, high: number, flat: boolean, narrow: boolean}} flat: the name stands beside the cards
 */
export function roomIn(box, wide, high) {
  const [w, h] = [box.w * (wide - 8) - 26, box.h * (high - 8) - 18];
  const flat = h < 100 && w > 230;
  const narrow = flat || w < 240;
  const head = flat ? 0 : w < 380 ? 49 : 29;
  return { wide: w - (flat ? 118 : 0), high: h - head, flat, narrow };
}

/** @param {Box} box @param {number} wide @param {number} high */
export const roomAmid = (box, wide, high) => ({ wide: box.w * (wide - 8) - 9, high: box.h * (high - 8) - 34 });

/**
 * The boxes of a match: those in which its cards are seen best, over some of its moments.
 * @param {Table[]} moments
 * @param {number} seats
 * @param {number | null} focus
 * @param {number} wide
 * @param {number} high
 * @param {Drawn} drawn
 * @returns {Plan}
 */
export function planOf(moments, seats, focus, wide, high, drawn) {
  const every = Math.max(1, Math.ceil(moments.length / MOMENTS));
  const fullest = (/** @type {boolean} */ amid) =>
    moments.reduce((most, table) => (sizeOf(table, amid) > sizeOf(most, amid) ? table : most), moments[0]);
  const chosen = [...moments.filter((_, at) => at % every === 0), fullest(true), fullest(false)].map((table) =>
    [null, ...Array.from({ length: seats }, (_, at) => at)].map((owner) => itemsOf(table, owner, drawn)),
  );
  /** @type {Plan | null} */
  let best = null;
  let most = -Infinity;
  for (const plan of plans(seats, focus, wide, high)) {
    const lines = plan.seats.some(({ line }) => line);
    if (lines ? best && wide >= NARROW : plan.seats.some(({ w, h }) => w * wide < 150 || h * high < 62)) continue;
    let sum = 0;
    for (const items of chosen) {
      sum += worthOf(items[0], roomAmid(plan.middle, wide, high), 40);
      for (const box of plan.seats) {
        const room = roomIn(box, wide, high);
        // where one is seen at a time, it is the one that is asked: no less is shown than of the fullest
        const shown = (box.line ? [] : box.seat < 0 ? items.slice(1) : [items[box.seat + 1]]).map((each) =>
          worthOf(each, room),
        );
        const least = Math.min(0, ...shown) * (box.seat === focus ? DEAR : 1);
        sum += least || shown.reduce((all, each) => all + each / shown.length, 0);
      }
    }
    if (sum > most) [best, most] = [plan, sum];
  }
  return /** @type {Plan} */ (best);
}

/** @param {Table} table @param {boolean} amid whether it is the middle that is full */
const sizeOf = ({ zones }, amid) => {
  const counts = zones.filter(({ kind, owner }) => kind !== 'pile' && ((owner ?? null) === null) === amid);
  return Math.max(0, ...counts.map(({ cards }) => cards.length));
};

/**
 * A table as it may become, for which there is to be room: some cards lie wherever any lie.
 * @param {Table} table
 * @returns {Table}
 */
export const filled = (table) => ({
  ...table,
  zones: table.zones.map((zone) => ({
    ...zone,
    cards:
      zone.quiet || zone.cards.length >= SOME ? zone.cards : [...zone.cards, ...Array(SOME).fill({ name: 'card' })],
  })),
});
