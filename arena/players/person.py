"""A person as a player: messages to and from the person's terminal or browser, with no clock running.

Knows messages; knows no rules, no terminal and no process.
"""

from collections.abc import Callable

from arena import wire


class Person:
    """One seat without a time limit, whose answers are already checked against the rules."""

    waited = 0.0

    def __init__(self, tell: Callable[[bytes], None], answer: Callable[[], bytes]) -> None:
        """``tell`` is handed each message as a line without its newline; ``answer`` waits for a ``choose``."""
        self._tell = tell
        self._answer = answer

    def greet(self, hello: wire.Hello) -> None:
        """Tell that a match begins. A person is ready."""
        self._tell(wire.encode(hello))

    def decide(self, decide: wire.Decide) -> tuple[int, ...]:
        """Ask one question; the picks."""
        self._tell(wire.encode(decide))
        message = wire.decode(self._answer())
        if not isinstance(message, wire.Choose) or message.id != decide.id:
            raise ValueError(f"expected an answer to question {decide.id}, got {message}")
        return message.picks

    def close(self, over: wire.Over) -> None:
        """Tell how the match ended."""
        self._tell(wire.encode(over))

    def leave(self) -> None:
        """Never called: a person is not retired."""
