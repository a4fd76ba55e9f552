// A match that a person plays in this page: asked and told by the server that it came from.
// @ts-check
import { byId, disc, element, sentence, turn, unpack } from './elements.js';
import { Narration } from './pace.js';
import { filled } from './fit.js';
import { Stage } from './stage.js';

/** @typedef {import('./table.js').Table} Table */
/**
 * A question, as the server asks it.
 * @typedef {object} Question
 * @property {string} id
 * @property {Table} table as the seat sees it
 * @property {string} all every field that the seat knows
 * @property {string[]} options
 * @property {number} least
 * @property {number} most
 * @property {string[]} news what happened since the last question
 * @property {number} since when it was asked, in milliseconds since 1970
 */
/** @typedef {{rank: number, seat: number, name: string, score: number, retired: boolean}} Finish */

const DIGITS = 9;

/**
 * A table with what is left out of it while it is sent.
 * @param {any} sent
 * @returns {Table}
 */
const complete = (sent) => ({
  title: sent.title ?? '',
  question: sent.question ?? '',
  text: sent.text ?? '',
  zones: (sent.zones ?? []).map((/** @type {any} */ zone) => ({ ...zone, cards: zone.cards ?? [] })),
  counters: sent.counters ?? [],
  badges: (sent.badges ?? []).map((/** @type {any} */ badge) => [badge.seat, badge.text]),
});

/** @param {string} text @param {string} word @returns {boolean} whether an option names something */
const says = (text, word) => ` ${text} `.includes(` ${word} `);

class Playing {
  /**
   * @param {HTMLElement} root
   * @param {Record<string, import('./table.js').Look>} looks
   */
  constructor(root, looks) {
    this.stage = new Stage(looks, () => this.moments);
    /** @type {Table[]} */
    this.moments = [];
    this.seat = -1;
    /** @type {string[]} */
    this.names = [];
    /** @type {Question | null} */
    this.question = null;
    /** @type {number[]} */
    this.picks = [];
    /** @type {number[]} the options that are offered */
    this.some = [];
    /** @type {Map<string, import('./table.js').Zone> | undefined} */
    this.before = undefined;
    this.stage.root.addEventListener('click', (/** @type {any} */ event) => {
      if (this.touch(event.target)) return;
      const seat = event.target.closest('.who')?.dataset.seat;
      if (seat === undefined || !this.table) return;
      this.stage.focus = this.stage.focus === Number(seat) ? this.seat : Number(seat);
      this.draw(this.table, this.waited);
    });
    /** @type {Table | undefined} */
    this.table = undefined;
    /** @type {number[]} for whom the table waits */
    this.waited = [];
    this.ask = element('section', { class: 'ask', 'aria-label': 'What you are asked' });
    this.log = element('ol', { class: 'log', 'aria-live': 'polite', 'aria-label': 'What happened', tabindex: 0 });
    this.narration = new Narration((text) => this.hear(text));
    this.said = element('p', { class: 'words said' });
    this.skipping = element('button', { class: 'button hurry', onclick: () => this.narration.skip() }, 'Skip ');
    this.skipping.append(element('kbd', { 'aria-hidden': 'true' }, 's'));
    this.clock = element('span', { class: 'time' });
    this.side = element('div', { class: 'side' }, this.ask, this.log);
    const rules = element('button', { class: 'button', onclick: () => byId('rules').showModal() }, 'Rules');
    const log = element('button', { class: 'button turn', onclick: () => turn(this.side) }, 'Log');
    const { title = '', against = '', legend = '' } = root.dataset;
    this.helping = element(
      'dialog',
      { 'aria-label': 'How to read this table' },
      element('h2', {}, 'How to read this table'),
      element('p', {}, legend),
      element('p', {}, 'Point at a card, tap it or press x, and it says what it does.'),
      element('button', { class: 'button', onclick: () => this.helping.close() }, 'Close'),
    );
    const help = element('button', { class: 'button', title: 'Help', onclick: () => this.helping.showModal() }, '?');
    root.replaceChildren(
      element(
        'header',
        { class: 'head' },
        element('h1', {}, title, element('small', {}, `against ${against}`)),
        element('div', { class: 'tools' }, log, rules, help),
      ),
      element('div', { class: 'pages' }, this.stage.root, this.side),
      this.helping,
      element(
        'footer',
        { class: 'foot' },
        element('kbd', {}, '1'),
        ' to ',
        element('kbd', {}, '9'),
        ' and space pick an option, ',
        element('kbd', {}, 'Enter'),
        ' answers, ',
        element('kbd', {}, '↑'),
        ' ',
        element('kbd', {}, '↓'),
        ' go from one to the next, ',
        element('kbd', {}, 's'),
        ' skips what the others did, ',
        element('kbd', {}, 'x'),
        ' says what a card does, ',
        element('kbd', {}, 'r'),
        ' shows the rules, ',
        element('kbd', {}, '?'),
        ' how to read the table. Closing this page leaves the table.',
      ),
    );
    this.say('Waiting for the first question', '');
  }

  /** @param {{seat: number, seats: number}} told */
  sit({ seat, seats }) {
    this.narration.stop();
    this.log.replaceChildren();
    this.table = this.before = undefined;
    this.seat = this.stage.focus = seat;
    this.names = Array.from({ length: seats }, (_, at) => (at === seat ? `seat ${at} (you)` : ''));
  }

  /**
   * Take in what happened, where the question stands and in the log.
   * @param {string} text a sentence
   */
  hear(text) {
    if (!this.skipping.isConnected) {
      this.say('What happened', '');
      this.ask.append(this.said, this.skipping);
    }
    this.said.replaceChildren(...sentence(text, this.names));
    for (const old of this.log.querySelectorAll('.now')) old.classList.remove('now');
    const said = element('p', { class: 'said' }, element('span', {}, ...sentence(text, this.names)));
    this.log.append(element('li', { class: 'now' }, element('div', {}, said)));
    this.log.scrollTop = this.log.scrollHeight;
  }

  /** @param {Question} question */
  asked(question) {
    this.question = question;
    this.picks = [];
    this.draw(question.table, [this.seat]);
    const { most, least, options } = question;
    const single = most === 1;
    this.wrong = element('p', { class: 'wrong', role: 'alert' });
    this.answer = element('button', { class: 'button answer', onclick: () => this.send(this.picks) }, 'Answer');
    this.list = element('ul', { class: 'options' });
    const count = least === most ? `${most}` : least ? `${least} to ${most}` : `up to ${most}`;
    this.ask.replaceChildren(
      element('h2', {}, element('span', {}, 'You are asked'), this.clock),
      element(
        'div',
        { class: 'question', 'data-question': question.id },
        element('p', {}, disc(this.seat), element('b', {}, this.names[this.seat])),
        element('p', { class: 'words' }, ...sentence(question.table.question || 'What do you pick?', this.names)),
        this.list,
        single
          ? null
          : element(
              'p',
              { class: 'hint', 'data-most': most },
              `Pick ${count}; the numbers show their order. Enter answers.`,
            ),
        single ? null : this.answer,
        this.wrong,
        element('details', {}, element('summary', {}, 'All that your seat knows'), element('pre', {}, question.all)),
      ),
    );
    this.tick();
    this.choose(options.map((_, at) => at));
  }

  /**
   * Offer some of the options: where they are too many for the keys, those with the same card stand behind one.
   * @param {number[]} some
   */
  choose(some) {
    const { most = 1, least = 1, options = [] } = this.question ?? {};
    this.some = some;
    const names = (this.table?.zones ?? []).flatMap(({ cards }) => cards.map(({ name = '' }) => name)).filter(Boolean);
    names.sort((a, b) => b.length - a.length);
    /** @type {Map<string, number[]>} */
    const rows = new Map();
    for (const at of some) {
      const grouped = most === 1 && some.length > DIGITS && some.length === options.length;
      const key = (grouped && names.find((name) => says(options[at], name))) || String(at);
      rows.set(key, [...(rows.get(key) ?? []), at]);
    }
    const shown = [...rows].map(([name, ats], row) =>
      this.option(ats.length > 1 ? `${name} …` : options[ats[0]], row, ats),
    );
    const other = (/** @type {string} */ text, /** @type {() => void} */ act, name = 'nothing') =>
      element('li', { class: name }, element('button', { type: 'button', onclick: this.once(act) }, text));
    if (some.length < options.length)
      shown.push(other('back', () => this.choose(options.map((_, at) => at)), 'nothing back'));
    else if (most === 1 && least === 0) shown.push(other('nothing', () => this.send([])));
    this.list.replaceChildren(...shown);
    this.light();
    this.mark();
    this.buttons()[0]?.focus();
  }

  /** Mark what can be clicked on the table. */
  light() {
    const options = this.question?.options ?? [];
    for (const part of this.stage.board.querySelectorAll('[data-name], [data-zone], .seat')) {
      const words = this.named(part);
      part.classList.toggle(
        'can',
        this.some.some((at) => words.some((word) => says(options[at] ?? '', word))),
      );
    }
  }

  /**
   * What options call a part of the table: a card by its name, a place by its title once a card is chosen, and a seat.
   * @param {HTMLElement} part
   * @returns {string[]}
   */
  named(part) {
    const chosen = this.some.length < (this.question?.options.length ?? 0);
    if (part.dataset.name) return [part.dataset.name];
    if (!chosen) return [];
    const zone = this.table?.zones.find(({ id }) => id === part.dataset.zone);
    return zone ? [zone.title] : part.dataset.panel ? [`seat ${part.dataset.panel}`] : [];
  }

  /**
   * Pick what a card, a place or a seat stands for: a card, then its target.
   * @param {Element} target
   * @returns {boolean} whether it stands for any option
   */
  touch(target) {
    const { question } = this;
    if (!question) return false;
    for (const selector of ['[data-name]', '[data-zone]', '.seat']) {
      const part = /** @type {HTMLElement | null} */ (target.closest(selector));
      const words = part ? this.named(part).filter(Boolean) : [];
      const of = (/** @type {number[]} */ some) =>
        some.filter((at) => words.some((word) => says(question.options[at], word)));
      const all = question.options.map((_, at) => at);
      const found = of(this.some).length || selector !== '[data-name]' ? of(this.some) : of(all);
      if (!found.length) continue;
      if (question.most > 1) this.pick(found.find((at) => !this.picks.includes(at)) ?? found[found.length - 1]);
      else if (found.length === 1) this.pick(found[0]);
      else this.choose(found);
      return true;
    }
    return false;
  }

  /**
   * @param {string} text
   * @param {number} row
   * @param {number[]} ats the options that it stands for
   */
  option(text, row, ats) {
    const [at] = ats;
    const key = row < DIGITS ? element('kbd', { 'aria-hidden': 'true' }, String(row + 1)) : null;
    const words = sentence(text, this.names).map((part) => (typeof part === 'string' ? part : part.textContent));
    const pick = this.once(() => (ats.length > 1 ? this.choose(ats) : this.pick(at)));
    return element(
      'li',
      {},
      element('button', { type: 'button', 'data-option': at, onclick: pick }, key, words.join('')),
    );
  }

  /**
   * The second click of a double click would answer the next question.
   * @param {() => void} act
   */
  once(act) {
    return (/** @type {MouseEvent} */ event) => {
      if (event.detail < 2) act();
    };
  }

  /** @returns {HTMLButtonElement[]} */
  buttons() {
    return [...this.ask.querySelectorAll('.options button')];
  }

  /** @param {number} at */
  pick(at) {
    const { question } = this;
    if (!question) return;
    if (question.most === 1) {
      this.send([at]);
      return;
    }
    if (this.picks.includes(at)) this.picks = this.picks.filter((other) => other !== at);
    else if (this.picks.length < question.most) this.picks.push(at);
    this.mark();
  }

  /** Which options are picked, and whether that is an answer. */
  mark() {
    const { question } = this;
    if (!question || question.most === 1) return;
    for (const button of this.ask.querySelectorAll('[data-option]')) {
      const order = this.picks.indexOf(Number(button.dataset.option));
      button.setAttribute('aria-pressed', String(order >= 0));
      button.querySelector('b')?.remove();
      if (order >= 0) button.append(element('b', {}, `${order + 1}.`));
    }
    this.answer.disabled = this.picks.length < question.least || this.picks.length > question.most;
    this.answer.textContent = this.picks.length ? `Answer with ${this.picks.length}` : 'Answer with nothing';
  }

  /** @param {number[]} picks */
  async send(picks) {
    const { question } = this;
    if (!question) return;
    this.question = null;
    const body = JSON.stringify({ id: question.id, picks });
    const response = await fetch('answer', { method: 'POST', body }).catch(() => null);
    if (response?.ok || this.question) return;
    this.question = question;
    this.wrong.textContent = response ? await response.text() : 'The server cannot be reached.';
  }

  /** @param {{id: string, picks: number[]}} told */
  picked({ id }) {
    // of a page that is loaded again, what was answered before
    this.narration.skip();
    if (this.question && this.question.id !== id) return;
    this.question = null;
    this.say('The others play', 'You are asked again as soon as it is your turn.');
    if (this.table) this.draw(this.table, []);
  }

  /** @param {{places: Finish[], faults: string[], table: Table}} told */
  end({ places, faults, table }) {
    this.names = places.reduce((names, { seat, name }) => names.with(seat, name), this.names);
    const won = places.filter(({ rank }) => !rank).map(({ name }) => name);
    this.say(`${won.join(' and ')} won`.replace(/^y/, 'Y'), '');
    const rows = places.map(({ rank, seat, score, retired }) =>
      element(
        'li',
        { value: rank + 1 },
        ...sentence(`seat ${seat}`, this.names),
        `: ${score}${retired ? ', retired' : ''}`,
      ),
    );
    this.ask.append(element('ol', { class: 'places' }, ...rows));
    for (const fault of faults) this.ask.append(element('p', { class: 'wrong' }, fault));
    this.draw(table, []);
    const next = (/** @type {string} */ wish) => () => {
      this.say('The cards are dealt', '');
      fetch('next', { method: 'POST', body: JSON.stringify({ wish }) });
    };
    this.ask.append(
      element(
        'p',
        { class: 'tools' },
        element('a', { class: 'button', href: 'replay.html', target: '_blank', title: 'With open hands' }, 'Replay'),
        element('button', { class: 'button', title: 'Another deal', onclick: next('again') }, 'Again'),
        element(
          'button',
          { class: 'button', title: 'The same deal from the next seat', onclick: next('other seat') },
          'Other seat',
        ),
      ),
      element('p', { class: 'hint' }, 'The table stands as it was left. Nothing is recorded.'),
    );
    this.ask.querySelector('a').focus();
  }

  /** The table is closed: what was said of the end stays. */
  leave() {
    this.narration.stop();
    this.question = null;
    if (this.ask.querySelector('.places')) this.ask.querySelector('.tools').remove();
    else this.say('The match was left', 'Nothing is recorded. This page can be closed.');
  }

  /**
   * Instead of a question.
   * @param {string} title
   * @param {string} words
   */
  say(title, words) {
    this.clock.textContent = '';
    this.ask.replaceChildren(element('h2', {}, element('span', {}, title)), element('p', { class: 'words' }, words));
  }

  /**
   * @param {Table} table
   * @param {number[]} asked
   */
  draw(table, asked) {
    if (!this.moments.length) this.moments = [filled(table)];
    if (this.table !== table) this.before = new Map((this.table?.zones ?? []).map((zone) => [zone.id, zone]));
    this.table = table;
    this.waited = asked;
    const before = this.before?.size ? this.before : undefined;
    const acting = table.badges.map(([seat]) => seat);
    this.stage.draw({ ...table, before }, { bots: this.names, asked, acting, retired: [] })();
    this.light();
  }

  /** @param {KeyboardEvent} event whether it belongs to something that is neither an option nor the answer */
  elsewhere(event) {
    const pressed = /** @type {Element} */ (event.target).closest('button, a, summary');
    return Boolean(pressed && !pressed.closest('.question')) || pressed?.tagName === 'SUMMARY';
  }

  /** The time since the question was asked: nobody is held to any. */
  tick() {
    if (!this.question) return;
    const seconds = Math.max(0, Math.floor((Date.now() - this.question.since) / 1000));
    const shown = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    this.clock.textContent = `your time ${shown}, without a limit`;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.metaKey || event.ctrlKey || event.altKey || byId('rules').open || this.helping.open) return;
    // a key that is still held down would answer the next question
    if (event.repeat && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      return;
    }
    const buttons = this.buttons();
    const by = Number(/^Arrow(Down|Right)$/.test(event.key)) - Number(/^Arrow(Up|Left)$/.test(event.key));
    if (by && buttons.length && !(/** @type {Element} */ (event.target).closest('.stage, .log, details'))) {
      const at = buttons.findIndex((button) => button === document.activeElement);
      buttons[(at + by + buttons.length) % buttons.length]?.focus();
    } else if (event.key === 'Enter' && this.question && this.question.most > 1 && !this.elsewhere(event)) {
      // what is pressed last would be left again, as by a second click
      if (!this.answer.disabled) this.send(this.picks);
      else this.wrong.textContent = `${this.question.least - this.picks.length} more to pick.`;
    } else if (/^[1-9]$/.test(event.key) && !event.repeat) {
      const chosen = this.ask.querySelectorAll('[data-option]')[Number(event.key) - 1];
      if (!chosen) return;
      chosen.focus();
      chosen.click();
    } else if (event.key === 'Enter' && this.touch(/** @type {Element} */ (event.target))) {
      // a card that was gone to by keys
    } else if (event.key === 'r') byId('rules').showModal();
    else if (event.key === '?') this.helping.showModal();
    else if (event.key === 's') this.narration.skip();
    else if (event.key === 'x') this.stage.next(1);
    else if (event.key === 'X') this.stage.next(-1);
    else return;
    event.preventDefault();
  }
}

async function begin() {
  const playing = new Playing(byId('play'), await unpack(byId('looks').textContent.trim()));
  const events = new EventSource('events');
  /**
   * @param {string} name
   * @param {(told: any) => void} act
   */
  const hear = (name, act) => events.addEventListener(name, (event) => act(JSON.parse(event.data)));
  hear('sit', (told) => playing.sit(told));
  hear('ask', (told) =>
    playing.narration.add(told.news, () => playing.asked({ ...told, table: complete(told.table) })),
  );
  hear('picked', (told) => playing.picked(told));
  hear('news', (told) => playing.narration.add(told, () => {}));
  hear('end', (told) => {
    playing.narration.add([], () => playing.end({ ...told, table: complete(told.table) }));
  });
  hear('left', () => {
    events.close();
    playing.leave();
  });
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) playing.say('The server is gone', 'This page can be closed.');
  });
  setInterval(() => playing.tick(), 500);
  addEventListener('keydown', (event) => playing.key(event));
  addEventListener('resize', () => playing.table && playing.draw(playing.table, playing.waited));
}

begin();
