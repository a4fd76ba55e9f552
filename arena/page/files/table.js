// A table as a picture. Knows zones, cards and counters as data, and no game.
// @ts-check
import { disc, element, sentence } from './elements.js';
import { LONG, counted, lettersOf, number, short, total } from './fit.js';

/** @typedef {{hue?: string, glyph?: string}} Look */
/**
 * @typedef {object} Card
 * @property {string} [name]
 * @property {string} [kind]
 * @property {string} [value]
 * @property {string} [text] what it does
 * @property {string} [face] the same in few words
 * @property {number} [count]
 * @property {number} [seat]
 * @property {number} [at]
 */
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

/** @typedef {{level: number, key: string, name: string, fit: import('./fit.js').Fit | null, flat?: boolean, narrow?: boolean}} Place how much is shown of what */

const PATH_DATA = /^[MLHVCSQTAZmlhvcsqtaz0-9 ,.-]*$/;
/** Cards as wide as this have room for what they do. */
const ROOMY = 70;
/** @type {Record<string, number>} */
const HUES = {
  ...{ red: 25, orange: 50, amber: 78, olive: 108, green: 148, teal: 178, cyan: 210, blue: 245 },
  ...{ indigo: 275, violet: 305, pink: 350, brown: 58, grey: 235 },
};
/** How much of a place is shown: cards; their names; these without empty places; a line for a seat; its name and score. */
export const CARDS = 0;
export const WORDS = 1;
const BRIEF = 2;
export const LINE = 3;
export const NAME = 4;
/** @param {number} y */
const wave = (y) => `M0 ${y}q6-5 12 0t12 0t12 0t12 0`;

/**
 * A drawing of one path, which costs less to lay out and to paint than what is used from elsewhere.
 * @param {string} box
 * @param {Record<string, any>} line
 * @param {string} [fit]
 */
const drawing = (box, line, fit) =>
  element('svg:svg', { viewBox: box, preserveAspectRatio: fit, 'aria-hidden': 'true' }, element('svg:path', line));
const BACK = {
  d: [8, 18, 28, 38, 48, 58].map(wave).join(''),
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': 2.4,
};

/** The colours and silhouettes of the cards of a game. */
class Looks {
  /** @param {Record<string, Look>} looks */
  constructor(looks) {
    this.looks = looks;
  }

  /**
   * Give an element the colours of a kind of card.
   * @param {HTMLElement} made
   * @param {string} kind
   */
  paint(made, kind) {
    const names = Object.keys(HUES).slice(0, -1);
    const sum = [...kind].reduce((all, char) => (all * 31 + Number(char.codePointAt(0))) >>> 0, 7);
    const hue = Object.hasOwn(this.looks, kind) ? this.looks[kind].hue || 'grey' : names[sum % names.length];
    made.style.setProperty('--hue', String(HUES[hue] ?? HUES.grey));
    if (hue === 'brown' || hue === 'grey') made.style.setProperty('--ink-c', hue === 'grey' ? '0.02' : '0.05');
    return made;
  }

  /** @param {string} kind */
  glyph(kind) {
    const path = Object.hasOwn(this.looks, kind) && this.looks[kind].glyph;
    return path && PATH_DATA.test(path) && drawing('0 0 48 32', { d: path });
  }
}

/** @param {Card} card */
const words = (card) => card.name || 'face down';

/** The pictures of cards, of places and of seats. */
export class Picture {
  /** @param {Record<string, Look>} looks */
  constructor(looks) {
    this.looks = new Looks(looks);
  }

  /**
   * What a card is called and does, for whoever points at it, comes to it by keys or hears it.
   * @param {HTMLElement} made
   * @param {Card} card
   * @param {string[]} told
   */
  explained(made, card, ...told) {
    const [name, ...more] = told;
    const rest = [...more, card.text ?? ''].filter(Boolean);
    made.dataset.name = card.name ?? '';
    made.dataset.tip = [name, ...rest].join('\n');
    made.setAttribute('role', 'img');
    made.setAttribute('aria-label', [name, ...rest].join('; '));
    made.tabIndex = -1;
    return this.looks.paint(made, card.kind || card.name || '');
  }

  /**
   * A card, or several alike on one heap.
   * @param {Card} card
   * @param {{size: number, step?: number, fresh?: boolean, list?: string[], long?: boolean}} how wide it is, and how much of it is seen
   *   where another lies on it; whether it was not there before; what lies below it; whether it is a sentence
   */
  card(card, { size, step = 0, fresh = false, list = [], long = false }) {
    const count = number(card);
    const heap = count > 1 && 'heap';
    if (!card.name) {
      const back = drawing('2 2 44 60', BACK, 'none');
      const made = element('div', { class: `card down ${heap || ''}` }, back);
      if (heap) made.append(element('b', { class: 'value' }, String(count)));
      return this.explained(made, card, heap ? `${count} cards face down` : 'a card face down');
    }
    const value = card.value ?? '';
    const name = short(card);
    // where cards overlap the name stands upright at the edge that is seen, or else the glyph
    const room = 1.3 * size - 10 - (value ? 20 : 0) - (heap ? 14 : 0);
    const upright = step >= 14 && 6.8 * name.length <= room;
    const made = element(
      'div',
      {
        class: ['card', long && 'long', step && (upright ? 'fan' : 'fan mini'), heap, fresh && 'fresh']
          .filter(Boolean)
          .join(' '),
      },
      element('span', { class: 'value' }, value),
      heap && !list.length && element('span', { class: 'count' }, `×${count}`),
      long || (step && upright && step < size / 2)
        ? null
        : element('span', { class: 'glyph' }, this.looks.glyph(card.kind || card.name)),
      !step || upright ? element('span', { class: 'label' }, name) : null,
      !step && size >= ROOMY && card.face && !list.length
        ? element('span', { class: 'rule' }, card.face.replace(/ (\S{1,3})$/, '\u00a0$1'))
        : null,
    );
    made.style.setProperty('--word', String(lettersOf(name)));
    const many = list.length ? `${count} cards` : `${count > 1 ? `${count} times ` : ''}${card.name}`;
    return this.explained(made, list.length ? { ...card, text: '' } : card, many + (fresh ? ', new' : ''), ...list);
  }

  /**
   * A card in words, or a small thing such as a die.
   * @param {Card} card
   * @param {{token?: boolean, fresh?: boolean, list?: string[]}} [how]
   */
  chip(card, { token = false, fresh = false, list = [] } = {}) {
    const count = number(card);
    const glyph = this.looks.glyph(card.kind || card.name || '');
    const shown = card.value ? (token ? '' : short(card)) : token && count > 1 && glyph ? '' : card.name;
    const made = element(
      'span',
      { class: `chip${fresh ? ' fresh' : ''}${card.name ? '' : ' down'}` },
      glyph,
      card.value ? element('b', {}, card.value) : null,
      shown ? element('span', {}, shown) : null,
      (count > 1 || !card.name) && !list.length ? element('b', {}, card.name ? `×${count}` : String(count)) : null,
    );
    const value = token && card.value ? ` showing ${card.value}` : '';
    const name = `${count > 1 ? `${count} times ` : ''}${words(card)}${value}${fresh ? ', new' : ''}`;
    return this.explained(
      made,
      list.length ? { ...card, text: '' } : card,
      list.length ? `${count} cards` : name,
      ...list,
    );
  }

  /**
   * A place; null for one that is left out.
   * @param {Zone} zone
   * @param {string[]} bots
   * @param {{cards: Card[]} | null} before
   * @param {{level: number, size?: number, step?: number, heaps?: boolean}} how much of it is shown, and how large its cards are
   * @returns {HTMLElement | null}
   */
  zone(zone, bots, before, { level, size = 0, step = 0, heaps = false }) {
    const all = total(zone);
    const kind = zone.kind || 'row';
    if ((zone.quiet || level >= BRIEF) && !all) return null;
    const inWords = kind === 'tokens' || level >= WORDS;
    const said = [zone.note, inWords ? '' : counted(zone)].filter(Boolean).join(', ');
    const caption = element(
      'figcaption',
      {},
      element('span', {}, ...sentence(zone.title, bots)),
      said && element('b', {}, said),
    );
    const figure = (/** @type {any} */ inner, /** @type {string} */ name = kind) =>
      element('figure', { class: `zone ${name}`, 'data-zone': zone.id }, inner, caption);
    if (kind === 'track') return figure(this.track(zone));
    const chips = (/** @type {any[]} */ ...made) =>
      figure(element('ul', { class: 'chips' }, ...made.map((chip) => element('li', {}, chip))), `words ${kind}`);
    if (!all) return inWords ? chips('–') : figure(element('div', { class: 'slot' }));
    if (kind === 'pile') {
      const top = { ...zone.cards[zone.cards.length - 1], count: all };
      const list = zone.cards.length > 1 ? zone.cards.map((card) => `${number(card)} × ${words(card)}`) : [];
      if (level >= LINE) return chips(element('b', {}, String(all)));
      return inWords
        ? chips(
            this.chip(
              { ...top, kind: top.kind || top.name, value: '', name: list.length ? `${all} cards` : top.name },
              { list },
            ),
          )
        : figure(
            element(
              'div',
              { class: 'cards' },
              this.card(top, { size, list: list.length ? list : top.name ? [`${all} × ${top.name}`] : [] }),
            ),
          );
    }
    const runs = this.runs(zone, before, inWords ? level >= BRIEF : heaps ? false : null);
    if (inWords) return chips(...runs.map(({ card, fresh }) => this.chip(card, { token: kind === 'tokens', fresh })));
    const fan = runs.length > 1 ? step : 0;
    const long = runs.some(({ card }) => short(card).length > LONG);
    const cards = runs.map(({ card, fresh }, at) =>
      element('li', {}, this.card(card, { size, step: fan && (at < runs.length - 1 ? step : size), fresh, long })),
    );
    const made = figure(element('ol', { class: `cards${fan ? ' fanned' : ''}` }, ...cards));
    if (!fan) return made;
    const digits = Math.max(1, ...runs.map(({ card }) => (card.value ?? '').length));
    made.style.setProperty('--step', `${step}px`);
    made.style.setProperty('--digit', `${Math.max(10, Math.min(0.26 * size, (step - 2) / (0.78 * digits)))}px`);
    return made;
  }

  /**
   * The cards of a place, those side by side that are alike on one heap; and whether some of them were not there before.
   * @param {Zone} zone
   * @param {{cards: Card[]} | null} before
   * @param {boolean | null} [brief] whether those alike are on one heap wherever they lie; null: each card lies by itself
   */
  runs(zone, before, brief = false) {
    const left = before ? before.cards.map((card) => ({ ...card, count: number(card) })) : null;
    /** @type {{card: Card, fresh: boolean}[]} */
    const made = [];
    for (const card of zone.cards) {
      let fresh = 0;
      if (left && card.name) {
        fresh = number(card);
        for (const other of left.filter(({ name }) => name === card.name)) {
          const taken = Math.min(fresh, other.count);
          other.count -= taken;
          fresh -= taken;
        }
      }
      const known = (brief === null ? [] : brief ? made : made.slice(-1)).find(
        ({ card: { name, value, kind } }) => name === card.name && value === card.value && kind === card.kind,
      );
      if (known) known.card = { ...known.card, count: number(known.card) + number(card) };
      if (known) known.fresh ||= fresh > 0;
      else made.push({ card, fresh: fresh > 0 });
    }
    return made;
  }

  /** @param {Zone} zone */
  track(zone) {
    const spaces = Array.from({ length: (zone.spaces ?? 0) + 1 }, (_, at) => {
      const chips = zone.cards
        .filter((card) => (card.at ?? 0) === at)
        .map((card) => {
          const chip = disc(card.seat ?? 0);
          chip.dataset.name = card.name;
          return chip;
        });
      return element('li', {}, element('span', {}, String(at)), ...chips);
    });
    return element('ol', { class: 'spaces' }, ...spaces);
  }

  /**
   * @param {Counter} counter
   * @param {boolean} [brief] without its bar and title
   */
  counter({ title, value, unit, most, change }, brief = false) {
    const full = Math.max(0, Math.min(value, most ?? 0));
    return element(
      'span',
      { class: 'counter' },
      brief ? null : element('small', {}, title),
      most && !brief ? element('progress', { max: most, value: full, 'aria-label': title }) : null,
      `${value}${unit ? ` ${unit}` : ''}`,
      change ? element('span', { class: 'change' }, `${change > 0 ? '+' : '−'}${Math.abs(change)}`) : null,
    );
  }

  /**
   * A seat, with as much of it as its level says.
   * @param {Table} table
   * @param {number} at
   * @param {{bots: string[], asked: number[], acting: number[], retired: number[], focus: number | null}} round
   * @param {Place} place
   */
  seat(table, at, round, place) {
    const { level, key, name: kind, flat, narrow } = place;
    const name = round.bots[at] || `seat ${at}`;
    const asked = round.asked.includes(at);
    const retired = round.retired.includes(at);
    const line = level >= LINE;
    const badges = table.badges.filter(([seat]) => seat === at).map(([, text]) => text);
    if (retired) badges.unshift('retired');
    const counters = table.counters.filter((each) => each.owner === at);
    const role = asked ? 'asked' : round.acting.includes(at) ? 'turn' : 'rest';
    return element(
      'section',
      {
        class: [
          kind,
          `seat-${at}`,
          `is-${role}`,
          line && 'line',
          flat && 'flat',
          narrow && 'narrow',
          asked && 'asked',
          retired && 'retired',
        ]
          .filter(Boolean)
          .join(' '),
        'aria-label': kind === 'spot' ? `${name} in full` : name,
        'data-panel': key,
      },
      element(
        'header',
        {},
        element(
          'button',
          { class: 'who', 'data-seat': at, 'aria-pressed': String(round.focus === at), title: `Look at ${name}` },
          disc(at),
          element('b', {}, name),
        ),
        asked && element('span', { class: 'badge now' }, line || narrow ? 'asked' : 'is asked'),
        ...(line ? [] : badges.map((text) => element('span', { class: 'badge' }, text))),
        element('span', { class: 'counters' }, ...counters.map((each) => this.counter(each, line || narrow))),
      ),
      line ? level < NAME && this.line(table, at, badges) : this.zones(table, at, round.bots, place),
    );
  }

  /**
   * What lies before a seat in a line: how many cards where, and the newest.
   * @param {Table} table
   * @param {number} at
   * @param {string[]} badges
   */
  line(table, at, badges) {
    const mine = table.zones.filter((zone) => zone.owner === at && total(zone));
    const newest = mine.flatMap((zone) =>
      this.runs(zone, table.before ? (table.before.get(zone.id) ?? { cards: [] }) : null).filter(({ fresh }) => fresh),
    );
    const counts = mine.map((zone) => `${zone.title.replace(/ with seat \d+$/, '')} ${total(zone)}`);
    return element(
      'p',
      { class: 'sum' },
      ...[...badges, ...counts].map((text) => element('span', {}, text)),
      newest.length ? this.chip({ ...newest[0].card, count: 1 }, { fresh: true }) : null,
    );
  }

  /**
   * The places of a seat, or of the middle.
   * @param {Table} table
   * @param {number | null} owner
   * @param {string[]} bots
   * @param {Place} place
   */
  zones(table, owner, bots, { level, fit }) {
    const made = (/** @type {Zone} */ zone, step = 0) => {
      const before = table.before ? (table.before.get(zone.id) ?? { cards: [] }) : null;
      return this.zone(zone, bots, before, { level, size: fit?.card, step, heaps: fit?.heaps });
    };
    if (!fit)
      return element(
        'div',
        { class: 'zones' },
        ...table.zones.filter((zone) => (zone.owner ?? null) === owner).map((zone) => made(zone)),
      );
    const shelves = fit.shelves.map(({ items, step }) =>
      element('div', { class: 'shelf' }, ...items.map(({ zone }) => made(zone, step))),
    );
    const zones = element('div', { class: 'zones' }, ...shelves);
    zones.style.setProperty('--card', `${fit.card}px`);
    return zones;
  }

  /**
   * What belongs to all.
   * @param {Table} table
   * @param {string[]} bots
   * @param {Place} place
   */
  middle(table, bots, place) {
    const shared = table.counters.filter((each) => each.owner === undefined || each.owner === null);
    return element(
      'div',
      {
        class: `middle${place.level < BRIEF ? '' : ' brief'}${place.level < LINE ? '' : ' tight'}`,
        'data-panel': place.key,
      },
      element('h2', {}, ...sentence(table.title || '', bots)),
      this.zones(table, null, bots, place),
      ...shared.map((each) => this.counter(each)),
      table.text ? element('pre', { tabindex: 0 }, ...sentence(table.text, bots)) : null,
    );
  }
}
