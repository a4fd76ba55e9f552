"""Plants the targets of those attacks that only tests try, and removes them again."""

import ctypes
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from arena.sandbox.canaries import began, libc
from arena.sandbox.planting import BOUNDS
from tests.sandbox.probes.channels import call

_CREATE, _REMOVE = 0o1000, 0
_ROOM_FOR_HANDLE = 128
_AT_CWD = -100


@contextmanager
def planted_more() -> Iterator[tuple[dict[str, Any], socket.socket]]:
    """Set up the targets: what the probe is told of them, and a socket that hears what comes by UDP."""
    with ExitStack() as stack:
        token = secrets.token_hex(8)
        # its path leaves room for the name of a socket (unix(7): 108 bytes)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-probe-", dir="/tmp")))
        folder.chmod(0o755)
        (folder / "private").write_text(token)
        (folder / "private").chmod(0o600)
        udp = _bound(stack, socket.AF_INET, ("127.0.0.1", 0))
        _bound(stack, socket.AF_UNIX, str(folder / "letterbox"))
        (folder / "letterbox").chmod(0o666)
        first_began = 0
        with suppress(OSError):
            first_began = began(1)
        yield (
            {
                "token": token,
                "first_began": first_began,
                "udp": udp.getsockname()[1],
                "letterbox": str(folder / "letterbox"),
                "shm": _segment(stack),
                "queue": _queue(stack, f"arena-probe-{token}"),
                "letters": _of_system_v(stack, "msg"),
                "semaphores": _of_system_v(stack, "sem", 1),
                "handle": _handle(str(folder / "private")),
                "file": BOUNDS.file,
            },
            udp,
        )


def has_heard(udp: socket.socket, token: str) -> bool:
    """Whether the token came by UDP."""
    with suppress(BlockingIOError):
        return udp.recv(4096) == token.encode()
    return False


def _bound(stack: ExitStack, family: int, address: str | tuple[str, int]) -> socket.socket:
    made = stack.enter_context(socket.socket(family, socket.SOCK_DGRAM))
    made.bind(address)
    made.settimeout(0)
    return made


def _segment(stack: ExitStack) -> int:
    key = 1 + secrets.randbelow((1 << 31) - 1)
    segment = libc.shmget(key, ctypes.c_size_t(4096), _CREATE | 0o666)
    if segment < 0:
        return 0
    stack.callback(libc.shmctl, segment, _REMOVE, None)
    return key


def _of_system_v(stack: ExitStack, kind: str, *size: int) -> int:
    """The number of a message queue (msg) or set of semaphores (sem) that is open to all; -1 where there are none."""
    private_key = 0
    number = int(getattr(libc, f"{kind}get")(private_key, *size, _CREATE | 0o666))
    if number >= 0:
        control = getattr(libc, f"{kind}ctl")
        words = (number, 0, _REMOVE) if kind == "sem" else (number, _REMOVE, None)
        stack.callback(lambda: control(*words))
    return number


def _queue(stack: ExitStack, name: str) -> str:
    try:
        queue = call("mq_open", name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
    except (OSError, KeyError):
        return ""
    stack.callback(call, "mq_unlink", name.encode())
    os.fchmod(queue, 0o666)
    os.close(queue)
    return name


def _handle(path: str) -> str:
    handle = ctypes.create_string_buffer(_ROOM_FOR_HANDLE.to_bytes(4, sys.byteorder), 8 + _ROOM_FOR_HANDLE)
    mount = ctypes.c_int()
    if libc.name_to_handle_at(_AT_CWD, path.encode(), handle, ctypes.byref(mount), 0) != 0:
        return ""
    return handle.raw[: 8 + int.from_bytes(handle.raw[:4], sys.byteorder)].hex()
