"""A finished run whose rounds depended on results, asked for again: more matches for its question, or none. Pure."""

from msgspec.structs import replace

from arena.formats.registry import goes_on, without_alpha
from arena.tournament.decision import Extend, check_beacon, extend
from arena.tournament.folder import BALANCED, Manifest
from arena.tournament.parts import SettingsMismatch
from arena.tournament.plan import Settings, rounded
from arena.words import plural


def add_rounds(manifest: Manifest, settings: Settings, *, changed: bool) -> Extend | Manifest:
    """How it is extended, or its manifest where no match is added; ``changed``: its bots are not the same."""
    if not changed and goes_on(manifest.schedule):
        return _ask_again(manifest, settings)
    _check_as_finished(manifest, settings, changed=changed)
    return manifest


def _ask_again(manifest: Manifest, settings: Settings) -> Extend | Manifest:
    """A finished run with a question whose bots are the same: more matches for it, if they are asked for."""
    last = manifest.epochs[-1]
    (_, was), (_, now) = without_alpha(manifest.schedule), without_alpha(settings.schedule)
    if now > was:
        raise SettingsMismatch(f"expected --alpha {was:g} of a finished run, or less, got {now:g}")
    if settings.matches < last.asked:
        raise SettingsMismatch(f"expected the -n {last.asked} of a finished run, or more, got {settings.matches}")
    answered = manifest.matches < rounded(last.asked, manifest.seats)
    if now == was and (settings.matches == last.asked or answered):
        check_beacon(manifest, settings)
        return manifest
    if rounded(settings.matches, settings.seats) <= manifest.matches:
        raise SettingsMismatch(
            f"expected more than the {plural(manifest.matches, 'match')} played, got -n {settings.matches}"
        )
    before = tuple([replace(epoch, schedule=epoch.schedule or manifest.schedule) for epoch in manifest.epochs])
    return extend(replace(manifest, epochs=before, schedule=settings.schedule), settings, matches=0)


def _check_as_finished(manifest: Manifest, settings: Settings, *, changed: bool) -> None:
    """Refuse to extend a finished run whose rounds depended on results."""
    target = manifest.epochs[-1].asked
    if changed or settings.matches != target:
        got = "others" if changed else f"-n {settings.matches}"
        raise SettingsMismatch(
            f"expected the bots and the -n {target} of a finished --schedule {manifest.schedule}, for only "
            f"{BALANCED} can be extended; got {got}"
        )
    check_beacon(manifest, settings)
