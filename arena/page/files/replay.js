// A match told again. The address says what is shown: #replay=e0b3r1&decision=57&seat=2
// @ts-check
import { byId, copy, disc, element, sentence, unpack } from './elements.js';
import { Lanes } from './lanes.js';
import { logged, named, questions } from './moves.js';
import { Picture } from './table.js';

/** @typedef {import('./table.js').Table} Table */
/** @typedef {import('./moves.js').Decision} Decision */
/** @typedef {import('./moves.js').Story} Story */

const ICONS = {
  first: 'M1 1h2v12H1zM13 1v12L4 7z',
  back: 'M11 1v12L2 7z',
  play: 'M3 1v12l10-6z',
  pause: 'M2 1h4v12H2zM8 1h4v12H8z',
  on: 'M3 1v12l9-6z',
  last: 'M11 1h2v12h-2zM1 1v12l9-6z',
};
const KEYS = [
  ['← →', 'the position before, the next one'],
  ['shift ← →', 'the decision before, the next one, of the bot in focus'],
  ['Home End', 'the first position, the last one'],
  ['d', 'go to a decision by its number'],
  ['space', 'play and pause'],
  ['0 … 7', 'focus on the bot in this seat and go to its next decision'],
  ['v', 'what everyone knew, what the seat in focus knew'],
  ['c', 'copy a link to this position'],
  ['r', 'the rules of the game'],
  ['Esc', 'back to the report'],
];
const PAUSE = 800;
const NOTE = 200;

/** @param {keyof typeof ICONS} name */
const icon = (name) =>
  element('svg:svg', { viewBox: '0 0 14 14', 'aria-hidden': 'true' }, element('svg:path', { d: ICONS[name] }));

class Replay {
  /**
   * @param {any} root
   * @param {Story} story
   * @param {{run?: string, back: boolean}} page what to type for the run; whether there is a report to go back to
   */
  constructor(root, story, { run, back }) {
    this.root = root;
    this.story = story;
    this.run = run;
    this.back = back;
    this.size = '';
    this.noted = 0;
    this.position = 0;
    /** @type {number | null} */
    this.seat = story.seat ?? null;
    this.focus = this.seat;
    /** @type {number | null | undefined} as whom the log was read last */
    this.heard = undefined;
    this.speed = 1;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.noting = undefined;
    this.scale = 1;
    this.last = story.positions.length - 1;
    this.moves = story.moves ?? [];
    /** @type {Decision[]} */
    this.decisions = this.moves.flatMap((move, at) => (move.asked ?? []).map((asked) => ({ ...asked, at })));
    const { first = 0, count = 1 } = this.moves.at(-1) ?? { count: 0 };
    /** How many decisions the match has. */
    this.count = first + count;
    this.picture = new Picture(story.looks ?? {});
    this.lanes = new Lanes(story, this.decisions, (position) => this.go(position, this.seat, true));
    /** @type {any[]} */
    this.entries = [];
    /** @type {any[]} */
    this.buttons = [];
    this.build();
  }

  /** @param {number} seat */
  name(seat) {
    return this.story.bots[seat] || `seat ${seat}`;
  }

  /**
   * The table at a position, as it is drawn.
   * @param {number} position
   * @param {number | null} seat
   * @returns {Table}
   */
  table(position, seat) {
    const { story } = this;
    const at = story.positions[position];
    const sight = story.sights[(seat === null ? at.everyone : at.seats[seat]) ?? 0];
    return {
      title: sight.title,
      text: sight.text,
      zones: (sight.zones ?? []).map((each) => ({
        ...story.zones[each],
        cards: (story.zones[each].cards ?? []).map((card) => story.cards[card]),
      })),
      counters: (sight.counters ?? []).map((each) => story.counters[each]),
      badges: (sight.badges ?? []).map((each) => [each.seat, each.text]),
    };
  }

  build() {
    this.stage = element('div', { class: 'stage', tabindex: 0, role: 'group', 'aria-label': 'The table' });
    this.board = element('div', { class: 'table' });
    this.stage.append(this.board);
    this.ask = element('section', { class: 'ask', 'aria-live': 'polite', 'aria-label': 'What is asked', tabindex: 0 });
    this.log = element(
      'ol',
      { class: 'log', 'aria-label': 'What happened', tabindex: 0 },
      ...this.moves.map((move, at) => logged(move, at, this.story.bots)),
    );
    this.entries = [...this.log.children];
    this.log.addEventListener('click', (/** @type {any} */ event) => {
      const entry = event.target.closest('li');
      if (entry) this.go(Number(entry.dataset.position), this.seat, true);
    });
    this.helping = element(
      'dialog',
      { 'aria-label': 'Keys' },
      element(
        'dl',
        {},
        ...KEYS.filter(([key]) => this.back || key !== 'Esc').flatMap(([key, does]) => [
          element('dt', {}, element('kbd', {}, key)),
          element('dd', {}, does),
        ]),
      ),
      element('button', { class: 'button', onclick: () => this.helping.close() }, 'Close'),
    );
    this.number = element('input', { type: 'number', min: 0, max: this.count - 1, required: true });
    this.finding = element(
      'dialog',
      { 'aria-label': 'Go to a decision' },
      element(
        'form',
        { method: 'dialog', onsubmit: () => this.go(this.find(this.number.value), this.seat, true) },
        element('label', {}, `Decision, 0 to ${this.count - 1}: `, this.number),
        element('button', { class: 'button' }, 'Go'),
      ),
    );
    this.root.replaceChildren(
      element(
        'div',
        { class: 'replay' },
        this.head(),
        this.stage,
        element('div', { class: 'side' }, this.ask, this.log),
        this.dock(),
        this.helping,
        this.finding,
      ),
    );
  }

  head() {
    const { story } = this;
    const order = story.bots.map((_, at) => at).sort((a, b) => story.ranks[a] - story.ranks[b] || a - b);
    const places = order.map((at) =>
      element(
        'li',
        {},
        `${story.ranks[at] + 1}.`,
        disc(at),
        element('b', { title: this.name(at) }, this.name(at)),
        String(story.scores[at]),
      ),
    );
    const choice = (/** @type {string} */ value, /** @type {any[]} */ ...label) =>
      element(
        'label',
        {},
        element('input', {
          type: 'radio',
          name: 'fog',
          value,
          onchange: () => this.go(this.position, value === '' ? null : Number(value)),
        }),
        ...label,
      );
    const everyone = story.seat === undefined || story.seat === null;
    const fog = everyone
      ? element(
          'fieldset',
          { class: 'fog' },
          element('legend', { class: 'unseen' }, 'Whose knowledge is shown'),
          choice('', 'Everyone'),
          ...story.bots.map((_, at) =>
            choice(String(at), disc(at), element('span', { class: 'unseen' }, `what ${this.name(at)} knew`)),
          ),
        )
      : element('span', { class: 'badge' }, `only what seat ${story.seat} knew`);
    this.linking = element('button', { class: 'button', onclick: () => this.link() }, 'Copy link');
    const rules = element('button', { class: 'button', onclick: () => byId('rules').showModal() }, 'Rules');
    return element(
      'header',
      { class: 'head' },
      this.back ? element('a', { class: 'button', href: '#matches' }, '← Report') : null,
      element('h1', {}, story.title, element('small', {}, `match #${story.number} · ${story.id}`)),
      element('ol', { class: 'result' }, ...places),
      element('div', { class: 'tools' }, fog, rules, this.linking),
    );
  }

  dock() {
    /** @type {(name: keyof typeof ICONS, label: string, act: () => void) => any} */
    const button = (name, label, act) =>
      element('button', { class: 'button', 'aria-label': label, title: label, onclick: act }, icon(name));
    this.playing = element('button', { class: 'button play', onclick: () => this.toggle() }, icon('play'), 'Play');
    this.where = element('span', { class: 'where' });
    const speeds = [1, 2, 4, 8].map((speed) => element('option', { value: speed }, `${speed}×`));
    const speed = element(
      'select',
      { 'aria-label': 'Speed', onchange: (/** @type {any} */ event) => this.pace(Number(event.target.value)) },
      ...speeds,
    );
    const controls = element(
      'div',
      { class: 'controls' },
      button('first', 'First position', () => this.go(0, this.seat, true)),
      button('back', 'Position before', () => this.go(this.position - 1)),
      this.playing,
      button('on', 'Next position', () => this.go(this.position + 1)),
      button('last', 'Last position', () => this.go(this.last, this.seat, true)),
      speed,
      this.where,
      element(
        'span',
        { class: 'keys' },
        element('kbd', {}, '←'),
        ' ',
        element('kbd', {}, '→'),
        ' position ',
        element('kbd', {}, 'd'),
        ' decision ',
        element('kbd', {}, 'v'),
        ' view ',
        element(
          'button',
          { class: 'button', 'aria-label': 'Keys', title: 'Keys', onclick: () => this.helping.showModal() },
          '?',
        ),
      ),
    );
    this.buttons = this.story.bots.map((_, at) =>
      element(
        'button',
        {
          'aria-pressed': 'false',
          title: `Next decision of ${this.name(at)}; with shift, the one before`,
          onclick: (/** @type {any} */ event) => this.jump(at, event.shiftKey ? -1 : 1),
        },
        element('span', {}, this.name(at)),
        disc(at),
      ),
    );
    const names = element(
      'div',
      { class: `names${this.lanes.curved ? '' : ' flat'}` },
      element('p', {}, this.lanes.curved ? 'score if it ended here' : ''),
      ...this.buttons,
    );
    names.style.setProperty('--lane', `${this.lanes.lane}px`);
    const ends = element('div', { class: 'ends' }, ...this.lanes.ends, element('em', {}, 'time to answer, log scale'));
    return element('footer', { class: 'dock' }, controls, names, this.lanes.root, ends);
  }

  /**
   * @param {number} position
   * @param {number | null} [seat] as whom one looks; null: as everyone
   * @param {boolean} [jumped] whether cards do not fly
   */
  go(position, seat = this.seat, jumped = false) {
    const { story } = this;
    position = Math.max(0, Math.min(this.last, Math.trunc(position) || 0));
    if (seat !== null && typeof story.positions[0].seats[seat] !== 'number') seat = story.seat ?? null;
    if (seat === null && story.seat !== undefined && story.seat !== null) seat = story.seat;
    this.picture.still = jumped || Math.abs(position - this.position) !== 1;
    this.position = position;
    this.seat = seat;
    const move = this.moves[position];
    const table = this.table(position, seat);
    if (position) table.before = new Map(this.table(position - 1, seat).zones.map((zone) => [zone.id, zone]));
    const fly = this.picture.draw(this.board, table, {
      bots: story.bots,
      asked: (move?.asked ?? []).map((each) => each.seat),
      retired: story.retired ?? [],
    });
    this.ask.replaceChildren(...(move ? questions(move, this.story, this) : this.end()));
    this.mark();
    this.lanes.go(position);
    const of = move && move.count !== 0 ? element('span', {}, ` of 0–${this.count - 1}`) : '';
    this.where.replaceChildren(element('b', {}, move ? named(move) : 'The end'), of);
    this.buttons.forEach((button, at) => button.setAttribute('aria-pressed', String(at === this.focus)));
    const radio = /** @type {HTMLInputElement | null} */ (this.root.querySelector(`.fog input[value="${seat ?? ''}"]`));
    if (radio) radio.checked = true;
    // all is written before anything is measured: so the page is laid out once
    this.fit();
    this.scroll();
    fly();
    this.note();
    if (position === this.last) this.stop();
  }

  get address() {
    const { first = 0, count = 1 } = this.moves[this.position] ?? {};
    const decision = this.position === this.last ? 'end' : first || count ? first : 'start';
    return `#replay=${this.story.id}&decision=${decision}${this.seat === null ? '' : `&seat=${this.seat}`}`;
  }

  /**
   * The position of a decision, as an address names it.
   * @param {string} [decision] a number, `end`; all else is the start
   */
  find(decision = 'start') {
    if (decision === 'end' || Number(decision) >= this.count) return this.last;
    const at = this.moves.findIndex(({ first = 0, count = 1 }) => first + count > Number(decision));
    return Math.max(0, at);
  }

  /** Write the position into the address; not too often, for browsers count that. */
  note() {
    clearTimeout(this.noting);
    const write = () => {
      this.noted = Date.now();
      if (location.hash !== this.address) history.replaceState(null, '', this.address);
    };
    if (Date.now() - this.noted > NOTE) write();
    else this.noting = setTimeout(write, NOTE);
  }

  link() {
    copy(this.linking, location.href.replace(/#.*|$/, this.address));
  }

  /** Cards are as large as the table allows; they shrink and do not grow again, so that nothing jumps. */
  fit() {
    const size = `${innerWidth} ${innerHeight}`;
    if (this.size !== size) this.scale = 1;
    this.size = size;
    this.board.style.setProperty('--fit', String(this.scale));
    while (
      this.scale > 0.6 &&
      getComputedStyle(this.stage).overflowY === 'auto' &&
      this.stage.scrollHeight > this.stage.clientHeight + 1
    ) {
      this.scale -= 0.04;
      this.board.style.setProperty('--fit', this.scale.toFixed(2));
    }
  }

  /** Where we are in the log; what the seat did not see is left out. Only what is otherwise than before is touched. */
  mark() {
    const { position, seat } = this;
    this.entries.forEach((entry, at) => {
      const name = at < position ? '' : at === position ? 'now' : 'later';
      if (entry.className === name) return;
      entry.className = name;
      if (at === position) entry.setAttribute('aria-current', 'step');
      else entry.removeAttribute('aria-current');
    });
    if (this.heard === seat) return;
    this.heard = seat;
    for (const line of this.log.querySelectorAll('[data-seats]')) {
      line.hidden = seat !== null && !line.dataset.seats.split(' ').includes(String(seat));
    }
  }

  /** The line of the log that tells of this position stands in its middle. */
  scroll() {
    const entry = this.entries[Math.min(this.position, this.entries.length - 1)];
    if (entry) this.log.scrollTop = entry.offsetTop - this.log.clientHeight / 2;
  }

  end() {
    const { story } = this;
    const order = story.bots.map((_, at) => at).sort((a, b) => story.ranks[a] - story.ranks[b] || a - b);
    const rows = order.map((at) =>
      element('li', {}, `${story.ranks[at] + 1}. `, ...sentence(`seat ${at}`, story.bots), `: ${story.scores[at]}`),
    );
    return [
      element('h2', {}, element('span', {}, 'The end'), element('span', {}, story.reason)),
      element('ol', { class: 'options' }, ...rows),
    ];
  }

  /**
   * @param {number | null} seat
   * @param {number} by
   */
  jump(seat, by) {
    seat ??= this.focus ?? this.moves[this.position]?.asked?.[0]?.seat ?? 0;
    this.focus = seat;
    const mine = this.decisions.filter((each) => each.seat === seat).map((each) => each.at);
    const next = by > 0 ? mine.find((at) => at > this.position) : mine.findLast((at) => at < this.position);
    this.go(next ?? this.position, this.seat, true);
  }

  toggle() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.position === this.last) this.go(0, this.seat, true);
    this.playing.replaceChildren(icon('pause'), 'Pause');
    this.timer = setInterval(() => this.go(this.position + 1), PAUSE / this.speed);
  }

  /** @param {number} speed */
  pace(speed) {
    this.speed = speed;
    if (this.timer) {
      this.stop();
      this.toggle();
    }
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.playing.replaceChildren(icon('play'), 'Play');
  }

  leave() {
    clearTimeout(this.noting);
    this.stop();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {any} */ (event.target);
    if (event.metaKey || event.ctrlKey || event.altKey || target.closest?.('dialog, select')) return;
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (by) {
      if (target.type === 'radio') return;
      if (event.shiftKey) this.jump(null, by);
      else this.go(this.position + by);
    } else if (event.key === 'Home') this.go(0, this.seat, true);
    else if (event.key === 'End') this.go(this.last, this.seat, true);
    else if (event.key === ' ' && !target.closest?.('button, summary, a')) this.toggle();
    else if (event.key === 'd') this.finding.showModal();
    else if (event.key === '?') this.helping.showModal();
    else if (event.key === 'r') byId('rules').showModal();
    else if (event.key === 'v')
      this.go(
        this.position,
        this.seat === null ? (this.focus ?? this.moves[this.position]?.asked?.[0]?.seat ?? 0) : null,
        true,
      );
    else if (event.key === 'c') this.link();
    else if (event.key === 'Escape' && this.back) location.hash = '#matches';
    else if (/^[0-7]$/.test(event.key) && Number(event.key) < this.story.bots.length) this.jump(Number(event.key), 1);
    else return;
    event.preventDefault();
  }
}

const stories = new Map();
/** @type {Replay | null} */
let current = null;

/** Show what the address asks for: a position of a match, or the report. */
async function show() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const box = byId('replay');
  const report = byId('report');
  const alone = report
    ? null
    : /** @type {HTMLElement | null} */ (document.querySelector('script[data-replay]'))?.dataset.replay;
  const id = wanted.get('replay') ?? alone;
  const packed = [...document.querySelectorAll('script[data-replay]')].find(
    (each) => /** @type {HTMLElement} */ (each).dataset.replay === id,
  );
  current?.leave();
  box.hidden = !packed;
  if (report) report.hidden = Boolean(packed);
  if (!packed) {
    if (current) byId(location.hash.slice(1))?.scrollIntoView();
    current = null;
    return;
  }
  if (!stories.has(id)) stories.set(id, await unpack(packed.textContent.trim()));
  const { run, decision } = document.body.dataset;
  const known = current?.story.id === id ? current : null;
  const shown = known ?? new Replay(box, stories.get(id), { run, back: Boolean(report) });
  current = shown;
  const seat = wanted.get('seat');
  shown.go(shown.find(wanted.get('decision') ?? decision), seat === null ? null : Number(seat), true);
  scrollTo(0, 0);
}

addEventListener('hashchange', show);
addEventListener('keydown', (event) => current?.key(event));
addEventListener('resize', () => current?.go(current.position, current.seat, true));
show();
