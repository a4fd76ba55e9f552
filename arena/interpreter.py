"""Where Python looks for modules in the host: never in the current folder, which may be anybody's, or in a bot's.

``arena.__main__`` does that for the command before anything else is imported, and ``isolated`` for every interpreter
that the host starts. Imports only what an interpreter has loaded before it reads a first line; knows nothing of arena
but its version.
"""

import os
import sys

__version__ = "0.1.0"
"""Of arena."""
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib is not loaded yet
"""The folder that the package ``arena`` lies in."""
_START = (
    "import sys; sys.path[:] = sys.argv.pop(1).split({sep!r}); "
    "import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
)


def set_search_path() -> None:
    """Have this process look for modules as ``isolated`` has others."""
    sys.path[:] = search_path(sys.path, _read_pythonpath())


def isolated(module: str, *words: str) -> list[str]:
    """The command line that runs a module of arena by an interpreter that nobody's folder or environment reaches.

    It finds what this process would, wherever arena is installed: in an environment, in a checkout, for one user.
    """
    path = os.pathsep.join(search_path(sys.path, _read_pythonpath()))
    flags = ["-I", "-B"] if sys.dont_write_bytecode else ["-I"]
    return [sys.executable, *flags, "-c", _START.format(sep=os.pathsep, module=module), path, *words]


def search_path(path: list[str], additions: list[str]) -> list[str]:
    """Order the folders where the host looks for modules: standard library, installed packages, ``additions``.

    Folders before the standard library are the script's, the current one (``python -m``), or from the environment.
    Of ``additions`` only absolute paths stay. They come last, so no file in them replaces an installed module.
    ``arena`` itself is found where this module lies.
    """
    standard = os.path.dirname(os.__file__)  # noqa: PTH120 - see _ROOT
    if standard not in path:
        return list(path)
    entries = [*path[path.index(standard) :], *additions]
    folders = [folder for folder in entries if os.path.isabs(folder)]  # noqa: PTH117 - see _ROOT
    others = (place for place, folder in enumerate(folders) if os.path.isdir(f"{folder}/arena"))  # noqa: PTH112 - see _ROOT
    folders.insert(next(others, len(folders)), _ROOT)
    return list(dict.fromkeys(folders))


def _read_pythonpath() -> list[str]:
    return [] if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "").split(os.pathsep)
