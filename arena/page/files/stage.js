// A table on the stage: where each seat and the middle stand, how much of each there is room for, and what moves.
// @ts-check
import { element, patch } from './elements.js';
import { BRIEF, LINE, NAME, Picture, WORDS } from './table.js';

/** @typedef {import('./table.js').Table} Table */
/** @typedef {{bots: string[], asked: number[], acting: number[], retired: number[]}} Round */
/** @typedef {{zone: string, name: string, box: DOMRect}} Spot where a card lay */

/** How large cards are, as shares of the largest, while there is room for cards. */
const SCALES = [1, 0.88, 0.77, 0.67, 0.56];
const SMALLEST = 48;
const LARGEST = 132;
/** A stage less wide has all seats as lines above the middle, and one of them whole below it. */
const NARROW = 620;
const SEAT = 170;

export class Stage {
  /** @param {Record<string, import('./table.js').Look>} looks */
  constructor(looks) {
    this.picture = new Picture(looks);
    this.still = false;
    /** @type {number | null} the seat that is always shown as large as can be */
    this.focus = null;
    this.board = element('div', { class: 'table' });
    this.root = element('div', { class: 'stage', role: 'group', 'aria-label': 'The table' }, this.board);
    this.tip = element('p', { class: 'tip', role: 'tooltip', hidden: true });
    this.root.append(this.tip);
    this.size = '';
    this.card = SMALLEST;
    this.stacked = false;
    /** The share of the middle in the height. */
    this.share = 1;
    /** @type {number | undefined} the seat that is shown whole where all others are lines */
    this.spot = undefined;
    /** Whether there is no room for all seats alike. */
    this.tight = false;
    /** @type {Map<string, number>} how much is shown of each place: it shrinks, and does not grow again, so that nothing jumps */
    this.levels = new Map();
    this.listen();
  }

  listen() {
    const card = (/** @type {any} */ event) => event.target.closest?.('[data-tip]');
    this.root.addEventListener('pointerover', (/** @type {any} */ event) => this.explain(card(event)));
    this.root.addEventListener('pointerleave', () => this.explain(null));
    this.root.addEventListener('focusin', (/** @type {any} */ event) => this.explain(card(event)));
    this.root.addEventListener('focusout', () => this.explain(null));
  }

  /**
   * Say what a card does.
   * @param {HTMLElement | null} card
   */
  explain(card) {
    this.tip.hidden = !card;
    if (!card) return;
    const [name, ...rest] = (card.dataset.tip ?? '').split('\n');
    this.tip.replaceChildren(element('b', {}, name), rest.length ? `\n${rest.join('\n')}` : '');
    const stage = this.root.getBoundingClientRect();
    const box = card.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.tip;
    const below = box.bottom + offsetHeight + 6 < stage.bottom;
    const left = Math.min(Math.max(4, box.left - stage.left), stage.width - offsetWidth - 4);
    const top = below ? box.bottom - stage.top + 4 : Math.max(0, box.top - stage.top - offsetHeight - 4);
    this.tip.style.cssText = `left: ${left}px; top: ${top}px`;
  }

  /**
   * Go to the next card, or the one before, to be told what it does.
   * @param {number} by
   */
  next(by) {
    const cards = [...this.board.querySelectorAll('[data-tip]')].filter((card) => card.checkVisibility());
    const at = cards.indexOf(document.activeElement);
    cards[at < 0 ? (by > 0 ? 0 : cards.length - 1) : (at + by + cards.length) % cards.length]?.focus();
  }

  /**
   * Draw a table.
   * @param {Table} table
   * @param {Round} round
   * @returns {() => void} what makes it fit and lets the cards fly, once all else is written: so the page is laid out once
   */
  draw(table, round) {
    const was = this.spots();
    this.tip.hidden = true;
    const size = `${innerWidth} ${innerHeight} ${round.bots.length}`;
    if (this.size !== size) {
      this.size = size;
      this.levels.clear();
      this.tight = false;
      this.share = 1;
      const { clientWidth: wide, clientHeight: high } = this.root;
      this.stacked = wide < Math.max(NARROW, SEAT * Math.ceil(round.bots.length / 2));
      this.card = Math.max(SMALLEST, Math.min(LARGEST, high * 0.14, wide * (this.stacked ? 0.16 : 0.085)));
    }
    patch(this.board, ...this.arranged(table, round));
    return () => {
      while (this.shrunk(round)) patch(this.board, ...this.arranged(table, round));
      this.fly(was);
    };
  }

  /**
   * @param {Table} table
   * @param {Round} round
   * @returns {HTMLElement[]}
   */
  arranged(table, round) {
    const { bots, asked, acting } = round;
    const all = bots.map((_, at) => at);
    const shown = { ...round, focus: this.focus };
    const role = (/** @type {number} */ at) =>
      at === this.focus || asked.includes(at) ? 'asked' : acting.includes(at) ? 'turn' : 'rest';
    const least = { asked: 0, turn: WORDS, rest: LINE, alike: 0 };
    const sized = (/** @type {HTMLElement} */ made, /** @type {number} */ level) => {
      const scale = SCALES[Math.min(level, SCALES.length - 1)];
      made.style.setProperty('--card', `${Math.max(SMALLEST, Math.round(this.card * scale))}px`);
      return made;
    };
    const seat = (/** @type {number} */ at, /** @type {keyof typeof least} */ kind) => {
      const key = `${at} ${kind}`;
      // cards of seats of one kind are of one size
      const others = Math.max(...all.map((other) => this.levels.get(`${other} ${kind}`) ?? 0));
      const level = Math.max(least[kind], this.levels.get(key) ?? 0, Math.min(BRIEF, others));
      return sized(this.picture.seat(table, at, shown, { level, role: kind, key, name: 'seat' }), level);
    };
    const level = this.levels.get('middle') ?? 0;
    const middle = sized(this.picture.middle(table, bots, level), level);
    this.board.classList.toggle('stacked', this.stacked);
    this.board.classList.toggle('many', bots.length > 4);
    this.board.style.setProperty('--middle', `${this.share}fr`);
    if (!this.stacked) {
      const above = Math.ceil(all.length / 2);
      const ring = (/** @type {number[]} */ seats) => {
        const alike = !this.tight || new Set(seats.map(role)).size === 1;
        return element('div', { class: 'ring' }, ...seats.map((at) => seat(at, alike ? 'alike' : role(at))));
      };
      return [ring(all.slice(0, above)), middle, ring(all.slice(above).reverse())];
    }
    this.spot = this.focus ?? asked[0] ?? acting[0] ?? this.spot ?? 0;
    const spot = this.levels.get('spot') ?? 0;
    const lines = all.map((at) =>
      this.picture.seat(table, at, shown, { level: LINE, role: role(at), key: `line ${at}`, name: 'seat' }),
    );
    const place = { level: spot, role: role(this.spot), key: 'spot', name: 'spot' };
    const whole = sized(this.picture.seat(table, this.spot, shown, place), spot);
    return [element('div', { class: 'ring' }, ...lines), middle, whole];
  }

  /**
   * Show less of whatever has no room; whether there was any.
   * @param {Round} round
   */
  shrunk(round) {
    let changed = false;
    for (const panel of this.board.querySelectorAll('[data-panel]')) {
      if (panel.scrollHeight <= panel.clientHeight + 1 && panel.scrollWidth <= panel.clientWidth + 1) continue;
      const key = panel.dataset.panel;
      const level = this.levels.get(key) ?? 0;
      if (level < (key === 'middle' ? BRIEF : NAME)) this.levels.set(key, level + 1);
      else if (key === 'middle' && this.share < 8) this.share += 0.25;
      else continue;
      changed = true;
    }
    const alike = round.asked.length === round.bots.length;
    if (
      !this.tight &&
      !this.stacked &&
      !alike &&
      round.bots.some((_, at) => (this.levels.get(`${at} alike`) ?? 0) >= WORDS)
    ) {
      this.tight = changed = true;
      for (const key of [...this.levels.keys()]) if (key.endsWith('alike')) this.levels.delete(key);
    }
    return changed;
  }

  /** @returns {Spot[]} */
  spots() {
    if (this.still) return [];
    return [...this.board.querySelectorAll('[data-zone] [data-name]')].map((card) => ({
      zone: card.closest('[data-zone]').dataset.zone,
      name: card.dataset.name,
      box: card.getBoundingClientRect(),
    }));
  }

  /**
   * A card that left one place and came to another flies there.
   * @param {Spot[]} was
   */
  fly(was) {
    if (!was.length || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const left = [...was];
    const come = [];
    for (const card of this.board.querySelectorAll('[data-zone] [data-name]')) {
      const zone = card.closest('[data-zone]').dataset.zone;
      const at = left.findIndex((other) => other.zone === zone && other.name === card.dataset.name);
      if (at >= 0) left.splice(at, 1);
      else if (card.dataset.name) come.push(card);
    }
    const flights = come.flatMap((card) => {
      let at = left.findIndex((other) => other.name === card.dataset.name);
      if (at < 0) at = left.findIndex((other) => !other.name);
      const from = at >= 0 ? left.splice(at, 1)[0].box : was.find((other) => !other.name)?.box;
      return from ? [{ card, from, to: card.getBoundingClientRect() }] : [];
    });
    // none starts before all are measured, else each would have the page laid out again; and nothing but what is moved
    // without painting is animated
    for (const { card, from, to } of flights) {
      const start = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
      card.style.zIndex = '5';
      card.animate({ transform: [start, 'none'] }, { duration: 280, easing: 'cubic-bezier(.2,.7,.2,1)' });
    }
  }
}
