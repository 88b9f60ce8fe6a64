"""What the documents show: files, and what is typed after `$` in their blocks."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
DOCS = REPOSITORY / "docs"
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w*)\n(?P<body>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
NAMED_FILE = re.compile(r"^`(?P<path>[\w./-]+)`\n\n```\w+\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{8}\b")
MARK = re.compile(r" # needs (?P<what>.+)$")
VARIABLE = re.compile(r"(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>.*)")


class Step(NamedTuple):
    """One line typed after `$`, as words up to a pipe or a redirection, and what is shown below it.

    A comment `# needs X` at its end says what it takes that is not on every machine.
    """

    words: tuple[str, ...]
    shown: str
    needs: str | None
    line: str


def steps(text: str) -> Iterator[Step]:
    for block in FENCE.finditer(text):
        if block["kind"] != "console":
            continue
        body = block["body"].replace("\\\n", " ")
        for part in re.split(r"^ *\$ ", body, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            mark = MARK.search(line)
            yield Step(tuple(words_of(line)), shown, mark and mark["what"], line)


def words_of(line: str) -> Iterator[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    for word in lexer:
        if not set(word) - set("|&;<>()"):
            return
        yield word


def arguments_of(step: Step, program: str = "assay") -> list[str] | None:
    """What follows the program and variables set for it alone; None where something else is run."""
    words = list(step.words)
    while words and VARIABLE.fullmatch(words[0]):
        words.pop(0)
    return words[1:] if words and words[0] in (program, f".venv/bin/{program}") else None
