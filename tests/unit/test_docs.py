"""The documents say what the code does: every name has its page, every link leads somewhere, examples run."""

import importlib.util
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

import assay
from assay.adapters.models.providers import GENERIC, KNOWN, SIMULATED
from assay.adapters.models.sim import SimOptions
from assay.adapters.models.sim_answers import MODELS as SIM_MODELS
from assay.adapters.simserver.hostile_kinds import KINDS as HOSTILE_KINDS
from assay.adapters.simserver.script import MODELS as TEST_MODELS
from assay.adapters.simserver.script import Script
from assay.adapters.suites import schema
from assay.api.app import openapi_document
from assay.api.errors import status_of
from assay.cli import exit_codes, janus_bench
from assay.cli import main as command_line
from assay.cli.output.documents import (
    comparison_document,
    reported_document,
    run_document,
    sequential_document,
    summary_document,
)
from assay.cli.output.run_report import RunReport
from assay.cli.process import exit_code
from assay.domain.benchmark import Card, Need, Source
from assay.domain.benchmark_names import ALIASES
from assay.domain.calls.messages import Generation
from assay.domain.dataset_report import Grading
from assay.domain.errors import AssayError, AttemptError
from assay.domain.fingerprint import Fingerprint
from assay.domain.outcome import FINAL, VERDICTS, Outcome
from assay.domain.stats import EquivalenceVerdict
from assay.domain.summary import Summary, Tokens
from assay.engine.graders.rules.reading import OPTIONS
from assay.engine.models.retry import outcome_of
from assay.engine.one_file.declaration import benchmark
from assay.engine.planning.catalogue import GROUP, Catalogue
from assay.engine.planning.needs_setup import SETUP_CARDS
from assay.engine.results.compare import Comparison
from assay.engine.results.sequential import SequentialComparison
from assay.engine.stores.runs import StoredRun
from assay.python_api.options import Options
from assay.settings import Settings
from tests.builders import Seeded
from tests.documents import ANY_ID, DOCS, FENCE, NAMED_FILE, REPOSITORY, arguments_of, steps

GUIDES = sorted([*DOCS.glob("tutorial/*.md"), *DOCS.glob("how-to/*.md")])
PAGES = sorted(
    [
        *REPOSITORY.glob("*.md"),
        *(page for part in ("docs", "tests") for page in (REPOSITORY / part).rglob("*.md")),
    ]
)
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
ELLIPSIS = "…"
ROOT = get_command(command_line.app)


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one of its level or above."""
    found = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert found, f"no heading {heading!r}"
    level = len(found[1])
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{level}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)


def rows(text: str) -> Iterator[dict[str, str]]:
    """The rows of every table, by the names of the columns."""
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            columns = []
        elif not columns:
            columns = cells
        elif set(line) - set("|-"):
            assert len(cells) == len(columns), line
            yield dict(zip(columns, cells, strict=True))


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def first_cells(text: str) -> set[str]:
    return {name for row in rows(text) for name in quoted(next(iter(row.values())))}


def names_of(kind: type) -> set[str]:
    return {field.name for field in fields(kind)}


def test_every_setting_is_described_and_no_other() -> None:
    described = first_cells(text_of("reference/settings.md").partition("\n## ")[0])
    assert described == {name.upper() for name in Settings.model_fields}


OLDER_CONTRACT = [
    "DATABASE_URL",
    "CHUTES_API_KEY",
    "CHUTES_API_BASE_URL",
    "CHUTES_MODELS_API_URL",
    "CHUTES_MODELS_CACHE_TTL_SECONDS",
    "CHUTES_MAX_TOKENS_MARGIN",
    "CHUTES_MIN_OUTPUT_TOKENS",
    "CHUTES_MAX_OUTPUT_TOKENS_CAP",
    "CHUTES_IMAGE_TOKEN_ESTIMATE",
    "CHUTES_INFERENCE_TIMEOUT_SECONDS",
    "CHUTES_RATE_LIMIT_SLEEP_SECONDS",
    "MAINTENANCE_MODE",
    "MAINTENANCE_MESSAGE",
    "ADMIN_SECRET",
    "WORKER_POLL_INTERVAL",
    "WORKER_MAX_CONCURRENT",
    "WORKER_ITEM_CONCURRENCY",
    "WORKER_ITEM_TIMEOUT_SECONDS",
    "WORKER_ITEM_ATTEMPTS",
    "WORKER_STALE_RUN_MINUTES",
    "WORKER_STALE_CHECK_INTERVAL",
    "WORKER_HEARTBEAT_SECONDS",
    "WORKER_EXCLUSIVE_BENCHMARKS",
    "WORKER_DISABLED",
    "WORKER_ONLY_AUTH_MODE",
    "WORKER_ONLY_API_KEY",
    "SKIP_MODEL_SYNC",
    "CHUTES_CLIENT_ID",
    "CHUTES_CLIENT_SECRET",
    "CHUTES_IDP_URL",
    "FRONTEND_URL",
    "BENCH_DATA_DIR",
    "SANDY_CACHE_DIR",
    "SANDY_BASE_URL",
    "SANDY_API_KEY",
    "SANDY_VOLUME_ROOT",
    "SANDY_DOCKER_UPSTREAM",
    "AA_LCR_JUDGE_MODEL",
    "HLE_JUDGE_MODEL",
    "AA_OMNISCIENCE_JUDGE_MODEL",
    "GDPVAL_JUDGE_MODEL",
    "CRITPT_EVAL_URL",
    "CRITPT_API_KEY",
    "TAU2_USER_MODEL",
    "BENCH_SIGNING_PRIVATE_KEY",
    "BENCH_SIGNING_PUBLIC_KEY",
    "HF_TOKEN",
    "GREMIUM_…",
    "NEXT_PUBLIC_…",
    "PORT",
]


def test_every_setting_of_the_older_contract_is_read_or_listed_with_the_reason() -> None:
    text = text_of("reference/settings.md")
    listed = first_cells(section(text, "Names of the older contract"))
    read = {name.upper() for name in Settings.model_fields} | {"CHUTES_API_KEY"}
    assert set(OLDER_CONTRACT) - read - listed == set()
    assert listed & read == set()


def leaf_commands(name: str, command: object) -> Iterator[tuple[str, TyperCommand]]:
    if isinstance(command, TyperGroup):
        for part, inner in command.commands.items():
            yield from leaf_commands(f"{name} {part}", inner)
    else:
        assert isinstance(command, TyperCommand)
        yield name, command


JANUS = get_command(janus_bench.app)
ROOTS = {"assay": ROOT, "janus-bench": JANUS}
COMMANDS = dict(pair for name, root in ROOTS.items() for pair in leaf_commands(name, root))


def options_of(command: TyperCommand | TyperGroup) -> set[str]:
    return {name for parameter in command.params for name in parameter.opts if name.startswith("-")}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described_with_its_options(name: str) -> None:
    assert first_cells(section(text_of("reference/commands.md"), name)) == options_of(COMMANDS[name])


def test_no_command_is_described_that_does_not_exist() -> None:
    text = text_of("reference/commands.md")
    assert set(headings(text)) == {"Commands", *COMMANDS}
    assert isinstance(ROOT, TyperGroup)
    assert first_cells(text.partition("\n## ")[0]) == options_of(ROOT) | {"-h", "--help"}


def error_classes(root: type[AssayError] = AssayError) -> Iterator[type[AssayError]]:
    if root.__module__ == AssayError.__module__:
        yield root
    for child in root.__subclasses__():
        yield from error_classes(child)


def test_every_error_is_described_with_code_status_and_outcome() -> None:
    by_name = {kind.__name__: kind for kind in error_classes()}
    described = [row for row in rows(text_of("reference/errors.md")) if "class" in row]
    assert sorted(quoted(row["class"])[0] for row in described) == sorted(by_name)
    for row in described:
        kind = by_name[quoted(row["class"])[0]]
        error = kind.__new__(kind)
        assert quoted(row["code"]) == [kind.code], row
        if "HTTP" in row:
            assert row["HTTP"] == str(int(status_of(error))), row
        if "exit" in row:
            assert row["exit"] == str(exit_code(error)), row
        if "outcome" in row:
            assert isinstance(error, AttemptError)
            assert quoted(row["outcome"]) == [outcome_of(error)], row


def test_every_exit_code_is_described() -> None:
    codes = {value for name, value in vars(exit_codes).items() if name.startswith("EXIT_")}
    described = {int(row["code"]) for row in rows(section(text_of("reference/errors.md"), "Exit codes"))}
    assert described == codes | {0}


def test_every_outcome_is_described_on_its_side_of_the_score() -> None:
    text = text_of("reference/outcomes.md")
    assert first_cells(section(text, "Verdicts")) == set(VERDICTS)
    assert first_cells(section(text, "Answered")) == FINAL - VERDICTS
    assert first_cells(section(text, "Missing data")) == set(Outcome) - FINAL


def test_every_provider_and_simulated_model_is_described() -> None:
    text = text_of("reference/providers.md")
    providers = {quoted(row["prefix"])[0]: row for row in rows(text.partition("\n## ")[0])}
    assert providers.keys() == {f"{prefix}/" for prefix in (*KNOWN, GENERIC, SIMULATED)}
    for prefix, traits in KNOWN.items():
        row = providers[f"{prefix}/"]
        assert quoted(row["address"]) == ([traits.base_url] if traits.base_url else [])
        assert (row["key"] == "needed") is traits.needs_key
        assert quoted(row["variables"]) == [
            *(traits.key_variables or (f"{prefix.upper()}_API_KEY",)),
            *(traits.url_variables or (f"{prefix.upper()}_BASE_URL",)),
        ]
        assert (row["prices"] == "unknown") is (traits.price_unit is None)
    simulated = list(rows(section(text, "Simulated models")))
    assert {quoted(row["model"])[0] for row in simulated if "model" in row} == {
        f"sim/{name}" for name in SIM_MODELS
    }
    assert {quoted(row["option"])[0] for row in simulated if "option" in row} == names_of(SimOptions)


def test_every_option_and_model_of_the_test_endpoint_is_described() -> None:
    text = text_of("how-to/try-a-bad-endpoint.md")
    options = {quoted(row["option"])[0]: row["default"] for row in rows(section(text, "Options"))}
    assert options == {field.name: shown_default(field.default) for field in fields(Script)}
    models = {quoted(row["model"])[0]: row["the same as"] for row in rows(section(text, "Models"))}
    assert {name: dict(parse_qsl("".join(quoted(cell)))) for name, cell in models.items()} == TEST_MODELS


def test_every_kind_of_hostile_reply_is_described() -> None:
    described = {
        quoted(row["kind"])[0]: (row["what is sent"], tuple(quoted(row["ends as"])))
        for row in rows(text_of("reference/hostile-replies.md"))
    }
    assert described == {name: (kind.about, kind.ends) for name, kind in HOSTILE_KINDS.items()}


def shown_default(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"`{value:g}`"
    return f"`{value}`" if value else ""


# Settings that no card has.
SET_BY_RUNS = {"system", "options", "timeout_s", "retries", "logprobs"}


def test_every_benchmark_and_every_key_of_the_card_is_described() -> None:
    text = text_of("reference/benchmarks.md")
    assert set(headings(text)) == {
        *("Benchmarks", "The card", "Other names", "Benchmarks that need setup", "Gated benchmarks"),
        *Catalogue.installed().names,
    }
    assert {f"`{name}`" for name in (*ALIASES, *SETUP_CARDS)} <= set(re.findall("`[^`]+`", text))
    tables = {next(iter(row)): set[str]() for row in rows(text)}
    for row in rows(text):
        tables[next(iter(row))] |= set(quoted(next(iter(row.values()))))
    assert tables["key"] == names_of(Card) - {"source", "generation"}
    nested = {"[[source.files]]": "files", "[source.local_names]": "local_names"}
    assert {nested.get(key, key) for key in tables["key of `[source]`"]} == names_of(Source)
    assert tables["key of `[generation]`"] == names_of(Generation) - SET_BY_RUNS
    needs = next(row["meaning"] for row in rows(text) if row.get("key") == "`needs`")
    assert set(quoted(needs)) == set(Need)


def test_every_field_of_the_fingerprint_is_described() -> None:
    table = section(text_of("explanation/comparing.md"), "Like for like")
    assert first_cells(table) == names_of(Fingerprint)


def test_the_fields_of_the_json_documents_are_described() -> None:
    text = text_of("reference/files.md")
    seeded = Seeded()
    evaluation = seeded.evaluation()
    summary = summary_document(Summary(None, 0, 4, {}, None, 0, Tokens(), None), total=4)
    assert first_cells(section(text, "Summary")) == set(summary)
    run = run_document(RunReport(StoredRun(seeded.run, (), {}), {}))
    inner = reported_document(
        RunReport(StoredRun(seeded.run, (evaluation,), {evaluation.id: {}}), {}), evaluation
    )
    assert first_cells(section(text, "Run")) == {*run, *(inner.keys() - summary.keys())}
    comparison = comparison_document(Comparison(evaluation, evaluation, None, ()))
    assert first_cells(section(text, "Comparison")) == set(comparison)
    found = SequentialComparison(
        evaluation, evaluation, EquivalenceVerdict.INCONCLUSIVE, None, 0, 4, 0, 0.01, ()
    )
    assert first_cells(section(text, "Sequential comparison")) == set(sequential_document(found))


def test_every_path_of_the_api_is_described() -> None:
    described = first_cells(text_of("reference/http-api.md").partition("\n## ")[0])
    beside = {
        "GET /",
        "GET /ui/",
        "GET /api/openapi.json",
        "GET /ws/workbench",
        "GET /runs/{run_id}/stream",
        "GET /qa/runs/{run_id}/stream",
    }
    paths: dict[str, dict[str, object]] = json.loads(openapi_document())["paths"]
    assert described - beside == {f"{method.upper()} {path}" for path in paths for method in paths[path]}


def test_every_dependency_is_justified() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    wanted = {requirement for extra in extras.values() for requirement in extra} | set(
        project["dependencies"]
    )
    names = {re.split(r"[\[<>=; ]", requirement)[0] for requirement in wanted} - {"assay-benchmarks"}
    names |= json.loads((REPOSITORY / "ui/package.json").read_text(encoding="utf-8"))["dependencies"].keys()
    assert first_cells(text_of("decisions/0009-dependencies.md")) == names


def test_what_is_deprecated_is_on_the_page() -> None:
    says_nothing = "Nothing is deprecated at present." in text_of("explanation/compatibility.md")
    assert says_nothing == (b'"deprecated":true' not in openapi_document().replace(b" ", b""))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in LINK.finditer(FENCE.sub("", page.read_text(encoding="utf-8"))):
        target, _, anchor = link["target"].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        found = (page.parent / target).resolve() if target else page
        assert found.exists(), f"{link['target']} in {page.name}"
        if anchor:
            assert anchor in {slug(heading) for heading in headings(found.read_text(encoding="utf-8"))}, link[
                "target"
            ]


def slug(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_every_module_that_the_architecture_names_exists() -> None:
    modules = {f"/{path.relative_to(REPOSITORY).as_posix()}" for path in (REPOSITORY / "src").rglob("*.py")}
    for name in re.findall(r"[\w/]+\.py\b", (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")):
        assert any(module.endswith(f"/{name}") for module in modules), name


@pytest.mark.parametrize("guide", GUIDES, ids=lambda page: page.stem)
def test_the_commands_in_the_guides_can_be_typed(guide: Path) -> None:
    typed = [
        (found, root)
        for step in steps(guide.read_text(encoding="utf-8"))
        for program, root in ROOTS.items()
        if (found := arguments_of(step, program)) is not None
    ]
    assert typed
    for arguments, root in typed:
        command: object = root
        while isinstance(command, TyperGroup):
            assert arguments[0] in command.commands, arguments
            command = command.commands[arguments.pop(0)]
        assert isinstance(command, TyperCommand)
        # Raises for an unknown option, a value of the wrong type, a missing argument.
        command.make_context("assay", arguments)


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, and no `.env` of the developer's."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("own_home")
def test_the_tutorial_shows_what_its_commands_print() -> None:
    ids: dict[str, str] = {}
    checked = 0
    for step in steps(text_of("tutorial/first-run.md")):
        arguments = arguments_of(step)
        if arguments is None:
            continue
        if "^C" in step.shown:
            break  # from here on it is about interrupting
        result = CliRunner().invoke(command_line.app, [ids.get(word, word) for word in arguments])
        assert result.exit_code == 0, result.output
        for ours, theirs in zip(ANY_ID.findall(step.shown), ANY_ID.findall(result.stdout), strict=False):
            ids[ours[:8]] = theirs[:8]
        assert unlike(lines_of(step.shown), lines_of(result.stdout)) is None, f"{arguments}\n{result.stdout}"
        checked += 1
    assert checked > 5


def lines_of(text: str) -> list[str]:
    """Lines without what differs from one run to the next, or from one machine to the next."""
    text = ANY_ID.sub("ID", text).replace("not fetched", "fetched")
    text = re.sub(r"\d+\.\d s\b", "TIME", text)
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def unlike(shown: Sequence[str], printed: Sequence[str]) -> str | None:
    """The first line that does not fit; a line … stands for any lines, one that ends in … for any rest."""
    position = 0
    for number, line in enumerate(shown):
        if line == ELLIPSIS:
            continue
        is_free = number > 0 and shown[number - 1] == ELLIPSIS
        reach = len(printed) if is_free else position + 1
        start = line.removesuffix(ELLIPSIS).rstrip()
        found = next((at for at in range(position, reach) if fits(line, start, printed[at : at + 1])), None)
        if found is None:
            return line
        position = found + 1
    return None if shown[-1:] == [ELLIPSIS] else next(iter(printed[position:]), None)


def fits(line: str, start: str, printed: Sequence[str]) -> bool:
    return any(one.startswith(start) if line.endswith(ELLIPSIS) else one == line for one in printed)


@pytest.fixture
def suite_files(own_home: Path) -> Path:
    """The files of the guide."""
    for file in NAMED_FILE.finditer(text_of("how-to/run-a-suite.md")):
        (own_home / file["path"]).write_text(file["body"], encoding="utf-8")
    return own_home


@pytest.mark.usefixtures("suite_files")
def test_the_guide_to_suites_shows_what_its_commands_print(monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = ""
    checked = 0
    for step in steps(text_of("how-to/run-a-suite.md")):
        if step.words[0] == "export":
            monkeypatch.setenv(*step.words[1].split("=", 1))
            continue
        arguments = arguments_of(step)
        assert arguments is not None
        typed = [run_id if word == "RUN" else word for word in arguments]
        result = CliRunner().invoke(command_line.app, typed)
        assert result.exit_code == (2 if step.shown.startswith("error") else 0), result.output
        if step.shown:
            assert unlike(lines_of(step.shown), lines_of(result.output)) is None, result.output
        if "--json" in typed:
            run_id = json.loads(result.stdout)["results"][0]["run_id"]
        elif not run_id and typed[:2] == ["run", "nightly.toml"] and (ids := ANY_ID.findall(result.output)):
            run_id = ids[0]
        checked += 1
    assert checked == 9


def test_every_field_of_a_suite_is_described() -> None:
    text = text_of("reference/suites.md")
    tables = {
        "The suite": schema.SuiteTable,
        "Table settings": schema.SettingsTable,
        "Table models": schema.ModelTable,
        "Table price": schema.PriceTable,
        "Table benchmarks": schema.BenchmarkTable,
        "Table judge": schema.JudgeTable,
        "Table agent": schema.AgentTable,
        "Table budget": schema.BudgetTable,
        "Table stop": schema.StopTable,
        "Table composite": schema.CompositeTable,
        "Table gate": schema.GateTable,
        "Table gate.benchmarks": schema.RulesTable,
    }
    assert set(headings(text)) == {"Fields of a suite", *tables}
    assert len(tables) == len(schema.json_schema()["$defs"]) + 1 - len({"Part"})
    for heading, table in tables.items():
        described = {quoted(row["field"])[0]: row for row in rows(section(text, heading))}
        assert described.keys() == table.model_fields.keys()
        for name, field in table.model_fields.items():
            assert (described[name]["default"] == "required") is field.is_required(), name
            said = (field.description or "").lower()
            assert said in described[name]["meaning"].lower(), name


@pytest.fixture
def example(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package of the guide, written out and installed as far as Python can tell."""
    guide = text_of("how-to/write-a-benchmark.md")
    for file in NAMED_FILE.finditer(guide):
        path = own_home / file["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file["body"], encoding="utf-8")
    project = tomllib.loads((own_home / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    entry_points: dict[str, str] = project["entry-points"][GROUP]
    metadata = own_home / "src" / "assay_sums-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    (metadata / "entry_points.txt").write_text(
        f"[{GROUP}]\n" + "".join(f"{name} = {value}\n" for name, value in entry_points.items())
    )
    monkeypatch.setattr(sys, "path", [str(own_home / "src"), *sys.path])
    yield own_home
    for name in [name for name in sys.modules if name.partition(".")[0] == "assay_sums"]:
        del sys.modules[name]


@pytest.mark.usefixtures("example")
def test_the_example_benchmark_runs_and_scores_as_it_should() -> None:
    models = "sim/oracle,sim/null,sim/random,sim/echo,sim/refuse"
    arguments = ["run", models, "sums", "--data", "demo", "--json"]
    result = CliRunner().invoke(command_line.app, arguments)
    assert result.exit_code == 0, result.output
    scores = {one["model"]: one["score"] for one in json.loads(result.stdout)["evaluations"]}
    assert scores == dict.fromkeys(models.split(","), 0.0) | {"sim/oracle": 1.0}


def test_the_tests_of_the_example_pass(example: Path) -> None:
    spec = importlib.util.spec_from_file_location("test_sums", example / "tests" / "test_sums.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tests = [test for name, test in vars(module).items() if name.startswith("test_")]
    assert len(tests) == 3
    for test in tests:
        test()


def test_every_grader_is_described_with_its_options() -> None:
    text = text_of("reference/graders.md")
    assert first_cells(section(text, "All graders")) == set(Grading)
    described = {
        (grader, option)
        for row in rows(section(text, "Options"))
        for grader in quoted(row["grader"])
        for option in quoted(row["option"])
    }
    assert described == {(grader, option) for grader, known in OPTIONS.items() for option in known}


def test_every_argument_of_a_declared_benchmark_is_described() -> None:
    text = section(text_of("how-to/a-benchmark-in-one-file.md"), "Rows, a prompt, a grader")
    assert first_cells(text) == set(inspect.signature(benchmark).parameters)


@pytest.mark.parametrize("guide", ["a-benchmark-in-one-file", "coming-from-lm-eval"])
def test_the_files_of_a_guide_run_as_it_shows(own_home: Path, guide: str) -> None:
    text = text_of(f"how-to/{guide}.md")
    for file in NAMED_FILE.finditer(text):
        (own_home / file["path"]).write_text(file["body"], encoding="utf-8")
    ran = 0
    for step in steps(text):
        arguments = arguments_of(step)
        assert arguments is not None
        if not arguments[1].startswith("sim/"):
            continue  # a model that is not here
        result = CliRunner().invoke(command_line.app, arguments)
        assert result.exit_code == 0, result.output
        assert unlike(lines_of(step.shown), lines_of(result.stdout)) is None, f"{arguments}\n{result.stdout}"
        ran += 1
    assert ran > 1


def test_documents_that_messages_name_exist() -> None:
    sources = (REPOSITORY / "src" / "assay").rglob("*.py")
    messages = [path for path in sources if not path.name.startswith("test_")]
    named = {found for path in messages for found in re.findall(r"docs/[\w/-]+\.md", path.read_text())}
    assert named
    assert [one for one in sorted(named) if not (REPOSITORY / one).is_file()] == []


def test_every_name_and_option_of_the_python_api_is_described() -> None:
    text = text_of("reference/python-api.md")
    assert first_cells(text.partition("\n## ")[0]) == set(assay.__all__)
    assert first_cells(section(text, "evaluate")) == set(Options.__annotations__)
    members = {name for name in vars(assay.Result) if not name.startswith("_")}
    described = {name.partition("(")[0] for name in first_cells(section(text, "Result"))}
    assert described == members | {"run_id", "name", "state", "error", "evaluations"}
    for kind, heading in (
        (assay.EvaluationResult, "Result"),
        (assay.ItemResult, "Result"),
        (assay.ComparedPair, "Comparison"),
    ):
        assert names_of(kind) <= set(quoted(section(text, heading)))
