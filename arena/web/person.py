"""A person's seat in a browser: shows what the seat hears and sees, asks, and takes the answers of the page.

Knows messages; knows no rule, and of a browser only its requests.
"""

import os
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from threading import Condition, Timer
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from arena.escape import plain
from arena.files import decoder
from arena.game import Game, Seat
from arena.page import EVENT_STREAM, HEARTBEAT, Request, Response, encode_event, replay_page
from arena.players import Departure, PersonSeat, Prompt, Wish, describe_observation, list_fields
from arena.record import Record, from_first
from arena.report import Replay
from arena.view import Table

_BEAT = 1.0
"""Seconds without a message after which a page gets a sign of life."""
_GRACE = 5.0
"""Seconds for which no page may be open, as while one is loaded again, before the person counts as gone."""
_FAREWELL = 2.0
"""Seconds in which the last words have to reach a page."""
_LONGEST_NAME = 60
_T = TypeVar("_T")


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a page sends."""

    id: str
    picks: tuple[int, ...]


class Next(Struct, frozen=True, forbid_unknown_fields=True):
    """What a page sends when the match is over."""

    wish: Wish


_answer, _next = decoder(Answer), decoder(Next)


class BrowserSeat(PersonSeat):
    """The seat of a person at a page. Routes run in threads of their own."""

    def __init__(self, game: Game, wait: Callable[[int], None], rules: str) -> None:
        """``wait`` returns when a descriptor can be read, or raises what ends the command; ``rules`` are Markdown."""
        super().__init__(game)
        self._wait, self._rules = wait, rules
        self._change = Condition()
        self._events: list[bytes] = []
        self._prompt: Prompt | None = None
        self._picks: tuple[int, ...] | None = None
        self._replay: Replay | None = None
        """Of the match that is over."""
        self._wish: Wish | None = None
        self._pages = 0
        self._absence: Timer | None = None
        self._gone = self._over = False
        self._rung, self._bell = os.pipe()

    def _sit(self, seat: Seat, seats: int) -> None:
        self._replay = self._wish = None
        self._tell("sit", {"seat": seat, "seats": seats})

    def _hear_news(self, news: list[str]) -> None:
        self._tell("news", news)

    def _answer(self, prompt: Prompt) -> tuple[int, ...]:
        decision = prompt.decision
        with self._change:
            self._prompt, self._picks = prompt, None
        message = {
            "id": prompt.id,
            "table": self._table(prompt.observation),
            "all": list_fields(prompt.observation),
            "options": list(map(str, decision.options)),
            "least": decision.least,
            "most": decision.most,
            "news": prompt.news,
            "since": round(1000 * time.time()),
        }
        self._tell("ask", message)
        picks = self._await(lambda: self._picks)
        self._prompt = None
        self._tell("picked", {"id": prompt.id, "picks": picks})
        return picks

    def _await(self, sent: Callable[[], _T | None]) -> _T:
        """What a page sends, once it is there; ``Departure`` when no page is open."""
        while True:
            self._wait(self._rung)
            os.read(self._rung, 1024)
            with self._change:
                if self._gone:
                    raise Departure
                if (found := sent()) is not None:
                    return found

    def _table(self, observation: Any) -> Table:
        return self._game.view(observation) if self._game.view else Table(text=describe_observation(observation))

    def end(self, record: Record, replay: Callable[[], Replay]) -> Wish:
        """Tell how the match ended and who was who; what the person wants next.

        Raises:
            Departure: the person leaves.
        """
        seat, self._replay = record.bots.index(""), replay()
        places = [
            {
                "rank": record.ranks[index],
                "seat": index,
                "name": plain(record.bots[index] or "you", _LONGEST_NAME),
                "score": record.scores[index],
                "retired": index in record.retired,
            }
            for index in from_first(record.ranks)
        ]
        faults = [
            plain(f"fault of {record.bots[fault.seat]}: {fault.kind}: {fault.rule}", 400) for fault in record.faults
        ]
        table = self._replay.table(len(self._replay.positions) - 1, seat=seat)
        self._tell("end", {"places": places, "faults": faults, "table": table})
        return self._await(lambda: self._wish)

    def close(self) -> None:
        """Tell all pages that the table was left; wait until they heard it."""
        self._tell("left", {})
        with self._change:
            self._over = True
            self._change.notify_all()
            self._change.wait_for(lambda: not self._pages, _FAREWELL)
            if self._absence:
                self._absence.cancel()

    def events(self, request: Request) -> Response:
        """All that was told, from the start or from what the page has, and on as it comes."""
        return Response(body=self._stream(request.last_event or 0), kind=EVENT_STREAM)

    def take(self, request: Request) -> Response:
        """An answer to the question that waits."""
        try:
            answer = _answer(request.body)
        except msgspec.DecodeError as wrong:
            return _refusal(f"expected an answer, got {wrong}", HTTPStatus.BAD_REQUEST)
        with self._change:
            wrong_pick = self._take(answer)
        return _refusal(wrong_pick, HTTPStatus.CONFLICT) if wrong_pick else Response(status=HTTPStatus.NO_CONTENT)

    def take_wish(self, request: Request) -> Response:
        """What the person wants once the match is over."""
        try:
            wish = _next(request.body).wish
        except msgspec.DecodeError as wrong:
            return _refusal(f"expected a wish, got {wrong}", HTTPStatus.BAD_REQUEST)
        with self._change:
            if self._replay is None or self._wish is not None:
                return _refusal("expected an answer, got a wish for another match", HTTPStatus.CONFLICT)
            self._wish = wish
            self._ring()
        return Response(status=HTTPStatus.NO_CONTENT)

    def show(self, _: Request) -> Response:
        """The match that is over, with open hands."""
        if self._replay is None:
            return _refusal("expected a match that is over, got none", HTTPStatus.NOT_FOUND)
        return Response(body=replay_page(self._replay, rules=self._rules, run="", command="").encode())

    def _take(self, answer: Answer) -> str | None:
        """Keep the picks, or what is wrong with them."""
        if self._prompt is None or self._picks is not None or answer.id != self._prompt.id:
            return "expected an answer to the question that waits, got one to another"
        if wrong := self._prompt.decision.fault_in(answer.picks):
            return wrong
        self._picks = answer.picks
        self._ring()
        return None

    def _ring(self) -> None:
        os.write(self._bell, b"\0")

    def _tell(self, name: str, content: Any) -> None:
        with self._change:
            self._events.append(encode_event(name, msgspec.json.encode(content), number=str(len(self._events) + 1)))
            self._change.notify_all()

    def _stream(self, position: int) -> Iterator[bytes]:
        self._come()
        try:
            while True:
                news, over = self._news(position)
                if not news and over:
                    return
                yield b"".join(news) or HEARTBEAT
                position += len(news)
        finally:
            self._go()

    def _news(self, position: int) -> tuple[list[bytes], bool]:
        """The messages after the first ``position``, once there is one or a beat is over; whether they are the last."""
        with self._change:
            self._change.wait_for(lambda: len(self._events) > position or self._over, _BEAT)
            return self._events[position:], self._over

    def _come(self) -> None:
        with self._change:
            self._pages += 1
            if self._absence:
                self._absence.cancel()
                self._absence = None

    def _go(self) -> None:
        with self._change:
            self._pages -= 1
            self._change.notify_all()
            if not self._pages and not self._over:
                self._absence = Timer(_GRACE, self._leave)
                self._absence.daemon = True
                self._absence.start()

    def _leave(self) -> None:
        with self._change:
            self._gone = not self._pages
            self._ring()


def _refusal(text: str, status: HTTPStatus) -> Response:
    return Response(body=text.encode(), kind="text/plain; charset=utf-8", status=status)
