"""A page in a real browser: what it complains of, what it asks for, and what is to be seen in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import Browser, CDPSession, ConsoleMessage, Dialog, Error, Page, Request, sync_playwright

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
_PATIENCE = 300_000
"""Milliseconds that a busy machine may take for anything."""
PHONE, DESK = (390, 844), (1280, 900)


@contextmanager
def browsing() -> Iterator[Browser]:
    """Chromium with a profile of its own, without a network of its own will."""
    # the shell without windows opens a page for a fourth of what the whole browser takes
    programs = map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))
    program = next(filter(None, programs), None)
    if program is None:
        leave_out("expected chromium, got none")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, headless=True, args=list(_FLAGS), timeout=_PATIENCE
        )
        yield browser
        browser.close()


class Watched:
    """A page that is being looked at; leaving it fails if it complained, asked strangers for anything, or was too wide.

    A page with an address may ask for what is below it, one in a file for nothing. All are looked at in the same tab of
    the browser, one after the other, each as in a new one: nothing of a page stays but what a server keeps.
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
        context = browser.contexts[0] if browser.contexts else browser.new_context()
        context.set_default_timeout(_PATIENCE)
        self.page: Page = context.pages[0] if context.pages else context.new_page()
        self.complaints: list[str] = []
        self._address = path if isinstance(path, str) else path.as_uri()
        self._scripts: CDPSession | None = None
        self.page.set_viewport_size({"width": size[0], "height": size[1]})
        self.page.emulate_media(
            media="screen",
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if still else "no-preference",
        )
        if not script:
            self._scripts = context.new_cdp_session(self.page)
            self._scripts.send("Emulation.setScriptExecutionDisabled", {"value": True})
        self.page.on("console", self._said)
        self.page.on("pageerror", self._erred)
        self.page.on("request", self._asked)
        self.page.on("dialog", self._spoke)
        self.page.goto(self._address + place)
        if script:
            self.page.wait_for_selector(ready, state="attached")

    def _said(self, message: ConsoleMessage) -> None:
        self.complaints.append(f"console {message.type}: {message.text}")

    def _erred(self, error: Error) -> None:
        self.complaints.append(f"error: {error}")

    def _spoke(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

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
            self._leave()

    def _leave(self) -> None:
        for name, heard in (
            ("console", self._said),
            ("pageerror", self._erred),
            ("request", self._asked),
            ("dialog", self._spoke),
        ):
            self.page.remove_listener(name, heard)
        if self._scripts:
            self._scripts.detach()
        self.page.goto("about:blank")

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
            if not self.page.evaluate("'axe' in window"):
                self.page.evaluate(AXE.read_text("utf-8"))
            asked = {"rules": {"target-size": {"enabled": targets}}, "resultTypes": ["violations"]}
            found: dict[str, Any] = self.page.evaluate("(asked) => axe.run(document, asked)", asked)
        except Error as error:
            raise AssertionError(str(error)[:500]) from None
        return [
            f"{each['id']}: {each['nodes'][0]['html'][:160]} {each['nodes'][0]['failureSummary'][:200]}"
            for each in found["violations"]
        ]
