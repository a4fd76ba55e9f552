"""One task for learners: a table with its opponents, where policies are trained, measured and entered as bots."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from arena.bot import Bot
from arena.environments.encoding import Encoding, encoding_of, name_of
from arena.environments.environment import Environment
from arena.environments.measurement import (
    Difference,
    Lineup,
    Measurement,
    Values,
    bounds_of,
    estimate,
    lineups_of,
    play_lineups,
)
from arena.environments.policies import Exported, FrozenPolicy, PolicyBot, freeze, is_learner, predictor_of
from arena.errors import BotError, UsageError
from arena.game import Seat
from arena.players import is_bot_name
from arena.python_bots import AnyBot, LocalBot, local_bot, several
from arena.selfplay import Policy, make_policy, page_of

if TYPE_CHECKING:
    from arena.environments.gymnasium import GymEnv
    from arena.environments.learner_vec_env import LearnerVecEnv
    from arena.environments.vectorized import VectorGym

_PUBLISHED = re.compile(r"arena/([a-z0-9-]+)-v\d+")
_MEASURED = "policy"
_BOT = '''"""Plays what was learnt for {task}."""

from pathlib import Path

from arena.environments.policies import load_bot

load_bot(Path(__file__).parent).run()
'''
_BOT_FILE = """\
name = "{name}"
version = "{version}"
language = "python"
games = ["{game}"]
command = ["{{python}}", "bot.py"]
restart = "deal"
env = {{ OMP_NUM_THREADS = "1", OPENBLAS_NUM_THREADS = "1" }}
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """A game with its seats and variants, and the opponents of whom one is drawn for each other seat."""

    game: str
    seats: int
    variants: Mapping[str, str]
    opponents: tuple[AnyBot, ...]

    @cached_property
    def encoding(self) -> Encoding:
        """Rows and actions: ``describe()`` names them."""
        return encoding_of(self.game, self.seats, self.variants)

    @cached_property
    def rivals(self) -> tuple[Policy, ...]:
        """The opponents by name; ``BotError``: there are none, two have one name, or one plays only as a process."""
        rivals = tuple(map(make_policy, self.opponents))
        names = [rival.name for rival in rivals]
        if not names or len({name.lower() for name in names}) < len(names):
            got = f"{', '.join(names)}; arena.local_bot(CODE, NAME) gives another name" if names else "none"
            raise BotError(f"expected opponents of different names, got {got}")
        return rivals

    @property
    def name(self) -> str:
        """The environment, what is unusual at the table, and the opponents: ``arena/lure-v2 against greedy``."""
        usual = Environment(self.game)
        unusual = [f"{name}={value}" for name, value in self.variants.items() if value != usual.variants[name]]
        unusual = [f"seats={self.seats}"] * (self.seats != usual.seats) + unusual
        words = [self.encoding.name, *unusual, "against", *(rival.name for rival in self.rivals)]
        return " ".join(words)

    @property
    def fingerprint(self) -> str:
        """Differs when the rows, their scales, actions, seats, variants or opponents do, and code that plays."""
        codes: list[Any] = []
        for opponent, rival in zip(self.opponents, self.rivals, strict=True):
            if rival.pages and (page := page_of(rival.pages, self.game)):
                codes.append(page.read_bytes())
            elif not isinstance(opponent, str | Path):
                codes.append((opponent if isinstance(opponent, LocalBot) else local_bot(opponent)).file.command)
        return sha256(repr((self.encoding.fingerprint, self.name, codes)).encode()).hexdigest()[:16]

    def make_gym(self, *, seat: Seat | str = "random", render_mode: str | None = None) -> "GymEnv":
        """One match at a time as an environment of Gymnasium; ``seat`` is the learner's, by default another each time.

        ``UsageError``: there is no such seat or mode, or Gymnasium is not installed.
        """
        from arena.environments.gymnasium import GymEnv  # noqa: PLC0415 - an extra

        return GymEnv(
            self.game, self.opponents, seat=seat, seats=self.seats, variants=self.variants, render_mode=render_mode
        )

    def make_vector(
        self, n: int = 16, *, processes: int = 1, seat: Seat | str = "random", autoreset_mode: str = "NextStep"
    ) -> "VectorGym":
        """``n`` matches at once as a vector environment of Gymnasium, in so many processes.

        ``UsageError``: as of ``make_gym``, or an opponent cannot be sent to another process.
        """
        from arena.environments.vectorized import VectorGym  # noqa: PLC0415 - an extra

        return VectorGym(
            self.game,
            self.opponents,
            n=n,
            processes=processes,
            seat=seat,
            seats=self.seats,
            variants=self.variants,
            autoreset_mode=autoreset_mode,
        )

    def make_vec_env(self, n: int = 16, *, processes: int = 1, seat: Seat | str = "random") -> "LearnerVecEnv":
        """``n`` matches at once as a ``VecEnv`` of Stable-Baselines3, for its learners.

        ``UsageError``: as of ``make_vector``, or Stable-Baselines3 is not installed.
        """
        from arena.environments.learner_vec_env import LearnerVecEnv  # noqa: PLC0415 - an extra

        return LearnerVecEnv(self.make_vector(n, processes=processes, seat=seat, autoreset_mode="SameStep"))

    def snapshot(self, model: Any, *, greedy: bool = False, batches: bool = False) -> PolicyBot:
        """A policy or a learner as it is now, as an opponent for ``add``: what it learns later does not change it.

        A learner has ``predict``, ``save`` and ``load``, as models of Stable-Baselines3 have; with ``greedy`` it takes
        its best action. ``batches``: the policy takes many rows at once; a learner does. ``UsageError``: it cannot be
        written as bytes.
        """
        frozen = freeze(model, greedy=greedy)
        bot = PolicyBot(frozen, batches=batches or is_learner(model), fingerprint=self.encoding.fingerprint)
        bot.name = f"past-{frozen.digest[:8]}"
        return bot

    def measure(
        self,
        player: Any,
        *,
        deals: int = 40,
        seed: str = "cite",
        beside: Mapping[str, Any] | None = None,
        batches: bool = False,
        processes: int | None = 1,
    ) -> Measurement:
        """Play the same deals against every line-up of the opponents, from every seat.

        Args:
            player: a policy, a learner, or a bot as ``local_bot`` gives it, a ``Bot`` or by its name.
            deals: how many; fewer than ten have no interval.
            seed: the text from which the deals follow.
            beside: players by name, measured on the same deals for the differences; by default the opponents.
            batches: as of ``snapshot``.
            processes: so many play; most networks do not survive to be copied to another one.

        Raises:
            UsageError, BotError: a setting is not right, there is no such bot, or one raised an error.
        """
        if deals < 1:
            raise UsageError(f"expected deals from 1, got {deals!r}")
        others = {rival.name: rival for rival in self.rivals}
        if beside is not None:
            others = {name: make_policy(self._bot(other, batches=batches)) for name, other in beside.items()}
        names = [rival.name for rival in self.rivals]
        first = make_policy(self._bot(player, batches=batches))
        values = self._play(first, deals, seed, processes)
        lineups = lineups_of(names, self.seats)
        chances = [chance for _, chance in lineups]
        bounds = bounds_of(self.game, self.seats, self.variants)
        apart = bounds[0] - bounds[1], bounds[1] - bounds[0]
        differences = [
            Difference(
                player=name,
                **estimate(chances @ (values.table - self._play(other, deals, seed, processes).table), bounds=apart),
            )
            for name, other in others.items()
        ]
        verdicts = {*values.verdicts}
        return Measurement(
            **estimate(chances @ values.table, bounds=bounds),
            task=self.name,
            fingerprint=self.fingerprint,
            encoding=self.encoding.fingerprint,
            game=self.game,
            version=Environment(self.game).game.version,
            seats=self.seats,
            variants=dict(self.variants),
            opponents=tuple(names),
            player=first.name,
            deals=deals,
            seed=seed,
            matches=deals * self.seats * len(lineups),
            verdict=verdicts.pop() if len(verdicts) == 1 else "open",
            lineups=tuple(
                Lineup(opponents=lineup, chance=chance, **estimate(by_deal, bounds=bounds))
                for (lineup, chance), by_deal in zip(lineups, values.table, strict=True)
            ),
            differences=tuple(differences),
        )

    def export(self, model: Any, folder: str | Path, *, version: str = "1", batches: bool = False) -> Path:
        """Write a policy or a learner as a bot: a folder with a ``bot.toml``, called as the folder is; its path.

        The bot needs arena and what the policy imports, and refuses a match at another table than the task's. The
        files of an earlier export there are replaced. ``UsageError``: there is something else, the name is none of a
        bot, or the policy cannot be written as bytes.
        """
        folder = Path(folder)
        if not is_bot_name(folder.name):
            raise UsageError(
                f"expected a folder with the name of a bot, of letters, digits, '.', '_' or '-', got {folder}"
            )
        if folder.exists() and not (folder / "policy.json").is_file():
            raise UsageError(f"expected a new folder or an earlier export, got {folder}")
        policy = self.snapshot(model, greedy=True, batches=batches)
        assert isinstance(policy.policy, FrozenPolicy)  # noqa: S101 - it is a snapshot
        facts = Exported(task=self.name, encoding=self.encoding.fingerprint, batches=policy.batches)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "policy.bin").write_bytes(policy.policy.packed)
        (folder / "policy.json").write_bytes(msgspec.json.format(msgspec.json.encode(facts)) + b"\n")
        (folder / "bot.py").write_text(_BOT.format(task=self.name), encoding="utf-8")
        words = _BOT_FILE.format(name=folder.name, version=version, game=self.game)
        (folder / "bot.toml").write_text(words, encoding="utf-8")
        return folder

    def _bot(self, player: Any, *, batches: bool) -> AnyBot:
        """A policy or learner as a bot; others as they are."""
        if is_learner(player):
            player, batches = predictor_of(player, greedy=True), True
        elif isinstance(player, str | Path | LocalBot | Bot) or (isinstance(player, type) and issubclass(player, Bot)):
            bot: AnyBot = player
            return bot
        elif not callable(player):
            raise UsageError(f"expected a policy, a learner or a bot, got {type(player).__name__}")
        return local_bot(PolicyBot(player, batches=batches, fingerprint=self.encoding.fingerprint), "policy")

    def _play(self, player: Policy, deals: int, seed: str, processes: int | None) -> Values:
        return play_lineups(
            replace(player, name=_MEASURED, copies=1),
            self.rivals,
            game=self.game,
            seats=self.seats,
            variants=dict(self.variants),
            deals=deals,
            seed=seed,
            processes=processes,
        )


def task(
    game: str,
    opponents: AnyBot | Iterable[AnyBot] | None = None,
    *,
    seats: int | None = None,
    variants: Mapping[str, str] | None = None,
) -> Task:
    """A game as a task for learners: its environments, snapshots of what learns, its measurements, its bots.

    Args:
        game: the name of a game; or that of a task, as ``Task.name`` gives it, which says all the rest.
        opponents: bots of this process of whom one is drawn for each other seat: ``random``, as by default, ``greedy``
            or ``search``, a function from ``arena.Decision`` to picks, a ``Bot`` or a snapshot.
        seats: by default the usual table of the game.
        variants: by name; others have their defaults.

    Raises:
        UsageError, BotError: there is no such game, version, table or opponent.
    """
    head, _, tail = game.partition(" against ")
    words = head.split()
    if published := _PUBLISHED.fullmatch(words[0] if words else ""):
        if (tail or len(words) > 1) and (opponents, seats, variants) != (None, None, None):
            raise UsageError(f"expected the name of a task alone, got {game!r} and more")
        rules = Environment(published[1]).game
        if name_of(rules) != words[0]:
            raise UsageError(f"expected {name_of(rules)}, the rules and rows of this arena, got {words[0]}")
        settings = dict(word.partition("=")[::2] for word in words[1:])
        seats = int(settings.pop("seats")) if settings.get("seats", "").isdecimal() else seats
        game, opponents, variants = published[1], tail.split() or opponents, settings or variants
    table = Environment(game, seats, variants)
    made = Task(
        game=table.game.name,
        seats=table.seats,
        variants=table.variants,
        opponents=tuple(several("random" if opponents is None else opponents)),
    )
    made.rivals  # noqa: B018 - says what is wrong with them
    return made
