"""Night Nets from the deal to the last haul. Knows the contract and chance, no bot and no clock."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from msgspec import Struct, structs

from arena.chance import Chance
from arena.game import Chosen, Decision, Outcome, Pending, Seat, Whisper, ranks_of
from arena.values import Among, BySeat, InOrder, Row, Upto

GROUNDS = ("shallows", "reef", "deep")
SHOALS = tuple(size for size in range(1, 9) for _ in range(3))
"""The box: three cards of each size from 1 to 8 fish."""

Ground: TypeAlias = Annotated[str, Among(GROUNDS)]
Fish: TypeAlias = Annotated[int, Upto(max(SHOALS))]


class Scout(Struct, frozen=True, tag="scout", tag_field="type"):
    """An option: look at this ground."""

    ground: Ground

    def __str__(self) -> str:
        return f"scout the {self.ground}"


class Cast(Struct, frozen=True, tag="cast", tag_field="type"):
    """An option: cast the net at this ground."""

    ground: Ground

    def __str__(self) -> str:
        return f"cast at the {self.ground}"


class Sighted(Struct, frozen=True, tag="sighted", tag_field="type"):
    """Only the scout hears it."""

    ground: Ground
    fish: Fish

    def __str__(self) -> str:
        return f"You count {self.fish} fish at the {self.ground}."


class Hauled(Struct, frozen=True, tag="hauled", tag_field="type"):
    """A night is over: the shoals by ground, and by seat where it cast and what it caught."""

    shoals: Annotated[tuple[Fish, ...], Row(len(GROUNDS))]
    casts: BySeat[Ground]
    catches: BySeat[Fish]

    def __str__(self) -> str:
        there = ", ".join(f"{ground} {fish}" for ground, fish in zip(GROUNDS, self.shoals, strict=True))
        hauls = zip(self.casts, self.catches, strict=True)
        caught = ", ".join(f"seat {seat} at the {ground}: {fish}" for seat, (ground, fish) in enumerate(hauls))
        return f"The shoals were {there}. Caught by {caught}."


class Observation(Struct, frozen=True):
    """All that a seat has learnt: the nights that are over, and what it sighted in this one, once it has scouted."""

    seat: Seat
    seats: int
    nights: Annotated[int, Upto(8)]
    sighted: Sighted | None
    hauls: Annotated[tuple[Hauled, ...], InOrder(8)]
    fish: BySeat[Annotated[int, Upto(sum(SHOALS))]]


class NightNets(Struct):
    """A table; ``shoals`` lie face down by ground, ``scouted`` is by seat and empty while the scouts are out."""

    chance: Chance
    nights: int
    deck: list[int]
    shoals: list[int]
    fish: list[int]
    scouted: list[str] = []
    hauls: list[Hauled] = []

    def pending(self) -> Pending | Outcome:
        """Everybody scouts, then everybody casts, until the nights are over."""
        if len(self.hauls) == self.nights:
            return self.standing()
        act = Cast if self.scouted else Scout
        return Pending(dict.fromkeys(range(len(self.fish)), Decision(tuple(map(act, GROUNDS)))))

    def apply(self, chosen: Chosen) -> list[Whisper | Hauled]:
        """Whisper to the scouts, or haul the nets in."""
        grounds = tuple(chosen[seat][0].ground for seat in range(len(self.fish)))
        if self.scouted:
            return [self._haul(grounds)]
        self.scouted = list(grounds)
        return [Whisper((seat,), self._sighted(seat)) for seat in range(len(self.fish))]

    def _haul(self, casts: tuple[str, ...]) -> Hauled:
        catches = [0] * len(casts)
        for ground, shoal in zip(GROUNDS, self.shoals, strict=True):
            nets = [seat for seat, cast in enumerate(casts) if cast == ground]
            for seat in nets:
                catches[seat] = shoal // len(nets)
            if nets:
                catches[nets[self.chance.below(len(nets))]] += shoal % len(nets)
        haul = Hauled(tuple(self.shoals), casts, tuple(catches))
        self.hauls.append(haul)
        self.fish = [fish + catch for fish, catch in zip(self.fish, catches, strict=True)]
        self.scouted = []
        self.shoals = [self.deck.pop() for _ in GROUNDS] if len(self.hauls) < self.nights else []
        return haul

    def _sighted(self, seat: Seat) -> Sighted:
        ground = self.scouted[seat]
        return Sighted(ground, self.shoals[GROUNDS.index(ground)])

    def observe(self, seat: Seat) -> Observation:
        """A seat sees what it scouted itself, and every haul."""
        sighted = self._sighted(seat) if self.scouted else None
        return Observation(seat, len(self.fish), self.nights, sighted, tuple(self.hauls), tuple(self.fish))

    def standing(self) -> Outcome:
        """The most fish win."""
        return Outcome(ranks_of(self.fish), tuple(self.fish))

    def copy(self) -> "NightNets":
        """The lists and the chance are its own; hauls never change."""
        return structs.replace(
            self,
            chance=self.chance.copy(),
            deck=self.deck[:],
            shoals=self.shoals[:],
            fish=self.fish[:],
            scouted=self.scouted[:],
            hauls=self.hauls[:],
        )


def deal(seats: int, seed: bytes, variants: Mapping[str, str]) -> NightNets:
    """Shuffle the shoals and lay the first three, face down."""
    chance = Chance(seed)
    deck = list(SHOALS)
    chance.shuffle(deck)
    shoals = [deck.pop() for _ in GROUNDS]
    return NightNets(chance, int(variants["nights"]), deck, shoals, [0] * seats)


def imagine(observation: Observation, chance: Chance) -> NightNets:
    """The unknown shoals lie anywhere, and the others scouted anywhere."""
    sight = observation
    unknown = list(SHOALS)
    for size in [size for haul in sight.hauls for size in haul.shoals]:
        unknown.remove(size)
    if sight.sighted:
        unknown.remove(sight.sighted.fish)
    chance.shuffle(unknown)
    shoals: list[int] = []
    scouted: list[str] = []
    if sight.sighted:
        scouted = [GROUNDS[chance.below(len(GROUNDS))] for _ in range(sight.seats)]
        scouted[sight.seat] = sight.sighted.ground
    if len(sight.hauls) < sight.nights:
        for ground in GROUNDS:
            known = sight.sighted if sight.sighted and sight.sighted.ground == ground else None
            shoals.append(known.fish if known else unknown.pop())
    fresh = Chance(chance.word().to_bytes(8, "little"))
    return NightNets(fresh, sight.nights, unknown, shoals, list(sight.fish), scouted, list(sight.hauls))
