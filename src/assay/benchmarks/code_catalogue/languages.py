"""How the tests of a language are built and run: the commands, and the files that they need.

In every language the tests are one file, `tests/tests.<ending>`, with a function for each test. The function
takes an observer and reports values with it; what was expected stays outside of the sandbox. The observers
are in `runners/`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from assay.domain.programs.sandbox import WORKSPACE
from assay.domain.programs.toolchain import Toolchain

TESTS = "/tests"
RUNNERS = "/runners"
# Files of the harness in the workspace; answers cannot change them.
OWN_FOLDER = ".assay"
_PROGRAM = f"{WORKSPACE}/{OWN_FOLDER}/tests"
# g++ takes a name that begins with - for an option, and reads options from one that begins with @.
_CPP_SOURCE = re.compile(r"(?:[\w.+-]+/)*\w[\w.+-]*\.(?:cpp|cc)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Commands:
    """What is executed in the workspace; `run` reads the nonce from its standard input."""

    run: Sequence[str]
    builds: tuple[Sequence[str], ...] = ()
    # Files of the harness, written after those of the answer.
    files: Mapping[str, str] = field(default_factory=dict[str, str])


MakeCommands: TypeAlias = Callable[[Toolchain, Sequence[str], Sequence[str]], Commands]
"""From a toolchain, the files of the workspace and the names of the tests."""


@dataclass(frozen=True, slots=True)
class Language:
    """`commands` is None where every test runs as a case of one program, as in Python."""

    tests_file: str
    toolchain: str | None = None
    commands: MakeCommands | None = None


def _javascript(toolchain: Toolchain, sources: Sequence[str], tests: Sequence[str]) -> Commands:
    _ = sources
    return Commands((toolchain.program, f"{RUNNERS}/run_javascript.mjs", f"{TESTS}/tests.mjs", *tests))


def _go(toolchain: Toolchain, sources: Sequence[str], tests: Sequence[str]) -> Commands:
    _ = sources
    table = "".join(f'\t\t{{"{name}", {name}}},\n' for name in tests)
    main = f"package main\n\nfunc main() {{\n\trunTests([]namedTest{{\n{table}\t}})\n}}\n"
    folder = f"{OWN_FOLDER}/main"
    # Named one by one, so that no other file of the folder is compiled.
    files = [f"{folder}/{name}" for name in ("main.go", "tests.go", "observer.go")]
    return Commands(
        (_PROGRAM,),
        (
            ("cp", f"{TESTS}/tests.go", f"{RUNNERS}/observer.go", folder),
            (toolchain.program, "build", "-buildvcs=false", "-trimpath", "-o", _PROGRAM, *files),
        ),
        {f"{folder}/main.go": main},
    )


def _rust(toolchain: Toolchain, sources: Sequence[str], tests: Sequence[str]) -> Commands:
    """Without cargo: nothing that an answer writes configures the compiler."""
    _ = sources
    calls = "".join(f'    observer.run("{name}", tests::{name});\n' for name in tests)
    main = (
        f'#[path = "{RUNNERS}/observer.rs"]\nmod observer;\n'
        f'#[path = "{TESTS}/tests.rs"]\nmod tests;\n\n'
        f"fn main() {{\n    let mut observer = observer::Observer::start();\n"
        f"{calls}    observer.done();\n}}\n"
    )
    source, library = f"{OWN_FOLDER}/main.rs", f"{WORKSPACE}/{OWN_FOLDER}/libsolution.rlib"
    compiler = (toolchain.program, "--edition=2021", "-Cdebuginfo=0", "--cap-lints=allow")
    return Commands(
        (_PROGRAM,),
        (
            (*compiler, "--crate-type=rlib", "--crate-name=solution", "-o", library, "src/lib.rs"),
            (*compiler, "--crate-name=main", "--extern", f"solution={library}", "-o", _PROGRAM, source),
        ),
        {source: main},
    )


def _cpp(toolchain: Toolchain, sources: Sequence[str], tests: Sequence[str]) -> Commands:
    declared = "".join(f"void {name}(Observer&);\n" for name in tests)
    calls = "".join(f'    observer.run("{name}", {name});\n' for name in tests)
    main = (
        f"#include <cstdlib>\n#include <iostream>\n#include <string>\n\n"
        f'#include "{RUNNERS}/observer.hpp"\n\n{declared}\n'
        f"int main() {{\n    std::string nonce;\n    std::getline(std::cin, nonce);\n"
        f'    Observer observer(nonce);\n{calls}    observer.write("done");\n    std::_Exit(0);\n}}\n'
    )
    source = f"{OWN_FOLDER}/main.cpp"
    compiled = [f"{WORKSPACE}/{one}" for one in sources if _CPP_SOURCE.fullmatch(one)]
    # After the folders of the compiler and of the harness, whose headers no answer replaces.
    after = "-idirafter"
    included = (f"-I{RUNNERS}", after, f"{WORKSPACE}/include", after, f"{WORKSPACE}/src")
    options = ("-std=c++20", "-O1", "-pthread", *included)
    build = (toolchain.program, *options, "-o", _PROGRAM, source, f"{TESTS}/tests.cpp", *compiled)
    return Commands((_PROGRAM,), (build,), {source: main})


LANGUAGES: Mapping[str, Language] = {
    "cpp": Language("tests.cpp", "cpp", _cpp),
    "go": Language("tests.go", "go", _go),
    "html": Language("tests.mjs", "node", _javascript),
    "javascript": Language("tests.mjs", "node", _javascript),
    "python": Language("tests.py"),
    "rust": Language("tests.rs", "rust", _rust),
}
