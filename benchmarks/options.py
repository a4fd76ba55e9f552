"""The options of the measuring scripts: each has a help, and a mistake gets one line."""

from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter


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
