"""Whether a replay fits its window, and fills it: measured by one function in the page, at every position."""

from playwright.sync_api import Page

SIZES = (
    (360, 640),
    (390, 844),
    (640, 900),
    (768, 1024),
    (1024, 768),
    (1280, 720),
    (1440, 900),
    (2560, 1440),
)
"""Windows from a small phone to a large screen."""

FAULTS = """([step, words]) => {
  const slider = document.querySelector('input[type="range"]');
  const seats = document.querySelectorAll('.table .seat').length;
  const faults = {};
  const stood = () => JSON.stringify([...document.querySelectorAll('.table > *')].map((panel) => {
    const { left, top, width, height } = panel.getBoundingClientRect();
    return [left, top, width, height].map(Math.round);
  }));
  let boxes = '';
  const visible = (box) => box.width > 0 && box.height > 0;
  const inside = (box, around, slack = 1.5) =>
    box.left >= around.left - slack && box.right <= around.right + slack &&
    box.top >= around.top - slack && box.bottom <= around.bottom + slack;
  const texts = () => ['.head', '.stage', '.dock'].flatMap((part) => {
    const walker = document.createTreeWalker(document.querySelector(part), NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  });
  const at = (position) => {
    slider.value = String(position);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    const found = (what) => { faults[what] ??= position; };
    const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const whole = document.scrollingElement;
    if (whole.scrollHeight > innerHeight || whole.scrollWidth > innerWidth) found('the page scrolls');
    for (const part of ['.head', '.stage', '.caption', '.controls', '.timeline', 'input[type="range"]']) {
      const box = document.querySelector(part).getBoundingClientRect();
      // a thumb stands over the ends of its line
      if (!visible(box) || !inside(box, view, 9)) found(`${part} is not on the screen`);
    }
    const panels = [...document.querySelectorAll('[data-panel], .finale, .caption, .controls, .head')];
    for (const panel of panels) {
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = panel;
      const name = `${panel.className} ${panel.dataset.panel ?? ''}`;
      if (scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1)
        found(`${name} holds ${scrollWidth} x ${scrollHeight} in ${clientWidth} x ${clientHeight}`);
    }
    const range = document.createRange();
    for (const node of texts()) {
      const text = node.data.trim();
      const holder = node.parentElement;
      if (!text || holder.closest('option, .unseen, [hidden]')) continue;
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (!visible(box)) continue;
      const style = getComputedStyle(holder);
      if (parseFloat(style.fontSize) < 10) found(`${holder.className} is written in ${style.fontSize}`);
      const short = holder.closest('.who b, h1, .ends > span, .sum span');
      const boxes = '.card, .chip, .button, .mark, [data-panel], .finale, .caption, .head, .dock, .tip';
      const around = holder.closest(boxes);
      if (!short && !inside(box, around.getBoundingClientRect()))
        found(`"${text}" runs out of ${around.className}`);
    }
    const shown = [...document.querySelectorAll('.table .seat')];
    const stage = document.querySelector('.stage').getBoundingClientRect();
    if (shown.length !== seats) found(`${shown.length} seats`);
    for (const [index, seat] of shown.entries()) {
      const name = seat.querySelector('.who b').getBoundingClientRect();
      const score = seat.querySelector('.counter')?.getBoundingClientRect();
      const box = seat.getBoundingClientRect();
      if (name.width < 16 || !inside(name, box) || !inside(box, stage)) found(`seat ${index} has no name`);
      if (!score || !visible(score) || !inside(score, box)) found(`seat ${index} has no score`);
    }
    boxes ||= stood();
    if (boxes !== stood()) found('seats have moved');
    for (const panel of words ? document.querySelectorAll('.table :is(.seat, .spot)') : []) {
      const box = panel.getBoundingClientRect();
      const full = [...panel.querySelectorAll('header, .zone, .sum')].reduce((sum, part) => {
        const { width, height } = part.getBoundingClientRect();
        return sum + width * height;
      }, 0);
      if (panel.querySelector('.zone.words:not(.tokens), .sum span') && full < (box.width * box.height) / 2)
        found(`${panel.className} is told in words and is ${Math.round((100 * full) / box.width / box.height)} % full`);
    }
    const result = document.querySelector('.finale');
    for (const value of result ? [] : document.querySelectorAll('.table .card > .value:not(:empty)')) {
      range.selectNodeContents(value);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const points = [left + 2, right - 2].map((x) => document.elementFromPoint(x, (top + bottom) / 2));
      if (points.some((seen) => seen !== value))
        found(`a value ${value.textContent} is covered`);
    }
    if (!document.querySelector('.caption').textContent.trim()) found('no caption');
  };
  for (let position = 0; position < Number(slider.max); position += step) at(position);
  at(Number(slider.max));
  return Object.entries(faults).map(([what, position]) => `position ${position}: ${what}`);
}"""


def faults(page: Page, size: tuple[int, int], *, step: int = 1, words: bool = False) -> list[str]:
    """What does not fit at a size, and the first position where it does not; positions are looked at in steps.

    ``words``: that a seat is told in words, though half of its box is empty, is a fault, too.
    """
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: list[str] = page.evaluate(FAULTS, [step, words])
    return [f"{size[0]} x {size[1]}, {fault}" for fault in found]


COVER = """(step) => {
  const slider = document.querySelector('input[type="range"]');
  const { left, top, width, height } = document.querySelector('.stage').getBoundingClientRect();
  let [cards, all] = [0, 0];
  for (let position = 0; position < Number(slider.max); position += step) {
    slider.value = String(position);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    for (let x = 12; x < width; x += 24)
      for (let y = 12; y < height; y += 24) {
        all += 1;
        cards += Number(Boolean(document.elementFromPoint(left + x, top + y)?.closest('.card')));
      }
  }
  return cards / all;
}"""


def card_share(page: Page, size: tuple[int, int], *, step: int = 1) -> float:
    """The mean share of the stage that is covered by cards."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    share: float = page.evaluate(COVER, step)
    return share


def picture_differs(page: Page, position: int) -> bool:
    """Whether the table is another when it is walked to than when its link is opened."""
    page.evaluate(GO, position)
    walked = page.locator(".table").inner_html()
    page.reload()
    # what the page packs is unpacked after it has loaded
    page.wait_for_selector(".log", state="attached")
    page.evaluate(GO, position)
    return walked != page.locator(".table").inner_html()


GO = """(position) => {
  const slider = document.querySelector('input[type="range"]');
  slider.value = String(position);
  slider.dispatchEvent(new Event('input', { bubbles: true }));
}"""
