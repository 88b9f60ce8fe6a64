"""Everything that the documents type is executed here, or says at its end what it needs.

Endpoints on this machine stand in for those that a document names, demo items for official data where no
data is named, and the page's latest run for the ids it shows. `assay up`, `worker` and `sim-server`, which
do not end, are tested as processes elsewhere; that their options exist is tested in `test_docs.py`.
`assay doctor`, which takes a second, is executed on one page.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli import janus_bench
from assay.cli import main as command_line
from tests.documents import ANY_ID, DOCS, NAMED_FILE, REPOSITORY, VARIABLE, Step, arguments_of, steps
from tests.integration.stand_ins import StandIns, stand_ins
from tests.integration.vendors.server import MODEL

# `test_docs.py` executes these and compares what they print.
COMPARED = {"first-run", "run-a-suite", "a-benchmark-in-one-file", "coming-from-lm-eval", "write-a-benchmark"}
# What is typed on these is for another machine, and who tries it there.
ELSEWHERE = {
    "install": "tests/integration/test_wheel.py",
    "release": "tests/unit/test_release.py",
    "run-with-compose": "scripts/check-images",
    "run-on-kubernetes": "scripts/check-images",
    "run-on-render": "tests/integration/test_recipes.py",
}
PAGES = [
    page
    for page in (REPOSITORY / "README.md", *sorted(DOCS.rglob("*.md")))
    if page.stem not in ELSEWHERE and any(steps(page.read_text(encoding="utf-8")))
]
STEPS = {page: tuple(steps(page.read_text(encoding="utf-8"))) for page in PAGES}
PROGRAMS = {"assay": command_line.app, "janus-bench": janus_bench.app}
# What a command must have in it for each thing that it may say it needs.
NEEDS = {
    "Docker": r"\bdocker\b|terminal_bench_hard|swe_bench_pro",
    "the network": r"git clone|data fetch|hf:|pip install|load_dataset|data prepare|scicode"
    r"|gsm8k\.yaml|models sync",
    "official data": r"--data [\w~]|data check|scicode|livecodebench:|mv instances|--file",
    "root": r"^sudo ",
    "systemd": r"^systemd-run ",
    "an identity provider": r"users role",
    "a remote sandbox": r"SANDY_",
    "the server above": r"/gzip-bomb/",
    "workers": r"^assay (tune|retry|cancel|requeue)",
    "compilers": r"^assay code (setup|selftest)",
    "your own tasks": r"my-tasks",
    "another tool": r"^(lm_eval|inspect|promptfoo|npx) ",
    "Prometheus": r"^promtool ",
    "a clone": r"^\.uv/bin/uv |^\.venv/bin/python scripts/|^python -m benchmarks",
}
SERVICES = {"up", "worker", "sim-server"}
AWAY = (
    "CHUTES_IDP",
    "CHUTES_CLIENT",
    "FRONTEND_URL",
    "SANDY_",
    "DATABASE_URL",
    "ASSAY_SANDBOX",
    "ASSAY_OBJECT_STORE",
    "AWS_",
    "ASSAY_CONT",
)
SHELL = {"cd", "source", "make"}
# These say by their exit code what they found.
VERDICTS = {"fidelity", "gate"}
WITH_DATA = {"run", "race", "fidelity", "grade"}
ASKED = ("run", "race", "fidelity", "code")
ADDRESS = re.compile(r"https?://[^\s/]+(/v1)?(?=$|\s)")
SHORT_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}(?![0-9a-fT])")
MOST_ITEMS = "2"
# Levels of load tests, fewer and lower.
LEVELS = {"1..50": "1..2", "10,15,20,25,30": "5,10", "1,8,64": "1,2"}
SUMS = '{"prompt": "What is 1 + 1?", "expected": "2"}\n{"prompt": "What is 2 + 2?", "expected": "4"}\n'
CAPITAL = DOCS / "how-to/a-benchmark-in-one-file.md"
YAML_TASK = DOCS / "how-to/coming-from-lm-eval.md"
RUN = ("run", "sim/good,sim/weak", "mmlu_pro", "--data", "demo")


def named_files(page: Path) -> dict[str, str]:
    return {file["path"]: file["body"] for file in NAMED_FILE.finditer(page.read_text(encoding="utf-8"))}


def fenced(page: str, number: int, kind: str = "") -> str:
    """A block of a page that is a file of the reader's."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[number]


# Files that a reader of the page has.
FILES: dict[str, Callable[[], dict[str, str]]] = {
    "README": lambda: {
        **named_files(CAPITAL),
        **named_files(YAML_TASK),
        "gsm8k.yaml": named_files(YAML_TASK)["capitals.yaml"].replace("task: capitals", "task: gsm8k"),
        "questions.jsonl": SUMS,
    },
    "side-by-side": lambda: {"sums.jsonl": SUMS},
    "gate-a-release": lambda: {"policy.toml": fenced("how-to/gate-a-release.md", 0, "toml")},
    "grade-answers": lambda: {"answers.jsonl": fenced("how-to/grade-answers.md", 0)},
    "load-test-a-server": lambda: {"my-questions.jsonl": SUMS},
    "your-own-data": lambda: {"questions.csv": "question,answer\nWhat is 1 + 1?,2\n", "capitals.jsonl": SUMS},
    "run-code-tasks": lambda: {"reply.txt": "no code"},
}
# Runs and names that a page takes for granted.
BEFORE: dict[str, Sequence[Sequence[str]]] = {
    "offload-old-runs": (RUN,),
    "race-models": (("run", "sim/weak", "mmlu_pro", "--data", "demo"),),
    "gate-a-release": (RUN, ("export", "RUN", "--out", "baseline.zip")),
    "load-test-a-server": (("datasets", "add", "my-questions.jsonl"),),
    "use-from-python": (RUN,),
    "run-your-endpoint": (RUN,),
    "back-up-and-upgrade": (("list",),),
    "prove-a-score": (("run", "sim/weak", "mmlu_pro", "--data", "demo"),),
}
# Ids that are not of the page's latest run but of its first.
FIRST = {"race-models": "1a2b3c4d", "run-your-endpoint": "1a2b3c4d", "prove-a-score": "5e6f7a8b"}


@pytest.fixture(scope="module")
def endpoints() -> Generator[StandIns]:
    words = " ".join(word for found in STEPS.values() for step in found for word in step.words)
    named = set(re.findall(r"\b[\w-]+/([\w./-]+)", words))
    models = tuple(sorted(named | {name.rpartition("/")[2] for name in named}))
    with stand_ins(models) as served:
        yield served


@pytest.fixture
def folder(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endpoints: StandIns
) -> Path:
    """Where the reader of the page types, with its files."""
    page: Path = request.getfixturevalue("page")
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("ROUTE_KEY", "secret")
    monkeypatch.setenv("LOCAL_BASE_URL", endpoints.chat)
    for name, value in endpoints.variables().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    for name, body in {**named_files(page), **FILES.get(page.stem, dict[str, str])()}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem not in COMPARED], ids=lambda page: page.stem
)
def test_the_commands_of_the_page_do_what_it_says(
    page: Path, folder: Path, endpoints: StandIns, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []
    for arguments in BEFORE.get(page.stem, ()):
        execute("assay", [runs[-1] if word == "RUN" else word for word in arguments], runs)
    for step in STEPS[page]:
        how, given = way(step), assigned(step, endpoints)
        if how == "export":
            set_all(monkeypatch, given)
        elif how == "python":
            subprocess.run(["bash", "-c", step.line], cwd=folder, check=True, env=with_python())
        elif how in PROGRAMS and not (step.words[-1] == "doctor" and page.stem != "runbook"):
            with monkeypatch.context() as patched:
                set_all(patched, given)
                execute(how, here(arguments_of(step, how) or [], endpoints, page.stem, runs), runs)


def test_most_of_what_is_typed_can_be_executed_here() -> None:
    ways = Counter(way(step) for found in STEPS.values() for step in found)
    assert ways["needs"] <= ways.total() / 4, ways


def set_all(patched: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name, value in variables.items():
        patched.setenv(name, value)


def with_python() -> dict[str, str]:
    """The environment, in which `python` is the one that Assay is installed in."""
    return os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def way(step: Step) -> str:
    """How a step is treated: executed by a program, a variable, or not at all."""
    if step.needs:
        line = " ".join(step.words)
        assert re.search(NEEDS[step.needs], line), f"{line!r} says that it needs {step.needs}"
        return "needs"
    for program in PROGRAMS:
        if (arguments := arguments_of(step, program)) is not None:
            return "service" if arguments[0] in SERVICES else program
    if step.words[0] in {"export", "python"}:
        return step.words[0]
    assert step.words[0] in SHELL, f"{step.words} is neither executed nor says what it needs"
    return "shell"


def assigned(step: Step, endpoints: StandIns) -> dict[str, str]:
    """The variables that a step sets; addresses and keys are those of the stand-ins, the database stays."""
    found = (VARIABLE.fullmatch(word) for word in step.words)
    given = {match["name"]: match["value"] for match in found if match}
    known = endpoints.variables()
    if any(word.startswith("openai-responses/") for word in step.words):
        return {"OPENAI_BASE_URL": endpoints.native["openai-responses"]}
    return {
        name: str(Path(value).name)
        if name == "ASSAY_HOME"
        else known.get(name) or ADDRESS.sub(endpoints.chat, value.replace("…", "0123456789abcdef"))
        for name, value in given.items()
        if not name.startswith(AWAY)
    }


def here(arguments: Sequence[str], endpoints: StandIns, page: str, runs: Sequence[str]) -> list[str]:
    """What is typed, for this machine: its addresses, files, keys and runs; of large data, a few items."""

    def run_of(match: re.Match[str]) -> str:
        return runs[0 if FIRST.get(page) == match[0] else -1][: len(match[0])]

    def word_here(word: str) -> str:
        if word == "RUN":
            return runs[-1]
        if word.startswith("bench_results_"):
            return report_of(word, arguments)
        word = ADDRESS.sub(endpoints.chat, word).replace("/backups/", "")
        return SHORT_ID.sub(run_of, word.replace("openai-responses/gpt-5", f"openai-responses/{MODEL}"))

    typed = [word_here(word) for word in arguments]
    replacing: dict[str, Callable[[str], str]] = {
        "--key": lambda _: key_here(),
        "--item": lambda wanted: item_of(typed[1], wanted) if typed[0] == "show" else wanted,
        "--resume-from": lambda _: str(max(Path("runs").glob("run_*/"))),
    }
    for option, replaced in replacing.items():
        if option in typed:
            place = typed.index(option) + 1
            typed[place] = replaced(typed[place])
    if typed[0] == "load":
        return [*(LEVELS.get(word, word) for word in typed), "--duration", "0.5"]
    return [*typed, *bounds(typed)]


def bounds(typed: Sequence[str]) -> list[str]:
    """Options that take the demo items where the official data would be taken, and a few of them."""
    if typed[:2] == ["code", "run"] and "all" in typed and "--dry-run" not in typed:
        return ["--dry-run"]
    if "--suite" in typed:
        return [] if "--subset" in typed else ["--subset", "1"]
    if typed[0] not in WITH_DATA or "--data" in typed or not is_official(typed):
        return []
    if typed[0] in {"run", "fidelity"} and is_heavy(typed) and "--detach" not in typed:
        return ["--data", "demo", "--dry-run"]
    is_bounded = typed[0] == "grade" or {"--subset", "--dry-run"} & set(typed)
    return ["--data", "demo", *([] if is_bounded else ["--count", MOST_ITEMS])]


def is_heavy(typed: Sequence[str]) -> bool:
    """Several benchmarks, or a grader in a process of its own: planned and estimated, not asked."""
    if any(word.startswith("sim/") for word in typed):
        return False
    return typed[0] == "fidelity" or any("ifeval" in word or word.count("janus_") > 1 for word in typed)


def item_of(run: str, wanted: str) -> str:
    """The item that a page names, or the first one of a run that has not asked it."""
    listed = CliRunner().invoke(command_line.app, ["items", run, "--json"])
    found = re.findall(r'"item_id": *"([^"]+)"', listed.stdout)
    return wanted if wanted in found or not found else found[0]


def report_of(name: str, arguments: Sequence[str]) -> str:
    """The latest report; where two are compared, the one before for the second."""
    written = sorted(Path().glob("bench_results_*.json"), key=lambda path: path.stat().st_mtime)
    return str(written[-2 if arguments.index(name) > 1 else -1])


def key_here() -> str:
    listed = CliRunner().invoke(command_line.app, ["keys", "list", "--json"])
    [key] = json.loads(listed.stdout)["keys"]
    return str(key["public_key"])


def is_official(typed: Sequence[str]) -> bool:
    if typed[0] == "fidelity":
        return "--run" not in typed
    named = {part.partition(":")[0] for word in typed for part in word.split(",")}
    return bool(named & {"mmlu_pro", "ifeval", "gpqa_diamond", "livecodebench", *JANUS})


JANUS = ("janus_research", "janus_tool_use", "janus_multimodal", "janus_streaming", "janus_cost")


def execute(program: str, typed: Sequence[str], runs: list[str]) -> None:
    result = CliRunner().invoke(PROGRAMS[program], list(typed))
    said = f"{program} {' '.join(typed)}\n{result.output}\n{result.exception!r}"
    is_verdict = typed[0] in VERDICTS and isinstance(result.exception, SystemExit)
    assert result.exit_code == 0 or is_verdict, said
    if typed[0] in ASKED and (found := ANY_ID.findall(result.output)):
        runs.append(found[0])
