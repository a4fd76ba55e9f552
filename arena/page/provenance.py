"""The provenance of a run, and the commands that check it. Knows values and markup."""

import htpy
from htpy import Element

from arena.page.sections import section
from arena.report.dossier import Provenance


def _command(words: str) -> Element:
    copied = htpy.button(".button", type="button", data_copy=words, aria_label=f"Copy {words}")["Copy"]
    return htpy.div(".command")[htpy.code(tabindex="0", role="region", aria_label=words)[words], copied]


def provenance(told: Provenance) -> Element:
    """The section."""
    facts = [(htpy.dt[name], htpy.dd[words]) for name, words in told.facts.items()]
    for commitment, seed in told.commitments:
        checked = (
            htpy.span(data_seed=seed, data_commitment=commitment)["published before the first deal"] if seed else None
        )
        facts.append((htpy.dt["seed"], htpy.dd[htpy.code[seed or "not revealed yet"]]))
        facts.append((htpy.dt["commitment"], htpy.dd[htpy.code[commitment], " ", checked]))
    columns = ("bot", "language", "version", "SHA-256 of command and files", "command")
    rows = [
        htpy.tr[
            htpy.th(scope="row")[bot.name],
            htpy.td(".left")[bot.language or "\N{EN DASH}"],
            htpy.td(".left")[bot.version or "\N{EN DASH}"],
            htpy.td(".left")[htpy.code(title=bot.digest)[f"{bot.digest[:16]}\N{HORIZONTAL ELLIPSIS}"]],
            htpy.td(".left")[htpy.code[bot.command]],
        ]
        for bot in told.bots
    ]
    head = htpy.tr[(htpy.th(".left", scope="col")[name] for name in columns)]
    table = htpy.table[htpy.caption(".unseen")["Bots"], htpy.thead[head], htpy.tbody[rows]]
    return section(
        "provenance",
        "Provenance",
        "Everything above follows from the seed and the recorded picks",
        "Anyone with the folder of the run can derive it again. This page only shows what follows from it.",
        [_command(words) for words in told.verify],
        htpy.dl(".provenance")[facts],
        htpy.div(".scroll", tabindex="0", role="region", aria_label="Bots")[table],
    )
