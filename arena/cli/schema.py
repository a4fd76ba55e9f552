"""``arena schema``: the JSON Schema of all that arena reads and writes, made from the structs that it uses."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
import typer

from arena import games as shelf
from arena.cli.options import option
from arena.players.botfile import BotFile
from arena.record import Record
from arena.tournament.folder import Manifest
from arena.tournament.settings import shape
from arena.wire import Choose, Decide, Hello, Over, Ready


class Of(StrEnum):
    """What there is a schema of."""

    wire = "wire"
    record = "record"
    run = "run"
    bot = "bot"
    config = "config"
    replay = "replay"


def _schema(of: Of) -> dict[str, Any]:
    if of is Of.wire:
        types: list[Any] = [Hello, Decide, Over, Ready, Choose]
        for name in shelf.names():
            game = shelf.find(name)
            types += [game.observation, game.option, game.event]
        _, components = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
        messages = [{"$ref": f"#/$defs/{kind.__name__}"} for kind in (Hello, Decide, Over, Ready, Choose)]
        return {"oneOf": messages, "$defs": components}
    from arena.report.replay import Replay  # noqa: PLC0415 - takes long to load, and few ask for it

    others: dict[Of, Any] = {
        Of.record: Record,
        Of.run: Manifest,
        Of.bot: BotFile,
        Of.config: shape(),
        Of.replay: Replay,
    }
    return msgspec.json.schema(others[of])


def schema(of: Annotated[Of, option("--of: What the schema is of.")] = Of.wire) -> None:
    """Print a JSON Schema (2020-12).

    Example: arena schema --of wire
    """
    found = {"$schema": "https://json-schema.org/draft/2020-12/schema", **_schema(of)}
    typer.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
