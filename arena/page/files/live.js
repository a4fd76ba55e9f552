// A run that goes on: what the server of this page sends is put in its place.
// @ts-check
import { byId, element } from './elements.js';
import { places, wireBar, wireDuels, wireTables } from './report.js';

const SHOWN = 10;

const source = new EventSource('events');

/** @param {string} name @param {(data: any) => void} act */
function on(name, act) {
  source.addEventListener(name, (event) => act(JSON.parse(/** @type {MessageEvent} */ (event).data)));
}

on('match', (match) => {
  const faults = match.faults
    .map((/** @type {[number, string]} */ [seat, kind]) => `${match.bots[seat]} ${kind}`)
    .join(', ');
  byId('latest').prepend(
    element(
      'tr',
      { class: 'fresh' },
      element('td', { class: 'left dim' }, match.id),
      element('td', { class: 'left who' }, ...places(match)),
      element('td', { class: 'left bad wide' }, faults),
    ),
  );
  while (byId('latest').children.length > SHOWN) byId('latest').lastChild.remove();
});

on('progress', (told) => {
  byId('progress').dataset.state = told.state;
  byId('state').textContent = told.label;
  byId('share').max = told.total;
  byId('share').value = told.matches;
  byId('words').textContent = told.words;
  byId('since').textContent = told.since;
  byId('since').hidden = !told.since;
  const shown = [...byId('open').children].map((each) => each.dataset.id).join();
  if (shown === told.open.map((/** @type {{id: string}} */ match) => match.id).join()) return;
  byId('open').replaceChildren(
    ...told.open.map((/** @type {any} */ match) =>
      element(
        'li',
        { 'data-id': match.id },
        element(
          'a',
          { href: `match/${match.id}` },
          element('b', {}, match.id),
          element('span', {}, ...places(match)),
          element('i', {}, 'Watch it'),
        ),
      ),
    ),
  );
});

on('figures', ({ title, figures }) => {
  document.title = title;
  byId('verdict').textContent = title;
  // made by the server of this page, where all text is escaped; what is parsed so runs no script
  const fresh = new DOMParser().parseFromString(figures, 'text/html').body;
  const keys = (/** @type {Element} */ part) => [...part.querySelectorAll('section')].map((each) => each.id).join();
  const here = byId('figures');
  if (keys(here) !== keys(fresh)) {
    fresh.querySelector('#now')?.replaceWith(byId('now'));
    here.replaceChildren(...(fresh.firstElementChild?.childNodes ?? []));
  } else {
    for (const section of fresh.querySelectorAll('section')) {
      const old = byId(section.id);
      // what somebody is at stays as it is until they have left it
      if (section.closest('#now') || old.contains(document.activeElement) || old.isEqualNode(section)) continue;
      const across = [...old.querySelectorAll('.scroll')].map((each) => each.scrollLeft);
      old.replaceWith(section);
      section.querySelectorAll('.scroll').forEach((each, at) => {
        each.scrollLeft = across[at] ?? 0;
      });
      wireDuels(section);
      wireTables(section);
    }
  }
  wireBar();
});

source.addEventListener('reload', () => {
  source.close();
  location.reload();
});

source.addEventListener('error', () => {
  byId('state').textContent = 'not connected';
  byId('since').textContent =
    'Nobody answers: `arena watch` has ended, or this computer was asleep. This page tries again.';
  byId('since').hidden = false;
});
