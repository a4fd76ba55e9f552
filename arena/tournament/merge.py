"""The merge of the journals of shards into one: the union of their matches by id.

Merging is associative and commutative, and merging a run with itself changes nothing: which copy of a match is kept
depends only on the copies. Knows folders, journals and manifests; starts nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import DamagedError, UsageError, words_of
from arena.files import remove, rename, write
from arena.record import Record, fault_in_shape, match_key
from arena.retelling import compare_fields
from arena.tournament import journal
from arena.tournament.check_cost import too_long_to_check
from arena.tournament.folder import BALANCED, BrokenRun, Manifest, RunFolder
from arena.tournament.one_round import schedule_of
from arena.tournament.parts import Conflict, merge_manifests
from arena.tournament.plan import with_audit
from arena.tournament.remaining import Remaining
from arena.tournament.run import find_runs
from arena.tournament.secrets import Secret
from arena.words import every, plural

NEW = ".matches.jsonl.new"
"""The journal while it is written; the rest of a killed merge may be overwritten."""
_OTHERS = "expected parts of one run, got others"
_PLAYED = ("game", "version", "variants", "bots", "picks", "ranks", "scores", "retired", "seats_asked", "faults")
"""Fields in which two records of a match must agree."""


class Merged(Struct, frozen=True):
    """The result of a merge: the manifest, how many matches it has, and whether all secrets are known."""

    manifest: Manifest
    matches: int
    secrets: bool

    def __str__(self) -> str:
        if self.matches < self.manifest.matches:
            return f"{self.matches:,} of {plural(self.manifest.matches, 'match')}"
        whole = every(self.manifest.matches, "match")
        if not self.secrets:
            needed = "with the plan among the runs it can be finished and verified"
            return f"{whole}, but not the secret: {needed}"
        return whole


@contextmanager
def merge(runs: Sequence[RunFolder], out: RunFolder) -> Iterator[Callable[[], Merged]]:
    """Join the runs that are parts of one; what it gives writes that into ``out``, a folder that is not there or empty.

    So several merges can all be held against each other before the first is written. Of one that is not, nothing is
    left at the end of the block.

    Raises:
        Conflict: they are not parts of one run, or two have played a match differently.
        arena.tournament.folder.BrokenRun, arena.tournament.journal.Corrupt: one of them is damaged.
        OSError: the folder cannot be written.
    """
    manifests = [run.manifest() for run in runs]
    manifest = _joined(runs, manifests)
    texts = _secrets(runs, manifest)
    secrets = out.secrets_of(manifest, texts) if len(texts) == len(manifest.epochs) else None
    if not manifest.finished:
        # what stands alone has no matches of another part
        _check_ids(runs, manifests, manifest, secrets)
    made = [path for path in (out.path, *out.path.parents) if not path.exists()]
    new = out.path / NEW
    recorded: set[str] = set()

    def finish() -> Merged:
        whole_run = manifest
        if len(recorded) == manifest.matches and secrets is not None and not manifest.finished:
            whole_run = replace(manifest.revealed(secrets), finished=True, sealed=journal.seal(new))
            if not whole_run.audits:
                whole_run = with_audit(whole_run, schedule_of(whole_run, secrets).blocks)
        elif texts.keys() - {epoch.number for epoch in manifest.epochs if epoch.seed is not None}:
            out.write_secrets(texts)
        _logs(runs, out)
        rename(out.path, NEW, other=out.journal.name)
        out.write_manifest(whole_run)
        return Merged(whole_run, len(recorded), secrets is not None)

    try:
        out.path.mkdir(parents=True, exist_ok=True)
        remove(out.path, NEW)
        with journal.Journal.open(new) as writing:
            for record in union(runs):
                recorded.add(record.id)
                writing.append(msgspec.json.encode(record))
            writing.sync()
        if manifest.finished and manifest.sealed not in {None, journal.seal(new)}:
            raise BrokenRun(f"{runs[0].journal}: expected the matches that the run was finished with, got others")
        yield finish
    finally:
        if not out.journal.exists():
            # else the next attempt would not find an empty folder
            with suppress(OSError):
                remove(out.path, NEW)
                for path in made:
                    path.rmdir()


def _joined(runs: Sequence[RunFolder], manifests: Sequence[Manifest]) -> Manifest:
    """The manifest of the whole run; that of a finished run whose rounds follow from results, if it stands alone."""
    for run, manifest in zip(runs, manifests, strict=True):
        if manifest.debug:
            raise Conflict(f"{run.path}: expected a fair run, got one in which {manifest.debug} was debugged")
        if not manifest.drawn_whole:
            if manifest.finished and len(runs) == 1:
                return manifest
            raise Conflict(f"{run.path}: expected a run of --schedule {BALANCED}, got one of {manifest.schedule}")
        try:
            # each is compared with the first run, so that the error names the run that differs
            merge_manifests([manifests[0], manifest])
        except Conflict as difference:
            raise Conflict(f"{run.path}: {_OTHERS}: {difference}") from None
    try:
        return merge_manifests(manifests)
    except Conflict as difference:
        raise Conflict(f"{_OTHERS}: {difference}") from None


def check_sound(run: RunFolder) -> None:
    """Read a run from end to end, so that what is missing or damaged is raised."""
    run.manifest()
    run.kept_secrets()
    for record in run.records():
        _sound(record)


def union(runs: Sequence[RunFolder]) -> Iterator[Record]:
    """Every match of these runs once, in canonical order.

    Of two that were played alike, and of two voids, the one whose bytes sort first; a match that was played goes before
    a void one.

    Raises:
        Conflict: two have played a match differently.
        arena.tournament.journal.Corrupt: a journal is damaged.
    """
    sealed = {run.journal: run.sealed() for run in runs}
    paths = [path for path in sealed if path.exists()]
    for _, same in groupby(journal.in_order(paths, [sealed[path] for path in paths]), key=lambda record: record.id):
        copies = [_sound(record) for record in same]
        played = [record for record in copies if record.reason != "void"] or copies
        for other in played[1:]:
            if wrong := compare_fields(played[0], other, _PLAYED, seat=other.bots.__getitem__):
                got = f"{wrong.name} {wrong.due} and {wrong.got}{wrong.where}{_where(runs, other.id)}"
                raise Conflict(f"match {other.id}: expected the same match in all parts, got {got}")
        yield min(played, key=msgspec.json.encode)


def _sound(record: Record) -> Record:
    if wrong := fault_in_shape(record):
        raise Conflict(f"match {record.id}: {wrong}")
    return record


def _check_ids(
    runs: Sequence[RunFolder],
    manifests: Sequence[Manifest],
    whole_run: Manifest,
    secrets: Mapping[int, Secret] | None,
) -> None:
    """Check that each run holds only matches of its own part, as far as the schedule is known."""
    if any(epoch.awaits and not epoch.beacon for epoch in whole_run.epochs) or too_long_to_check(whole_run, runs):
        secrets = None
    for run, manifest in zip(runs, manifests, strict=True):
        ids = None if secrets is None else set(Remaining(whole_run, secrets, {}, (), manifest.part).ids())
        for record in run.outcomes():
            if not (_possible(record.id, whole_run) if ids is None else record.id in ids):
                due = f"a match of shard {manifest.shard}" if manifest.shard else "a match of the run"
                raise Conflict(f"{run.path}: expected {due}, got {record.id}")


def _possible(match: str, manifest: Manifest) -> bool:
    """Whether a run of any schedule can have a match of this id."""
    try:
        epoch, block, rotation = match_key(match)
    except ValueError:
        return False
    return epoch < len(manifest.epochs) and block < manifest.epochs[epoch].matches and rotation < max(manifest.seats)


def _where(runs: Sequence[RunFolder], match: str) -> str:
    holding = [str(run.path) for run in runs if any(record.id == match for record in run.outcomes())]
    return f" (in {', '.join(dict.fromkeys(holding))})"


def _secrets(runs: Sequence[RunFolder], manifest: Manifest) -> dict[int, str]:
    """The seed texts that the runs know; each must fit its commitment."""
    texts = {epoch.number: epoch.seed for epoch in manifest.epochs if epoch.seed is not None}
    for run in runs:
        texts |= run.kept_secrets()
    for epoch in manifest.epochs:
        if epoch.number in texts and Secret.of(texts[epoch.number]).commitment != epoch.commitment:
            raise BrokenRun(f"expected the secret that epoch {epoch.number} committed to, got another")
    return {epoch.number: texts[epoch.number] for epoch in manifest.epochs if epoch.number in texts}


def _logs(runs: Sequence[RunFolder], out: RunFolder) -> None:
    """Put together what each bot wrote to stderr, in the order of the runs; equal logs once."""
    logs: dict[str, list[bytes]] = {}
    for run in runs:
        for name, text in run.read_logs():
            if text not in logs.setdefault(name, []):
                logs[name].append(text)
    for name, texts in logs.items():
        write(out.path, f"{out.logs.name}/{name}", b"".join(texts))


def group_by_game(runs: Iterable[tuple[str, RunFolder]]) -> Mapping[str, list[RunFolder]]:
    """The runs to join, by name: where folders hold runs of several games, the name is that of the game."""
    by_name: dict[str, list[RunFolder]] = {}
    for name, folder in runs:
        by_name.setdefault(name, []).append(folder)
    if "" in by_name and len(by_name) > 1:
        others = ", ".join(name for name in by_name if name)
        raise UsageError(f"expected runs, or folders of runs, got {by_name[''][0].path} beside folders with {others}")
    return by_name


_DAMAGE = (UsageError, DamagedError, OSError)
"""What goes wrong with files that are missing, damaged or cannot be read."""


def find_all(runs: Iterable[Path]) -> Iterator[tuple[str, RunFolder]]:
    """Each run in these folders, and its name."""
    for run in runs:
        yield from find_runs(run).items()


def find_sound(runs: Sequence[Path], say: Callable[[str], object]) -> Iterator[tuple[str, RunFolder]]:
    """Each run that can be read from end to end, and its name; to ``say`` goes why others are left out.

    All of the first folder has to be sound: it is the plan, which has the secret, or the results so far.

    Raises:
        UsageError, DamagedError, OSError: a folder is not there, or the first one is damaged.
    """
    plan, *shards = runs
    yield from find_all([plan])
    for shard in shards:
        try:
            inside = find_runs(shard)
        except _DAMAGE as error:
            if not shard.is_dir():
                raise
            say(_left_out(shard, error))
            continue
        for name, folder in inside.items():
            try:
                check_sound(folder)
            except _DAMAGE as error:
                say(_left_out(folder.path, error))
            else:
                yield name, folder


def _left_out(path: Path, error: Exception) -> str:
    words = words_of(error)
    return f"arena: left out: {words if words.startswith(str(path)) else f'{path}: {words}'}"
