"""What is kept of a stream of any length: its head and its tail."""

ROOM = 32_768
"""Bytes kept of the head of a stream, and again of its tail."""


class HeadAndTail:
    """The first and last ``room`` bytes of a stream of any length."""

    __slots__ = ("_head", "_tail", "room", "total")

    def __init__(self, room: int = ROOM) -> None:
        self.room = room
        self.total = 0
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, data: bytes) -> None:
        """Take in the next bytes."""
        self.total += len(data)
        space = self.room - len(self._head)
        if space > 0:
            self._head += data[:space]
            data = data[space:]
        if data:
            self._tail += data
            if len(self._tail) > 2 * self.room:
                del self._tail[: -self.room]

    def text(self) -> bytes:
        """Head and tail, with a note between them where something was left out."""
        tail = self._tail[-self.room :]
        left_out = self.total - len(self._head) - len(tail)
        middle = b"\n[... %d bytes left out ...]\n" % left_out if left_out else b""
        return bytes(self._head + middle + tail)
