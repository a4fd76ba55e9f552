// The lanes below a table: the score of each seat over the match, and a bar for each decision. One seeks by them.
// @ts-check
import { element } from './elements.js';
import { named } from './moves.js';

/** @typedef {import('./moves.js').Story} Story */
/** @typedef {import('./moves.js').Decision} Decision */

const TOP = 66;
const GAP = 6;

export class Lanes {
  /**
   * @param {Story} story
   * @param {Decision[]} decisions
   * @param {(position: number) => void} seek
   */
  constructor(story, decisions, seek) {
    this.story = story;
    this.decisions = decisions;
    this.last = story.positions.length - 1;
    this.lane = story.bots.length > 5 ? 15 : 21;
    /** By position the scores of all seats; none in a story for one seat. */
    this.scores = story.positions.flatMap((each) => (each.scores ? [each.scores] : []));
    this.curved = this.scores.length > 0;
    this.top = this.curved ? TOP : 4;
    this.height = this.top + GAP + this.lane * story.bots.length + 8;
    this.slider = element('input', {
      type: 'range',
      min: 0,
      max: this.last,
      value: 0,
      'aria-label': 'Position',
      oninput: (/** @type {any} */ event) => seek(Number(event.target.value)),
    });
    // no part of the drawing, which is not painted again when it moves
    this.cursor = element('i', { class: 'cursor' });
    this.cursor.style.height = `${this.height}px`;
    this.root = element(
      'div',
      { class: `lanes${this.curved ? '' : ' flat'}` },
      this.drawing(),
      this.cursor,
      this.slider,
    );
    this.root.addEventListener('click', (/** @type {MouseEvent} */ event) => {
      if (event.target === this.slider) return;
      const box = this.root.getBoundingClientRect();
      seek(Math.round((this.last * (event.clientX - box.left)) / box.width));
    });
    this.ends = this.curved ? this.labels() : [];
  }

  /** @param {number} at */
  x(at) {
    return (100 * at) / Math.max(1, this.last);
  }

  /** @returns {(value: number) => number} where a score stands */
  scale() {
    const all = this.scores.flat();
    const low = Math.min(...all);
    const high = Math.max(...all, low + 1);
    return (value) => 3 + (this.top - 8) * (1 - (value - low) / (high - low));
  }

  drawing() {
    const words = `${this.curved ? 'The score of each seat over the match, and the' : 'The'} time of ${this.decisions.length} decisions`;
    const drawing = element('svg:svg', { height: this.height, role: 'img', 'aria-label': words });
    if (this.curved) drawing.append(this.curves());
    const longest = Math.max(1000, ...this.decisions.map((each) => each.micros ?? -1));
    const tall = (/** @type {number} */ micros) =>
      micros < 0 ? 0 : Math.max(1.5, ((this.lane - 5) * Math.log10(1 + micros / 10)) / Math.log10(1 + longest / 10));
    const wide = Math.min(3, Math.max(0.35, 62 / Math.max(1, this.last)));
    this.story.bots.forEach((_, seat) => {
      const base = this.top + GAP + this.lane * (seat + 1) - 3;
      drawing.append(element('svg:line', { class: 'base', x1: 0, x2: '100%', y1: base, y2: base }));
      for (const each of this.decisions.filter((decision) => decision.seat === seat)) {
        const height = tall(each.micros ?? -1);
        const x = this.x(each.at);
        if (height) {
          drawing.append(
            element('svg:rect', {
              class: `bar seat-${seat}`,
              x: `${(x - wide / 2).toFixed(2)}%`,
              width: `${wide.toFixed(2)}%`,
              y: (base - height).toFixed(1),
              height: height.toFixed(1),
            }),
          );
        }
        if (each.fault)
          drawing.append(element('svg:text', { class: 'fault', x: `${x.toFixed(2)}%`, y: base - 2 }, '✕'));
      }
    });
    return drawing;
  }

  curves() {
    const y = this.scale();
    const made = element('svg:svg', {
      viewBox: `0 0 100 ${this.top}`,
      preserveAspectRatio: 'none',
      width: '100%',
      height: this.top,
    });
    this.story.bots.forEach((_, seat) => {
      const path = this.scores.map(
        (each, at) => `${at ? 'L' : 'M'}${this.x(at).toFixed(2)} ${y(each[seat]).toFixed(1)}`,
      );
      made.append(element('svg:path', { class: `curve seat-${seat} dash-${seat % 4}`, d: path.join('') }));
    });
    return made;
  }

  labels() {
    const y = this.scale();
    const ends = this.story.bots.map((bot, seat) => {
      const score = this.scores[this.last][seat];
      return { bot, score, y: y(score) - 6 };
    });
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, at) => {
      end.y = Math.max(end.y, at ? ends[at - 1].y + 12 : 0);
    });
    return ends.map((end) => {
      const label = element('span', { title: end.bot }, `${end.bot.slice(0, 10)} ${end.score}`);
      label.style.top = `${end.y}px`;
      return label;
    });
  }

  /** @param {number} position */
  go(position) {
    this.cursor.style.left = `${this.x(position)}%`;
    this.slider.value = String(position);
    const move = this.story.moves?.[position];
    this.slider.setAttribute('aria-valuetext', move ? named(move) : 'the end');
  }
}
