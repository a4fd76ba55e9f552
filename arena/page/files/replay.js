// A match told again. The address says what is shown: #replay=e0b3r1&decision=57&seat=2
// @ts-check
import { byId, copy, element, patch, sentence, turn, unpack } from './elements.js';
import { button, help, icon } from './keys.js';
import { Caption, acting, caption, logged, named, questions } from './moves.js';
import { NoteCurves } from './noted.js';
import { Narration } from './pace.js';
import { Stage } from './stage.js';
import { finale, marks, result, scoring, sentencesOf, tableAt, told } from './story.js';
import { Timeline } from './timeline.js';

/** @typedef {import('./moves.js').Decision} Decision */
/** @typedef {import('./moves.js').Story} Story */

const NOTE = 200;

class Replay {
  /**
   * @param {any} root
   * @param {Story} story
   * @param {{run?: string, back: boolean, next: string | null}} page what to type for the run; whether there is a report
   *   to go back to; the match to watch next
   */
  constructor(root, story, { run, back, next }) {
    this.root = root;
    this.story = story;
    this.run = run;
    this.back = back;
    this.next = next;
    this.noted = 0;
    /** Whether what is to come is shown. */
    this.open = false;
    this.ended = false;
    this.position = 0;
    /** @type {number | null} */
    this.seat = story.seat ?? null;
    /** @type {number | null} the bot whose decisions one goes through */
    this.focus = this.seat;
    /** @type {number | null | undefined} as whom the log was read last */
    this.heard = undefined;
    this.running = false;
    this.narration = new Narration((said) => this.say(said));
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.noting = undefined;
    this.last = story.positions.length - 1;
    this.moves = story.moves ?? [];
    /** @type {Decision[]} */
    this.decisions = this.moves.flatMap((move, at) => (move.asked ?? []).map((asked) => ({ ...asked, at })));
    const { first = 0, count = 1 } = this.moves.at(-1) ?? { count: 0 };
    /** How many decisions the match has. */
    this.count = first + count;
    this.stage = new Stage(story.looks ?? {}, () => story.positions.map((_, at) => this.table(at, story.seat ?? null)));
    this.marks = marks(story, this.decisions);
    this.caption = new Caption(story.bots);
    this.timeline = new Timeline(story, this.decisions, this.marks, (position) => this.go(position, this.seat, true));
    // a page whose matches have no notes does not carry them
    this.curves =
      typeof NoteCurves === 'undefined'
        ? null
        : new NoteCurves(this.decisions, this.last, (position) => this.go(position, this.seat, true));
    this.counted = Boolean(scoring(story, 0));
    /** @type {any[]} */
    this.entries = [];
    this.build();
  }

  /** @param {number} seat */
  name(seat) {
    return this.story.bots[seat] || `seat ${seat}`;
  }

  /** @param {number} position @param {number | null} seat */
  table(position, seat) {
    return tableAt(this.story, position, { seat, counted: this.counted });
  }

  build() {
    this.stage.root.addEventListener('click', (/** @type {any} */ event) => {
      const seat = event.target.closest('.who')?.dataset.seat;
      if (seat === undefined) return;
      this.stage.focus = this.stage.focus === Number(seat) ? null : Number(seat);
      this.focus = this.stage.focus;
      this.go(this.position, this.seat, true);
    });
    this.ask = element('section', { class: 'ask', 'aria-label': 'What is asked', tabindex: 0 });
    this.ask.addEventListener('click', (/** @type {any} */ event) => {
      const { dataset, title } = event.target.closest('.mini') ?? {};
      if (dataset?.position) this.go(Number(dataset.position), this.seat, true);
      else if (dataset) copy(event.target, title);
    });
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
    this.side = element('div', { class: 'side' }, this.ask, ...(this.curves ? [this.curves.root] : []), this.log);
    this.helping = help(this.story.legend, this.back, () => this.link());
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
        element('div', { class: 'pages' }, this.stage.root, this.side),
        this.dock(),
        this.helping,
        this.finding,
      ),
    );
  }

  head() {
    const { story } = this;
    const everyone = story.seat === undefined || story.seat === null;
    const seen = (/** @type {any} */ event) => {
      const { value } = event.target;
      this.go(this.position, value === '' ? null : Number(value), true);
    };
    this.fog = element(
      'select',
      { class: 'fog', 'aria-label': 'Whose knowledge is shown', onchange: seen },
      element('option', { value: '' }, 'Everyone sees'),
      ...story.bots.map((_, at) => element('option', { value: at }, `${this.name(at)} sees`)),
    );
    this.opening = button('Show all', () => this.again());
    this.linking = button('Copy link', () => this.link(), 'spare');
    return element(
      'header',
      { class: 'head' },
      this.back ? element('a', { class: 'button', href: '#matches' }, '← Report') : null,
      element('h1', {}, story.title, element('small', {}, `match #${story.number} · ${story.id}`)),
      element(
        'div',
        { class: 'tools' },
        everyone ? this.fog : element('span', { class: 'badge' }, `only what seat ${story.seat} knew`),
        this.opening,
        button('Rules', () => byId('rules').showModal(), 'spare'),
        this.linking,
        element('button', { class: 'button', title: 'Help', onclick: () => this.helping.showModal() }, '?'),
      ),
    );
  }

  dock() {
    /** @type {(name: keyof typeof import('./keys.js').ICONS, label: string, act: () => void, kind?: string) => any} */
    const drawn = (name, label, act, kind = '') =>
      element('button', { class: `button ${kind}`, 'aria-label': label, title: label, onclick: act }, icon(name));
    this.playing = element('button', { class: 'button play', 'aria-label': 'Play', onclick: () => this.toggle() });
    this.playing.append(icon('play'));
    this.where = element('span', { class: 'where' });
    const speeds = [0.5, 1, 2, 4, 8].map((speed) =>
      element('option', { value: speed, selected: speed === 1 }, `${speed}×`),
    );
    const pace = (/** @type {any} */ event) => this.pace(Number(event.target.value));
    return element(
      'footer',
      { class: 'dock' },
      element(
        'div',
        { class: 'controls' },
        drawn('first', 'First position', () => this.go(0, this.seat, true), 'spare'),
        drawn('back', 'Position before', () => this.go(this.position - 1)),
        this.playing,
        drawn('on', 'Next position', () => this.go(this.position + 1)),
        drawn('last', 'Last position', () => this.go(this.last, this.seat, true), 'spare'),
        drawn('before', 'The mark before', () => this.mark(-1)),
        drawn('after', 'The next mark', () => this.mark(1)),
        element('select', { class: 'spare', 'aria-label': 'Speed', onchange: pace }, ...speeds),
        this.where,
        button('Log', () => turn(this.side.parentElement), 'turn'),
      ),
      this.caption.root,
      this.timeline.root,
      this.timeline.ends,
    );
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
    this.stage.still = jumped || Math.abs(position - this.position) !== 1;
    this.position = position;
    this.seat = seat;
    const move = this.moves[position];
    // whoever has seen the end knows all
    if (!move && !this.ended) this.reveal(true);
    this.ended ||= !move;
    const table = this.table(position, seat);
    if (position) table.before = new Map(this.table(position - 1, seat).zones.map((zone) => [zone.id, zone]));
    const fly = this.stage.draw(table, {
      bots: story.bots,
      asked: (move?.asked ?? []).map((each) => each.seat),
      acting: move ? acting(move, table) : [],
      retired: story.retired ?? [],
      viewer: seat,
    });
    patch(this.ask, ...(move ? questions(move, this.story, this) : this.end()));
    this.follow();
    this.timeline.go(position, this.open);
    this.timeline.flag(position, this.open);
    this.curves?.go(position, this);
    const of = move && move.count !== 0 ? element('span', {}, ` of 0–${this.count - 1}`) : '';
    this.where.replaceChildren(element('b', {}, move ? named(move) : 'The end'), of);
    this.fog.value = seat === null ? '' : String(seat);
    this.narration.stop();
    if (move && this.running)
      // the table is as it was before until all is said
      this.narration.add(sentencesOf(move, seat), () => this.go(position + 1));
    else this.say(move ? caption(move, seat) : result(story));
    this.stage.root.querySelector('.finale')?.remove();
    if (!move) this.stage.root.append(this.finale());
    this.scroll();
    fly();
    this.note();
    if (position === this.last) this.stop();
  }

  /** @param {string} text of what happens here */
  say(text) {
    const mark = this.marks.find(({ at }) => at === this.position);
    this.caption.say(text, mark && told(mark, this.open));
    this.caption.shorten();
  }

  finale() {
    const moment = this.marks.find(({ word }) => word === 'decisive');
    const curve = this.timeline.curve?.cloneNode(true);
    if (curve) curve.style.clipPath = '';
    return finale(this.story, {
      curve,
      last: this.last ? caption(this.moves[this.last - 1], this.seat) : '',
      decisive: moment
        ? {
            at: moment.at,
            text: `${named(this.moves[moment.at])}: ${moment.said}. ${caption(this.moves[moment.at], this.seat)}`,
          }
        : null,
      next: this.next,
      go: (at) => this.go(at, this.seat, true),
      hide: () => this.stage.root.querySelector('.finale')?.remove(),
    });
  }

  /**
   * Show what is to come, or hide it again.
   * @param {boolean} [open]
   */
  reveal(open = !this.open) {
    this.open = open;
    this.opening.setAttribute('aria-pressed', String(this.open));
    this.log.classList.toggle('open', this.open);
  }

  /** Show what is to come, or hide it, at this position. */
  again() {
    this.reveal();
    this.go(this.position, this.seat, true);
  }

  /**
   * Go to the next mark, or the one before.
   * @param {number} by
   */
  mark(by) {
    const there =
      by > 0 ? this.marks.find(({ at }) => at > this.position) : this.marks.findLast(({ at }) => at < this.position);
    this.go(there ? there.at : by > 0 ? this.last : 0, this.seat, true);
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

  /** Where we are in the log; what the seat did not see is left out. Only what is otherwise than before is touched. */
  follow() {
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
    this.ask.scrollTop = 0;
    if (entry) this.log.scrollTop = entry.offsetTop - this.log.clientHeight / 2;
  }

  /** In the place of questions: what was worth a look. */
  end() {
    const { story } = this;
    const rows = this.marks.map((mark) =>
      element(
        'li',
        {},
        element('button', { class: 'mini', 'data-position': mark.at }, named(this.moves[mark.at])),
        ' ',
        ...sentence(mark.said, story.bots),
      ),
    );
    return [
      element('h2', {}, element('span', {}, 'The end'), element('span', {}, story.reason)),
      element('ol', { class: 'moments' }, ...rows),
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
    if (this.running) {
      this.stop();
      this.say(caption(this.moves[this.position], this.seat));
      return;
    }
    this.running = true;
    this.playing.replaceChildren(icon('pause'));
    this.playing.setAttribute('aria-label', 'Pause');
    this.go(this.position === this.last ? 0 : this.position, this.seat, true);
  }

  /** @param {number} speed */
  pace(speed) {
    this.narration.speed = speed;
    if (this.running) this.go(this.position, this.seat, true);
  }

  stop() {
    this.narration.stop();
    this.running = false;
    this.playing.replaceChildren(icon('play'));
    this.playing.setAttribute('aria-label', 'Play');
  }

  leave() {
    clearTimeout(this.noting);
    this.stop();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {any} */ (event.target);
    if (event.metaKey || event.ctrlKey || event.altKey || target.closest?.('dialog[open], select')) return;
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (by) {
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
    else if (event.key === 'n') this.mark(1);
    else if (event.key === 'p') this.mark(-1);
    else if (event.key === 'x') this.stage.next(1);
    else if (event.key === 'X') this.stage.next(-1);
    else if (event.key === 'a') this.again();
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
  const held = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('script[data-replay]')]);
  const place = held.findIndex((each) => each.dataset.replay === id);
  const packed = held[place];
  current?.leave();
  box.hidden = !packed;
  if (report) report.hidden = Boolean(packed);
  document.body.classList.toggle('watching', Boolean(packed));
  if (!packed) {
    if (current) byId(location.hash.slice(1))?.scrollIntoView();
    current = null;
    return;
  }
  if (!stories.has(id)) {
    // those of a report have their looks in common
    const looks = byId('looks') ? { looks: await unpack(byId('looks').textContent) } : {};
    stories.set(id, { ...looks, ...(await unpack((packed.textContent ?? '').trim())) });
  }
  // by seat the colour of its bot, which it has in the report, too
  packed.dataset.colours?.split(' ').forEach((colour, seat) => {
    box.style.setProperty(`--seat-${seat}`, colour && `var(--bot-${colour})`);
  });
  const { run, decision } = document.body.dataset;
  const known = current?.story.id === id ? current : null;
  const shown =
    known ??
    new Replay(box, stories.get(id), {
      run,
      back: Boolean(report),
      next: held[place + 1]?.dataset.replay ?? null,
    });
  current = shown;
  const seat = wanted.get('seat');
  shown.go(shown.find(wanted.get('decision') ?? decision), seat === null ? null : Number(seat), true);
  scrollTo(0, 0);
}

addEventListener('hashchange', show);
addEventListener('keydown', (event) => current?.key(event));
addEventListener('resize', () => current?.go(current.position, current.seat, true));
show();
