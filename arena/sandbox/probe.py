"""The probe bot: tries from inside a sandbox what no bot may do, and prints what it could do as one JSON object.

``python -I -S FOLDER CANARIES``, where FOLDER holds copies of this file and of the attacks, and CANARIES is JSON.
"""

import json
import os
import signal
import sys
from errno import EAFNOSUPPORT, ENODEV, ENOSYS, EPROTONOSUPPORT

from arena.sandbox.attacks import ATTACKS
from arena.sandbox.canaries import Canaries

REFUSED, POSSIBLE, ABSENT, UNCLEAR = "refused", "possible", "absent", "unclear"
"""Absent: this machine has no such thing. Unclear: the attack hung or broke, which proves nothing."""
PATIENCE = 3
"""Seconds for one attack."""
MAIN = "from arena.sandbox.probe import main\n\nmain()\n"
_ABSENT = frozenset({ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT, ENODEV})


def _verdict(name: str, canaries: Canaries) -> str:
    try:
        return REFUSED if ATTACKS[name](canaries) is False else POSSIBLE
    except OSError as error:
        return ABSENT if error.errno in _ABSENT else REFUSED
    except Exception as error:  # noqa: BLE001 - one broken attack must not cost the others
        sys.stderr.write(f"{name}: {error!r}\n")
        return UNCLEAR


def tried(canaries: Canaries) -> dict[str, str]:
    """Attack -> verdict, of all asked for: a worker tries one after the other; if one ends it, another continues."""
    verdicts_by_name: dict[str, str] = {}
    waiting = list(canaries.attacks)
    while waiting:
        reading, writing = os.pipe()
        worker = os.fork()
        if not worker:
            os.close(reading)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            for name in waiting:
                signal.alarm(PATIENCE)
                os.write(writing, f"{_verdict(name, canaries)}\n".encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as answers:
            verdicts = answers.read().decode().split()
        ended = os.waitpid(worker, 0)[1]
        verdicts_by_name.update(zip(waiting, verdicts, strict=False))
        waiting = waiting[len(verdicts) :]
        if waiting:
            by_the_box = os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGSYS
            verdicts_by_name[waiting.pop(0)] = REFUSED if by_the_box else UNCLEAR
    return verdicts_by_name


def main() -> None:
    """Try the attacks that ``argv[1]`` names and print the verdicts."""
    sys.stdout.write(json.dumps(tried(Canaries(**json.loads(sys.argv[1])))))
