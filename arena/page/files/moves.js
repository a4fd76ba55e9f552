// What a match is made of, and its moves in words.
// @ts-check
import { disc, element, milliseconds, sentence } from './elements.js';

/** @typedef {Omit<import('./table.js').Zone, 'cards'> & {cards?: number[]}} Place cards as places in the story's */
/** @typedef {{kind: string, rule: string, hint: string, line: string}} Fault */
/**
 * @typedef {object} Asked
 * @property {number} decision
 * @property {number} seat
 * @property {string} [question]
 * @property {string[]} [options]
 * @property {number} [least]
 * @property {number} [most]
 * @property {number[]} [picks]
 * @property {number[]} [other] what the bot `other` of the story picks
 * @property {number} [micros]
 * @property {Fault} [fault]
 * @property {string} [note] what the bot noted
 * @property {string} [stderr] what it wrote to standard error
 */
/** @typedef {Asked & {at: number}} Decision with the position at which it was asked */
/** @typedef {{text: string, seats?: number[], upkeep?: boolean}} Said */
/** @typedef {{first?: number, count?: number, asked?: Asked[], events?: Said[], caption?: string}} Move */
/**
 * @typedef {object} Sight
 * @property {string} [title]
 * @property {string} [text]
 * @property {number[]} [zones]
 * @property {number[]} [counters]
 * @property {{seat: number, text: string}[]} [badges]
 */
/** @typedef {{everyone?: number, seats: (number | null)[], scores?: number[]}} Position */
/**
 * A match, as `arena.report.replay.Replay` explains it; what is empty is left out.
 * @typedef {object} Story
 * @property {string} id
 * @property {number} number
 * @property {string} title
 * @property {string[]} bots
 * @property {number[]} ranks
 * @property {number[]} scores
 * @property {string} reason
 * @property {number[]} [retired]
 * @property {number | null} [seat]
 * @property {number} [limit]
 * @property {string} [other] another bot that was asked, too
 * @property {import('./table.js').Card[]} cards
 * @property {Place[]} zones
 * @property {import('./table.js').Counter[]} counters
 * @property {Sight[]} sights
 * @property {Position[]} positions
 * @property {Move[]} [moves]
 * @property {Record<string, import('./table.js').Look>} [looks]
 * @property {string} [legend]
 * @property {{decision: number, text: string}[]} [marks]
 */

const MANY_OPTIONS = 16;

/**
 * The position before a move in words: its decisions by their numbers in the record.
 * @param {Move} move
 */
export function named({ first = 0, count = 1 }) {
  if (count) return count > 1 ? `decisions ${first}–${first + count - 1}` : `decision ${first}`;
  return first ? `after decision ${first - 1}` : 'before decision 0';
}

/**
 * What a move did, as a line of the log.
 * @param {Move} move
 * @param {number} at its position
 * @param {string[]} bots
 */
export function logged(move, at, bots) {
  const lines = (move.asked ?? [])
    .filter((asked) => asked.fault)
    .map(({ seat, fault }) => {
      const words = sentence(`seat ${seat}: fault ${fault?.kind}`, bots);
      return element('p', { class: 'bad', 'data-seats': String(seat) }, ...words);
    });
  for (const said of move.events ?? []) {
    const only = said.seats
      ? element(
          'span',
          { class: 'only' },
          ' (only ',
          ...sentence(said.seats.map((seat) => `seat ${seat}`).join(' and '), bots),
          ')',
        )
      : null;
    lines.push(
      element(
        'p',
        { class: 'said', 'data-seats': said.seats ? said.seats.join(' ') : null },
        element('span', {}, ...sentence(said.text, bots)),
        only,
      ),
    );
  }
  if (!lines.length) {
    const picks = (move.asked ?? []).filter((asked) => asked.picks?.length);
    for (const { seat, picks: picked = [], options = [] } of picks) {
      const words = sentence(`seat ${seat} picks ${picked.map((pick) => options[pick]).join(', ')}`, bots);
      lines.push(element('p', { class: 'pick', 'data-seats': String(seat) }, ...words));
    }
    if (!picks.length)
      lines.push(element('p', { class: 'pick' }, move.asked?.length ? 'nobody picks anything' : 'others are asked'));
  }
  return element(
    'li',
    { 'data-position': at },
    element('button', { 'aria-label': `Go to ${named(move)}` }, move.count === 0 ? '·' : String(move.first ?? 0)),
    element('div', {}, ...lines),
  );
}

/**
 * What happens at a position, in one sentence; picks that others do not see stay secret.
 * @param {Move} move
 * @param {number | null} seat as whom one looks
 * @returns {string}
 */
export function caption(move, seat) {
  if (move.caption) return move.caption;
  const asked = move.asked ?? [];
  const who = asked.map((each) => `seat ${each.seat}`);
  const names = who.length > 2 ? `${who.length} players` : who.join(' and ');
  if (!asked.length) return 'the others are asked';
  const [one] = asked;
  const open = asked.find((each) => seat === null || each.seat === seat);
  if (asked.length > 1 || !open) {
    const words = open?.question ? `: ${open.question.charAt(0).toLowerCase()}${open.question.slice(1)}` : '';
    return `${names} choose${asked.length > 1 ? '' : 's'} in secret${words}`;
  }
  const picks = (one.picks ?? []).map((pick) => (one.options ?? [])[pick]).join(', ') || 'nothing';
  return `${one.question ? `${one.question} ` : ''}${names} picks ${picks}`;
}

/** What happens, in one sentence beside the controls. */
export class Caption {
  /** @param {string[]} bots */
  constructor(bots) {
    this.bots = bots;
    this.text = '';
    /** @type {import('./story.js').Mark | undefined} */
    this.mark = undefined;
    this.root = element('p', { class: 'caption', 'aria-live': 'polite' });
  }

  /**
   * @param {string} text
   * @param {import('./story.js').Mark | undefined} mark what makes the moment worth a look
   * @param {number} [most] clauses of it that are said, in smaller letters
   */
  say(text, mark, most = Infinity) {
    this.text = text;
    this.mark = mark;
    const clauses = text.split('; ');
    const words = sentence(clauses.slice(0, most).join('; ') + (most < clauses.length ? '; …' : ''), this.bots);
    if (typeof words[0] === 'string') words[0] = words[0].charAt(0).toUpperCase() + words[0].slice(1);
    const flag = mark ? [element('b', { class: `mark weight-${mark.weight}` }, mark.word), ' '] : [];
    this.root.replaceChildren(...flag, ...words);
    this.root.classList.toggle('small', most < Infinity);
  }

  /** What has no room is said in smaller letters, and at last without its end. */
  shorten() {
    const { root, text, mark } = this;
    const over = () => root.scrollHeight > root.clientHeight + 1;
    for (let most = text.split('; ').length; most > 0 && over(); most -= 1) this.say(text, mark, most);
  }
}

/**
 * The seats that have a part in what happens at a position.
 * @param {Move} move
 * @param {import('./table.js').Table} table
 */
export function acting(move, table) {
  const told = [...(move.caption ?? '').matchAll(/\bseat (\d+)\b/g)].map((match) => Number(match[1]));
  return [...new Set([...told, ...table.badges.map(([seat]) => seat)])];
}

/**
 * What is asked before a move.
 * @param {Move} move
 * @param {Story} story
 * @param {{seat: number | null, run?: string}} shown as whom one looks
 */
export function questions(move, story, { seat, run }) {
  const asked = move.asked ?? [];
  const open = asked.filter((each) => seat === null || each.seat === seat);
  const closed = asked.filter((each) => !open.includes(each));
  const nobody = move.count === 0 ? 'Nobody is asked' : 'Others are asked';
  const title = asked.length > 1 ? `${asked.length} are asked at once` : asked.length ? 'Asked now' : nobody;
  const made = [
    element('h2', {}, element('span', {}, title), element('span', {}, named(move))),
    ...open.map((each) => question(each, story, run)),
  ];
  if (closed.length) {
    const who = closed.map((each) => `seat ${each.seat}`).join(', ');
    made.push(
      element(
        'p',
        { class: 'words' },
        ...sentence(
          `${who} ${closed.length > 1 ? 'are' : 'is'} asked. seat ${seat} does not see the options.`,
          story.bots,
        ),
      ),
    );
  }
  return made;
}

/**
 * What one seat is asked and picks.
 * @param {Asked} asked
 * @param {Story} story
 * @param {string} [run] what to type for it
 */
function question(asked, story, run) {
  const picks = asked.picks ?? [];
  const options = asked.options ?? [];
  const least = asked.least ?? 1;
  const most = asked.most ?? 1;
  const { other } = asked;
  const also = (/** @type {boolean | undefined} */ picked) =>
    picked ? element('span', { class: 'badge' }, story.other ?? '') : null;
  const shown = options
    .map((text, at) => ({ text, at }))
    .filter(
      ({ at }) => options.length <= MANY_OPTIONS || at < MANY_OPTIONS - 1 || picks.includes(at) || other?.includes(at),
    );
  const rows = shown.map(({ text, at }) => {
    const order = picks.indexOf(at);
    const plain = sentence(text, story.bots).map((part) => (typeof part === 'string' ? part : part.textContent));
    return element(
      'li',
      { class: order < 0 ? '' : 'taken' },
      ...plain,
      order >= 0 && picks.length > 1 ? element('sup', {}, String(order + 1)) : null,
      order < 0 ? null : element('span', { class: 'unseen' }, ' (picked)'),
      also(other?.includes(at)),
    );
  });
  if (shown.length < options.length) rows.push(element('li', {}, `and ${options.length - shown.length} more`));
  if (least === 0) {
    const taken = picks.length ? '' : ' taken';
    rows.push(element('li', { class: `nothing${taken}` }, 'nothing', also(other?.length === 0)));
  }
  const limit = story.limit ? ` of ${story.limit} ms` : '';
  const micros = asked.micros ?? -1;
  const time = micros < 0 ? 'not asked' : milliseconds(micros).replace(limit ? ' ms' : '', '') + limit;
  const command = `arena replay ${run} ${story.id} --seat ${asked.seat} --decision ${asked.decision} -- python3 mine.py`;
  const { fault } = asked;
  return element(
    'div',
    { class: 'question' },
    element(
      'p',
      {},
      disc(asked.seat),
      element('b', {}, story.bots[asked.seat] || `seat ${asked.seat}`),
      element('span', { class: 'time' }, `decision ${asked.decision} · ${time}`),
    ),
    element(
      'p',
      { class: 'words' },
      ...sentence(asked.question || 'Picks', story.bots),
      most > 1 ? ` (${least === most ? least : `${least} to ${most}`})` : '',
    ),
    element('ul', { class: 'options' }, ...rows),
    asked.note ? element('p', { class: 'note' }, `Note: ${asked.note}`) : null,
    asked.stderr ? element('div', { class: 'note' }, 'Standard error:', element('pre', {}, asked.stderr)) : null,
    fault
      ? element(
          'div',
          { class: 'oops' },
          element('b', { class: 'bad' }, fault.kind),
          `: ${fault.rule}. Silence answered. `,
          fault.hint ? `${fault.hint}. ` : '',
          fault.line ? element('code', {}, fault.line) : null,
        )
      : null,
    run && !fault ? element('button', { class: 'mini', title: command }, 'Ask my bot the same') : null,
  );
}
