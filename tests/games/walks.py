"""Random matches for the laws of a game: any table, and how rarely a seat does what hurries the match on."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from arena.chance import Chance
from arena.game import Chosen, Decision, Game, Pending, Seat
from arena.laws.table import pick


class Match(NamedTuple):
    """A way to play: who sits there, which variants and deal; in the step ``slow`` one of ``patience`` answers."""

    game: Game
    slow: str
    seats: int
    variants: dict[str, str]
    deal: int
    patience: int

    def start(self) -> Any:
        """The deal."""
        return self.game.deal(self.seats, self.deal.to_bytes(32, "little"), self.variants)

    def play(self, state: Any) -> Iterator[Chosen]:
        """Random answers up to the end, each before it is applied."""
        dice = Chance(b"laws", self.deal)
        while isinstance(pending := state.pending(), Pending):
            waits = [seat for seat in pending.decisions if state.step == self.slow and dice.below(self.patience)]
            chosen = {
                seat: decision.silence if seat in waits else pick(decision, dice)
                for seat, decision in pending.decisions.items()
            }
            yield chosen
            state.apply(chosen)


def matches(game: Game, slow: str, patience: Sequence[int], **often: Sequence[str]) -> st.SearchStrategy[Match]:
    """Any match of a game; of a variant any value, or those of ``often``."""
    return st.builds(
        Match,
        game=st.just(game),
        slow=st.just(slow),
        seats=st.sampled_from(game.seats),
        variants=st.fixed_dictionaries({name: st.sampled_from(v) for name, v in (game.variants | often).items()}),
        deal=st.integers(0, 1 << 40),
        patience=st.sampled_from(patience),
    )


def questions(state: Any) -> Mapping[Seat, Decision]:
    """Who is asked what, in a match that is not over."""
    pending = state.pending()
    assert isinstance(pending, Pending)
    return pending.decisions
