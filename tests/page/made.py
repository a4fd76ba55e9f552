"""Reports of runs that nobody played: as many bots as one likes, of known strength, and matches drawn by chance."""

from hashlib import sha256
from math import exp

from arena.chance import Chance
from arena.fault import Fault
from arena.ratings import fit_outcomes
from arena.record import Record
from arena.report.findings import BotFacts, Provenance, Report, survey_results
from arena.report.leaderboard import make_leaderboard
from arena.results.columns import Results

_KINDS = ("greedy", "search", "harbour-pilot", "random", "quiet-otter", "policy-gradient")
_LIMIT = 1000
_FINE = 1 << 20


def report_made(*, bots: int, blocks: int, seats: int = 4, spread: float = 4.0) -> Report:
    """The report of a run of so many blocks; the same for equal numbers.

    The strengths of the bots lie evenly over ``spread``; who finishes ahead is drawn as Plackett and Luce have it.
    """
    names = [f"{_KINDS[index % len(_KINDS)]}-{index}" for index in range(bots)]
    luck = Chance(b"report")
    strength = {name: spread * index / max(bots - 1, 1) for index, name in enumerate(names)}
    results = Results(names)
    records: list[Record] = []
    order = list(names)
    while len(records) < blocks * seats:
        luck.shuffle(order)
        for start in range(0, bots - seats + 1, seats):
            records += _block(order[start : start + seats], luck, strength, len(records) // seats)
    records = records[: blocks * seats]
    results.add(records)
    fit = fit_outcomes(results.outcomes(), names)
    table = make_leaderboard(
        results, fit, run="results/made", game="cash-a-catch", seats=seats, seed="made", seconds=2.5 * len(records)
    )
    figures = survey_results(results, fit, table, limit=_LIMIT)
    told = Provenance(
        name="made",
        path="results/made",
        game="cash-a-catch",
        title="Cash-a-Catch",
        seats=str(seats),
        created="2026-01-02 03:04:05 UTC",
        seconds=table.seconds,
        limit=_LIMIT,
        facts={"played by": "arena", "begun": "2026-01-02 03:04:05 UTC", "seed text": "given by the host"},
        commitments=(("0" * 64, "made"),),
        bots=tuple(
            BotFacts(
                name=name,
                language="python",
                version="1",
                digest=sha256(name.encode()).hexdigest(),
                command=f"python3 {name}.py",
            )
            for name in names
        ),
        verify=("arena verify results/made",),
    )
    return Report(leaderboard=table, survey=figures, provenance=told)


def _block(bots: list[str], luck: Chance, strength: dict[str, float], block: int) -> list[Record]:
    made = []
    for rotation in range(len(bots)):
        seated = tuple(bots[rotation:] + bots[:rotation])
        left, order = list(range(len(seated))), list[int]()
        while left:
            weights = [int(_FINE * exp(strength[seated[seat]])) for seat in left]
            drawn = luck.below(sum(weights))
            chosen = next(index for index in range(len(left)) if drawn < sum(weights[: index + 1]))
            order.append(left.pop(chosen))
        ranks = tuple(order.index(seat) for seat in range(len(seated)))
        # now and then two share a place
        ranks = tuple(0 if rank == 1 and luck.below(9) == 0 else rank for rank in ranks)
        faults = (Fault(seat=0, kind="late", decision=2, rule="expected an answer within 1000 ms, got none"),)
        made.append(
            Record(
                id=f"e0b{block}r{rotation}",
                game="cash-a-catch",
                version="1",
                bots=seated,
                ranks=ranks,
                scores=tuple(40 - 9 * rank + luck.below(7) for rank in ranks),
                reason="finished",
                faults=faults if luck.below(97) == 0 else (),
                picks=tuple((luck.below(5),) for _ in range(12)),
                seats_asked=tuple(turn % len(seated) for turn in range(12)),
                micros=tuple(200 + luck.below(1 << (6 + turn)) for turn in range(12)),
                seconds=2.5,
            )
        )
    return made
