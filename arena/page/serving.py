"""A server for one person on this machine: at 127.0.0.1, a free port, below a secret path. Knows no page.

Three checks keep strangers out. The address holds a token, a new one for each server. A request must name exactly this
host and port, so a request by another name that leads to 127.0.0.1 is refused. A request from a page of another site is
refused, and a request that changes anything must say that it comes from a page of this server.
"""

import hmac
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from socketserver import TCPServer
from threading import Thread
from typing import Any, ClassVar, TypeAlias

from msgspec import Struct

_HOST = "127.0.0.1"
_TOKEN_BYTES = 24
_LONGEST_BODY = 65536
_DIGITS = 10
_PATIENCE = 30.0
"""Seconds for which a request may take to come, or a piece of an answer to leave."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""What all answers say besides: they are kept nowhere, and no other page may hold or read them."""
HTML, JSON, EVENT_STREAM = "text/html; charset=utf-8", "application/json", "text/event-stream"


class Request(Struct, frozen=True, kw_only=True):
    """What a page of this server asks."""

    body: bytes = b""
    last_event: int | None = None
    """The id of the last event of a stream that the page has; None if it has none, or one that is no number."""


class Response(Struct, frozen=True, kw_only=True):
    """What it gets."""

    body: bytes | Iterable[bytes] = b""
    """Pieces are sent as they come, until there are no more or the page is gone; then a generator is closed."""
    kind: str = HTML
    status: HTTPStatus = HTTPStatus.OK


Route: TypeAlias = Callable[[Request], Response]
"""Answers in a thread of its own."""


@contextmanager
def served(gets: Mapping[str, Route], posts: Mapping[str, Route] | None = None) -> Iterator[str]:
    """Serve until the block is left; the address of the path ``""``.

    Args:
        gets: by path, without a slash before it, what a page may ask for. Pages link to them by relative addresses.
        posts: by path what a page may send.

    Raises:
        OSError: no port can be had.
    """
    token = token_urlsafe(_TOKEN_BYTES)

    class Here(_Exchange):
        routes: ClassVar[dict[str, Mapping[str, Route]]] = {"GET": gets, "POST": posts or {}}
        start = f"/{token}/"

    with _Server((_HOST, 0), Here) as server:
        thread = Thread(target=server.serve_forever, args=(0.1,), daemon=True)
        thread.start()
        try:
            yield f"http://{server.authority}/{token}/"
        finally:
            server.shutdown()
            thread.join()


def encode_event(name: str, data: bytes, *, number: str = "") -> bytes:
    """A server-sent event with data without a newline; from its ``number`` a page that lost the connection goes on."""
    ident = f"id: {number}\n" if number else ""
    return f"{ident}event: {name}\ndata: ".encode() + data + b"\n\n"


HEARTBEAT = b": \n\n"
"""An empty piece of a stream; sending it shows whether the page is still open."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # a stream ends with its page, which may never end
    block_on_close = False

    @property
    def authority(self) -> str:
        return f"{_HOST}:{self.server_address[1]}"

    def server_bind(self) -> None:
        """Unlike the server of ``http.server``, ask no name server for the name of this machine."""
        TCPServer.server_bind(self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that goes away in the middle of a request is no error of this program."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Exchange(BaseHTTPRequestHandler):
    routes: ClassVar[dict[str, Mapping[str, Route]]]
    start: str
    server: _Server
    server_version, sys_version = "arena", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        self._answer(self._checked() or self._routed())

    def do_POST(self) -> None:
        self._answer(self._checked() or self._routed())

    def _checked(self) -> Response | None:
        """A refusal, unless the request names this server, and the token, and comes from no foreign page."""
        origins = self.headers.get_all("Origin", [])
        # a browser sends no origin when somebody follows a link, or when a page loads from its own server
        ours = origins == [f"http://{self.server.authority}"] or (not origins and self.command == "GET")
        if self.headers.get_all("Host") != [self.server.authority] or not ours:
            return _refused(HTTPStatus.FORBIDDEN)
        if not hmac.compare_digest(self.path[: len(self.start)].encode(), self.start.encode()):
            return _refused(HTTPStatus.NOT_FOUND)
        return None

    def _routed(self) -> Response:
        route = self.routes[self.command].get(self.path[len(self.start) :].partition("?")[0])
        if route is None:
            return _refused(HTTPStatus.NOT_FOUND)
        length = self.headers.get("Content-Length", "0")
        if (count := _number(length)) is None or count > _LONGEST_BODY:
            return _refused(HTTPStatus.BAD_REQUEST)
        body = self.rfile.read(count)
        return route(Request(body=body, last_event=_number(self.headers.get("Last-Event-ID", ""))))

    def _answer(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in (_HEADERS | {"Content-Type": response.kind}).items():
            self.send_header(name, value)
        pieces = [response.body] if isinstance(response.body, bytes) else response.body
        if isinstance(response.body, bytes):
            self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        try:
            for piece in pieces:
                self.wfile.write(piece)
        finally:
            if hasattr(pieces, "close"):
                pieces.close()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that http.server gives
        """Log no requests: their addresses hold the token."""


def _number(text: str) -> int | None:
    """The number of a header; None if it is none, or has so many digits that it means nothing here."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else None


def _refused(status: HTTPStatus) -> Response:
    return Response(body=f"{status.phrase}\n".encode(), kind="text/plain; charset=utf-8", status=status)
