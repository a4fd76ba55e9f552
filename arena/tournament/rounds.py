"""The rounds of a run whose format decides as it goes: which blocks there are, once the matches before them are over.

They follow from entrants, secret and outcomes alone, in whatever order these are told, so that nothing of them has to
be kept. Pure; starts nothing and reads no file. Knows no one format.
"""

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from arena.formats import Format, Played, Progress, Result, Round, Terms, made
from arena.record import Outcome
from arena.tournament.folder import Broken, Epoch, Manifest
from arena.tournament.plan import blocks_of, playing
from arena.tournament.schedule import Block, line_up, match_key
from arena.tournament.secrets import Secret


class Finished(Struct, frozen=True, kw_only=True):
    """A round whose matches are all over."""

    round: Round
    played: tuple[Played, ...]


CHAIN = "+"
"""Stands between the stages of a schedule."""
_OF_A_STAGE = ("first", "share")
"""Options that every stage has beside those of its format."""


def read_schedule(text: str) -> Format:
    """The format that ``NAME[,OPTION=VALUE]...`` asks for; several with ``+`` between them are stages.

    Raises:
        LookupError: there is none of this name.
        ValueError: an option is none, unknown, or not what it should be.
    """
    parts = text.split(CHAIN)
    if len(parts) == 1:
        return made(*_read(text))
    stages = []
    for part in parts:
        name, options = _read(part)
        own = {key: options.pop(key) for key in _OF_A_STAGE if key in options}
        # what is wrong with it is told in the words of its format
        made(name, options)
        stages.append({"format": name, "options": options, **own})
    return made("stages", {"stages": stages})


def _read(text: str) -> tuple[str, dict[str, object]]:
    """The name and the options of a format."""
    name, *given = text.split(",")
    options: dict[str, object] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not key or not equals:
            raise ValueError(f"expected NAME or NAME,OPTION=VALUE such as knockout,losses=2, got {text!r}")
        if key in options:
            raise ValueError(f"expected {key} once, got it twice in {text!r}")
        options[key] = _value(value)
    return name, options


def _value(text: str) -> object:
    """A number or true or false as such, else the text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def see_playable(text: str, names: Iterable[str], *, seats: int, matches: int) -> None:
    """See that these bots can play this schedule.

    Raises:
        LookupError, ValueError: they cannot.
    """
    Progress(read_schedule(text), _terms(tuple(names), seats, matches, bytes(32)))


def _terms(names: tuple[str, ...], seats: int, matches: int, key: bytes) -> Terms:
    return Terms(entrants=names, seats=seats, blocks=blocks_of(matches, (seats,))[seats], key=key)


class Rounds:
    """The rounds of an epoch, up to the first that is not over."""

    def __init__(self, manifest: Manifest, epoch: Epoch, secret: Secret) -> None:
        """Derive the first round.

        Raises:
            Broken: the format is not installed, or cannot be played with these entrants.
        """
        self._epoch = epoch.number
        self._outcomes: dict[tuple[int, int], Outcome] = {}
        self.finished: list[Finished] = []
        """The rounds that are over."""
        self.blocks: list[Block] = []
        """Of all rounds so far, that which is to be played too."""
        names = epoch.entrants or playing(manifest.entrants)
        try:
            terms = _terms(names, manifest.seats[0], epoch.asked, secret.schedule(epoch.number))
            self._progress = Progress(read_schedule(manifest.schedule), terms)
        except Exception as error:
            raise self._broken(error) from error
        self._add()

    @property
    def round(self) -> Round | None:
        """What is to be played; None if all is over."""
        return self._progress.round

    @property
    def result(self) -> Result | None:
        """How it ended, if it has."""
        return self._progress.result

    def take(self, outcome: Outcome) -> None:
        """How a match ended; of one that is told twice the later counts."""
        epoch, block, rotation = match_key(outcome.id)
        if epoch == self._epoch:
            self._outcomes[block, rotation] = outcome

    def advance(self) -> bool:
        """Go on to the next round if the present one is over; whether there is one.

        A match of other bots than the round asks for, or of other ranks than there are seats, is not of the round.

        Raises:
            Broken: the format fails.
        """
        over = self.round
        if over is None or (played := self._played()) is None:
            return False
        try:
            self._progress.finish(played)
        except Exception as error:
            raise self._broken(error) from error
        self.finished.append(Finished(round=over, played=played))
        self._add()
        return self.round is not None

    def strange(self) -> list[str]:
        """Ids of matches that were told and are of no round so far, or have other bots."""
        due = {
            (block.number, rotation): line_up(block, rotation)
            for block in self.blocks[self._progress.first_block :]
            for rotation in range(len(block.seating))
        }
        return [each.id for key, each in sorted(self._outcomes.items()) if due.get(key) != each.bots]

    def _played(self) -> tuple[Played, ...] | None:
        """The present round as it ended; None if it has not. What is taken is forgotten."""
        now = self.blocks[self._progress.first_block :]
        keys = [(block.number, rotation) for block in now for rotation in range(len(block.seating))]
        found = {key: self._outcomes[key] for key in keys if key in self._outcomes}
        if len(found) < len(keys):
            return None
        for block in now:
            for rotation in range(len(block.seating)):
                each = found[block.number, rotation]
                if each.bots != line_up(block, rotation) or len(each.ranks) != len(each.bots):
                    return None
        for key in keys:
            del self._outcomes[key]
        return tuple(
            [
                Played(
                    number=number,
                    line_up=block.seating,
                    ranks=tuple([_ranks(found[block.number, turn]) for turn in range(len(block.seating))]),
                )
                for number, block in enumerate(now)
            ]
        )

    def _add(self) -> None:
        if self.round is not None:
            first = self._progress.first_block
            self.blocks += [
                Block(epoch=self._epoch, number=first + number, seating=seating)
                for number, seating in enumerate(self.round.line_ups)
            ]

    def _broken(self, error: Exception) -> Broken:
        """An error of a format, which any package may bring, as damage of the run."""
        known = isinstance(error, ValueError) or type(error) is LookupError
        kind = "" if known else f"{type(error).__name__}: "
        return Broken(f"run.json: epoch {self._epoch}: {kind}{' '.join(str(error).split())}")


def _ranks(outcome: Outcome) -> tuple[int, ...] | None:
    return None if outcome.reason == "void" else outcome.ranks


def derived(manifest: Manifest, secret: Secret, outcomes: Iterable[Outcome]) -> Rounds:
    """The rounds of a run from what is recorded of it."""
    rounds = Rounds(manifest, manifest.epochs[0], secret)
    for outcome in outcomes:
        rounds.take(outcome)
    while rounds.advance():
        pass
    return rounds
