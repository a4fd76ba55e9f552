"""The server of pages for one person: who gets an answer, and how a stream ends."""

import http.client
import re
import socket
from collections.abc import Iterator
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest

from arena.page.serving import EVENT_STREAM, HEARTBEAT, Request, Response, encode_event, served

ANYTHING = {"": lambda _: Response(body=b"<p>here")}


def asked(
    address: str, method: str = "GET", *, body: bytes = b"", path: str | None = None, **headers: str
) -> tuple[int, bytes]:
    """The status and the body of an answer; headers as given, ``Host`` among them."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=300)
    named = {"Host": parts.netloc} | headers
    connection.putrequest(method, parts.path if path is None else path, skip_host=True)
    for name, value in named.items():
        for each in value.split("\n"):
            connection.putheader(name, each)
    if method == "POST":
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body if method == "POST" else None)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_the_address_is_the_only_way_in() -> None:
    """Only who has the address, and names this very host and port, gets an answer; every address is another."""
    with served(ANYTHING) as address, served(ANYTHING) as other:
        parts = urlsplit(address)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
        assert parts.path != urlsplit(other).path
        assert asked(address) == (200, b"<p>here")
        assert asked(f"{address}?decision=1")[0] == 200
        for path in ("/", "/x/", parts.path[:-2] + "/", parts.path.upper(), urlsplit(other).path, f"{parts.path}x"):
            assert asked(address, path=path) == (404, b"Not Found\n")
        for host in ("localhost", f"localhost:{parts.port}", "127.0.0.1", f"evil.example:{parts.port}", "", "a\nb"):
            assert asked(address, Host=host) == (403, b"Forbidden\n")
    with pytest.raises(ConnectionRefusedError):
        asked(address)


def test_pages_from_elsewhere_are_refused() -> None:
    """A request of a foreign page is refused, and one that changes something has to come from a page of the server."""
    heard: list[bytes] = []

    def hear(request: Request) -> Response:
        heard.append(request.body)
        return Response()

    long: dict[str, Any] = {"Content-Length": "9" * 5000}
    with served(ANYTHING, {"answer": hear}) as address:
        assert asked(address, **long)[0] == 400
        own, answer = address.rpartition("/")[0].rpartition("/")[0], f"{address}answer"
        for origin in (
            "null",
            "http://evil.example",
            own.replace("127.0.0.1", "localhost"),
            f"{own}0",
            f"{own}\n{own}",
        ):
            assert asked(address, Origin=origin)[0] == 403
            assert asked(answer, "POST", body=b"no", Origin=origin)[0] == 403
        assert asked(address, Origin=own)[0] == 200
        assert asked(answer, "POST", body=b"no")[0] == 403
        assert asked(answer)[0] == 404
        assert asked(address, "POST", Origin=own)[0] == 404
        assert asked(answer, "POST", body=b"yes", Origin=own)[0] == 200
        assert asked(answer, "POST", body=bytes(65537), Origin=own)[0] == 400
    assert heard == [b"yes"]


def test_headers() -> None:
    """No answer is kept, framed or read by others, and none tells an address on."""
    with served(ANYTHING) as address:
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.netloc, timeout=300)
        connection.request("GET", parts.path)
        headers = connection.getresponse().headers
        connection.close()
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert "Python" not in str(headers)


@pytest.mark.parametrize("said", ["", "9" * 6000, "-1", "1e3", "0x10", "\u00b2", "seven", "1 2"])
def test_strange_ids_of_events(said: str) -> None:
    """An id of an event that is no number, or one of thousands of digits, is as none."""
    found: list[int | None] = []

    def route(request: Request) -> Response:
        found.append(request.last_event)
        return Response(body=b"ok")

    with served({"events": route}) as address:
        parts = urlsplit(address)
        connection = http.client.HTTPConnection(parts.netloc, timeout=300)
        connection.request("GET", f"{parts.path}events", headers={"Last-Event-ID": said})
        assert connection.getresponse().read() == b"ok"
        connection.close()
    assert found == [None]


def test_a_stream_ends_with_its_page() -> None:
    """Events leave as they come; when the page is gone, or has shut, the generator of the stream is closed."""
    closed = Event()

    def stream(request: Request) -> Response:
        def pieces() -> Iterator[bytes]:
            try:
                yield encode_event("match", b"[1]", number=str((request.last_event or 0) + 1))
                while True:
                    yield HEARTBEAT
                    closed.wait(0.01)
            finally:
                closed.set()

        return Response(body=pieces(), kind=EVENT_STREAM)

    with served({"events": stream}) as address:
        parts = urlsplit(address)
        with socket.create_connection(("127.0.0.1", parts.port or 0)) as page:
            page.sendall(
                f"GET {parts.path}events HTTP/1.0\r\nHost: {parts.netloc}\r\nLast-Event-ID: 6\r\n\r\n".encode()
            )
            seen = b""
            while b"\n\n: " not in seen:
                seen += page.recv(4096)
        assert b"text/event-stream" in seen
        assert b"\r\n\r\nid: 7\nevent: match\ndata: [1]\n\n" in seen
        assert closed.wait(300)
