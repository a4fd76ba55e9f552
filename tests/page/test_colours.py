"""A bot has one colour, from its name, wherever it is drawn, and it can be read by day and by night."""

import re
from pathlib import Path

import arena.page.colours
from arena.page.board import replay_page
from arena.page.colours import COLOURS, colour_bots, colour_seats
from arena.page.report import report_page
from arena.report.telling import tell
from tests.page.made import report_made
from tests.report.matches import match

STYLE = (Path(arena.page.colours.__file__).parent / "files/tokens.css").read_text("utf-8")


def _luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    full = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    parts = [int(full[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _pair(name: str) -> tuple[str, str]:
    """A token by day and by night."""
    found = re.search(rf"--{name}: light-dark\(([^,]+), ([^)]+)\)", STYLE)
    assert found, name
    return found[1], found[2]


def test_colours_can_be_read() -> None:
    """Each has a contrast of 4.5 or more on all grounds, by day and by night (WCAG 2.2, 1.4.3); no two are alike."""
    colours = [_pair(f"bot-{number}") for number in range(COLOURS)]
    for ground in map(_pair, ("paper", "raised", "felt")):
        for colour in colours:
            for ink, below in zip(colour, ground, strict=True):
                low, high = sorted((_luminance(ink), _luminance(below)))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, below)
    assert len({*colours}) == COLOURS


def test_a_colour_follows_from_the_name() -> None:
    """The order of entrants, versions and other bots change nothing where hashes differ; of twelve no two are alike."""
    names = [f"crew{number}" for number in range(COLOURS)]
    colours = colour_bots(names)
    assert colours == colour_bots(reversed(names))
    assert len({*colours.values()}) == COLOURS
    assert colour_bots(["pike@3"])["pike@3"] == colour_bots(["pike"])["pike"] == colour_bots(["pike", *"ab"])["pike"]
    many = colour_bots([f"crew{number}" for number in range(99)])
    assert len({*many.values()}) == COLOURS
    seats = colour_seats(["a", "b", "", "a#2"], {"a": 11, "b": 11, "a#2": 0})
    assert seats == [11, 0, None, 1]


def test_report_and_replay_agree() -> None:
    """A bot of a match has the colour of the leaderboard of its run, in the report and in a page of its own."""
    played = match("cash-a-catch")
    replay = tell(played.record, played.game, played.state, number=0)
    report = report_made(bots=4, blocks=12)
    field = [bot.name for bot in report.provenance.bots] + [*replay.bots]
    page = replay_page(replay, rules="", run="r", command="c", field=field)
    told = re.search('data-colours="([^"]*)"', page)
    assert told
    colours = colour_bots(field)
    assert told[1].split() == [str(colour) for colour in colour_seats(replay.bots, colours)]
    text = report_page(report, [], rules="")
    own = colour_bots([bot.name for bot in report.provenance.bots])
    board = text.partition('class="board"')[2].partition("</table>")[0]
    assert re.findall(r'<tr class="[^"]*bot-(\d+)[^"]*">.*?<th scope="row"[^>]*>([^ ]+) ', board) == [
        (str(own[row.bot]), row.bot) for row in report.leaderboard.leaderboard
    ]
    curves = text.partition('class="chart growth"')[2].partition("</section>")[0]
    assert {*re.findall(r'class="bot bot-(\d+)"', curves)} == {str(colour) for colour in own.values()}
