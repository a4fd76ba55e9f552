"""``arena schema``: the JSON Schema of all that arena reads and writes, made from the structs that it uses."""

from typing import Annotated, Any, Literal

import msgspec
import typer

from arena import games as shelf
from arena.cli.options import grouped, option
from arena.players.botfile import BotFile
from arena.record import Record
from arena.tournament.folder import Manifest
from arena.tournament.settings import shape
from arena.wire import Choose, Decide, Hello, Over, Ready

Of = Literal["wire", "record", "run", "bot", "config", "replay"]


def _schema(of: Of) -> dict[str, Any]:
    if of == "wire":
        types: list[Any] = [Hello, Decide, Over, Ready, Choose]
        for name in shelf.names():
            game = shelf.find(name)
            types += [game.observation, game.option, game.event]
        _, components = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
        messages = [{"$ref": f"#/$defs/{kind.__name__}"} for kind in (Hello, Decide, Over, Ready, Choose)]
        return {"oneOf": messages, "$defs": components}
    from arena.report.replay import Replay  # noqa: PLC0415 - takes long to load, and few ask for it

    others: dict[str, Any] = {"record": Record, "run": Manifest, "bot": BotFile, "config": shape(), "replay": Replay}
    return msgspec.json.schema(others[of])


@grouped
def schema(of: Annotated[Of, option("--of: What the schema is of.")] = "wire") -> None:
    """Print a JSON Schema (2020-12).

    Example: arena schema --of wire
    """
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **_schema(of)}
    typer.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
