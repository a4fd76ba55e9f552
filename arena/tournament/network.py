"""Which bots the host lets reach the network, and which variables of its environment each of them is passed.

Knows the names of variables; their values are read where a bot is started, and stand in no job, file or command line.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from arena.errors import UsageError, nearest
from arena.players.sandboxed import HostPolicy

_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*")
_HEEDED = ("LD_", "PYTHON", "LC_", "BASH_", "GLIBC_", "MALLOC_", "ARENA_")
"""How names of variables begin that the loader, an interpreter or arena heeds."""


def _read_permissions(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The bots that may reach the network, with the variables that each is passed, from ``BOT=VARIABLE,...``.

    Raises:
        UsageError: such a variable may not be passed.
    """
    permissions: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, _, rest = text.partition("=")
        variables = tuple(rest.split(",")) if rest else ()
        for variable in variables:
            # what the loader or an interpreter heeds would reach what sets up the sandbox
            if not _VARIABLE.fullmatch(variable) or variable.startswith(_HEEDED):
                expected = "expected names of variables with an underscore, such as LLM_KEY"
                raise UsageError(f"{expected}, got {variable!r}", option="network")
        permissions[name] = (*permissions.get(name, ()), *variables)
    return permissions


def permit(policy: HostPolicy, texts: Iterable[str], names: Sequence[str], say: Callable[[str], None]) -> HostPolicy:
    """The policy with the permissions of the bots that take part, by ``names``; a league goes on if another has left.

    Raises:
        UsageError: such a variable may not be passed, or is not there.
    """
    permissions = _read_permissions(texts)
    for name in permissions.keys() - names:
        say(f"--network: expected a bot of {', '.join(names)}, got {name!r}{nearest(name, names)}")
    taken = {name: variables for name, variables in permissions.items() if name in names}
    for variable in [variable for variables in taken.values() for variable in variables]:
        if variable not in os.environ:
            raise UsageError(f"expected {variable} in the environment, got none", option="network")
    return replace(policy, network=taken)
