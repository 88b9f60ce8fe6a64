"""The page that sets other tools beside Assay shows what `benchmarks/peers.py` runs."""

import re
from pathlib import Path

import pytest

from benchmarks.peers import PEERS, TOOLS, score_line

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs/explanation/side-by-side.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_commands_files_and_counts_are_those_of_the_script(tool: object) -> None:
    [found] = [one for one in TOOLS if one is tool]
    words = " ".join(PAGE.replace("\\\n", " ").split())
    for command in (*found.once, found.command):
        assert " ".join(command.replace("{url}", "http://127.0.0.1:8017/v1").split()) in words
    for text in found.files.values():
        assert text in PAGE
    row = rf"^\| {re.escape(found.name)} \| {len(found.once) + 1} \| {found.lines} \|"
    assert re.search(row, PAGE, re.MULTILINE)


def test_the_page_names_the_versions() -> None:
    for requirement in PEERS[:2]:
        assert requirement.rpartition("==")[2] in PAGE


def test_the_figures_name_scripts_that_there_are_and_all_of_them() -> None:
    figures = (REPOSITORY / "docs/explanation/figures.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\bbenchmarks\.[\w.]*\w", figures)) - {"benchmarks.md"}
    scripts = (path for path in (REPOSITORY / "benchmarks").rglob("*.py") if "__main__" in path.read_text())
    assert named == {
        path.relative_to(REPOSITORY).with_suffix("").as_posix().replace("/", ".") for path in scripts
    }


def test_the_figures_beside_peers_are_those_of_the_page() -> None:
    figures = (REPOSITORY / "docs/explanation/figures.md").read_text(encoding="utf-8")
    measured = re.findall(r"^\| (.+?) \| \d \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.MULTILINE)
    assert len(measured) == len(TOOLS)
    for name, lines, seconds, processor in measured:
        row = rf"^\| {re.escape(name)}[ .\d]* \| {processor} \| {seconds} \| {lines} \|$"
        assert re.search(row, figures, re.MULTILINE), name


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("|sums|Yaml|none| 0|exact_match|↑ | 1|± | 0|", "exact_match|↑ | 1"),
        ("exact\nmean    1.000\nstderr  0.000", "mean 1.000"),
        ("SCORE  95 % INTERVAL\n100.0 % [99.3, 100.0]", "100.0 %"),
    ],
)
def test_the_score_is_found_in_what_each_tool_prints(printed: str, said: str) -> None:
    assert score_line(printed) == said
