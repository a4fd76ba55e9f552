// The line of time below a table: the scores so far, what is worth a look, a bar for each decision; one seeks by it.
// @ts-check
import { disc, element, patch } from './elements.js';
import { named } from './moves.js';
import { told } from './story.js';

/** @typedef {import('./moves.js').Story} Story */
/** @typedef {import('./moves.js').Decision} Decision */
/** @typedef {import('./story.js').Mark} Mark */

const HIGH = 60;
const EDGE = 3;
const BAR = 12;
/** A letter of a mark, and the room around its word, in pixels. */
const LETTER = 6.4;
const AROUND = 10;
const LABEL = 13;
/** Curves are told apart by these, too. */
export const DASHES = [null, '5 3', '2 2', '8 3 2 3'];

export class Timeline {
  /**
   * @param {Story} story
   * @param {Decision[]} decisions
   * @param {Mark[]} marks
   * @param {(position: number) => void} seek
   */
  constructor(story, decisions, marks, seek) {
    this.story = story;
    this.decisions = decisions;
    this.marks = marks;
    this.last = story.positions.length - 1;
    this.told = '';
    this.wide = this.window = 0;
    /** By position the scores of all seats; none in a story for one seat. */
    this.scores = story.positions.flatMap((each) => (each.scores ? [each.scores] : []));
    this.slider = element('input', {
      type: 'range',
      min: 0,
      max: this.last,
      value: 0,
      'aria-label': 'Position',
      oninput: (/** @type {any} */ event) => seek(Number(event.target.value)),
    });
    // no part of a drawing, which is not painted again when it moves
    this.cursor = element('i', { class: 'cursor' });
    this.curve = this.scores.length ? this.curves() : null;
    this.flags = element('div', { class: 'marks' });
    this.root = element('div', { class: 'timeline' }, this.curve, this.flags, this.times(), this.cursor, this.slider);
    this.root.addEventListener('click', (/** @type {MouseEvent} */ event) => {
      if (event.target === this.slider) return;
      const box = this.root.getBoundingClientRect();
      seek(Math.round((this.last * (event.clientX - box.left)) / box.width));
    });
    this.ends = element('div', { class: 'ends', 'aria-hidden': 'true' });
  }

  /** @param {number} at */
  x(at) {
    return (100 * at) / Math.max(1, this.last);
  }

  /**
   * The lowest and the highest score up to a position: what is to come would be told by the height of what was.
   * @param {number} position
   */
  bounds(position) {
    const all = this.scores.slice(0, position + 1).flat();
    const low = Math.min(...all);
    return { low, high: Math.max(...all, low + 1) };
  }

  /** All decisions in one line, as high as their time on a log scale; those of one moment side by side. */
  times() {
    const words = `The time of ${this.decisions.length} decisions`;
    const drawing = element('svg:svg', { class: 'times', height: BAR, role: 'img', 'aria-label': words });
    const longest = Math.max(1000, ...this.decisions.map((each) => each.micros ?? -1));
    const room = Math.min(3, Math.max(0.35, 62 / Math.max(1, this.last)));
    const beside = this.story.moves?.map((move) => move.asked ?? []) ?? [];
    for (const { at, seat, decision, micros = -1 } of this.decisions.filter((each) => (each.micros ?? -1) >= 0)) {
      const high = Math.max(1.5, (BAR * Math.log10(1 + micros / 10)) / Math.log10(1 + longest / 10));
      const wide = room / beside[at].length;
      const left = this.x(at) - room / 2 + wide * beside[at].findIndex((other) => other.decision === decision);
      drawing.append(
        element('svg:rect', {
          class: `bar seat-${seat}`,
          x: `${left.toFixed(2)}%`,
          width: `${wide.toFixed(2)}%`,
          y: (BAR - high).toFixed(1),
          height: high.toFixed(1),
        }),
      );
    }
    return drawing;
  }

  curves() {
    const made = element('svg:svg', {
      class: 'curves',
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': 'The score of each seat so far, if it ended there',
    });
    this.story.bots.forEach((_, seat) => {
      const path = this.scores.map((each, at) => `${at ? 'L' : 'M'}${this.x(at).toFixed(2)} ${-each[seat]}`);
      made.append(
        element('svg:path', { class: `curve seat-${seat}`, 'stroke-dasharray': DASHES[seat % 4], d: path.join('') }),
      );
    });
    return made;
  }

  /**
   * Who has what at a position, at the height of the curves.
   * @param {number} position
   * @param {{low: number, high: number}} bounds
   */
  standing(position, { low, high }) {
    const y = (/** @type {number} */ score) => EDGE + (HIGH - 2 * EDGE) * (1 - (score - low) / (high - low));
    const ends = this.story.bots.map((bot, seat) => ({ bot, seat, score: this.scores[position][seat] }));
    ends.sort((a, b) => b.score - a.score || a.seat - b.seat);
    let free = 0;
    const made = ends.map(({ bot, seat, score }, at) => {
      const below = LABEL * (ends.length - at);
      const top = Math.max(free, Math.min(y(score) - 7, HIGH + LABEL * 2 - below));
      free = top + LABEL;
      const label = element('span', {}, disc(seat), `${score} `, bot || `seat ${seat}`);
      label.style.top = `${top.toFixed(0)}px`;
      return label;
    });
    patch(this.ends, ...made);
  }

  /**
   * The marks with a word for as many as there is room, the weightiest first; of those to come a dot.
   * @param {number} position
   * @param {boolean} open whether those to come have their words too
   */
  flag(position, open) {
    if (this.window !== innerWidth) this.wide = this.root.clientWidth;
    this.window = innerWidth;
    const { wide } = this;
    const marks = this.marks.map((mark) => told(mark, open));
    const known = marks.filter((mark) => open || mark.at <= position);
    const shape = `${wide} ${open} ${known.length}`;
    if (shape === this.told) return;
    this.told = shape;
    /** @type {[number, number][]} */
    const taken = [];
    const worded = new Set();
    for (const mark of [...known].sort((a, b) => b.weight - a.weight)) {
      const room = mark.word.length * LETTER + AROUND;
      const left = Math.min(wide - room, Math.max(0, (this.x(mark.at) * wide) / 100 - room / 2));
      if (taken.some(([from, to]) => left < to && left + room > from)) continue;
      taken.push([left, left + room]);
      worded.add(mark);
    }
    const flags = marks.flatMap((mark) => {
      const shown = worded.has(mark);
      const middle = (this.x(mark.at) * wide) / 100;
      // no dot stands on a word
      if (!shown && taken.some(([from, to]) => from < middle + 3 && to > middle - 3)) return [];
      const made = element(
        'span',
        { class: `mark${known.includes(mark) ? ` weight-${mark.weight}` : ''}` },
        shown && mark.word,
      );
      const room = shown ? mark.word.length * LETTER + AROUND : 6;
      const left = Math.min(wide - room, Math.max(0, middle - room / 2));
      made.style.cssText = `left: ${left.toFixed(1)}px; width: ${room.toFixed(1)}px`;
      return [made];
    });
    this.flags.replaceChildren(...flags);
  }

  /**
   * @param {number} position
   * @param {boolean} open whether what is to come is shown
   */
  go(position, open) {
    const x = this.x(position);
    this.cursor.style.left = `${x}%`;
    if (this.curve) {
      this.curve.style.clipPath = open ? '' : `inset(-4px ${(100 - x).toFixed(2)}% -4px -4px)`;
      const bounds = this.bounds(open ? this.last : position);
      const high = (bounds.high - bounds.low) / (1 - (2 * EDGE) / HIGH);
      this.curve.setAttribute('viewBox', `0 ${-bounds.high - (high * EDGE) / HIGH} 100 ${high}`);
      this.standing(position, bounds);
    }
    this.slider.value = String(position);
    const mark = this.marks.find(({ at }) => at === position);
    const move = this.story.moves?.[position];
    const where = move ? named(move) : 'the end';
    this.slider.setAttribute('aria-valuetext', mark ? `${where}, ${told(mark, open).word}` : where);
  }
}
