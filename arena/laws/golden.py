"""A golden: a match written down, so that a change of a game's rules, words, luck, draws or order of options shows.

The last line is a digest of all that was sent to any seat, in words and pictures too, whether it is told above or not.
"""

from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path

from arena.chance import Chance
from arena.game import Decision, Luck, Pending, State, Whisper
from arena.laws.table import GameSetup, answers, encode, outcome, sent

SEED = bytes(range(32))
MOST_CHARACTERS = 24_000
"""So many characters are written in full; of the rest only the end is written."""
OPTIONS_TOLD = 8


def goldens(setups: Iterable[GameSetup]) -> dict[str, GameSetup]:
    """The setups that have a golden, by the name of its file: those with the default variants."""
    return {f"{setup.name}.txt": setup for setup in setups if setup.variants == setup.game.resolve_variants({})}


def renew(setups: Iterable[GameSetup], folder: Path) -> None:
    """Write every golden into a folder and remove the goldens of setups that no longer exist."""
    folder.mkdir(exist_ok=True)
    by_name = goldens(setups)
    for old in folder.glob("*.txt"):
        if old.name not in by_name:
            old.unlink()
    for name, setup in by_name.items():
        (folder / name).write_text(golden(setup), encoding="ascii")


def golden(setup: GameSetup) -> str:
    """The golden of a setup: the text of one match, dealt from ``SEED`` and played at random."""
    game = setup.game
    state = game.deal(setup.seats, SEED, setup.variants)
    dice = Chance(b"golden")
    # not by its glyph: that is drawn by arena, and a game does not change with it
    hues = {kind: style.hue for kind, style in game.looks().items()} if game.looks else {}
    digest = sha256(encode((game.legend, hues)))
    variants = "".join(f", {name}={value}" for name, value in setup.variants.items())
    lines = [f"{game.title} (version {game.version}), {setup.seats} seats{variants}", ""]
    length = left_out = 0
    while isinstance(pending := state.pending(), Pending):
        _note(digest.update, state, setup)
        choices, before = answers(pending, dice), state.copy()
        step = [_format_question(seat, decision, choices[seat]) for seat, decision in sorted(pending.decisions.items())]
        events = state.apply(choices)
        digest.update(encode(events))
        step += [f"    {_sentence(event)}" for event in events]
        lucks = [_words(luck) for luck in (game.luck(before, choices, events) if game.luck else ())]
        digest.update("".join(lucks).encode())
        length += sum(map(len, step))
        if length <= MOST_CHARACTERS:
            lines += [*step, *lucks]
        else:
            left_out += 1
    _note(digest.update, state, setup)
    if left_out:
        lines.append(f"... {left_out} more steps ...")
    end = outcome(state)
    lines += ["", *(f"seat {seat}: rank {end.ranks[seat]}, score {end.scores[seat]}" for seat in range(setup.seats))]
    return "\n".join([*lines, f"sha256 of all that was sent and shown: {digest.hexdigest()[:16]}", ""])


def _note(update: Callable[[bytes], None], state: State, setup: GameSetup) -> None:
    view = setup.game.view
    for seat in range(setup.seats):
        update(sent(state, seat))
        sight = state.observe(seat)
        update(str(sight).encode())
        update(encode(view(sight) if view else None))


def _words(luck: Luck) -> str:
    gains = ", ".join([f"seat {seat} {gain:+.4f}" for seat, gain in enumerate(luck.gains) if gain])
    return f"    (luck: {gains or 'none'}; at most {luck.span:.4f} apart)"


def _format_question(seat: int, decision: Decision, picks: tuple[object, ...]) -> str:
    options = [str(option) for option in decision.options]
    more = len(options) - OPTIONS_TOLD
    among = " | ".join(options[:OPTIONS_TOLD]) + (f" | {more} more" if more > 0 else "")
    count = str(decision.most) if decision.least == decision.most else f"{decision.least} to {decision.most}"
    return f"seat {seat}, {count} of {len(options)}: {among} -> {', '.join(map(str, picks)) or 'nothing'}"


def _sentence(event: object) -> str:
    if isinstance(event, Whisper):
        return f"[to {', '.join(f'seat {seat}' for seat in event.seats)}] {event.event}"
    return str(event)
