// What in a match is worth a look, and how it ended. Knows scores and decisions, and no game.
// @ts-check
import { element, sentence } from './elements.js';
import { caption } from './moves.js';

/** @typedef {import('./moves.js').Story} Story */
/** @typedef {import('./moves.js').Decision} Decision */
/** @typedef {{at: number, word: string, said: string, weight: number}} Mark at a position, in a word and in a sentence */

const SWINGS = 3;
const FAULTS = 12;
const LONGEST = 160;

/** @param {number} score @param {number} other @returns {number} their difference, to the places that scores have */
const less = (score, other) => Number((score - other).toFixed(9));

/** @param {number[]} seats @returns {string} as `seat 0, seat 1 and seat 2` */
const listed = (seats) =>
  seats
    .map((seat) => `seat ${seat}`)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1');

/** @param {number[]} scores @returns {number | null} the seat that is ahead of all others */
const ahead = (scores) => {
  const best = Math.max(...scores);
  return scores.filter((score) => score === best).length === 1 ? scores.indexOf(best) : null;
};

/** @param {Story} story @returns {number[]} */
export const winners = (story) => story.bots.map((_, seat) => seat).filter((seat) => story.ranks[seat] === 0);

/**
 * What happens at a position, a sentence an event: upkeep only where there is nothing else, and no secret of others.
 * @param {import('./moves.js').Move} move
 * @param {number | null} seat as whom one looks
 * @returns {string[]}
 */
export function sentencesOf(move, seat) {
  const heard = (move.events ?? []).filter((each) => !each.seats || (seat !== null && each.seats.includes(seat)));
  const sentences = heard.filter((each) => !each.upkeep).map(({ text }) => text);
  return sentences.length ? sentences : [caption(move, seat)];
}

/**
 * Lead changes, the greatest swings, the decisive moment, faults, and what the page was told; in order, one a position.
 * @param {Story} story
 * @param {Decision[]} decisions
 * @returns {Mark[]}
 */
export function marks(story, decisions) {
  const scores = story.positions.flatMap((each) => (each.scores ? [each.scores] : []));
  /** @type {Mark[]} */
  const made = [];
  /** @type {number | null} */
  let leader = null;
  const [winner, other] = winners(story);
  /** @type {{at: number, size: number, gain: number, seat: number}[]} */
  const swings = [];
  let decisive = -1;
  scores.slice(1).forEach((now, at) => {
    const before = scores[at];
    const first = ahead(now);
    if (first !== null && first !== leader)
      made.push({ at, word: 'lead', said: `seat ${first} takes the lead`, weight: 1 });
    leader = first ?? leader;
    if (other === undefined && ahead(before) !== winner && first === winner) decisive = at;
    const gains = now.map((score, seat) => less(score, before[seat]));
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
    const sizes = gains.map((gain) => gain && Math.abs(gain - mean));
    const size = Math.max(...sizes);
    const seat = sizes.indexOf(size);
    if (size) swings.push({ at, size, gain: gains[seat], seat });
  });
  swings.sort((a, b) => b.size - a.size || a.at - b.at);
  for (const { at, gain, seat } of swings.slice(0, SWINGS)) {
    const words = gain > 0 ? `seat ${seat} gains ${gain}` : `seat ${seat} loses ${-gain}`;
    made.push({ at, word: 'swing', said: words, weight: 2 });
  }
  if (decisive >= 0) {
    const lead = made.findIndex(({ at }) => at === decisive);
    if (lead >= 0) made.splice(lead, 1);
    made.push({ at: decisive, word: 'decisive', said: `seat ${winner} takes the lead for good`, weight: 5 });
  }
  for (const { at, seat, fault } of decisions.filter((each) => each.fault).slice(0, FAULTS))
    made.push({ at, word: fault?.kind ?? '', said: `seat ${seat}: fault ${fault?.kind}`, weight: 3 });
  for (const { decision, text } of story.marks ?? []) {
    const asked = decisions.find((each) => each.decision === decision);
    if (asked) made.push({ at: asked.at, word: text, said: `seat ${asked.seat}: ${text}`, weight: 4 });
  }
  /** @type {Map<number, Mark>} */
  const whole = new Map();
  for (const mark of made.sort((a, b) => b.weight - a.weight)) {
    const known = whole.get(mark.at);
    if (known) known.said += `; ${mark.said}`;
    else whole.set(mark.at, { ...mark });
  }
  return [...whole.values()].sort((a, b) => a.at - b.at);
}

/**
 * A mark as it is told: which moment decides is known at the end alone.
 * @param {Mark} mark
 * @param {boolean} open whether what is to come is shown
 */
export const told = (mark, open) => (mark.word !== 'decisive' || open ? mark : { ...mark, word: 'lead', weight: 1 });

/**
 * The counter of a seat that is its score, if the game has one.
 * @param {Story} story
 * @param {number} winner
 * @returns {import('./table.js').Counter | undefined}
 */
export function scoring(story, winner) {
  const last = story.positions[story.positions.length - 1];
  const seen = story.sights[last.everyone ?? last.seats.find((sight) => sight !== null) ?? 0];
  const counters = (seen.counters ?? []).map((at) => story.counters[at]);
  return counters.find(
    ({ owner, title }) =>
      owner === winner &&
      story.scores.every((score, seat) =>
        counters.some((each) => each.owner === seat && each.title === title && each.value === score),
      ),
  );
}

/**
 * The table at a position, as it is drawn.
 * @param {Story} story
 * @param {number} position
 * @param {{seat: number | null, counted: boolean}} look as whom one looks; whether a counter of the game is the score
 * @returns {import('./table.js').Table}
 */
export function tableAt(story, position, { seat, counted }) {
  const at = story.positions[position];
  const sight = story.sights[(seat === null ? at.everyone : at.seats[seat]) ?? 0];
  return {
    title: sight.title,
    text: sight.text,
    zones: (sight.zones ?? []).map((each) => ({
      ...story.zones[each],
      cards: (story.zones[each].cards ?? []).map((card) => story.cards[card]),
    })),
    counters: [
      ...(sight.counters ?? []).map((each) => story.counters[each]),
      // where no counter of the game is the score, it is what the match would end with here
      ...(counted || seat !== null ? [] : (at.scores ?? [])).map((value, owner) => ({ title: 'score', value, owner })),
    ],
    badges: (sight.badges ?? []).map((each) => [each.seat, each.text]),
  };
}

/**
 * Who won, and by what.
 * @param {Story} story
 */
export function result(story) {
  const won = winners(story);
  const names = listed(won);
  const best = story.scores[won[0]];
  const counter = scoring(story, won[0]);
  const score = counter ? `${best} ${counter.unit || `(${counter.title})`}` : `a score of ${best}`;
  const rest = story.bots.map((_, seat) => seat).filter((seat) => story.ranks[seat] > 0);
  const place = Math.min(...rest.map((seat) => story.ranks[seat]));
  const next = rest.filter((seat) => story.ranks[seat] === place);
  const margin = Math.min(...next.map((seat) => less(best, story.scores[seat])));
  const by = next.length ? `, ${margin > 0 ? `${margin} more than` : 'before'} ${listed(next)}` : '';
  return won.length > 1 ? `${names} share the first place with ${score}` : `${names} wins with ${score}${by}`;
}

/**
 * The end as a moment: the result, the order, the curve, why, and what to watch next.
 * @param {Story} story
 * @param {{curve: any, last: string, decisive: {at: number, text: string} | null, next: string | null, go: (at: number) => void, hide: () => void}} shown
 */
export function finale(story, { curve, last, decisive, next, go, hide }) {
  const order = story.bots.map((_, at) => at).sort((a, b) => story.ranks[a] - story.ranks[b] || a - b);
  const rows = order.map((at) =>
    element(
      'li',
      {},
      `${story.ranks[at] + 1}. `,
      ...sentence(`seat ${at}`, story.bots),
      `: ${story.scores[at]}`,
      (story.retired ?? []).includes(at) ? ', retired' : '',
    ),
  );
  return element(
    'section',
    { class: 'finale', 'aria-label': 'The result' },
    element('h2', {}, ...sentence(result(story), story.bots)),
    curve,
    element('ol', { class: 'places' }, ...rows),
    decisive
      ? element(
          'p',
          {},
          element('button', { class: 'button', onclick: () => go(decisive.at) }, 'Decisive'),
          ' ',
          ...sentence(decisive.text, story.bots),
        )
      : null,
    // a long one is a list of what stands above
    last.length <= LONGEST ? element('p', {}, 'At the end: ', ...sentence(last, story.bots)) : null,
    element(
      'p',
      { class: 'tools' },
      element('button', { class: 'button', onclick: hide }, 'Show the table'),
      next ? element('a', { class: 'button', href: `#replay=${next}` }, `Watch the next match: ${next}`) : null,
    ),
  );
}
