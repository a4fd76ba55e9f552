"""Whether a replay fits its window: measured by one function in the page, at every position."""

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

FAULTS = """(step) => {
  const slider = document.querySelector('input[type="range"]');
  const seats = document.querySelectorAll('.table .seat').length;
  const faults = {};
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
    if (!document.querySelector('.caption').textContent.trim()) found('no caption');
  };
  for (let position = 0; position < Number(slider.max); position += step) at(position);
  at(Number(slider.max));
  return Object.entries(faults).map(([what, position]) => `position ${position}: ${what}`);
}"""


def faults(page: Page, size: tuple[int, int], *, step: int = 1) -> list[str]:
    """What does not fit at a size, and the first position where it does not; positions are looked at in steps."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: list[str] = page.evaluate(FAULTS, step)
    return [f"{size[0]} x {size[1]}, {fault}" for fault in found]
