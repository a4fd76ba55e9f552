// A table as a picture. Knows zones, cards and counters as data, and no game.
// @ts-check
import { byId, disc, element, patch, sentence } from './elements.js';

/** @typedef {{hue?: string, glyph?: string}} Look */
/** @typedef {{name?: string, kind?: string, value?: string, count?: number, seat?: number, at?: number}} Card */
/**
 * @typedef {object} Zone
 * @property {string} id
 * @property {string} title
 * @property {'row' | 'fan' | 'pile' | 'track' | 'tokens'} [kind]
 * @property {Card[]} cards
 * @property {number | null} [owner]
 * @property {number} [spaces]
 * @property {boolean} [quiet]
 * @property {string} [note]
 */
/**
 * @typedef {object} Counter
 * @property {string} title
 * @property {number} value
 * @property {number | null} [owner]
 * @property {string} [unit]
 * @property {number} [most]
 * @property {number} [change]
 */
/**
 * What `arena.view.Table` holds.
 * @typedef {object} Table
 * @property {string} [title]
 * @property {string} [question]
 * @property {string} [text]
 * @property {Zone[]} zones
 * @property {Counter[]} counters
 * @property {[number, string][]} badges seats and words
 * @property {Map<string, Zone>} [before] by id the zones one step earlier
 */
/** @typedef {{bots: string[], asked: number[], retired: number[]}} Round */
/** @typedef {{zone: string, name: string, box: DOMRect}} Spot where a card lay */

const PATH_DATA = /^[MLHVCSQTAZmlhvcsqtaz0-9 ,.-]*$/;
/** Letters of a name for which a card is made wider. */
const LONG = 22;
/** More cards of a seat than this lie one over the other. */
const MOST_BESIDE = 7;
const HUES = ['red', 'orange', 'amber', 'olive', 'green', 'teal', 'cyan', 'blue', 'indigo', 'violet', 'pink', 'brown'];
/** @param {number} y */
const wave = (y) => `M0 ${y}q6-5 12 0t12 0t12 0t12 0`;

/** The silhouettes of a game, drawn once and used by every card. */
class Looks {
  /** @param {Record<string, Look>} looks */
  constructor(looks) {
    this.looks = looks;
    /** @type {Map<string, string>} */
    this.symbols = new Map();
    const defs = element('svg:svg', { id: 'glyphs', width: 0, height: 0, 'aria-hidden': 'true' });
    const back = [8, 18, 28, 38, 48, 58].map(wave).join('');
    const line = element('svg:path', { d: back, fill: 'none', stroke: 'currentColor', 'stroke-width': 2.4 });
    defs.append(element('svg:symbol', { id: 'back', viewBox: '2 2 44 60', preserveAspectRatio: 'none' }, line));
    for (const [kind, look] of Object.entries(looks)) {
      if (!look.glyph || !PATH_DATA.test(look.glyph)) continue;
      const id = `glyph-${this.symbols.size}`;
      this.symbols.set(kind, id);
      defs.append(element('svg:symbol', { id, viewBox: '0 0 48 32' }, element('svg:path', { d: look.glyph })));
    }
    byId('glyphs')?.remove();
    document.body.append(defs);
  }

  /** @param {string} kind */
  hue(kind) {
    const look = Object.hasOwn(this.looks, kind) ? this.looks[kind] : null;
    if (look) return look.hue || 'grey';
    const sum = [...kind].reduce((found, char) => (found * 31 + Number(char.codePointAt(0))) >>> 0, 7);
    return HUES[sum % HUES.length];
  }

  /** @param {string} kind */
  glyph(kind) {
    const id = this.symbols.get(kind);
    return id && element('svg:svg', { 'aria-hidden': 'true' }, element('svg:use', { href: `#${id}` }));
  }
}

/** @param {Card} card */
const number = (card) => card.count ?? 1;
/** @param {Zone} zone */
const total = (zone) => zone.cards.reduce((sum, card) => sum + number(card), 0);

export class Picture {
  /** @param {Record<string, Look>} looks */
  constructor(looks) {
    this.looks = new Looks(looks);
    this.still = false;
  }

  /**
   * The name of a card without its value, which stands above.
   * @param {Card} card
   */
  short({ name = '', value }) {
    const ending = ` ${value}`;
    return value && name.endsWith(ending) ? name.slice(0, -ending.length) : name;
  }

  /**
   * @param {Card} card
   * @param {boolean} [fresh] whether it was not there before
   * @param {number} [count]
   */
  card(card, fresh = false, count = number(card)) {
    const many = count > 1;
    if (!card.name) {
      const words = many ? `${count} cards face down` : 'a card face down';
      return element(
        'div',
        { class: `card down${many ? ' heap' : ''}`, role: 'img', 'aria-label': words, title: words, 'data-name': '' },
        element('svg:svg', { 'aria-hidden': 'true' }, element('svg:use', { href: '#back' })),
        many && element('span', { class: 'count' }, String(count)),
      );
    }
    const kind = card.kind || card.name;
    const glyph = this.looks.glyph(kind);
    const short = this.short(card);
    const words = `${many ? `${count} times ` : ''}${card.name}${fresh ? ', new' : ''}`;
    const classes = ['card', `hue-${this.looks.hue(kind)}`];
    if (!card.value) classes.push('plain');
    if (!glyph) classes.push('worded');
    if (short.length > LONG) classes.push('long');
    else if (short.includes(' ') && short.length > 7) classes.push('two');
    if (many) classes.push('heap');
    if (fresh) classes.push('fresh');
    const made = element(
      'div',
      { class: classes.join(' '), role: 'img', 'aria-label': words, title: words, 'data-name': card.name },
      card.value && element('span', { class: 'value' }, card.value),
      glyph && element('span', { class: 'glyph' }, glyph),
      element('span', { class: 'label' }, short),
      many && element('span', { class: 'count' }, `×${count}`),
    );
    made.style.setProperty('--word', String(Math.max(...short.split(/[ -]/).map((word) => word.length))));
    return made;
  }

  /** @param {Card} card */
  token(card) {
    const count = number(card);
    const kind = card.kind || card.name || '';
    const glyph = this.looks.glyph(kind);
    const words = `${count > 1 ? `${count} times ` : ''}${card.name || 'face down'}${card.value ? ` showing ${card.value}` : ''}`;
    const shown = card.value || (count > 1 ? `×${count}` : card.name || '');
    return element(
      'li',
      { class: `token hue-${kind ? this.looks.hue(kind) : 'grey'}`, title: words, 'data-name': card.name ?? '' },
      glyph || (card.name ? null : element('span', { 'aria-hidden': 'true' }, '▒')),
      element('b', { 'aria-hidden': 'true' }, shown),
      element('span', { class: 'unseen' }, words),
    );
  }

  /**
   * @param {Zone} zone
   * @param {string[]} bots
   * @param {{cards: Card[]} | null} before
   * @returns {HTMLElement | null}
   */
  zone(zone, bots, before) {
    const all = total(zone);
    if (zone.quiet && !all) return null;
    const many = zone.cards.length > MOST_BESIDE && zone.owner !== undefined && zone.owner !== null;
    const kind = !zone.kind || zone.kind === 'row' ? (many ? 'fan' : 'row') : zone.kind;
    const caption = element(
      'figcaption',
      {},
      element('span', {}, ...sentence(zone.title, bots)),
      zone.note && element('b', {}, zone.note),
    );
    const figure = (/** @type {any[]} */ ...inner) =>
      element('figure', { class: `zone ${kind}`, 'data-zone': zone.id }, ...inner, caption);
    if (kind === 'track') return figure(this.track(zone));
    if (kind === 'tokens') {
      return figure(
        all
          ? element('ul', { class: 'chips' }, ...zone.cards.map((card) => this.token(card)))
          : element('p', { class: 'none' }, '–'),
      );
    }
    if (!all) return figure(element('div', { class: 'slot' }));
    if (kind === 'pile') return figure(this.pile(zone, all));
    const fresh = this.fresh(zone, before);
    const cards = zone.cards.map((card, at) => element('li', {}, this.card(card, fresh[at])));
    const made = figure(element('ol', { class: 'cards' }, ...cards));
    const long = zone.cards.filter((card) => card.name && this.short(card).length > LONG).length;
    const wide = kind === 'fan' ? 0.5 * cards.length + 0.6 : 1.07 * cards.length + 0.5 * long;
    made.style.setProperty('--wide', Math.max(1.2, wide).toFixed(2));
    return made;
  }

  /**
   * Which cards of a zone were not there before.
   * @param {Zone} zone
   * @param {{cards: Card[]} | null} before
   */
  fresh(zone, before) {
    if (!before) return [];
    const left = [...before.cards];
    return zone.cards.map((card) => {
      if (!card.name) return false;
      const at = left.findIndex((other) => other.name === card.name && number(other) >= number(card));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  }

  /** @param {Zone} zone */
  track(zone) {
    const spaces = Array.from({ length: (zone.spaces ?? 0) + 1 }, (_, at) => {
      const here = zone.cards.filter((card) => (card.at ?? 0) === at);
      const chips = here.map((card) => {
        const chip = disc(card.seat ?? 0);
        chip.dataset.name = card.name;
        return chip;
      });
      return element('li', {}, element('span', {}, String(at)), ...chips);
    });
    return element('ol', { class: 'spaces' }, ...spaces);
  }

  /**
   * @param {Zone} zone
   * @param {number} all
   */
  pile(zone, all) {
    const top = zone.cards[zone.cards.length - 1];
    if (zone.cards.length === 1) return element('div', { class: 'cards' }, this.card(top));
    const card = this.card(top, false, all);
    card.querySelector('.count').textContent = String(all);
    card.setAttribute('aria-label', `${all} cards: open to see them`);
    const rows = zone.cards.map((each) =>
      element('li', {}, element('b', {}, `${number(each)} ×`), ` ${each.name || 'face down'}`),
    );
    return element('details', {}, element('summary', { class: 'cards' }, card), element('ul', {}, ...rows));
  }

  /** @param {Counter} counter */
  counter(counter) {
    const { title, value, unit, most, change } = counter;
    return element(
      'span',
      { class: 'counter' },
      element('small', {}, title),
      most
        ? element('meter', { min: 0, max: most, value: Math.max(0, Math.min(value, most)), 'aria-label': title })
        : null,
      `${value}${unit ? ` ${unit}` : ''}`,
      change ? element('span', { class: 'change' }, `${change > 0 ? '+' : '−'}${Math.abs(change)}`) : null,
    );
  }

  /**
   * @param {Table} table
   * @param {number} at
   * @param {Round} round
   */
  seat(table, at, round) {
    const names = round.bots;
    const asked = round.asked.includes(at);
    const retired = round.retired.includes(at);
    const badges = table.badges
      .filter(([seat]) => seat === at)
      .map(([, text]) => element('span', { class: 'badge' }, text));
    return element(
      'section',
      { class: `seat seat-${at}${asked ? ' asked' : ''}${retired ? ' retired' : ''}`, 'aria-label': `seat ${at}` },
      element(
        'header',
        {},
        disc(at),
        element('b', { class: 'who', title: names[at] || `seat ${at}` }, names[at] || `seat ${at}`),
        asked && element('span', { class: 'badge now' }, 'is asked'),
        retired && element('span', { class: 'badge' }, 'retired'),
        ...badges,
        element(
          'span',
          { class: 'counters' },
          ...table.counters.filter((each) => each.owner === at).map((each) => this.counter(each)),
        ),
      ),
      element('div', { class: 'zones' }, ...this.zonesOf(table, at, names)),
    );
  }

  /**
   * @param {Table} table
   * @param {number | null} owner
   * @param {string[]} bots
   * @param {string[] | null} [kinds]
   */
  zonesOf(table, owner, bots, kinds = null) {
    return table.zones
      .filter((zone) => (zone.owner ?? null) === owner && (!kinds || kinds.includes(zone.kind || 'row')))
      .map((zone) => this.zone(zone, bots, table.before?.get(zone.id) ?? (table.before ? { cards: [] } : null)));
  }

  /**
   * Draw a table.
   * @param {HTMLElement} root
   * @param {Table} table
   * @param {Round} round
   * @returns {() => void} what lets the cards fly, once all else is written
   */
  draw(root, table, round) {
    const { bots } = round;
    const was = this.places(root);
    const above = Math.ceil(bots.length / 2);
    const ring = (/** @type {number[]} */ seats) => {
      const made = element(
        'div',
        { class: `ring${seats.length < above && seats.length === 1 ? ' lone' : ''}` },
        ...seats.map((at) => this.seat(table, at, round)),
      );
      made.style.setProperty('--seats', String(seats.length));
      return made;
    };
    const clockwise = bots.map((_, at) => at);
    const shared = table.counters.filter((each) => each.owner === undefined || each.owner === null);
    const middle = element(
      'div',
      { class: 'middle' },
      element('h2', {}, ...sentence(table.title || '', bots)),
      element('div', {}, ...this.zonesOf(table, null, bots, ['row', 'fan', 'track'])),
      element('div', {}, ...this.zonesOf(table, null, bots, ['pile', 'tokens'])),
      ...shared.map((each) => this.counter(each)),
      table.text ? element('pre', {}, ...sentence(table.text, bots)) : null,
    );
    root.style.setProperty('--seats', String(above));
    const below = clockwise.slice(above).reverse();
    patch(root, ring(clockwise.slice(0, above)), middle, ...(below.length ? [ring(below)] : []));
    return () => this.fly(root, was);
  }

  /**
   * @param {any} root
   * @returns {Spot[]}
   */
  places(root) {
    if (this.still) return [];
    return [...root.querySelectorAll('[data-zone] [data-name]')].map((card) => ({
      zone: card.closest('[data-zone]').dataset.zone,
      name: card.dataset.name,
      box: card.getBoundingClientRect(),
    }));
  }

  /**
   * A card that left one zone and came to another flies there.
   * @param {any} root
   * @param {Spot[]} was
   */
  fly(root, was) {
    if (!was.length || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const left = [...was];
    const come = [];
    for (const card of root.querySelectorAll('[data-zone] [data-name]')) {
      const zone = card.closest('[data-zone]').dataset.zone;
      const at = left.findIndex((other) => other.zone === zone && other.name === card.dataset.name);
      if (at >= 0) left.splice(at, 1);
      else if (card.dataset.name) come.push(card);
    }
    for (const card of come) {
      let at = left.findIndex((other) => other.name === card.dataset.name);
      if (at < 0) at = left.findIndex((other) => !other.name);
      const from = at >= 0 ? left.splice(at, 1)[0].box : was.find((other) => !other.name)?.box;
      if (!from) continue;
      const to = card.getBoundingClientRect();
      const start = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
      card.animate(
        [
          { transform: start, zIndex: 5 },
          { transform: 'none', zIndex: 5 },
        ],
        { duration: 280, easing: 'cubic-bezier(.2,.7,.2,1)' },
      );
    }
  }
}
