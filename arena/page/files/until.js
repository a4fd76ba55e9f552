// How long it is until what a league says will be over.
// @ts-check

const UNITS = [
  { name: 'day', size: 86400 },
  { name: 'hour', size: 3600 },
  { name: 'minute', size: 60 },
  { name: 'second', size: 1 },
];

/** @param {number} seconds @returns {string} the two largest units of them */
function words(seconds) {
  const parts = [];
  let rest = seconds;
  for (const { name, size } of UNITS) {
    const many = Math.floor(rest / size);
    rest -= many * size;
    if (many || parts.length) parts.push(`${many} ${name}${many === 1 ? '' : 's'}`);
  }
  return parts.slice(0, 2).join(' ');
}

function count() {
  for (const line of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-until]'))) {
    const { until = '', over = '' } = line.dataset;
    const seconds = Math.ceil((Date.parse(until) - Date.now()) / 1000);
    const [head, left] = [line.querySelector('b'), line.querySelector('span')];
    if (head && seconds <= 0) head.textContent = over;
    if (left) left.textContent = seconds > 0 ? ` in ${words(seconds)}` : '';
  }
}

count();
setInterval(count, 1000);
