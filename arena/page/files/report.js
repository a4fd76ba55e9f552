// What a report does beyond being read: filter matches, tell a cell of the matrix, copy, check the commitment.
// @ts-check
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
 * @property {boolean} [replay]
 */
/**
 * All matches that are listed, packed; `bots` holds each name once, and in a match stands its place.
 * @typedef {object} Held
 * @property {string} run
 * @property {number} total
 * @property {string[]} bots
 * @property {(Omit<Match, 'bots'> & {bots: number[]})[]} matches
 */
/** @typedef {{bot: string, other: string, which: string, order: string}} Wanted */

const FIRST = 24;
const MORE = 200;

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', () =>
    copy(/** @type {HTMLElement} */ (button), /** @type {HTMLElement} */ (button).dataset.copy ?? ''),
  );
}

/**
 * A match in words, the winner first.
 *
 * @param {Pick<Match, "bots" | "ranks" | "scores"> & Partial<Match>} match
 */
export function places(match) {
  const order = match.bots.map((_, seat) => seat).sort((a, b) => match.ranks[a] - match.ranks[b] || a - b);
  return order.flatMap((seat, at) => {
    const tied = at > 0 && match.ranks[order[at - 1]] === match.ranks[seat];
    return [
      at ? ' · ' : '',
      element(
        'span',
        { class: match.ranks[seat] === 0 ? 'won' : '' },
        `${tied ? '=' : ''}${match.bots[seat]} ${match.scores[seat]}`,
      ),
      match.retired?.includes(seat) ? element('span', { class: 'bad' }, ' retired') : null,
    ];
  });
}

/** The list of matches below its filters. */
class MatchList {
  /** @param {Held} held */
  constructor({ run, total, bots, matches }) {
    this.run = run;
    this.total = total;
    /** @type {Match[]} */
    this.matches = matches.map((match) => ({ ...match, bots: match.bots.map((at) => bots[at]) }));
    /** @type {Wanted} */
    this.wanted = { bot: '', other: '', which: 'all', order: 'number' };
    this.shown = FIRST;
    const scores = this.matches.flatMap((match) => match.scores);
    this.low = Math.min(...scores);
    this.high = Math.max(...scores, this.low + 1);
    for (const name of Object.keys(this.wanted)) {
      byId(`filter-${name}`).addEventListener('change', (/** @type {any} */ event) =>
        this.filter({ [name]: event.target.value }),
      );
    }
    byId('more').addEventListener('click', () => {
      this.shown += MORE;
      this.draw();
    });
    this.draw();
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
    const sampled = this.matches.length < this.total ? `a sample of ${this.matches.length} from ` : '';
    byId('found').textContent = `${found.length} of ${sampled}${this.total} matches`;
    byId('more').hidden = found.length <= this.shown;
    byId('more').textContent = `Show ${Math.min(MORE, found.length - this.shown)} more`;
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
    const faults = match.faults.map(([seat, kind]) => `${match.bots[seat]} ${kind}`).join(', ');
    const command = `arena replay ${this.run} ${match.id} --html ${match.id}.html`;
    const go = match.replay
      ? element('a', { href: `#replay=${match.id}` }, 'replay')
      : element(
          'button',
          {
            title: command,
            'aria-label': `Copy ${command}`,
            onclick: (/** @type {any} */ event) => copy(event.target, command),
          },
          'copy',
        );
    return element(
      'tr',
      {},
      element('td', { class: 'left dim' }, `#${match.number}`),
      element('td', { class: 'left who' }, ...places(match)),
      element('td', { class: 'wide' }, strip),
      element('td', {}, String(match.margin)),
      element('td', { class: 'wide' }, String(match.decisions)),
      element('td', { class: 'left bad wide faults' }, faults),
      element('td', { class: 'go' }, go),
    );
  }
}

const held = byId('matches-data');
const list = held ? new MatchList(await unpack(held.textContent)) : null;

/**
 * Have the cells of a matrix tell their counts, and choose their matches where there is a list.
 *
 * @param {ParentNode} part
 */
export function wireDuels(part) {
  for (const cell of part.querySelectorAll('.duels button')) {
    const button = /** @type {HTMLElement} */ (cell);
    const told = button.closest('section')?.querySelector('.told');
    const tell = () => {
      if (told) told.textContent = button.getAttribute('aria-label');
    };
    button.addEventListener('mouseenter', tell);
    button.addEventListener('focus', tell);
    if (list) {
      button.addEventListener('click', () => {
        list.filter({ bot: button.dataset.bot, other: button.dataset.other });
        byId('matches').scrollIntoView();
      });
    }
  }
}
wireDuels(document);

/** Anybody can check here that the seed is the one that the house committed itself to. */
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
