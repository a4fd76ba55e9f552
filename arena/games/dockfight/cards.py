"""What is in the box of Dockfight, as data. Knows no rules of play and no seats' secrets.

Source: rulebook, 2) What You Need and 3) Deck Build.
"""

from typing import Annotated, Final, TypeAlias

from arena.values import Among

DAYS: Final = range(1, 13)
"""The Day numbers; a Day card is its number."""

Day: TypeAlias = Annotated[int, Among(tuple(DAYS))]

COPIES: Final[dict[int, int]] = {2: 6, 3: 8, 4: 16, 5: 16, 6: 16}
"""Copies of each Day in play, by number of players: two removed, the full deck, and two decks in Party Mode."""

FRANKS: Final = 1
"""Copies of Fisherman Frank in play; the second of Party Mode stays in the box."""

OPENING_HAND: Final = 3
"""Cards dealt to each LIVEWELL."""

SET: Final = 3
"""Cards of one Day that make a Catch Set."""

HAUL: Final = 2
"""Cards left in a BROKEN HAUL."""

BURN: Final = 3
"""Cards burned for a move."""

SETS_TO_WIN: Final = 3
"""Completed Catch Sets that win together with Fisherman Frank."""

SETS_TO_BE_CUT: Final = 2
"""Completed Catch Sets from which on a player may be cut."""

STALLED_ROUNDS: Final = 2
"""The game ends after this many rounds of the table in which every turn stalled (ruling 25)."""
