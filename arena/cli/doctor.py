"""``arena doctor``: cores, languages of the shipped bots, and the sandboxes that work on this machine."""

from json import dumps

import typer

from arena import __version__
from arena.cli.options import grouped
from arena.cli.output import PlainOutputOptions
from arena.library.machine import examined


@grouped
def doctor(output: PlainOutputOptions) -> None:
    """Examine this machine: a probe tries what bots could do at each level of isolation.

    Example: arena doctor
    """
    machine = examined(__version__)
    json = output.form == "json"
    typer.echo(dumps(machine.as_data(), indent=2) if json else machine.as_text(output.form))
