// Elements of the page. Text is only ever set as text: whatever a bot has written can do nothing.
// @ts-check

const SVG = 'http://www.w3.org/2000/svg';

// in a frame of another page there is no room for what is around a table or a match
document.documentElement.toggleAttribute('data-embed', new URLSearchParams(location.search).has('embed'));

/**
 * An element with attributes, listeners (`onclick`) and children; a tag `svg:path` is one of SVG.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] those that are false, null or undefined are left out
 * @param {...any} children likewise
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  const made = tag.startsWith('svg:') ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/**
 * Make the children of an element equal to these, and leave those alone that are equal: what does not change is neither
 * styled, laid out nor painted again. Listeners do not come over, so they belong to an element above.
 * @param {Element} root
 * @param {...Element | Text} made
 */
export function patch(root, ...made) {
  const old = [...root.childNodes];
  const same = (/** @type {number} */ at, /** @type {number} */ other) => old[at].isEqualNode(made[other]);
  let first = 0;
  while (first < old.length && first < made.length && same(first, first)) first += 1;
  let last = 0;
  const most = Math.min(old.length, made.length) - first;
  while (last < most && same(old.length - 1 - last, made.length - 1 - last)) last += 1;
  const was = old.slice(first, old.length - last);
  const now = made.slice(first, made.length - last);
  const end = old[old.length - last] ?? null;
  was.splice(now.length).forEach((node) => node.remove());
  now.forEach((node, at) => {
    const before = was[at];
    if (!before) root.insertBefore(node, end);
    else if (node instanceof Element && before instanceof Element && node.tagName === before.tagName) {
      for (const { name } of [...before.attributes]) if (!node.hasAttribute(name)) before.removeAttribute(name);
      for (const { name, value } of [...node.attributes]) {
        if (before.getAttribute(name) === value) continue;
        // a policy against inline styles refuses them as an attribute
        if (name === 'style') /** @type {any} */ (before).style.cssText = value;
        else before.setAttribute(name, value);
      }
      patch(before, .../** @type {any[]} */ ([...node.childNodes]));
    } else before.replaceWith(node);
  });
}

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * Put a text on the clipboard and say so on the button for a moment.
 * @param {HTMLElement} button
 * @param {string} text
 */
export function copy(button, text) {
  const before = button.textContent;
  const said = (/** @type {string} */ words) => {
    button.textContent = words;
    setTimeout(() => {
      button.textContent = before;
    }, 1400);
  };
  if (!navigator.clipboard) said('Not allowed here');
  else
    navigator.clipboard.writeText(text).then(
      () => said('Copied'),
      () => said('Not allowed here'),
    );
}

/**
 * A sentence with the name of its bot for each `seat 2`.
 * @param {string} text
 * @param {string[]} bots by seat, empty where no name is known
 * @returns {any[]}
 */
export function sentence(text, bots) {
  return String(text)
    .split(/\bseat (\d+)\b/)
    .map((part, at) => {
      if (at % 2 === 0) return part;
      const known = Number(part) < bots.length;
      const name = (known && bots[Number(part)]) || `seat ${part}`;
      return known
        ? element('span', { class: `name seat-${part}`, title: `seat ${part}`, 'data-seat': part }, name)
        : name;
    })
    .filter((part) => part !== '');
}

/**
 * Where pages stand side by side, and one is seen at a time: from the first to the last and back.
 * @param {HTMLElement} pages
 */
export function turn(pages) {
  pages.scrollTo({ left: pages.scrollLeft > pages.clientWidth / 2 ? 0 : pages.scrollWidth });
}

/** @param {number} seat */
export const disc = (seat) => element('i', { class: `disc seat-${seat}`, title: `seat ${seat}` }, String(seat));

/** @param {number} micros */
export function milliseconds(micros) {
  if (micros < 0) return 'not asked';
  const ms = micros / 1000;
  return `${ms < 1 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/**
 * The value that a page holds packed.
 * @param {string} packed JSON, as gzip, in base64
 * @returns {Promise<any>}
 */
export async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}
