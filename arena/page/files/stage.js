// A table on the stage: where each seat and the middle stand, how much of each there is room for, and what moves.
// @ts-check
import { element, patch } from './elements.js';
import { fitOf, itemsOf, planOf, roomAmid, roomIn } from './fit.js';
import { CARDS, LINE, NAME, Picture, WORDS } from './table.js';

/** @typedef {import('./table.js').Table} Table */
/** @typedef {{bots: string[], asked: number[], acting: number[], retired: number[], viewer?: number | null}} Round */
/** @typedef {{zone: string, name: string, box: DOMRect}} Spot where a card lay */

/** Less high, a line holds but a name and a score. */
const LINED = 50;

/** @typedef {{level: number, wide: number, high: number}} Less of a panel, once it was seen that there is no room */

export class Stage {
  /**
   * @param {Record<string, import('./table.js').Look>} looks
   * @param {() => Table[]} moments of the match, by which the boxes of its seats are made once
   */
  constructor(looks, moments) {
    this.moments = moments;
    this.picture = new Picture(looks);
    /** @type {import('./fit.js').Drawn} */
    this.drawn = (zone, heaps) => this.picture.runs(zone, null, heaps ? false : null).map(({ card }) => card);
    this.still = false;
    /** @type {number | null} the seat that is always shown as large as can be */
    this.focus = null;
    this.board = element('div', { class: 'table' });
    this.root = element('div', { class: 'stage', role: 'group', 'aria-label': 'The table' }, this.board);
    this.tip = element('p', { class: 'tip', role: 'tooltip', hidden: true });
    this.root.append(this.tip);
    this.planned = '';
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
    return () => {
      const { clientWidth: wide, clientHeight: high } = this.root;
      const focus = this.focus ?? round.viewer ?? null;
      const planned = `${wide} ${high} ${round.bots.length} ${focus}`;
      if (this.planned !== planned) {
        this.planned = planned;
        this.plan = planOf(this.moments(), round.bots.length, focus, wide, high, this.drawn);
      }
      /** @type {Map<string, Less>} nothing of it stays for the next position */
      const less = new Map();
      do patch(this.board, ...this.arranged(table, { ...round, focus }, wide, high, less));
      while (this.lessened(less));
      this.fly(was);
    };
  }

  /**
   * @param {Table} table
   * @param {Round & {focus: number | null}} round
   * @param {number} wide
   * @param {number} high
   * @param {Map<string, Less>} less
   * @returns {HTMLElement[]}
   */
  arranged(table, round, wide, high, less) {
    const plan = /** @type {import('./fit.js').Plan} */ (this.plan);
    const placed = (/** @type {HTMLElement} */ made, /** @type {import('./fit.js').Box} */ box) => {
      for (const [name, share] of Object.entries(box))
        if ('xywh'.includes(name)) made.style.setProperty(`--${name}`, `${(100 * Number(share)).toFixed(3)}%`);
      return made;
    };
    const place = (
      /** @type {string} */ key,
      /** @type {string} */ name,
      /** @type {number | null} */ owner,
      /** @type {{wide: number, high: number, flat?: boolean, narrow?: boolean}} */ room,
    ) => {
      const { level, wide: w, high: h } = less.get(key) ?? { level: CARDS, wide: 0, high: 0 };
      const shown =
        level > CARDS ? null : fitOf(itemsOf(table, owner, this.drawn), { wide: room.wide - w, high: room.high - h });
      return {
        level: shown ? CARDS : Math.max(WORDS, level),
        key,
        name,
        fit: shown,
        flat: room.flat,
        narrow: room.narrow,
      };
    };
    const spot = round.asked[0] ?? round.acting[0] ?? 0;
    const seats = plan.seats.map((box) => {
      const at = box.spot ? spot : box.seat;
      const key = box.spot ? 'spot' : String(at);
      const made = place(key, box.spot ? 'spot' : 'seat', at, roomIn(box, wide, high));
      if (box.line) made.level = Math.max(box.h * high < LINED ? NAME : LINE, made.level);
      return placed(this.picture.seat(table, at, round, made), box);
    });
    const middle = this.picture.middle(
      table,
      round.bots,
      place('middle', 'middle', null, roomAmid(plan.middle, wide, high)),
    );
    // in the order in which they are read
    const above = plan.seats.filter(({ y }) => y < plan.middle.y).length;
    return seats.toSpliced(above, 0, placed(middle, plan.middle));
  }

  /**
   * Show less of whatever has no room; whether there was any.
   * @param {Map<string, Less>} less
   */
  lessened(less) {
    let changed = false;
    for (const panel of this.board.querySelectorAll('[data-panel]')) {
      const wide = panel.scrollWidth - panel.clientWidth - 1;
      const high = panel.scrollHeight - panel.clientHeight - 1;
      if (wide <= 0 && high <= 0) continue;
      const key = panel.dataset.panel;
      const was = less.get(key) ?? { level: CARDS, wide: 0, high: 0 };
      const least = panel.matches('.line') ? LINE : panel.querySelector('.shelf') ? CARDS : WORDS;
      const level = Math.max(was.level, least);
      if (level >= (key === 'middle' ? LINE : NAME)) continue;
      less.set(key, {
        level: level && level + 1,
        wide: was.wide + Math.max(0, wide),
        high: was.high + Math.max(0, high),
      });
      changed = true;
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
