"""The code and the styles of the pages are formatted, linted and typed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.toolchains import leave_out

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = sorted((ROOT / "arena/page/files").glob("*.js"))
SHEETS = sorted((ROOT / "arena/page/files").glob("*.css"))
TOOLS: dict[str, tuple[str, list[str | Path]]] = {
    "prettier": ("prettier/bin/prettier.cjs", ["--config", HERE / "prettier.json", "--check", *FILES, *SHEETS]),
    "eslint": ("eslint/bin/eslint.js", ["-c", HERE / "eslint.config.mjs", "--max-warnings", "0", *FILES]),
    "stylelint": ("stylelint/bin/stylelint.mjs", ["-c", HERE / "stylelint.config.mjs", *SHEETS]),
    "tsc": ("typescript/bin/tsc", ["-p", HERE / "tsconfig.json"]),
}
"""What each tool is asked, by its name."""


def found_by(tool: str, cwd: Path = ROOT) -> str:
    """What a tool complains of; nothing if all is well."""
    program, words = TOOLS[tool]
    script = HERE / "node_modules" / program
    node = shutil.which("node")
    if node is None or not script.is_file():
        leave_out(f"expected node and {tool} (`npm ci` in tests/page), got none")
    line = [str(node), str(script), *map(str, words)]
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize("tool", TOOLS)
def test_page_code(tool: str) -> None:
    """Prettier, ESLint, stylelint and tsc in its strict mode find nothing wrong in any script or style of the pages."""
    assert FILES
    assert SHEETS
    assert found_by(tool) == ""


def test_every_script_is_checked() -> None:
    """Each script of the pages asks for types, and no script or style has a way around what looks at it."""
    for path in SHEETS:
        assert not re.search("stylelint-disable|prettier-ignore", path.read_text("utf-8")), path.name
    for path in FILES:
        text = path.read_text("utf-8")
        assert re.match(r"//[^\n]*\n// @ts-check\n", text), path.name
        assert not re.search(r"@ts-(?:ignore|nocheck|expect-error)|eslint-disable|prettier-ignore", text), path.name


def test_no_rule_by_id() -> None:
    """An id may name a part of another page: styles go by what a part is, so no sheet strikes a page of another."""
    for path in SHEETS:
        selectors = re.findall(r"([^{};]*)\{", re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL))
        assert selectors
        assert not [selector for selector in selectors if re.search(r"#[a-z]|\[id\b", selector)], path.name


def test_the_lock_names_no_registry() -> None:
    """What is installed is known by its hash, wherever it is fetched from."""
    for lock in (HERE / "package-lock.json", ROOT / "tests/ci/package-lock.json"):
        text = lock.read_text("utf-8")
        assert "resolved" not in text
        assert text.count('"integrity"') == text.count('"node_modules/')
