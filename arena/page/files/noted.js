// The numbers that bots noted, as curves over the match: a drawing for each key. Knows no score and no game.
// @ts-check
import { disc, element, patch } from './elements.js';
import { DASHES } from './timeline.js';

/** @typedef {import('./moves.js').Decision} Decision */
/** @typedef {{seat: number, at: number[], values: number[]}} Series what one seat noted, and at which positions */

const MOST_KEYS = 8;
const MARGIN = 0.12;

/**
 * The numbers of a note by their key; one that is a number itself has none.
 * @param {string} note JSON, which may be cut
 * @returns {[string, number][]}
 */
export function numbers(note) {
  let value;
  try {
    value = JSON.parse(note);
  } catch {
    return [];
  }
  const fields = typeof value === 'object' && value && !Array.isArray(value) ? Object.entries(value) : [['', value]];
  return /** @type {[string, number][]} */ (fields.filter(([, each]) => Number.isFinite(each)));
}

const LARGE = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });

/** @param {number} value */
const significant = (value) => (Math.abs(value) < 1e6 ? String(Number(value.toPrecision(5))) : LARGE.format(value));

export class NoteCurves {
  /**
   * @param {Decision[]} decisions
   * @param {number} last the last position
   * @param {(position: number) => void} seek
   */
  constructor(decisions, last, seek) {
    this.last = Math.max(1, last);
    /** @type {Map<string, Series[]>} */
    this.keys = new Map();
    for (const { at, seat, note } of decisions)
      for (const [key, value] of note ? numbers(note) : []) {
        if (!this.keys.has(key) && this.keys.size < MOST_KEYS) this.keys.set(key, []);
        const series = this.keys.get(key);
        if (series && !series.some((each) => each.seat === seat)) series.push({ seat, at: [], values: [] });
        const mine = series?.find((each) => each.seat === seat);
        mine?.at.push(at);
        mine?.values.push(value);
      }
    this.root = element('section', { class: 'noted', 'aria-label': 'What bots noted', tabindex: 0 });
    this.root.hidden = !this.keys.size;
    this.root.addEventListener('click', (/** @type {any} */ event) => {
      const box = event.target.closest('svg')?.getBoundingClientRect();
      if (box) seek(Math.round((last * (event.clientX - box.left)) / box.width));
    });
  }

  /**
   * @param {number} position
   * @param {{seat: number | null, open: boolean}} shown as whom one looks; whether what is to come is shown
   */
  go(position, { seat, open }) {
    if (!this.keys.size) return;
    const until = open ? this.last : position;
    const drawings = [...this.keys].flatMap(([key, all]) => {
      const series = all
        .filter((each) => seat === null || each.seat === seat)
        .map((each) => ({ ...each, count: each.at.filter((at) => at <= until).length }));
      return series.length ? [this.drawing(key || 'note', series, position)] : [];
    });
    patch(this.root, ...drawings);
  }

  /**
   * One key: what each seat noted last, the range, and the curves. What is to come is not told by their height.
   * @param {string} key
   * @param {(Series & {count: number})[]} series how many of its values are shown
   * @param {number} position
   */
  drawing(key, series, position) {
    const known = series.flatMap(({ values, count }) => values.slice(0, count));
    const low = known.reduce((one, other) => Math.min(one, other), Infinity);
    const high = known.reduce((one, other) => Math.max(one, other), -Infinity);
    const x = (/** @type {number} */ at) => ((100 * at) / this.last).toFixed(2);
    // as a share of the range: large numbers have no room in a drawing
    const y = (/** @type {number} */ value) => (high > low ? (high - value) / (high - low) : 0.5).toFixed(4);
    const paths = series
      .filter(({ count }) => count)
      .map((each) => {
        const steps = each.values.slice(0, each.count).map((value, at) => `L${x(each.at[at])} ${y(value)}`);
        return element('svg:path', {
          class: `curve seat-${each.seat}`,
          'stroke-dasharray': DASHES[each.seat % 4],
          // one value alone is a dot
          d: `M${steps.join('').slice(1)}h0`,
        });
      });
    const now = series.map((each) => {
      const at = each.at.findLastIndex((place) => place <= position);
      return element('span', {}, disc(each.seat), at < 0 ? '–' : significant(each.values[at]));
    });
    return element(
      'figure',
      {},
      element(
        'figcaption',
        {},
        element('b', {}, key),
        ...now,
        high > low ? element('small', {}, `${significant(low)} to ${significant(high)}`) : null,
      ),
      element(
        'svg:svg',
        {
          class: 'curves',
          viewBox: `0 ${-MARGIN} 100 ${1 + 2 * MARGIN}`,
          preserveAspectRatio: 'none',
          role: 'img',
          'aria-label': `${key} over the match`,
        },
        element('svg:path', { class: 'line', d: `M${x(position)} ${-MARGIN}V${1 + MARGIN}` }),
        ...paths,
      ),
    );
  }
}
