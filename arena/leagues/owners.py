"""Whose bot it is: ``owners.toml`` binds the bots of a league to accounts of its forge. Maintainers alone change it.

A bot has the name of its folder there. Knows no run, and nothing of the forge: an account is a text.
"""

import json
import os
import re
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from shutil import which
from subprocess import run

from msgspec import Struct

from arena.errors import UsageError
from arena.files import read, write
from arena.players import BOT_FILE, load_toml
from arena.tournament import SETTINGS_FILE as LEAGUE

FILE = "owners.toml"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key of TOML that needs no quotation marks."""


class Owners(Struct, frozen=True):
    """The accounts of each bot that has any, by its name, whose case makes no difference; several are a team."""

    accounts: dict[str, tuple[str, ...]]

    def of(self, bot: str) -> tuple[str, ...]:
        """The accounts that a bot belongs to."""
        return next((accounts for name, accounts in self.accounts.items() if name.lower() == bot.lower()), ())

    def has(self, bot: str, *, account: str) -> bool:
        """Whether an account is one of them; case makes no difference."""
        return account.lower() in map(str.lower, self.of(bot))

    def refusal(self, bot: str, *, account: str, names: Collection[str]) -> str:
        """Why an account may not enter or change a bot; empty if it may. Whoever enters a new bot first may.

        Args:
            bot: its name.
            account: who asks; case makes no difference.
            names: the names of all bots that the league has or had.
        """
        if self.has(bot, account=account):
            return ""
        if accounts := self.of(bot):
            return f"expected a change of {bot} by {' or '.join(accounts)}, whose bot it is, got one by {account}"
        if bot.lower() in map(str.lower, names):
            return f"expected a line for {bot} in {FILE} before anybody but a maintainer changes it, got none"
        return ""


def entry(owners: Owners | None, bot: str, *, account: str, names: Collection[str]) -> tuple[str, bool]:
    """Whose bot it is, in words, and whether this account may enter or change it; see ``Owners.refusal``."""
    if owners is None:
        return f"the league has no {FILE}: any account may change any bot", True
    if refused := owners.refusal(bot, account=account, names=names):
        return refused, False
    if accounts := owners.of(bot):
        return f"{bot} belongs to {' and '.join(accounts)}", True
    return f"{bot} is new: whoever merges it adds to {FILE}: {line_for(bot, accounts=[account])}", True


def owners_in(folder: Path) -> Owners | None:
    """The owners that the file in a league's folder names; None if there is no file.

    Raises:
        UsageError: it cannot be read, or binds a bot to something else than an account or a list of accounts.
    """
    path = folder / FILE
    if not os.path.lexists(path):
        return None
    try:
        table = load_toml(path)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None
    owners = Owners({})
    for bot, value in table.items():
        members = [value] if isinstance(value, str) else value
        if not (
            isinstance(members, list)
            and members
            and all(isinstance(account, str) and account.strip() for account in members)
        ):
            raise UsageError(f"{path}: {bot}: expected an account or a list of accounts, got {value!r}")
        if owners.of(bot):
            raise UsageError(f"{path}: {bot}: expected one line for each bot, got two that differ in case alone")
        owners.accounts[bot] = tuple(members)
    return owners


def bind(folder: Path, bot: str, *, accounts: Sequence[str]) -> None:
    """Write the line of a bot into the file of a league, in the place of the one that it has; all else stays.

    Raises:
        UsageError: the file is not right, or has that line in a way that cannot be changed here.
        arena.files.Linked, OSError: it cannot be written.
    """
    before, text = owners_in(folder), ""
    if before is not None:
        text = read(folder, FILE).decode().rstrip("\n") + "\n"
    line = line_for(bot, accounts=accounts)
    changed, count = re.subn(rf"(?im)^[\"']?{re.escape(bot)}[\"']?[ \t]*=.*$", lambda _: line, text, count=1)
    changed = changed if count else f"{text}{line}\n"
    try:
        bound = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        bound = {}
    if len(bound) != len({name.lower() for name in (bot, *(before.accounts if before else ()))}):
        raise UsageError(f"{folder / FILE}: {bot}: expected one line, which can be changed, got several; write: {line}")
    write(folder, FILE, changed.encode())


def write_owner(folder: Path, name: str | None) -> None:
    """Write into a bot's file who enters it: this name, or in a league the one that git signs with, if it has one."""
    if name is None and any((above / LEAGUE).is_file() for above in list(folder.absolute().parents)[:2]):
        command = [git, "config", "--get", "user.name"] if (git := which("git")) else []
        name = run(command, capture_output=True, text=True, check=False).stdout.strip() if command else ""
    if name:
        text = (folder / BOT_FILE).read_text("utf-8")
        text = text.replace("\nversion =", f"\nowner = {quoted(name)}\nversion =", 1)
        (folder / BOT_FILE).write_text(text, "utf-8")


def line_for(bot: str, *, accounts: Sequence[str]) -> str:
    """The line that binds a bot to its accounts."""
    names = [quoted(account) for account in accounts]
    whose = names[0] if len(names) == 1 else f"[{', '.join(names)}]"
    return f"{bot if _BARE.fullmatch(bot) else quoted(bot)} = {whose}"


def quoted(text: str) -> str:
    """A text as TOML has it."""
    # that is as JSON has it, but for surrogates and this character
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
