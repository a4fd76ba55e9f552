"""What is decided for a run by what is asked for and what is stored: tables of a pure function, without any process."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena import games
from arena.tournament.decision import (
    Begin,
    Decision,
    Extend,
    Finished,
    Plan,
    PlayPart,
    Refused,
    Request,
    Resume,
    Stored,
    count_lacking,
    decide,
    list_newcomers,
    map_names,
)
from arena.tournament.folder import Entrant, Manifest
from arena.tournament.one_round import schedule_of
from arena.tournament.plan import Settings, with_audit
from arena.tournament.secrets import Secret
from arena.wire import Limits
from tests.tournament.playing import settings_for

GAME = games.find("dockfight")
FIELD = ("ant", "bee", "cod", "dab")
MATCHES = 16


def enter(*names: str, **digests: str) -> tuple[Entrant, ...]:
    """Entrants of these names; ``slip="x"`` is a bot with other files."""
    return tuple(Entrant(name, digests.get(name, f"of {name}"), ("cat",)) for name in names)


def ask(
    matches: int = MATCHES, entrants: tuple[Entrant, ...] = enter(*FIELD), retry: tuple[str, ...] = (), **changes: Any
) -> Request:
    """A request of a run of four seats."""
    settings = replace(settings_for(GAME, matches, seed="demo", seats=(4,)), **changes)
    return Request(game=GAME, settings=settings, entrants=entrants, retry=retry)


def finish(decision: Decision | Refused) -> Manifest:
    """The manifest of a run once it was played to its end."""
    assert not isinstance(decision, Refused), decision.why
    manifest = decision.manifest
    if isinstance(decision, Begin | Extend):
        before = {epoch.number: Secret.of(epoch.seed) for epoch in manifest.epochs if epoch.seed is not None}
        secrets = before | {manifest.epochs[-1].number: decision.secret}
        manifest = with_audit(manifest, schedule_of(manifest, secrets).blocks).revealed(secrets)
    return replace(manifest, finished=True)


def again(request: Request, manifest: Manifest, *, complete: bool = True) -> Decision | Refused:
    """What is decided where this run is stored."""
    return decide(request, Stored(manifest=manifest, complete=complete))


def begin(request: Request) -> Begin:
    """The beginning of a run where none is stored."""
    decision = decide(request, None)
    assert isinstance(decision, Begin)
    return decision


def test_an_empty_folder() -> None:
    """A run begins, with the secret of its seed, whole blocks, and all who are not withdrawn in its line-ups."""
    decision = begin(ask(MATCHES - 3))
    assert decision.manifest.epochs[0].commitment == Secret.of("demo").commitment
    assert (count_lacking(decision), list_newcomers(decision.manifest)) == (MATCHES, list(FIELD))
    absent = replace(enter("eel")[0], withdrawn="it does not start")
    assert begin(ask(entrants=(*enter(*FIELD), absent))).manifest.epochs[0].entrants == FIELD


RUN = finish(begin(ask()))
HALF = replace(RUN, finished=False)


@pytest.mark.parametrize(
    ("stored", "complete", "request_", "kind"),
    [
        (HALF, False, ask(), Resume),
        # as many as are played is as many as were asked for
        (HALF, False, ask(MATCHES - 1), Resume),
        (RUN, True, ask(), Finished),
        (RUN, True, ask(MATCHES - 1), Finished),
        # a journal that was cut short
        (RUN, False, ask(), Resume),
        (RUN, True, ask(MATCHES + 1), Extend),
        (RUN, True, ask(entrants=enter(*FIELD, "eel")), Extend),
        (RUN, True, ask(entrants=enter(*FIELD, dab="other files")), Extend),
        # who stays lacks nothing when somebody leaves, if there are enough for a table
        (finish(begin(ask(20, enter(*FIELD, "eel")))), True, ask(entrants=enter(*FIELD)), Finished),
    ],
)
def test_a_stored_run(stored: Manifest, complete: bool, request_: Request, kind: type) -> None:
    """The same is resumed or nothing is lacking; more matches and other bots extend a finished run."""
    assert type(again(request_, stored, complete=complete)) is kind


def count_played(manifest: Manifest) -> dict[str, int]:
    """The matches of each bot."""
    return manifest.audits["4"].bots


def test_matches_of_each_bot() -> None:
    """A run may be as long as each bot needs for its matches, whoever takes part; then nothing is lacking."""
    run = finish(begin(ask(per_bot=10, entrants=enter(*FIELD, "eel"))))
    # whole blocks, and the seats of the last one are filled
    assert sorted(count_played(run).values()) == [12, 12, 12, 12, 16]
    assert type(again(ask(per_bot=10, entrants=enter(*FIELD, "eel")), run)) is Finished
    # fewer bots lack nothing, and a new one gets its own
    assert type(again(ask(per_bot=10), run)) is Finished
    joined = finish(again(ask(per_bot=10, entrants=enter(*FIELD, "eel", "fry")), run))
    assert count_played(joined)["fry"] == 12
    # of a run that was begun with a number for all
    assert set(count_played(finish(again(ask(per_bot=20), RUN))).values()) == {20}


def test_as_many_again() -> None:
    """Each bot may play as often again as a season asks; a new one has no more to play than the others."""
    run = finish(begin(ask(per_bot=12)))
    longer = finish(again(ask(per_bot=12, again=True), run))
    assert set(count_played(longer).values()) == {24}
    joined = finish(again(ask(per_bot=12, again=True, entrants=enter(*FIELD, "eel")), longer))
    assert sorted(count_played(joined).values()) == [12, 36, 36, 36, 40]
    assert count_played(joined)["eel"] == 12


CUP = finish(begin(ask(schedule="knockout")))


@pytest.mark.parametrize(
    ("stored", "request_", "why"),
    [
        (HALF, ask(2 * MATCHES), "expected 16 matches, got 32 (finish it, then ask for more)"),
        (HALF, ask(4), "expected 16 matches, got 4"),
        (RUN, ask(4), "expected 16 matches, got 4"),
        (HALF, ask(entrants=enter(*FIELD, "eel")), "expected bots ant, bee, cod, dab, got ant, bee, cod, dab, eel"),
        (HALF, ask(entrants=enter(*FIELD, dab="other")), "expected bot 'dab' as it was entered, got other files"),
        (RUN, ask(seed="omed"), "expected the --seed that it began with, got 'omed'"),
        (RUN, ask(seats=(3,)), "expected --seats 4, got 3"),
        (RUN, ask(schedule="swiss"), "expected --schedule balanced, got swiss"),
        (RUN, ask(limits=Limits(10_000, 7)), "expected --move-time 1s, got 7ms"),
        (RUN, ask(beacon="1 2 3"), "expected no --beacon, got --beacon '1 2 3'"),
        (RUN, ask(entrants=enter("ant", "bee", "cod")), "expected at least 4 bots that play, got 3"),
        (CUP, ask(2 * MATCHES, schedule="knockout"), "for only balanced can be extended; got -n 32"),
        (CUP, ask(entrants=enter(*FIELD, "eel"), schedule="knockout"), "for only balanced can be extended; got others"),
    ],
)
def test_what_is_refused(stored: Manifest, request_: Request, why: str) -> None:
    """The reason names the first difference, what was expected and what there was."""
    decision = again(request_, stored)
    assert isinstance(decision, Refused)
    assert why in str(decision.why)


def test_a_format_that_these_bots_cannot_play() -> None:
    """It is refused before anything is stored, and the reason names the option."""
    decision = decide(ask(schedule="groups,groups=9"), None)
    assert isinstance(decision, Refused)
    assert decision.why.option == "schedule"


def test_more_matches() -> None:
    """The difference is an epoch of its own, with another secret; asked for once more, nothing is lacking."""
    decision = again(ask(18), RUN)
    assert isinstance(decision, Extend)
    first, last = decision.manifest.epochs
    assert (first.matches, last.matches, count_lacking(decision)) == (MATCHES, 4, 4)
    assert first.commitment != last.commitment == decision.secret.commitment
    assert isinstance(again(ask(18), finish(decision)), Finished)


def test_bots_that_change_leave_and_come_back() -> None:
    """A bot is its files: changed it enters as another, changed back it is what it was and lacks nothing."""
    changed = again(ask(entrants=enter(*FIELD, dab="second")), RUN)
    assert isinstance(changed, Extend)
    assert list_newcomers(changed.manifest) == ["dab@2"]
    assert map_names(changed, enter(*FIELD, dab="second"))["dab"] == "dab@2"
    now = finish(changed)
    back = again(ask(), now)
    assert isinstance(back, Finished)
    assert back.manifest.present == FIELD
    third = again(ask(entrants=enter(*FIELD, dab="third")), finish(back))
    assert isinstance(third, Extend)
    assert list_newcomers(third.manifest) == ["dab@3"]
    # everyone gets the share of so many matches
    more = again(ask(2 * MATCHES, enter(*FIELD, dab="second")), now)
    assert isinstance(more, Extend)
    assert more.manifest.epochs[-1].owed == {"4": {"dab@2": 4}}


def test_who_was_withdrawn_stays_so() -> None:
    """A bot that could not start is tried again only where its name is given."""
    ill = replace(enter("eel")[0], withdrawn="it does not start")
    run = finish(begin(ask(entrants=(*enter(*FIELD), ill))))
    field = enter(*FIELD, "eel")
    assert isinstance(again(ask(entrants=field), run), Finished)
    tried = again(ask(entrants=field, retry=("eel",)), run)
    assert isinstance(tried, Extend)
    assert list_newcomers(tried.manifest) == ["eel"]


def test_a_part_of_a_plan() -> None:
    """A part is played by the secrets of its plan, begun or not; that of another plan is refused."""
    plan = begin(ask())
    manifest = replace(plan.manifest, shard="1/2")
    request = replace(ask(), plan=Plan(manifest=manifest, secrets={0: plan.secret}))
    new, old = decide(request, None), again(request, replace(manifest, seconds=3.0))
    assert isinstance(new, PlayPart)
    assert isinstance(old, PlayPart)
    assert (new.stored, old.stored, old.manifest.seconds) == (False, True, 3.0)
    strange = again(request, replace(manifest, shard="2/2"))
    assert isinstance(strange, Refused)
    assert str(strange.why) == "expected --shard 2/2, got 1/2"


@given(
    counts=st.lists(st.integers(1, 60), min_size=1, max_size=5), late=st.lists(st.booleans(), min_size=5, max_size=5)
)
def test_no_match_is_lost_or_played_twice(counts: list[int], late: list[bool]) -> None:
    """However often a run is asked for, stored epochs stay as they are, and what was done is not done once more."""
    field = list(enter(*FIELD))
    manifest = finish(begin(ask(counts[0], tuple(field))))
    for number, (matches, new) in enumerate(zip(sorted(counts), late, strict=False)):
        field += enter(f"new-{number}") if new else ()
        request = ask(matches, tuple(field))
        decision = again(request, manifest)
        if isinstance(decision, Refused):
            assert matches < manifest.matches
            continue
        assert decision.manifest.epochs[: len(manifest.epochs)] == manifest.epochs
        manifest = finish(decision)
        assert isinstance(again(request, manifest), Finished)


def test_the_same_question() -> None:
    """The same question has the same answer: nothing but a secret without a seed is drawn."""
    assert begin(ask()).manifest.epochs == begin(ask()).manifest.epochs
    settings: Settings = replace(ask().settings, seed=None)
    fresh = [begin(replace(ask(), settings=settings)).secret.commitment for _ in range(2)]
    assert fresh[0] != fresh[1]
