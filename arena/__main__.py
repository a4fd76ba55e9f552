"""The ``arena`` command. Answers ``--version`` by itself, so that a script may ask for it often."""

import gc
import os
import sys
import warnings

from arena.interpreter import set_search_path

# before anything else is imported
set_search_path()

_MOMENT = 0.001
"""Seconds."""


def heed_interrupts() -> None:
    """Have an interrupt come again that struck where Python prints each error and goes on.

    Ctrl-C raises ``KeyboardInterrupt`` at once, and so also in calls that nobody made: those that clear up after an
    object, as after each import (``sys.unraisablehook``). There it would be lost, and the command would go on.
    """
    import signal  # noqa: PLC0415 - `--version` must not wait for it

    hook = sys.unraisablehook

    def again(dropped: "sys.UnraisableHookArgs") -> None:
        if dropped.exc_type is KeyboardInterrupt:
            # a moment later, for here it would be dropped once more
            signal.signal(signal.SIGALRM, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
            signal.setitimer(signal.ITIMER_REAL, _MOMENT)
        else:
            hook(dropped)

    sys.unraisablehook = again


def _keep_docstrings() -> None:
    """Begin again, if the interpreter leaves out docstrings: help and generated types are made of them."""
    if sys.flags.optimize > 1:
        os.environ["PYTHONOPTIMIZE"] = "1"
        os.execv(sys.executable, [sys.executable, "-m", "arena", *sys.argv[1:]])  # noqa: S606 - no shell is wanted


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"]:
        from arena import __version__  # noqa: PLC0415 - nothing else is needed for this

        try:
            sys.stdout.write(f"arena {__version__}\n")
            sys.stdout.flush()
        except OSError as error:
            sys.stderr.write(f"arena: {error}\n")
            os._exit(3)  # an ordinary exit would flush once more, and print an error
        return
    if sys.platform == "win32":
        sys.stderr.write("arena: expected Linux or macOS, got Windows; use it under WSL\n")
        raise SystemExit(2)
    _keep_docstrings()
    heed_interrupts()
    # what is imported is no garbage, and looking for some takes a tenth of the start; the command line enables it again
    gc.disable()
    try:
        from arena.cli import main as command_line  # noqa: PLC0415 - `--version` must not wait for it
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    warnings.showwarning = _remark  # type: ignore[assignment]  # it takes all that it is given
    command_line()


def _remark(message: Warning | str, *_where: object) -> None:
    from arena.terminal import remark  # noqa: PLC0415 - few commands warn

    remark(f"arena: {message}")


if __name__ == "__main__":
    main()
