"""Writes the goldens, one readable match a seat count: ``python -m tests.shelf.renew_goldens``.

A golden shows what changed in a game's rules, its words, its draws or the order of its options. The last line is a
digest of all that was sent to any seat, whether it is told above or not.
"""

import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from arena.chance import Chance
from arena.game import Decision, Pending, State, Whisper
from tests.shelf.walk import Table, answers, encode, outcome, sent, tables

GOLDENS = Path(__file__).parent / "goldens"
SEED = bytes(range(32))
TOLD = 24_000
"""Characters told in full; of what follows only the end is told."""
OPTIONS_TOLD = 8


def golden_tables() -> dict[str, Table]:
    """Every seat count of every game with its default variants, by the name of its golden."""
    return {f"{table.name}.txt": table for table in tables() if table.variants == table.game.settle({})}


def golden(table: Table) -> str:
    """The match of a table that its golden tells, dealt from ``SEED`` and played at random."""
    game = table.game
    state = game.deal(table.seats, SEED, table.variants)
    dice = Chance(b"golden")
    digest = sha256()
    variants = "".join(f", {name}={value}" for name, value in table.variants.items())
    lines = [f"{game.title} (version {game.version}), {table.seats} seats{variants}", ""]
    length = left_out = 0
    while isinstance(pending := state.pending(), Pending):
        note(digest.update, state, table)
        chosen = answers(pending, dice)
        step = [asked(seat, decision, chosen[seat]) for seat, decision in sorted(pending.decisions.items())]
        events = state.apply(chosen)
        digest.update(encode(events))
        step += [f"    {told(event)}" for event in events]
        length += sum(map(len, step))
        if length <= TOLD:
            lines += step
        else:
            left_out += 1
    note(digest.update, state, table)
    if left_out:
        lines.append(f"... {left_out} more steps ...")
    end = outcome(state)
    lines += ["", *(f"seat {seat}: rank {end.ranks[seat]}, score {end.scores[seat]}" for seat in range(table.seats))]
    return "\n".join([*lines, f"sha256 of all that was sent: {digest.hexdigest()[:16]}", ""])


def note(update: Callable[[bytes], None], state: State, table: Table) -> None:
    """Add what every seat is sent at this moment to the digest."""
    for seat in range(table.seats):
        update(sent(state, seat))


def asked(seat: int, decision: Decision, picks: tuple[object, ...]) -> str:
    """A question and its answer on one line."""
    options = [str(option) for option in decision.options]
    more = len(options) - OPTIONS_TOLD
    among = " | ".join(options[:OPTIONS_TOLD]) + (f" | {more} more" if more > 0 else "")
    count = str(decision.most) if decision.least == decision.most else f"{decision.least} to {decision.most}"
    return f"seat {seat}, {count} of {len(options)}: {among} -> {', '.join(map(str, picks)) or 'nothing'}"


def told(event: object) -> str:
    """An event as a sentence, with those who alone hear it."""
    if isinstance(event, Whisper):
        return f"[to {', '.join(f'seat {seat}' for seat in event.seats)}] {event.event}"
    return str(event)


def main() -> None:
    """Write every golden and take away those of tables that are no more."""
    GOLDENS.mkdir(exist_ok=True)
    wanted = golden_tables()
    for old in GOLDENS.glob("*.txt"):
        if old.name not in wanted:
            old.unlink()
    for name, table in wanted.items():
        (GOLDENS / name).write_text(golden(table), encoding="ascii")
        sys.stdout.write(f"{GOLDENS.name}/{name}\n")


if __name__ == "__main__":
    main()
