"""`assay --help`: every command in its section, within 80 columns, without loading what commands need."""

import subprocess
import sys

from typer.core import TyperGroup
from typer.main import get_command

from assay.cli.main import app
from tests.unit.cli.conftest import CommandLine

LOADED = "import sys, assay.cli.main; print(*{name.partition('.')[0] for name in sys.modules})"
HEAVY = {
    "aiohttp",
    "alembic",
    "cryptography",
    "fastapi",
    "numpy",
    "orjson",
    "rich",
    "sqlalchemy",
    "uvicorn",
    "yarl",
}


def test_every_command_is_listed_once_under_a_title(assay: CommandLine) -> None:
    printed = assay.printed("--help")
    root = get_command(app)
    assert isinstance(root, TyperGroup)
    titles = [
        line for line in printed.splitlines() if line.endswith(":") and not line.startswith((" ", "Usage"))
    ]
    assert len(titles) == 7, "the options, and six kinds of commands"
    names = [
        line.split()[0] for line in printed.splitlines() if line.startswith("  ") and line[2:3].isalpha()
    ]
    assert sorted(name for name in names if name in root.commands) == sorted(root.commands)
    assert all(len(line) <= 80 for line in printed.splitlines())


def test_help_loads_no_library_that_takes_long() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
