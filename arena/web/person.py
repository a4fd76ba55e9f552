"""A person's seat in a browser: shows what the seat hears and sees, asks, and takes the answers of the page.

Knows messages; knows no rule, and of a browser only its requests.
"""

import os
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from threading import Condition, Timer
from typing import Any

import msgspec
from msgspec import Struct

from arena.escape import plain
from arena.files import decoder
from arena.game import Game, Seat
from arena.page import EVENT_STREAM, HEARTBEAT, Request, Response, encode_event
from arena.players import Departure, PersonSeat, Prompt, describe_observation, list_fields
from arena.record import Record, from_first
from arena.view import Table

_BEAT = 1.0
"""Seconds without a message after which a page gets a sign of life."""
_GRACE = 5.0
"""Seconds for which no page may be open, as while one is loaded again, before the person counts as gone."""
_FAREWELL = 2.0
"""Seconds in which the last words have to reach a page."""
_LONGEST_NAME = 60


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """What a page sends."""

    id: str
    picks: tuple[int, ...]


_answer = decoder(Answer)


class BrowserSeat(PersonSeat):
    """The seat of a person at a page. Routes run in threads of their own."""

    def __init__(self, game: Game, wait: Callable[[int], None]) -> None:
        """``wait`` returns when a descriptor can be read, or raises what ends the command."""
        super().__init__(game)
        self._wait = wait
        self._change = Condition()
        self._events: list[bytes] = []
        self._prompt: Prompt | None = None
        self._picks: tuple[int, ...] | None = None
        self._pages = 0
        self._absence: Timer | None = None
        self._gone = self._ending = self._over = False
        self._rung, self._bell = os.pipe()

    def _sit(self, seat: Seat, seats: int) -> None:
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
        picks = None
        while picks is None:
            self._wait(self._rung)
            picks = self._read_picks()
        self._tell("picked", {"id": prompt.id, "picks": picks})
        return picks

    def _read_picks(self) -> tuple[int, ...] | None:
        os.read(self._rung, 1024)
        with self._change:
            if self._gone:
                raise Departure
            if self._picks is not None:
                self._prompt = None
            return self._picks

    def _table(self, observation: Any) -> Table:
        return self._game.view(observation) if self._game.view else Table(text=describe_observation(observation))

    def end(self, record: Record, seat: Seat, observation: Any) -> None:
        """Tell how the match ended, who was who, and what the seat observes at its end."""
        places = [
            {
                "rank": record.ranks[index],
                "seat": index,
                "name": "you" if index == seat else plain(record.bots[index], _LONGEST_NAME),
                "score": record.scores[index],
                "retired": index in record.retired,
            }
            for index in from_first(record.ranks)
        ]
        faults = [
            plain(f"fault of {record.bots[fault.seat]}: {fault.kind}: {fault.rule}", 400) for fault in record.faults
        ]
        self._tell("end", {"places": places, "faults": faults, "table": self._table(observation)})
        self._ending = True

    def close(self) -> None:
        """Tell all pages, unless they were told how the match ended, that it was left; wait until they heard it."""
        if not self._ending:
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
