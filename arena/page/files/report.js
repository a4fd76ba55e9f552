// What a report does beyond being read: sort and search, tell a cell of the matrix, copy, check the commitment.
// @ts-check
// Whatever needs a script is made here, so nothing dead is shown without one.
import { byId, copy, element, unpack } from './elements.js';

/**
 * A match of the list; lists are by seat, but for faults, which are seats and kinds.
 * @typedef {object} Match
 * @property {string} id
 * @property {number} number
 * @property {string[]} bots
 * @property {number[]} ranks
 * @property {number[]} scores
 * @property {number[]} retired
 * @property {[number, string][]} faults
 * @property {number} margin
 * @property {number} decisions
 * @property {number} seconds
 * @property {number} replay whether it can be watched: 1 in this page, 2 in one of its own
 */
/**
 * All matches that are listed, by column; `bots` holds each name once, and in a match stands its place.
 * @typedef {object} Held
 * @property {string} pages where a match has a page of its own, with `{}` for its id
 * @property {number} total
 * @property {string[]} bots
 * @property {Record<string, any[]>} matches
 */
/** @typedef {{bot: string, other: string, which: string, order: string}} Wanted */

const FIRST = 24;
const MORE = 200;

/** Rows of a table that are seen at a glance: more of them can be searched. */
const FEW = 12;
/** Rows of a long table that are shown first; of the entrants fewer. */
const FOLDED = 40;

for (const code of document.querySelectorAll('.command code')) {
  const words = code.textContent;
  code.after(
    element(
      'button',
      {
        class: 'button',
        type: 'button',
        'aria-label': `Copy ${words}`,
        onclick: (/** @type {any} */ event) => copy(event.currentTarget, words),
      },
      'Copy',
    ),
  );
}

/**
 * How a table is shown; kept by its name, for the table is made anew while a run goes on.
 * @type {Map<string, {column: number, down: boolean, words: string, all: boolean}>}
 */
const views = new Map();

/**
 * What a cell is sorted by: the number that it begins with, else its words; nothing if it is empty.
 * @param {Element | undefined} cell
 * @returns {number | string | null}
 */
function keyOf(cell) {
  const words = (cell?.querySelector('[aria-label]')?.getAttribute('aria-label') ?? cell?.textContent ?? '').trim();
  const [, number] = words.replaceAll(',', '').match(/^(?:mu |#)?([+-]?\d+(?:\.\d+)?)(?![\w.])/) ?? [];
  return number === undefined ? (words === '–' ? null : words || null) : Number(number);
}

/**
 * @param {number | string | null} a
 * @param {number | string | null} b
 * @param {boolean} down
 */
function compare(a, b, down) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), 'en', { numeric: true });
  return down ? -order : order;
}

/**
 * Draw the interval of a row that is told in figures.
 *
 * @param {any} body
 * @param {any} row
 */
function drawWhisker(body, row) {
  const cell = row.cells[3];
  if (!body.dataset.scale || cell.firstElementChild?.tagName === 'svg') return;
  const [low, high] = body.dataset.scale.split(' ').map(Number);
  const x = (/** @type {number} */ value) => `${((100 * (value - low)) / (high - low)).toFixed(1)}%`;
  const [mean, from = mean, to = mean] = cell.textContent.match(/-?[\d.]+/g).map(Number);
  cell.replaceChildren(
    element(
      'svg:svg',
      { role: 'img', 'aria-label': `${body.dataset.unit} ${mean}, 95 % between ${from} and ${to}` },
      element('svg:use', { href: `#${body.parentElement.querySelector('defs g').id}` }),
      element('svg:line', { class: 'whisker', x1: x(from), x2: x(to) }),
      element('svg:circle', { class: 'dot', cx: x(mean) }),
      element('svg:rect', { class: 'tick', x: x(Number(row.cells[4].textContent)) }),
    ),
  );
}

/**
 * Have tables sorted by their headings, and long ones searched.
 *
 * @param {ParentNode} part
 */
export function wireTables(part) {
  for (const found of part.querySelectorAll('.page table:not(.duels, .matches)')) {
    const table = /** @type {any} */ (found);
    const rows = [...table.tBodies[0].rows];
    if (!table.tHead || rows.length < 3) continue;
    table.classList.add('wired');
    const name = `${table.closest('section').id} ${table.caption.textContent}`;
    const view = views.get(name) ?? { column: -1, down: false, words: '', all: false };
    views.set(name, view);
    const first = table.matches('.entrants') ? FEW : FOLDED;
    const headings = [...table.tHead.rows[0].cells];
    const told = element('span', { class: 'found', role: 'status' });
    const more = element('button', { class: 'button more', type: 'button' }, `Show all ${rows.length}`);
    let order = rows;
    const draw = () => {
      // asked for when there is something to sort or to search by
      if (view.column >= 0) for (const row of rows) row.keys ??= [...row.cells].map(keyOf);
      if (view.words) for (const row of rows) row.words ??= row.textContent.toLowerCase();
      const sorted =
        view.column < 0 ? rows : [...rows].sort((a, b) => compare(a.keys[view.column], b.keys[view.column], view.down));
      let shown = 0;
      for (const row of sorted) {
        const wanted = !view.words || row.words.includes(view.words);
        shown += Number(wanted);
        const seen = wanted && (view.all || Boolean(view.words) || shown <= first);
        row.classList.toggle('folded', !seen);
        if (seen) drawWhisker(table.tBodies[0], row);
      }
      if (sorted !== order) table.tBodies[0].replaceChildren(...sorted);
      order = sorted;
      table.classList.toggle('mixed', view.column >= 0 || Boolean(view.words));
      headings.forEach((heading, at) => {
        if (at === view.column) heading.setAttribute('aria-sort', view.down ? 'descending' : 'ascending');
        else heading.removeAttribute('aria-sort');
      });
      told.textContent = view.words ? `${shown} of ${rows.length}` : '';
      more.hidden = view.all || Boolean(view.words) || rows.length <= first;
    };
    headings.forEach((heading, at) => {
      if (heading.tagName !== 'TH') return;
      const button = element('button', { type: 'button' }, ...heading.childNodes);
      button.addEventListener('click', () => {
        view.down = view.column === at && !view.down;
        view.column = at;
        draw();
      });
      heading.replaceChildren(button);
    });
    more.addEventListener('click', () => {
      view.all = true;
      draw();
    });
    const box = table.closest('.scroll');
    box.after(more);
    if (rows.length > FEW) {
      const search = element('input', { type: 'search', value: view.words });
      search.addEventListener('input', () => {
        view.words = search.value.trim().toLowerCase();
        draw();
      });
      const label = element(
        'label',
        {},
        'Search',
        element('span', { class: 'unseen' }, ` in ${table.caption.textContent}`),
        search,
      );
      box.before(element('div', { class: 'filter', role: 'search', 'aria-label': `Search ${name}` }, label, told));
    }
    draw();
  }
}
wireTables(document);

/** What the list of matches can be asked for. */
const WHICH = { all: 'all', won: 'it won', lost: 'it did not win', fault: 'with a fault', replay: 'to watch' };
const ORDER = { number: 'as finished', closest: 'closest first', longest: 'longest first', slowest: 'slowest first' };

/** The list of matches below its filters. */
class MatchList {
  /** @param {Held} held */
  constructor({ pages, total, bots, matches }) {
    this.pages = pages;
    this.total = total;
    /** @type {Match[]} */
    this.matches = matches.number.map((_, at) => {
      const match = Object.fromEntries(Object.entries(matches).map(([name, column]) => [name, column[at]]));
      return /** @type {any} */ ({ ...match, bots: match.bots.map((/** @type {number} */ place) => bots[place]) });
    });
    /** @type {Wanted} */
    this.wanted = { bot: '', other: '', which: 'all', order: 'number' };
    // each row that is seen first can be watched
    if (this.matches.some((match) => match.replay)) this.wanted.which = 'replay';
    this.shown = FIRST;
    const scores = this.matches.flatMap((match) => match.scores);
    this.low = Math.min(...scores);
    this.high = Math.max(...scores, this.low + 1);
    const any = { '': 'any', ...Object.fromEntries(bots.map((name) => [name, name])) };
    this.found = element('span', { class: 'found', role: 'status' });
    this.more = element('button', { class: 'button more', type: 'button' });
    this.more.addEventListener('click', () => {
      this.shown += MORE;
      this.draw();
    });
    const box = byId('rows').closest('.scroll');
    box.before(
      element('p', { class: 'how outcome' }, 'Dots: the scores of a match on the scale of the run, the winner filled.'),
      element(
        'div',
        { class: 'filter', role: 'search', 'aria-label': 'Filter matches' },
        this.choice('bot', 'bot', any),
        this.choice('other', 'and', any),
        this.choice('which', 'which', WHICH),
        this.choice('order', 'order', ORDER),
        this.found,
      ),
    );
    box.after(this.more);
    byId('filter-which').value = this.wanted.which;
    this.draw();
  }

  /**
   * @param {string} key
   * @param {string} words
   * @param {Record<string, string>} options
   */
  choice(key, words, options) {
    const chosen = element(
      'select',
      { id: `filter-${key}` },
      ...Object.entries(options).map(([value, said]) => element('option', { value }, said)),
    );
    chosen.addEventListener('change', () => this.filter({ [key]: chosen.value }));
    return element('label', {}, words, chosen);
  }

  /** @param {Partial<Wanted>} wanted */
  filter(wanted) {
    Object.assign(this.wanted, wanted);
    for (const [name, value] of Object.entries(wanted)) byId(`filter-${name}`).value = value;
    this.shown = FIRST;
    this.draw();
  }

  /** @param {Match} match */
  matching(match) {
    const { bot, other, which } = this.wanted;
    if ((bot && !match.bots.includes(bot)) || (other && !match.bots.includes(other))) return false;
    if (which === 'fault') return match.faults.some(([seat]) => !bot || match.bots[seat] === bot);
    if (which === 'replay') return Boolean(match.replay);
    if (!bot || which === 'all') return true;
    const rank = match.ranks[match.bots.indexOf(bot)];
    return which === 'won' ? rank === 0 : rank > 0;
  }

  draw() {
    /** @type {Record<string, (a: Match, b: Match) => number>} */
    const orders = {
      number: (a, b) => a.number - b.number,
      closest: (a, b) => a.margin - b.margin || a.number - b.number,
      longest: (a, b) => b.decisions - a.decisions || a.number - b.number,
      slowest: (a, b) => b.seconds - a.seconds || a.number - b.number,
    };
    const found = this.matches.filter((match) => this.matching(match)).sort(orders[this.wanted.order]);
    byId('rows').replaceChildren(...found.slice(0, this.shown).map((match) => this.row(match)));
    const sampled =
      this.matches.length < this.total ? `a sample of ${this.matches.length.toLocaleString('en')} from ` : '';
    this.found.textContent = `${found.length.toLocaleString('en')} of ${sampled}${this.total.toLocaleString('en')} matches`;
    this.more.hidden = found.length <= this.shown;
    this.more.textContent = `Show ${Math.min(MORE, found.length - this.shown)} more`;
  }

  /** @param {Match} match */
  row(match) {
    const order = match.bots.map((_, seat) => seat).sort((a, b) => match.ranks[a] - match.ranks[b] || a - b);
    const x = (/** @type {number} */ score) => `${(100 * (score - this.low)) / (this.high - this.low)}%`;
    const dots = order
      .map((seat) =>
        element('svg:circle', {
          class: match.ranks[seat] === 0 ? 'first' : '',
          cx: x(match.scores[seat]),
          cy: 9,
          r: 4,
        }),
      )
      .reverse();
    const strip = element(
      'svg:svg',
      { role: 'img', 'aria-label': `scores ${order.map((seat) => match.scores[seat]).join(', ')}` },
      element('svg:line', { x1: '0%', x2: '100%', y1: 9, y2: 9 }),
      ...dots,
    );
    const who = match.bots.flatMap((bot, seat) => [
      seat ? ' · ' : '',
      element('span', { class: match.ranks[seat] ? '' : 'won' }, bot),
      element('span', { class: 'outcome' }, ` ${match.scores[seat]}`, match.retired.includes(seat) ? ' retired' : ''),
    ]);
    const faults = match.faults.map(([seat, kind]) => `${match.bots[seat]} ${kind}`).join(', ');
    const where = match.replay === 1 ? `#replay=${match.id}` : this.pages.replace('{}', match.id);
    const go = match.replay ? element('a', { href: where }, 'Watch') : null;
    return element(
      'tr',
      {},
      element('td', { class: 'left dim' }, `#${match.number}`),
      element('td', { class: 'left who' }, ...who),
      element('td', { class: 'wide outcome' }, strip),
      element('td', { class: 'outcome' }, String(match.margin)),
      element('td', { class: 'wide' }, String(match.decisions)),
      element('td', { class: 'left bad wide faults' }, faults),
      element('td', { class: 'go' }, go),
    );
  }
}

const held = byId('matches-data');
const list = held ? new MatchList(await unpack(held.textContent)) : null;

for (const link of document.querySelectorAll('[data-other]')) {
  const { bot, other } = /** @type {any} */ (link).dataset;
  link.addEventListener('click', () => list?.filter({ bot, other, which: 'all' }));
}

/**
 * Have the cells of a matrix tell their counts, and choose their matches where there is a list.
 *
 * @param {ParentNode} part
 */
export async function wireDuels(part) {
  for (const packed of part.querySelectorAll('script.cells')) {
    const more = list ? '; press it for the matches.' : '.';
    const told = element('p', { class: 'told', 'aria-live': 'polite' }, `Point at a cell for its counts${more}`);
    packed.after(told);
    const pairs = await unpack(packed.textContent ?? '');
    packed.parentElement?.querySelectorAll('td:not(.self, :first-child)').forEach((cell, at) => {
      const [bot, other, words] = pairs[at];
      const tell = () => {
        told.textContent = words;
      };
      const choose = () => {
        list?.filter({ bot, other, which: 'all' });
        if (list) byId('matches').scrollIntoView();
      };
      const wired = { type: 'button', 'aria-label': words, onmouseenter: tell, onfocus: tell, onclick: choose };
      cell.replaceChildren(element('button', wired, ...cell.childNodes));
    });
  }
}
wireDuels(document);

/** Anybody can check here that the seed is the one that the host committed itself to. */
async function check() {
  if (!crypto.subtle) return;
  const text = new TextEncoder();
  const digest = async (/** @type {BlobPart[]} */ ...parts) =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob(parts).arrayBuffer()));
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-seed]'))) {
    const secret = await digest(text.encode('arena secret 1\0'), text.encode(place.dataset.seed));
    const found = [...(await digest(text.encode('arena commitment 1\0'), secret))]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');
    const right = found === place.dataset.commitment;
    place.textContent = right ? '✓ is the hash of this seed, as your browser finds' : '✕ is not the hash of this seed';
    place.className = right ? 'good' : 'bad';
  }
}
check();

const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('.bar a')]);
/** @type {Set<string>} */
const seen = new Set();
const watching = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) seen.add(`#${target.id}`);
      else seen.delete(`#${target.id}`);
    }
    // of sections side by side the one that was asked for, else the first
    const there = links.filter((link) => seen.has(link.hash));
    const current = there.find((link) => link.hash === location.hash) ?? there[0];
    if (!current) return;
    for (const link of links) {
      if (link === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  },
  { rootMargin: '-20% 0px -70% 0px' },
);

/** Show in the bar which section is being read, those that have come since among them. */
export function wireBar() {
  watching.disconnect();
  seen.clear();
  for (const link of links) {
    const section = byId(link.hash.slice(1));
    if (section) watching.observe(section);
  }
}
wireBar();
