"""What the tests of a run ask for: its settings, with defaults for what is of no matter to them."""

from arena.game import Game
from arena.players.limits import HOUSE
from arena.tournament.folder import BALANCED
from arena.tournament.plan import Settings
from arena.wire import Limits


def settings_for(
    game: Game,
    matches: int = 240,
    *,
    seed: str | None = None,
    seats: tuple[int, ...] = (2,),
    limits: Limits = HOUSE,
    variants: dict[str, str] | None = None,
) -> Settings:
    """A balanced run of this game outside of any sandbox."""
    return Settings(
        game=game.name,
        variants=game.settle(variants or {}),
        seats=seats,
        limits=limits,
        isolation="none",
        debug="",
        schedule=BALANCED,
        shard="",
        matches=matches,
        seed=seed,
        hidden=False,
        beacon=None,
        awaits="",
    )
