"""Whoever uses the API is told of its fields and operations, not of options of the command line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.api.wording import in_words_of_the_api

SOURCE = Path(assay.__file__).parent
LAYERS = ("domain", "engine", "adapters", "benchmarks", "api")
# These call other programs, show how they are called, or hold styles, whose variables look like options.
OTHERS = {
    "adapters/models/lists/lm_studio.py",
    "adapters/prepared",
    "adapters/sandbox",
    "adapters/store/backup",
    "api/web.py",
    "benchmarks/code_catalogue/answers",
    "benchmarks/code_catalogue/languages.py",
    "benchmarks/code_catalogue/tasks",
    "benchmarks/swe_bench_pro",
    "benchmarks/terminal_bench_hard/terminal.py",
    "engine/exports/html/charts.py",
    "engine/exports/html/markup.py",
}
COMMAND = re.compile(r"`[^`]*`")
OPTION = re.compile(r"(?:^|[ (])--[a-z]")


def texts(path: Path) -> Iterator[str]:
    """Every string in a module; the values in it are shown as an ellipsis."""
    parts = set[int]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts |= {id(part) for part in node.values}
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def test_no_message_of_the_lower_layers_advises_an_option_of_the_command_line() -> None:
    """A whole command in backticks is for the operator, where the API has no operation for it."""
    modules = [path for layer in LAYERS for path in (SOURCE / layer).rglob("*.py")]
    assert len(modules) > 200
    for path in modules:
        place = path.relative_to(SOURCE).as_posix()
        if place.startswith(tuple(OTHERS)) or path.name.startswith("test_"):
            continue
        for text in texts(path):
            assert not OPTION.search(COMMAND.sub("", in_words_of_the_api(text))), (place, text)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (
            "give one with --judge MODEL; --judge sim/judge",
            "give one with `config.judge`; `config.judge` sim/judge",
        ),
        (
            "run `assay data fetch x`, or use --data demo",
            "run `assay data fetch x`, or use `config.data` demo",
        ),
        ("name one of 'q' with --prompt-field", "name one of 'q' with `prompt_field`"),
        ("curl: option --data-raw is unknown", "curl: option --data-raw is unknown"),
    ],
)
def test_options_become_fields(ours: str, theirs: str) -> None:
    assert in_words_of_the_api(ours) == theirs
