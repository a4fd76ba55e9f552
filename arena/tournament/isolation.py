"""From the isolation that is asked for to the level that this machine has just proved, or a plain word why not."""

from collections.abc import Callable, Sequence
from pathlib import Path

from arena.errors import UsageError
from arena.players.walls import House
from arena.sandbox.box import LEVELS, Level
from arena.tournament.lane_messages import Job, Message, Prove, Proved
from arena.tournament.lanes import Lanes
from arena.tournament.spec import IsolationChoice

_IN_WORDS: dict[Level, str] = {
    "none": "bots run with your rights, for this machine proves no walls: see `arena doctor`",
    "landlock": "files, signals and sockets are closed to bots",
    "bwrap": "bots have files, processes and a network of their own",
}


def settled(
    choice: IsolationChoice,
    lanes: Lanes,
    say: Callable[[str], None],
    *,
    out: Sequence[Path] = (),
    readable: Sequence[str] = (),
    build_network: bool = False,
) -> House:
    """What all bots play within, proved just now; ``out`` are folders of results, which no bot may see.

    Raises:
        UsageError: a level is asked for by name that this machine does not prove; or no such path.
    """
    level = _level(choice, lanes, say)
    shown = []
    for text in readable:
        path = Path(text).resolve()
        if not path.exists():
            raise UsageError(f"expected a file or folder, got {text!r}", option="readable")
        shown.append(str(path))
    hidden = [str(path.resolve()) for path in (*out, Path("results"))]
    return House(level, tuple(dict.fromkeys(hidden)), tuple(shown), build_network)


def level_of(choice: IsolationChoice) -> Level:
    """The level that is asked for by name; the lowest if none is."""
    return "none" if choice == "auto" else choice


def _level(choice: IsolationChoice, lanes: Lanes, say: Callable[[str], None]) -> Level:
    if choice == "none":
        return "none"
    if choice != "auto":
        proof = prove(lanes, choice)
        if not proof.holds:
            raise UsageError(f"expected {choice}, which this machine does not have: {proof.why}", option="isolation")
        return choice
    best: Level = next((level for level in reversed(LEVELS) if level == "none" or prove(lanes, level).holds), "none")
    say(f"isolation: {best}: {_IN_WORDS[best]}")
    return best


def prove(lanes: Lanes, level: Level, *, whole: bool = False) -> Proved:
    """Have a probe tried at a level in a lane: what it could do there, and whether that is what the level promises."""
    heard: list[Proved] = []

    def hear(_job: Job, message: Message) -> None:
        if isinstance(message, Proved):
            heard.append(message)

    lanes.run([Prove(level, whole)], hear)
    return heard[0]
