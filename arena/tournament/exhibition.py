"""A single match of a person, or of Python code, against bots: neither recorded nor rated."""

from collections.abc import Callable, Sequence
from secrets import token_hex

from arena import record as records
from arena.chance import Chance
from arena.errors import HostError, UsageError
from arena.game import Game, Seat
from arena.players.botfile import BotFile
from arena.players.launch import Launch
from arena.players.limits import HOUSE
from arena.record import Record
from arena.referee import Match
from arena.tournament import roster
from arena.tournament.folder import Rules
from arena.tournament.isolation import host_policy
from arena.tournament.lane_messages import Job, MatchOver, PlayUnit, Told
from arena.tournament.lanes import Lanes, LanesFailed
from arena.tournament.plan import pad
from arena.tournament.secrets import Secret
from arena.tournament.settings import IsolationChoice
from arena.tournament.spec import variants

_SEED_BYTES = 8
_MATCH = "e0b0r0"


class ExhibitionMatch:
    """A match that is to be played; use ``lanes`` as a context around ``play``."""

    def __init__(
        self,
        game: Game,
        bots: Sequence[str | BotFile] = (),
        *,
        seat: Seat | None = None,
        seats: int | None = None,
        given: dict[str, str] | None = None,
        seed: str | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``bots`` sit in the other seats, by default the shipped ones; ``seat`` is drawn if it is not given.

        Raises:
            UsageError, BotError: a bot, a seat or a variant is not there.
        """
        self.game = game
        self._variants = variants(given or {}, game)
        # the shipped bots fill a table only if no bot was named
        entries = roster.enter(bots, game, (lambda _: None) if bots else say)[: len(bots) or None]
        names = roster.names_of(entries)
        self._seats = _seats(game, seats, len(names) if bots else 0)
        if seat is not None and not 0 <= seat < self._seats:
            raise UsageError(f"expected a seat from 0 to {self._seats - 1}, got {seat}", option="seat")
        self._wanted = seat
        self.others = pad(names, self._seats - 1)[: self._seats - 1]
        """Who sits in the other seats."""
        self._field = [entry.bot for entry in entries if entry.bot.name in self.others]
        self._secret = Secret.of(token_hex(_SEED_BYTES) if seed is None else seed)
        self.seed = self._secret.seed_text
        self.lanes = Lanes(1)
        self._say = say

    def start(self, isolation: IsolationChoice) -> PlayUnit:
        """Start the bots; the match to be played.

        Raises:
            UsageError, BotError, HostError: a bot cannot start, or this machine fails.
        """
        house = host_policy(isolation, self.lanes, self._say)
        rules = Rules(
            game=self.game.name,
            variants=self._variants,
            seats=(self._seats,),
            limits=HOUSE,
            isolation=house.level,
        )
        launches, failures = roster.start(self.lanes, rules, self.game, self._field, house)
        roster.refuse(failures)
        bots = {name: launches[roster.original(name, launches)] for name in self.others}
        return self._match(bots)

    def _match(self, bots: dict[str, Launch]) -> PlayUnit:
        """The match of the person, named with the empty text, and these bots, in seats that the secret draws."""
        secret, game = self._secret, self.game
        names = ["", *bots]
        Chance(secret.schedule(0)).shuffle(names)
        drawn = names.index("")
        own = drawn if self._wanted is None else self._wanted
        names[drawn], names[own] = names[own], names[drawn]
        match = Match(
            id=_MATCH,
            label=secret.label(_MATCH),
            game=game.name,
            version=game.version,
            bots=tuple(names),
            variants=self._variants,
            ids=secret.ids(_MATCH),
            order=secret.order(_MATCH),
            seeds=tuple(secret.bot_seed(_MATCH, place) for place in range(len(names))),
            limits=tuple(bots[name].limits if name else HOUSE for name in names),
            deal=secret.deal(epoch=0, block=0),
        )
        return PlayUnit(matches=(match,), bots=bots, attempts=1)

    def play(self, job: PlayUnit, answer: Callable[[bytes], bytes | None]) -> Record:
        """Have the match played in a lane, so that nothing of the bots is left however it ends.

        ``answer`` is handed each message for the person as a line, and gives the answer to it, if one is due.

        Raises:
            Interrupted: a signal came.
            HostError: this machine failed.
        """
        played: list[Record] = []
        for done, message in self.lanes.messages([job], _lost):
            if isinstance(message, Told):
                self.lanes.answer(done, answer(bytes(message.message)) or b"")
            elif isinstance(message, MatchOver):
                played.append(records.decode(bytes(message.record)))
        (record,) = played
        if record.reason == "void":
            raise HostError(f"the match is void: {record.why}")
        return record


def _seats(game: Game, seats: int | None, bots: int) -> int:
    """How many sit down, the person among them."""
    count = seats or (max(bots + 1, game.seats.start) if bots else game.usual_seats)
    here = f"{game.seats.start} to {game.seats.stop - 1}"
    if count not in game.seats:
        raise UsageError(f"expected {here} seats for {game.name}, got {count}")
    if bots >= count:
        raise UsageError(f"expected room for you and {bots} bots, got {count}", option="seats")
    return count


def _lost(_job: Job) -> None:
    raise LanesFailed("expected the lane to last as long as the match, got its end")
