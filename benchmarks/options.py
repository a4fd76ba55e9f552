"""What the measuring scripts share: options, each with a help, and commands that end a script where they fail."""

import shlex
import subprocess
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from pathlib import Path


class Failed(SystemExit):
    """A process of a measurement did not end well: the script ends with its error, unless it goes on without."""


def output(words: Sequence[str], *, env: Mapping[str, str] | None = None, folder: Path | None = None) -> str:
    """What a command prints.

    Raises:
        Failed: it ends otherwise than well; the message has its standard error.
    """
    ended = subprocess.run(words, env=env, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise Failed(f"expected {shlex.join(words)} to end well, got exit code {ended.returncode}: {ended.stderr}")
    return ended.stdout


def parser(about: str | None) -> ArgumentParser:
    """The parser of a script that tells ``about`` itself."""
    return ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)


def positive(text: str) -> int:
    """A whole number from 1.

    Raises:
        ArgumentTypeError: the text is none.
    """
    if not (text.isdecimal() and text.isascii() and int(text)):
        raise ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)
