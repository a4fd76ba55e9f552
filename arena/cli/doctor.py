"""``arena doctor``: what this machine offers, and the sandboxes that work on it."""

import typer

from arena.cli.options import PlainOutputOptions, grouped
from arena.tournament.machine import examine


@grouped
def doctor(output: PlainOutputOptions) -> None:
    """Examine this machine: a probe tries what bots could do at each level of isolation.

    Example: arena doctor
    """
    examine(lambda machine: typer.echo(machine.written(output.form), nl=False))
