"""A command as the parser sees it: help in groups, in short and in full, and the game as the first argument.

Of commands it knows which have a short help, and nothing else.
"""

from typing import Any

from typer.core import TyperCommand

from arena.errors import UsageError

_LONG = ("run", "compare")
"""Commands whose ``--help`` has only common options, ..."""
_SHORT = ("json", "help")
"""... these and the common settings; ``--help-all`` has all."""
_FULL_HELP = "arena.whole"
"""Under this a context holds whether all are asked for."""
_FIRST = "[GAME]"


class GroupedHelp(TyperCommand):
    """A command whose help lists its options group by group, and whose game may also be the first argument."""

    def get_help_option_names(self, ctx: Any) -> list[str]:
        """What asks for help."""
        return [*ctx.help_option_names, *(["--help-all"] if self.name in _LONG else [])]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        ctx.meta[_FULL_HELP] = "--help-all" in args
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments first, then each group in the order of the command, then the rest; in short no groups."""
        from arena.tournament.settings import COMMON  # noqa: PLC0415 - `arena` itself has no settings

        params = self.get_params(ctx)
        short = self.name in _LONG and not ctx.meta.get(_FULL_HELP)
        panels: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        others: list[tuple[str, str]] = []
        for param in params:
            record = param.get_help_record(ctx)
            if record is None:
                continue
            if param.param_type_name == "argument":
                panels["Arguments"].append((record[0], record[1].removesuffix("  [required]" * (record[0][0] == "["))))
            elif not short and (title := getattr(param, "rich_help_panel", None)):
                panels.setdefault(title, []).append(record)
            elif not short or param.name in _SHORT or param.name in COMMON:
                others.append(record)
        for title, records in {**panels, "Options": panels.pop("Options", []) + others}.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        if short:
            formatter.write_paragraph()
            formatter.indent()
            formatter.write_text(f"All options: {ctx.command_path} --help-all")

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The pieces, with the game where it may stand."""
        options, *others = super().collect_usage_pieces(ctx)
        return [options, *([_FIRST] if self._game and _FIRST not in others else []), *others]

    def make_parser(self, ctx: Any) -> Any:
        """The parser; a game that is the first argument it takes for ``--game``."""
        parser: Any = super().make_parser(ctx)
        # here the arguments have been told from the values of options
        process = parser._process_args_for_args  # noqa: SLF001
        parser._process_args_for_args = lambda state: process(self._with_run(self._without_game(state), ctx))  # noqa: SLF001
        return parser

    def _with_run(self, state: Any, ctx: Any) -> Any:
        names = [str(param.metavar) for param in self.params if param.param_type_name == "argument"]
        if names and names[0].startswith("[RUN]") and not ctx.resilient_parsing:
            from arena.cli.options import PENDING  # noqa: PLC0415 - as above
            from arena.tournament.newest import with_run  # noqa: PLC0415 - as above

            words, state.rargs = [*state.largs, *state.rargs], []
            state.largs = with_run(words, before_match="MATCH" in names)
            if state.largs != words:
                ctx.meta.setdefault(PENDING, []).append(f"arena: run: {state.largs[0]}, the newest")
        return state

    @property
    def _game(self) -> Any:
        """The option of the game; none where the arguments name folders to make."""
        makes = any(param.metavar == "DIR" and param.param_type_name == "argument" for param in self.params)
        return next((param for param in self.params if param.metavar == "GAME" and not makes), None)

    def _without_game(self, state: Any) -> Any:
        from arena.tournament.spec import names_game  # noqa: PLC0415 - likewise

        words = [*state.largs, *state.rargs]
        typed = state.opts.get(self._game.name, []) if self._game else []
        alone = any(param.metavar == _FIRST for param in self.params)
        if self._game and words and (alone or names_game(words[0], typed=bool(typed))):
            if typed not in ([], words[:1]):
                text = f"expected {words[0]!r} as in the first argument, or none, got {', '.join(typed)}"
                raise UsageError(text, option=self._game.name)
            state.opts[self._game.name] = words[:1]
            if not alone:
                state.largs, state.rargs = words[1:], []
        return state
