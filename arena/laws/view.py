"""Laws of ``view``: a picture of what a seat was sent, with every card in it; a game without a view keeps them."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from arena.chance import Chance
from arena.game import Pending, State
from arena.laws.secrets import glances
from arena.laws.table import GameSetup, encode, hold, hold_alike, play
from arena.view import Table, Zone, together

_LONGEST_TEXT, _LONGEST_FACE, _LONGEST_LEGEND = 60, 28, 75
_UNCOUNTED = {"track", "tokens"}


def _positions(setup: GameSetup) -> Iterator[State]:
    state = setup.deal(setup.first)
    for _ in play(state, Chance(b"pictures")):
        yield state
    yield state


def _draw_tables(setup: GameSetup, state: State) -> list[Table]:
    view = setup.game.view
    return [view(state.observe(seat)) for seat in range(setup.seats)] if view else []


def _number(zone: Zone) -> int:
    return sum(card.count for card in zone.cards)


def _cards(picture: Table) -> Iterator[Zone]:
    return (zone for zone in picture.zones if zone.kind not in _UNCOUNTED)


def a_picture_is_of_what_was_sent(setup: GameSetup) -> None:
    """The picture follows from the observation as it came over the wire: worlds that look alike give one picture."""
    if (view := setup.game.view) is None:
        return
    read = msgspec.json.Decoder(setup.game.observation).decode
    for state, seat, world in glances(setup, 1):
        here, twin = view(read(encode(state.observe(seat)))), view(world.observe(seat))
        hold_alike(f"one picture for seat {seat} in both worlds", here, twin)
        hold_alike(f"one picture of what seat {seat} was sent", here, view(state.observe(seat)))


def every_seat_sees_the_same_zones(setup: GameSetup) -> None:
    """All seats see the same zones with as many cards; what differs is which cards they know."""
    for state in _positions(setup):
        pictures = _draw_tables(setup, state)
        plans = [
            [
                (zone.id, zone.title, zone.kind, zone.owner, zone.kind == "tokens" or _number(zone))
                for zone in picture.zones
            ]
            for picture in pictures
        ]
        for seat, plan in enumerate(plans):
            hold(len({zone[0] for zone in plan}) == len(plan), f"zones of seat {seat} with ids of their own", plan)
            hold_alike(f"seat {seat} to see the zones of seat 0", plans[0], plan)
            owners = {zone[3] for zone in plan} - {None}
            hold(owners <= set(range(setup.seats)), "owners that are seats", owners)


def every_card_is_on_the_table_once(setup: GameSetup) -> None:
    """Everyone together sees as many cards at the end as at the start, and no card more often than it is in the box."""
    if setup.game.view is None:
        return
    counts = set()
    box = setup.book.census(setup.deal(setup.first))
    for state in _positions(setup):
        everyone = together(_draw_tables(setup, state))
        counts.add(sum(map(_number, _cards(everyone))))
        copies: Counter[str] = Counter()
        for zone in _cards(everyone):
            for card in zone.cards:
                hold(card.count > 0, "a card at least", card)
                copies[card.name] += card.count
        many = {name: count for name, count in copies.items() if name in box and count > box[name]}
        hold(not many, f"no card more often than in the box {box}", many)
    hold(len(counts) == 1, "one number of cards at every step", counts)


def a_seat_knows_its_own_question(setup: GameSetup) -> None:
    """Who is asked sees the question in words; they are those of the game."""
    for state in _positions(setup):
        pending = state.pending()
        decisions = pending.decisions if isinstance(pending, Pending) else {}
        for seat, decision in decisions.items():
            if decision.forced:
                continue
            observation: Any = state.observe(seat)
            words = setup.game.question(observation) if setup.game.question else None
            picture = setup.game.view(observation) if setup.game.view else None
            hold(words is None or words.endswith(("?", ")")), f"a question for seat {seat}", words)
            hold(picture is None or words is None or picture.question == words, f"the question {words!r}", picture)


def each_card_has_its_look(setup: GameSetup) -> None:
    """Every kind of card that is shown has a look, whose glyph is path data and nothing else."""
    game = setup.game
    if game.view is None or game.looks is None:
        return
    looks = game.looks()
    for kind, look in looks.items():
        strange = set(look.glyph) - set("MLHVCSQTAZmlhvcsqtaz0123456789 ,.-")
        hold(not strange, f"the glyph of {kind} to be path data", strange)
    for state in _positions(setup):
        zones = [zone for picture in _draw_tables(setup, state) for zone in picture.zones]
        kinds = {card.kind for zone in zones for card in zone.cards if card.kind}
        hold(kinds <= looks.keys(), "a look for each kind of card", kinds - looks.keys())


def each_card_says_what_it_does(setup: GameSetup) -> None:
    """Every card with a name has a short text, the same wherever it lies, and the game has a legend in few words.

    What lies as a card has a value or says in a few words on its face what it does.
    """
    if setup.game.view is None:
        return
    words = len(setup.game.legend.split())
    hold(0 < words <= _LONGEST_LEGEND, f"a legend in at most {_LONGEST_LEGEND} words", words)
    texts: dict[tuple[str, str], tuple[str, str]] = {}
    for state in _positions(setup):
        zones = [zone for picture in _draw_tables(setup, state) for zone in picture.zones]
        for place, card in [(zone, card) for zone in zones for card in zone.cards if card.name]:
            hold(0 < len(card.text) <= _LONGEST_TEXT, f"a text in at most {_LONGEST_TEXT} characters", card)
            hold(len(card.face) <= _LONGEST_FACE, f"a face in at most {_LONGEST_FACE} characters", card)
            hold(bool(card.value or card.face) or place.kind in _UNCOUNTED, "a value or a face", card)
            words_of_card = texts.setdefault((card.name, card.kind), (card.text, card.face))
            hold((card.text, card.face) == words_of_card, f"one text and face of {card.name}: {words_of_card!r}", card)
