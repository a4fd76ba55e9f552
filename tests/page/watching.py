"""A page in a real browser: what it complains of, what it asks for, and what is to be seen in it."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, sync_playwright

from tests.toolchains import leave_out

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE, DESK = (390, 844), (1280, 900)


@contextmanager
def browsing() -> Iterator[Browser]:
    """Chromium with a profile of its own, without a network of its own will."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        leave_out("expected chromium, got none")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=list(_FLAGS))
        yield browser
        browser.close()


class Watched:
    """A page that is being looked at; leaving it fails if it complained, asked strangers for anything, or was too wide.

    A page with an address may ask for what is below it, one in a file for nothing.
    """

    def __init__(
        self,
        browser: Browser,
        path: Path | str,
        *,
        ready: str = "#replay[hidden], .log",
        place: str = "",
        size: tuple[int, int] = DESK,
        dark: bool = False,
        script: bool = True,
        still: bool = True,
    ) -> None:
        self._context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            reduced_motion="reduce" if still else "no-preference",
        )
        self.page: Page = self._context.new_page()
        self.complaints: list[str] = []
        self._address = path if isinstance(path, str) else path.as_uri()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._asked)
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.goto(self._address + place)
        if script:
            self.page.wait_for_selector(ready, state="attached")

    def _said(self, message: ConsoleMessage) -> None:
        self.complaints.append(f"console {message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        asked = request.url.partition("#")[0]
        # what is served may ask its own server
        if asked != self._address and not (asked.startswith("http:") and asked.startswith(self._address)):
            self.complaints.append(f"request: {request.url}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            if kind is None:
                self.hold()
        finally:
            self._context.close()

    def hold(self) -> None:
        """The page has not complained, asked for nothing, and is no wider than the window."""
        assert self.complaints == [], self.complaints
        wide = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], wide

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def step(self) -> int:
        """The position that is shown, from 1."""
        return int(self.page.locator('input[type="range"]').input_value()) + 1

    def addressed(self, ending: str) -> str:
        """The part of the address that names the position, once it ends so."""
        self.page.wait_for_function("(ending) => location.hash.endsWith(ending)", arg=ending)
        return str(self.page.evaluate("location.hash"))

    def sentences(self) -> list[str]:
        """What the log says happened, with seats as ``seat 0``; only what is shown."""
        found: list[str] = self.page.evaluate(
            """[...document.querySelectorAll('.log .said:not([hidden]) > span:first-child')].map((each) => {
                 const said = each.cloneNode(true);
                 const names = said.querySelectorAll('[data-seat]');
                 for (const name of names) name.textContent = `seat ${name.dataset.seat}`;
                 return said.textContent;
               })"""
        )
        return found

    def barriers(self, *, targets: bool = False) -> list[str]:
        """What axe-core finds, a line a violation; ``targets``: those too small to be hit among them."""
        if not AXE.is_file():
            leave_out("expected axe-core (`npm ci` in tests/page), got none")
        try:
            rules = {"target-size": {"enabled": targets}}
            found: dict[str, Any] = self.page.evaluate(
                f"(async () => {{ {AXE.read_text()}; return axe.run(document, {{ rules: {json.dumps(rules)} }}); }})()"
            )
        except Error as error:
            raise AssertionError(str(error)[:500]) from None
        return [
            f"{each['id']}: {each['nodes'][0]['html'][:160]} {each['nodes'][0]['failureSummary'][:200]}"
            for each in found["violations"]
        ]
