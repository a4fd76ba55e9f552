"""The headline of a table: the result first, then how sure it is, in one place for all outputs."""

import pytest
from msgspec.structs import replace

from arena.ratings.pairwise import Gap, Lead, lead_of
from arena.report.bracket import Bracket, BracketPlace, BracketStage, SatTogether, Seated
from arena.report.headline import Result, headline, headline_of_final, headline_of_tables
from arena.report.render import Leaderboard
from tests.report.records import board_of, record

SURE = Lead(first=("greedy",), certain=True, chance=0.999, rivals=(), others=3)
OPEN = Lead(first=("greedy",), certain=False, chance=0.6, rivals=("pike",), others=3)


def _bracket(schedule: str, places: list[list[str]], **more: object) -> Bracket:
    found: list[BracketPlace] = []
    told: list[str] = []
    for group in places:
        found += [BracketPlace(place=len(told) + 1, bot=bot) for bot in group]
        told += group
    return Bracket(schedule=schedule, format=schedule.partition(",")[0], places=tuple(found), stages=(), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lead", "said"),
    [
        (SURE, "greedy won, for certain"),
        (replace(OPEN, chance=0.9999), "greedy won, very likely the best (99 %)"),
        (replace(OPEN, chance=0.9701), "greedy won, very likely the best (97 %)"),
        (replace(OPEN, chance=0.9499), "greedy won, probably the best (94 %)"),
        (replace(OPEN, chance=0.75), "greedy won, probably the best (75 %)"),
        (OPEN, "greedy won; pike may be better"),
        (replace(OPEN, rivals=("pike", "perch")), "greedy won; pike and perch may be better"),
        (replace(OPEN, rivals=tuple("abcdef")), "greedy won; six others may be better"),
        (replace(OPEN, others=0, rivals=()), "greedy has no rival yet"),
        (replace(OPEN, first=("greedy", "pike")), "greedy and pike are level"),
    ],
)
def test_the_tail_says_how_sure_it_is(lead: Lead, said: str) -> None:
    """Certain, very likely from .95, probably from .75, in whole per cent, rounded down; else who may be better."""
    assert headline(Result(lead=lead)) == said


def test_a_run_that_goes_on_only_leads() -> None:
    """Before its end a run has a leader and no verdict; a league leads; before the first match or rank is nothing."""
    playing = Result(lead=SURE, matches=81, planned=240, state="playing")
    assert headline(playing) == "greedy leads after 81 of 240 matches"
    assert headline(replace(playing, about=True)) == "greedy leads after 81 of about 240 matches"
    assert headline(replace(playing, lead=replace(SURE, first=("a", "b")))) == "a and b lead after 81 of 240 matches"
    assert headline(replace(playing, planned=60, about=True)) == "greedy leads after 81 matches"
    assert headline(Result(lead=SURE, state="season")) == "greedy leads, for certain"
    assert headline(Result(lead=None, planned=240)) == "No match of 240 has been played yet"
    # all were of bots that do not compete
    assert headline(Result(lead=None, matches=12, planned=12, state="season")) == "No bot competes yet"
    assert headline(Result(lead=OPEN, won=" 16 of 16 matches")) == "greedy won 16 of 16 matches; pike may be better"


def test_a_format_says_what_it_has_found() -> None:
    """A cup, a Swiss, groups and a race have words of their own, and the answer of ``--until`` is certain."""

    def of(schedule: str, places: list[list[str]], lead: Lead = OPEN, **more: object) -> str:
        return headline(Result(lead=lead, bracket=_bracket(schedule, places, **more)))

    seated = (Seated(bot="crew1", points=0.75, matches=8), Seated(bot="crew2", points=0.25, matches=8))
    final = BracketStage(title="final", tables=(SatTogether(bots=seated, blocks=4),))
    cup = replace(_bracket("knockout", [["crew1"], ["crew2"], ["a", "b"]]), stages=(final,))
    assert headline(Result(lead=OPEN, bracket=cup)) == "crew1 won the cup, 6 to 2 in the final against crew2"
    shared = replace(cup, places=_bracket("knockout", [["crew1", "crew2"], ["a", "b"]]).places)
    assert headline(Result(lead=OPEN, bracket=shared)) == "crew1 and crew2 share the cup: level in the final"
    four = (Seated(bot="crew1", points=0.698, matches=88), Seated(bot="crew2", points=0.676, matches=88))
    wide = SatTogether(bots=(*four, *(Seated(bot=bot, points=0.3, matches=88) for bot in "ab")), blocks=22)
    cup = replace(cup, stages=(replace(final, tables=(wide,)),))
    assert headline(Result(lead=OPEN, bracket=cup)) == "crew1 won the cup, 0.70 to 0.68 in the final against crew2"
    assert of("swiss", [["greedy"], ["pike"]]) == "greedy won the Swiss; pike may be better"
    assert of("groups,through=1", [["crew1", "crew2"], ["a", "b"]]) == "crew1 and crew2 won their groups"
    race = [["crew1"], ["a", "b", "c"]]
    assert of("race", race, question="", certain=True, still=("crew1",)) == "crew1 is the best, for certain"
    still = ("crew1", "a", "b", "c")
    assert of("race", race, question="", still=still) == "crew1 leads the race; three others are still in"
    assert of("race", race, question="", still=still[:2]) == "crew1 leads the race; a is still in"
    ring = of("race", [["p", "r", "s"]], question="", still=("p",), circle=("p", "r", "s"))
    assert ring == "No best bot: p beats r, r beats s, s beats p"
    until = "balanced,until=best"
    assert of(until, race, question="best", certain=True) == "crew1 is the best, for certain"
    assert of(until, race, question="best") == "greedy won; pike may be better"
    assert (
        of("balanced,until=top=2", race, question="top=2", certain=True) == "crew1 and a are the first two, for certain"
    )
    order = [["a"], ["b"], ["c"]]
    assert of("balanced,until=order", order, question="order", certain=True) == "The order is a, b, c, for certain"
    assert (
        of("balanced,until=decided", order, question="decided", certain=True)
        == "All three pairs are decided, for certain"
    )


def test_the_chance_of_the_leader_counts_the_tails_of_all_others() -> None:
    """It is 1 less the tails; who is less than 1.64 deviations behind may be better, the nearest first."""
    gaps = [
        Gap(bot="a", other="b", score=2.0, blocks=5, fewest=5),
        Gap(bot="c", other="a", score=-1.0, blocks=5, fewest=5),
        Gap(bot="b", other="c", score=3.0, blocks=5, fewest=5),
    ]
    lead = lead_of(["a"], ["b", "c"], gaps, certain=False)
    assert lead.chance == pytest.approx(1 - 0.0228 - 0.1587, abs=1e-3)
    assert (lead.rivals, lead.others) == (("c",), 2)
    assert lead_of(["a"], ["b"], gaps, certain=False).rivals == ("b",)
    stranger = lead_of(["a"], ["b", "c", "x"], gaps, certain=False)
    assert stranger.rivals == ("x", "c")
    assert stranger.chance == pytest.approx(lead.chance - 0.5)


def _table(*first: str, certain: bool = False) -> Leaderboard:
    board = board_of([record({"a": 0, "b": 1})], ["a", "b"])
    return replace(board, lead=replace(OPEN, first=first, certain=certain))


def test_over_several_games() -> None:
    """Who leads in most of them, and in how many for certain; one table has its own headline, and finals a winner."""
    tables = [_table("crew1", certain=True), _table("crew1")]
    assert headline_of_tables(tables) == "crew1 leads in 2 of 2 games, for certain in 1"
    assert (
        headline_of_tables([*tables, _table("pike", certain=True)]) == "crew1 leads in 2 of 3 games, for certain in 1"
    )
    assert headline_of_tables([_table("a"), _table("b")]) == "a and b each lead in 1 of 2 games"
    assert headline_of_tables(tables[:1]) == "a won 1 of 1 match; b may be better"
    assert headline_of_final(["crew1"], "dockfight") == "crew1 won the final of dockfight"
    assert headline_of_final(["a", "b"], "lure") == "a and b share the first place in the final of lure"
