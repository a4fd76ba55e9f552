"""Merges the journals of shards into one: the union of their matches by id.

Merging is associative and commutative, and merging a run with itself changes nothing: which copy of a match is kept
depends only on the copies. Knows folders, journals and manifests; starts nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby

import msgspec

from arena.files import remove, rename, write
from arena.record import Record, match_key, shaped
from arena.tournament import journal
from arena.tournament.folder import BALANCED, CUT, WHOLE, Broken, Manifest, RunFolder
from arena.tournament.plan import audits
from arena.tournament.remaining import Remaining
from arena.tournament.secrets import Secret
from arena.tournament.shard import Conflict, whole

NEW = ".matches.jsonl.new"
"""The journal while it is written; the rest of a killed merge may be overwritten."""
_OTHERS = "expected parts of one run, got others"


class Merged(msgspec.Struct, frozen=True):
    """The result of a merge: the manifest, how many matches it has, and whether all secrets are known."""

    manifest: Manifest
    matches: int
    secrets: bool


@contextmanager
def merge(runs: Sequence[RunFolder], out: RunFolder) -> Iterator[Callable[[], Merged]]:
    """Join the runs that are parts of one; what it gives writes that into ``out``, a folder that is not there or empty.

    So several merges can all be held against each other before the first is written. Of one that is not, nothing is
    left at the end of the block.

    Raises:
        Conflict: they are not parts of one run, or two have played a match differently.
        arena.tournament.folder.Broken, arena.tournament.journal.Corrupt: one of them is damaged.
        OSError: the folder cannot be written.
    """
    manifests = [run.manifest() for run in runs]
    for run, manifest in zip(runs, manifests, strict=True):
        if manifest.debug:
            raise Conflict(f"{run.path}: expected a fair run, got one in which {manifest.debug} was debugged")
        if not manifest.drawn_whole:
            raise Conflict(f"{run.path}: expected a run of --schedule {BALANCED}, got one of {manifest.schedule}")
        try:
            # each is compared with the first run, so that the error names the run that differs
            whole([manifests[0], manifest])
        except Conflict as difference:
            raise Conflict(f"{run.path}: {_OTHERS}: {difference}") from None
    try:
        manifest = whole(manifests)
    except Conflict as difference:
        raise Conflict(f"{_OTHERS}: {difference}") from None
    texts = _secrets(runs, manifest)
    _check_ids(runs, manifests, manifest, texts)
    made = [path for path in (out.path, *out.path.parents) if not path.exists()]
    new = out.path / NEW
    recorded: set[str] = set()

    def finish() -> Merged:
        whole_run = manifest
        known = len(texts) == len(manifest.epochs)
        if len(recorded) == manifest.matches and known:
            secrets = _secrets_of(manifest, texts)
            whole_run = msgspec.structs.replace(manifest.revealed(secrets), finished=True, sealed=journal.seal(new))
            if not whole_run.audits:
                blocks = Remaining(whole_run, secrets, {}, ()).blocks
                whole_run = msgspec.structs.replace(whole_run, audits=audits(whole_run, blocks))
        elif texts.keys() - {epoch.number for epoch in manifest.epochs if epoch.seed is not None}:
            out.write_secrets(texts)
        _logs(runs, out)
        rename(out.path, NEW, other=out.journal.name)
        out.write_manifest(whole_run)
        return Merged(whole_run, len(recorded), known)

    try:
        out.path.mkdir(parents=True, exist_ok=True)
        remove(out.path, NEW)
        with journal.Journal.open(new) as writing:
            for record in union(runs):
                recorded.add(record.id)
                writing.append(msgspec.json.encode(record))
            writing.sync()
        yield finish
    finally:
        if not out.journal.exists():
            # else the next attempt would not find an empty folder
            with suppress(OSError):
                remove(out.path, NEW)
                for path in made:
                    path.rmdir()


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
            if wrong := _difference(played[0], other):
                raise Conflict(
                    f"match {other.id}: expected the same match in all parts, got {wrong}{_where(runs, other.id)}"
                )
        yield min(played, key=msgspec.json.encode)


def _sound(record: Record) -> Record:
    try:
        shaped(record)
    except ValueError as error:
        raise Conflict(f"match {error}") from None
    return record


def _check_ids(
    runs: Sequence[RunFolder], manifests: Sequence[Manifest], whole_run: Manifest, texts: Mapping[int, str]
) -> None:
    """Check that each run holds only matches of its own part, as far as the schedule is known."""
    known = len(texts) == len(whole_run.epochs) and all(epoch.beacon or not epoch.awaits for epoch in whole_run.epochs)
    secrets = _secrets_of(whole_run, texts) if known else {}
    for run, manifest in zip(runs, manifests, strict=True):
        strange: set[str] = set()
        for record in run.outcomes():
            try:
                if known or not _possible(record.id, whole_run):
                    strange.add(record.id)
            except ValueError:
                raise _strange(run, manifest, record.id) from None
        shard = manifest.part if manifest.cut == CUT else WHOLE
        own = Remaining(whole_run, secrets, {}, (), shard).ids() if known else iter(())
        while strange and (match := next(own, None)) is not None:
            strange.discard(match)
        for record in run.outcomes() if strange else ():
            if record.id in strange:
                raise _strange(run, manifest, record.id)


def _strange(run: RunFolder, manifest: Manifest, match: str) -> Conflict:
    part = f"a match of shard {manifest.shard}" if manifest.shard else "a match of the run"
    return Conflict(f"{run.path}: expected {part}, got {match}")


def _possible(match: str, manifest: Manifest) -> bool:
    """Whether a run of any schedule can have a match of this id."""
    epoch, block, rotation = match_key(match)
    return epoch < len(manifest.epochs) and block < manifest.epochs[epoch].matches and rotation < max(manifest.seats)


def _where(runs: Sequence[RunFolder], match: str) -> str:
    holding = [str(run.path) for run in runs if any(record.id == match for record in run.outcomes())]
    return f" (in {', '.join(dict.fromkeys(holding))})"


def _difference(one: Record, other: Record) -> str | None:
    for what in ("game", "version", "variants", "bots"):
        if getattr(one, what) != getattr(other, what):
            return f"{what} {getattr(one, what)} and {getattr(other, what)}"
    for decision, (mine, theirs) in enumerate(zip(one.picks, other.picks, strict=False)):
        if mine != theirs:
            seat = one.seats_asked[decision]
            return f"picks {list(mine)} and {list(theirs)} by {one.bots[seat]} at decision {decision}"
    if len(one.picks) != len(other.picks):
        return f"{len(one.picks)} and {len(other.picks)} decisions"
    for what in ("ranks", "scores", "retired", "seats_asked"):
        if getattr(one, what) != getattr(other, what):
            return f"{what} {list(getattr(one, what))} and {list(getattr(other, what))}"
    if _faults(one) != _faults(other):
        return f"faults {_faults(one) or 'none'} and {_faults(other) or 'none'}"
    return None


def _faults(record: Record) -> str:
    return ", ".join(
        f"{fault.kind} of {record.bots[fault.seat]} at decision {fault.decision}" for fault in record.faults
    )


def _secrets(runs: Sequence[RunFolder], manifest: Manifest) -> dict[int, str]:
    """The seed texts that the runs know; each must fit its commitment."""
    texts = {epoch.number: epoch.seed for epoch in manifest.epochs if epoch.seed is not None}
    for run in runs:
        texts |= run.kept_secrets()
    for epoch in manifest.epochs:
        if epoch.number in texts and Secret.of(texts[epoch.number]).commitment != epoch.commitment:
            raise Broken(f"expected the secret that epoch {epoch.number} committed to, got another")
    return {epoch.number: texts[epoch.number] for epoch in manifest.epochs if epoch.number in texts}


def _secrets_of(manifest: Manifest, texts: Mapping[int, str]) -> dict[int, Secret]:
    return {epoch.number: Secret.of(texts[epoch.number], beacon=epoch.beacon) for epoch in manifest.epochs}


def _logs(runs: Sequence[RunFolder], out: RunFolder) -> None:
    """Put together what each bot wrote to stderr, in the order of the runs; equal logs once."""
    kept: dict[str, list[bytes]] = {}
    for run in runs:
        for name, text in run.read_logs():
            if text not in kept.setdefault(name, []):
                kept[name].append(text)
    for name, texts in kept.items():
        write(out.path, f"{out.logs.name}/{name}", b"".join(texts))
