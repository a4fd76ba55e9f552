// The buttons and the keys of a replay, and what explains them.
// @ts-check
import { byId, element } from './elements.js';

export const ICONS = {
  first: 'M1 1h2v12H1zM13 1v12L4 7z',
  back: 'M11 1v12L2 7z',
  play: 'M3 1v12l10-6z',
  pause: 'M2 1h4v12H2zM8 1h4v12H8z',
  on: 'M3 1v12l9-6z',
  last: 'M11 1h2v12h-2zM1 1v12l9-6z',
  before: 'M9 1 4 7l5 6zM3 5h-2v4h2z',
  after: 'M5 1l5 6-5 6zM11 5h2v4h-2z',
};
const KEYS = [
  ['← →', 'the position before, the next one'],
  ['shift ← →', 'the decision before, the next one, of the bot in focus'],
  ['Home End', 'the first position, the last one'],
  ['d', 'go to a decision by its number'],
  ['space', 'play and pause'],
  ['n p', 'the next mark, the one before: a lead change, a swing, a fault, the decisive moment'],
  ['0 … 7', 'focus on the bot in this seat and go to its next decision'],
  ['x X', 'what the next card does, the one before'],
  ['v', 'what everyone knew, what the seat in focus knew'],
  ['a', 'show all: the result, the curves to the end, what is to come; or hide it'],
  ['c', 'copy a link to this position'],
  ['r', 'the rules of the game'],
  ['?', 'how to read the table, and these keys'],
  ['Esc', 'back to the report'],
];

/** @param {keyof typeof ICONS} name */
export const icon = (name) =>
  element('svg:svg', { viewBox: '0 0 14 14', 'aria-hidden': 'true' }, element('svg:path', { d: ICONS[name] }));

/**
 * @param {string} label
 * @param {() => void} act
 * @param {string} [kind]
 */
export const button = (label, act, kind = '') => element('button', { class: `button ${kind}`, onclick: act }, label);

/**
 * How to read the table, and the keys.
 * @param {string | undefined} legend
 * @param {boolean} back whether there is a report to go back to
 * @param {() => void} link copies a link
 */
export function help(legend, back, link) {
  const keys = KEYS.filter(([key]) => back || key !== 'Esc').flatMap(([key, does]) => [
    element('dt', {}, element('kbd', {}, key)),
    element('dd', {}, does),
  ]);
  const dialog = element(
    'dialog',
    { 'aria-label': 'How to read this table' },
    element('h2', {}, 'How to read this table'),
    legend ? element('p', {}, legend) : null,
    element('p', {}, 'Point at a card, or tap it, and it says what it does. Press a name to see all of its cards.'),
    element('dl', { class: 'keys' }, ...keys),
    element(
      'p',
      { class: 'tools' },
      button('Rules', () => byId('rules').showModal()),
      button('Copy link', link),
      button('Close', () => dialog.close()),
    ),
  );
  return dialog;
}
