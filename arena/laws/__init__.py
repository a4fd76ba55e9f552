"""The laws that every game keeps, as plain functions: for the games of the shelf and for those of other packages.

A test walks all of ``LAWS`` over all of ``setups(GAME, book)``; a law that does not hold raises ``LawBroken``.
"""

from collections.abc import Callable

from arena.laws import contract, imagine, learners, luck, odds, replay, secrets, view
from arena.laws.digging import Breach, Dug, dig
from arena.laws.table import Book, GameSetup, LawBroken, setups

__all__ = [
    "LAWS",
    "OF_EVERY_MATCH",
    "OF_MANY_MATCHES",
    "Book",
    "Breach",
    "Dug",
    "GameSetup",
    "LawBroken",
    "dig",
    "setups",
]

OF_EVERY_MATCH: tuple[Callable[[GameSetup], None], ...] = (
    contract.random_play_ends,
    contract.silence_ends,
    contract.asking_changes_nothing,
    contract.save_and_resume,
    contract.questions,
    contract.an_opening_leads_to_a_question,
    contract.words,
    contract.nothing_is_lost,
    contract.places_go_by_scores,
    learners.rows_and_actions_are_as_declared,
    learners.chance_is_as_declared,
    secrets.what_is_sent_is_the_same_in_both_worlds,
    secrets.redealing_leaves_the_state_alone,
    secrets.who_learns_something_hears_of_it,
    imagine.an_imagined_world_looks_the_same,
    imagine.the_unknown_comes_from_chance,
    imagine.an_imagined_world_plays_to_its_end,
    view.a_picture_is_of_what_was_sent,
    view.every_seat_sees_the_same_zones,
    view.every_card_is_on_the_table_once,
    view.a_seat_knows_its_own_question,
    view.each_card_has_its_look,
    view.each_card_says_what_it_does,
)
"""Those that hold in every match alone, so they can be held on as many as there is time for."""

OF_MANY_MATCHES: tuple[Callable[[GameSetup], None], ...] = (
    contract.box,
    contract.same_seed_same_game,
    replay.another_process_plays_the_same,
    secrets.redealing_changes_what_is_hidden,
    secrets.planted_leaks_are_found,
    secrets.events_tell_no_more_than_the_observation,
    imagine.imagined_worlds_differ,
    odds.what_is_true_is_one_more_draw,
    luck.luck_is_even,
)
"""Those that say what can be found in some matches together, or what is so in the mean."""

FURTHER = 0.4
"""Seconds of the processor for each setup. A fault that shows in one match of 25 is found in 19 suites of 20."""


def it_is_so_in_further_matches(setup: GameSetup) -> None:
    """What holds in every match holds in as many more as there is time for, first in those with something new."""
    for breach in dig([setup], OF_EVERY_MATCH, seconds=FURTHER, enough=1).breaches:
        raise LawBroken(f"{breach.law}, in match {breach.first}: {breach.why}")


LAWS = (*OF_EVERY_MATCH, *OF_MANY_MATCHES, it_is_so_in_further_matches)
"""Each is one sentence, its docstring, and is tested on one setup."""
