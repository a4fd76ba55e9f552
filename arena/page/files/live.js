// A run that goes on: this page fetches itself again and again, and takes over what is new.
// @ts-check
import { byId } from './elements.js';
import { wireBar, wireDuels, wireTables } from './report.js';

// what is written as files changes every few seconds, and is fetched from afar
const EVERY = location.hostname === '127.0.0.1' ? 1000 : 3000;
const RARELY = 10_000;

/** @param {Document | Element} part @param {string} what */
const ids = (part, what) => [...part.querySelectorAll(what)].map((each) => each.id || each.getAttribute('data-id'));

/**
 * What was fetched last of each section; here its tables may be sorted since.
 * @type {Map<string, Node>}
 */
const taken = new Map();

/** @param {Document} fresh */
function takeOver(fresh) {
  const [here, there] = [byId('figures'), fresh.getElementById('figures')];
  if (!there || ids(here, 'section').join() !== ids(there, 'section').join()) {
    // there are other sections now
    location.reload();
    return;
  }
  document.title = fresh.title;
  for (const id of ['verdict', 'progress', 'pairings', 'door']) {
    const [old, now] = [byId(id), /** @type {any} */ (fresh.getElementById(id))];
    if (old.isEqualNode(now)) continue;
    // these tell of their changes, so they stay
    old.hidden = now.hidden;
    old.dataset.state = now.dataset.state;
    old.replaceChildren(...now.childNodes);
  }
  const known = ids(here, '[data-id]');
  for (const section of there.querySelectorAll('section')) {
    const old = byId(section.id);
    // what somebody is at stays as it is until they have left it
    if (old.contains(document.activeElement) || taken.get(section.id)?.isEqualNode(section)) continue;
    taken.set(section.id, section.cloneNode(true));
    const across = [...old.querySelectorAll('.scroll')].map((each) => each.scrollLeft);
    old.replaceWith(section);
    section.querySelectorAll('.scroll').forEach((each, at) => {
      each.scrollLeft = across[at] ?? 0;
    });
    wireDuels(section);
    wireTables(section);
  }
  for (const row of here.querySelectorAll('[data-id]')) {
    row.classList.toggle('fresh', !known.includes(row.getAttribute('data-id')));
  }
  wireBar();
}

async function renew() {
  // who does not look needs nothing new
  if (document.hidden) return;
  try {
    const answer = await fetch(location.pathname, { cache: 'no-store' });
    if (!answer.ok) throw new Error(answer.statusText);
    const text = await answer.text();
    const live = text.includes('<div id="figures">');
    // another page has styles that this one does not allow: the run has begun, or this is its report
    if (live !== Boolean(byId('figures'))) location.reload();
    else if (!live) return;
    // made by arena, which escapes all text; what is parsed so runs no script
    else takeOver(new DOMParser().parseFromString(text, 'text/html'));
  } catch {
    byId('state').textContent = 'not connected';
    byId('since').textContent =
      'Nobody answers: `arena watch` has ended, or this computer was asleep. This page tries again.';
    byId('since').hidden = false;
  }
}
// a file cannot fetch itself
if (location.protocol === 'file:') setTimeout(() => location.reload(), RARELY);
else setInterval(renew, EVERY);
