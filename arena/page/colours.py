"""One colour for a bot, from its name, in leaderboards, curves, brackets and replays. Knows names alone.

A colour is the number of a token: ``--bot-0`` to ``--bot-11``, of a class ``bot-0`` on what has it.
"""

from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

from arena.identity import Identity

COLOURS = 12


def colour_bots(bots: Iterable[str]) -> dict[str, int]:
    """The colour of each bot of a run, whatever its version; of twelve bots or fewer no two have the same."""
    entered = {bot: Identity.of(bot).entered for bot in bots}
    names = sorted({*entered.values()})
    by_name: dict[str, int] = {}
    for name in names:
        colour = crc32(name.encode()) % COLOURS
        while len(names) <= COLOURS and colour in by_name.values():
            colour = (colour + 1) % COLOURS
        by_name[name] = colour
    return {bot: by_name[name] for bot, name in entered.items()}


def colour_seats(bots: Sequence[str], field: Mapping[str, int]) -> list[int | None]:
    """The colours at a table, by seat: those of the ``field``, but no two alike; None where no name is known."""
    colours: list[int | None] = []
    for bot in bots:
        colour = field.get(bot)
        while colour is not None and colour in colours and len(bots) <= COLOURS:
            colour = (colour + 1) % COLOURS
        colours.append(colour)
    return colours
