"""Write a run folder of many matches without playing them: real records of a small run under the ids of a large one.

Manifest, schedule, ids, line-ups, sequence numbers, checksums and the seal are those of a real run, and whoever reads
the folder cannot tell the difference. The deals do not fit the picks: ``arena verify`` and ``arena replay`` say so.

``python benchmarks/synthetic.py FOLDER --matches N [--bots 100] [--game catch-of-the-day] [--recorded N]``
"""

import random
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

from msgspec.structs import replace
from options import output, positive

from arena import record as records
from arena.formats.schedule import Unit, cut_units, remaining_matches
from arena.games import find
from arena.record import Record
from arena.tournament.folder import Entrant, Manifest, RunFolder
from arena.tournament.journal import Sealed
from arena.tournament.plan import schedule, settings_of
from arena.tournament.setting_up import set_up_run

SMALL = 24
"""Matches of the small run."""
KEPT = 12
"""Its records that are used, each with its seats in every order."""
SPREAD = 1.5
"""How far the strengths of the bots lie apart, where a match adds luck of 1."""
SEED = "synthetic"


def small_run(game: str, folder: Path) -> RunFolder:
    """A small run of the shipped bots, played for its records.

    Raises:
        Failed: it cannot be played.
    """
    words = f"run --game {game} -n {SMALL} --seed {SEED} --isolation none -q -o {folder}".split()
    output([sys.executable, "-m", "arena", *words])
    return RunFolder(folder)


def turned(record: Record, places: Sequence[int]) -> Record:
    """The same match with seat ``s`` sitting at ``places[s]``."""
    at = {place: seat for seat, place in enumerate(places)}
    seats = range(len(places))
    return replace(
        record,
        ranks=tuple(record.ranks[at[seat]] for seat in seats),
        scores=tuple(record.scores[at[seat]] for seat in seats),
        seats_asked=tuple(places[seat] for seat in record.seats_asked),
        faults=tuple(replace(fault, seat=places[fault.seat]) for fault in record.faults),
        retired=tuple(places[seat] for seat in record.retired),
        burnt=tuple(record.burnt[at[seat]] for seat in seats) if record.burnt else (),
    )


def templates(found: Sequence[Record]) -> dict[tuple[int, ...], list[bytes]]:
    """By who comes first to last, the records that end so: from ``ranks`` on, without the brace at the end."""
    by_order: dict[tuple[int, ...], list[bytes]] = {}
    for record in found[:KEPT]:
        for places in permutations(range(len(record.bots))):
            each = turned(record, places)
            order = tuple(sorted(range(len(places)), key=lambda seat: (each.ranks[seat], seat)))
            body = records.encode(each)
            by_order.setdefault(order, []).append(body[body.index(b',"ranks"') : -1])
    return by_order


def entrants_of(manifest: Manifest, bots: int) -> list[Entrant]:
    """So many entrants: the shipped bots, and then more of the first of them under other names."""
    known = list(manifest.entrants)[:bots]
    names = [f"bot-{number:03}" for number in range(len(known), bots)]
    return known + [replace(known[0], name=name, entered=name) for name in names]


def lines(manifest: Manifest, cut: Iterable[Unit], found: Sequence[Record], most: int) -> Iterator[bytes]:
    """The journal: the first so many matches in the order in which one lane plays them."""
    luck = random.Random(SEED)  # noqa: S311 - nothing secret
    strength = {entrant.name: SPREAD * luck.random() for entrant in manifest.entrants}
    by_order = templates(found)
    any_order = [rest for each in by_order.values() for rest in each]
    body = records.encode(found[0])
    shown = body[body.index(b',"game"') : body.index(b',"bots"')]
    matches = (match for unit in cut for match in remaining_matches(unit))
    for number, match in zip(range(most), matches, strict=False):
        seated = match.bots
        done = [strength[bot] + luck.gauss(0, 1) for bot in seated]
        order = tuple(sorted(range(len(seated)), key=lambda seat: -done[seat]))
        rest = luck.choice(by_order.get(order, any_order))
        line = b'{"seq":%d,"id":"%s"%s,"bots":["%s"]%s' % (
            number,
            match.id.encode(),
            shown,
            '","'.join(seated).encode(),
            rest,
        )
        yield line + b',"crc":"%08x"}\n' % crc32(line)


def synthetic(path: Path, small: RunFolder, *, matches: int, bots: int = 100, recorded: int | None = None) -> RunFolder:
    """Write a run of so many matches, the first ``recorded`` of which are in the journal; by default it is finished.

    Raises:
        FileExistsError: there is something at ``path``.
    """
    path.mkdir(parents=True)
    folder = RunFolder(path)
    played = small.manifest()
    found = [record for record in small.records() if record.reason == "finished"]
    game = find(played.game)
    settings = settings_of(played, matches=matches, seed=SEED)
    manifest = set_up_run(folder, settings, game, entrants_of(played, bots))
    secrets = folder.secrets_of(manifest)
    cut = cut_units(schedule(manifest, manifest.epochs[0], secrets[0]))
    most = manifest.matches if recorded is None else recorded
    with folder.journal.open("wb") as journal:
        digest = sha256()
        for line in lines(manifest, cut, found, most):
            journal.write(line)
            digest.update(line)
    seconds = 0.02 * most
    if most < manifest.matches:
        folder.write_manifest(replace(manifest, seconds=seconds))
        return folder
    epoch = replace(manifest.epochs[0], seed=SEED)
    sealed = Sealed(manifest.matches, digest.hexdigest())
    folder.write_manifest(replace(manifest, epochs=(epoch,), finished=True, sealed=sealed, seconds=seconds))
    folder.forget_secrets()
    return folder


def main() -> None:
    """Write the folder that is asked for."""
    words = ArgumentParser(description=__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("--matches", type=positive, required=True)
    words.add_argument("--recorded", type=int)
    words.add_argument("--bots", type=positive, default=100)
    words.add_argument("--game", default="catch-of-the-day")
    asked = words.parse_args()
    with TemporaryDirectory() as desk:
        small = small_run(asked.game, Path(desk, "small"))
        synthetic(asked.folder, small, matches=asked.matches, bots=asked.bots, recorded=asked.recorded)


if __name__ == "__main__":
    main()
