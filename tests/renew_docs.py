"""Writes again what the documents show of commands: ``python -m tests.renew_docs``."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.documents import (
    COMMANDS_PAGE,
    DOCUMENTS,
    README,
    Ended,
    blocks,
    masked,
    name_of,
    run,
    runs,
    scripts,
    shown_in,
    with_help,
)


def renewed(text: str, folder: Path) -> str:
    """A document with the output of its commands as it is now; they run in ``folder``, in order."""
    for name, script in scripts(text).items():
        (folder / name).write_text(script, encoding="utf-8")
    for block in blocks(text, "console"):
        lines = []
        ended = Ended(0, "")
        for shown in shown_in(block):
            now = shown.lines
            if shown.command == "echo $?":
                now = [str(ended.exit_code)]
            elif runs(shown.command):
                ended = run(shown.command, folder)
                now = [line.rstrip() for line in ended.output.splitlines()]
                if list(map(masked, now)) == list(map(masked, shown.lines)):
                    now = shown.lines
            lines += [f"$ {shown.command}", *now]
        text = text.replace(f"```console\n{block}```", "```console\n" + "".join(f"{line}\n" for line in lines) + "```")
    return text


def main() -> None:
    """Renew every document, the README first: its run is what the others look at."""
    COMMANDS_PAGE.write_text(with_help(COMMANDS_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    with TemporaryDirectory() as desk:
        folder = Path(desk, "reader")
        folder.mkdir()
        for document in [README, *(path for path in DOCUMENTS if path != README)]:
            text = document.read_text(encoding="utf-8")
            now = renewed(text, folder)
            if now != text:
                document.write_text(now, encoding="utf-8")
                sys.stdout.write(f"{name_of(document)}\n")


if __name__ == "__main__":
    main()
