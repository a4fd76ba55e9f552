"""``arena lab``: left running beside an editor, it says of each saved version whether it plays better."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from arena.cli.options import SANDBOX, OneGame, OutputOptions, Takes, grouped, of_setting, option
from arena.report.document import table
from arena.report.verdict import Question
from arena.terminal.lab import follow
from arena.tournament.lab import LabSpec
from arena.tournament.settings import RunSpec
from arena.tournament.spec import chosen_games
from arena.tournament.versions import rows_of
from arena.web.lab import lab_page

_TAKES = f"variants seats move_time start_time bank budget limits max_faults {SANDBOX} lanes"


@grouped
def lab(
    folders: Annotated[list[str], option("FOLDER...: Of the bot that you work on; of several, which play a ladder.")],
    spec: Annotated[RunSpec, Takes(_TAKES)],
    output: OutputOptions,
    games: OneGame = None,
    against: Annotated[list[str] | None, option("--against BOT: As the BOTs of compare; may be repeated.")] = None,
    matches: Annotated[int | None, of_setting("matches", "-n --matches N: Of a comparison. Default: 4000.")] = None,
    out: Annotated[Path | None, of_setting("out", "-o --out DIR: Of the lab. Default: lab/<game>.")] = None,
    until: Annotated[str, option("--until WHAT: equal=M or decided, as of compare.", show_default=True)] = "equal=0.02",
    page: Annotated[bool, option("--page: Print the address of a live page, as that of watch.")] = False,
    log: Annotated[bool, option("--log: Print what became of each version, and end.")] = False,
    take: Annotated[str | None, option("--take vN: Put the files of a version beside FOLDER, and end.")] = None,
) -> None:
    """Judge each version of a bot as you save it: check it, and compare it with the last one that was better.

    Leave it running beside your editor. Ctrl-C or a kill loses nothing: the same command goes on.

    Example: arena lab ./mine -g dockfight
    """
    game = chosen_games(games or [], folders, single=True)[0]
    spec, question = replace(spec, matches=matches, out=out), Question.read(until)
    request = LabSpec(texts=tuple(folders), game=game, field=tuple(against or ()), spec=spec, question=question)
    if take is not None:
        typer.echo(request.store(*folders, new=False).take(take))
    elif log:
        typer.echo(table(rows_of(request.store(*folders, new=False).history), output.form, right=("matches",)))
    else:
        with lab_page("arena lab", typer.echo if page else None) as begin_run:
            follow(request, output.say, begin_run, quiet=output.quiet)
