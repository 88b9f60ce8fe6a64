"""`assay code`: runs of tasks with the files that they leave, and checks of tasks."""

import json
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY, absent
from tests.integration.cli import TIMEOUT_S, Assay
from tests.integration.code_tasks import add_task, answer, endpoint, patch
from tests.integration.fleet import wait_until

TASK = "double_it"


@pytest.fixture(autouse=True)
def _bubblewrap() -> None:
    if shutil.which("bwrap") is None:
        absent("no bwrap; install bubblewrap")


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Three tasks that one solution solves."""
    for name in ("double_it", "double_more", "double_all"):
        add_task(tmp_path / "tasks", name)
    return tmp_path / "tasks"


def run(assay: Assay, tasks: Path, *arguments: str, status: int = 0) -> Path:
    """The folder of the run."""
    output = assay.home.parent / "runs"
    done = assay("code", "run", "--data", str(tasks), "--output-dir", str(output), *arguments)
    assert done.returncode == status, done.stderr + done.stdout
    return Path(done.stderr.rpartition("files of the run: ")[2].strip())


def right(_task: str) -> str:
    return answer(2)


def no_idea(_task: str) -> str:
    return "I do not know."


def read(path: Path) -> Any:  # tests look into it
    return json.loads(path.read_text())


def test_a_run_leaves_the_files_of_every_attempt(assay: Assay, tasks: Path) -> None:
    with endpoint(lambda task: answer(3 if task == "double_more" else 2)) as model:
        place = run(
            assay,
            tasks,
            "--tasks",
            "double_it,double_more",
            "--models",
            "vllm/coder",
            "--base-url",
            model.base_url,
        )
    names = {path.name for path in place.iterdir()}
    passed, failed = (f"{task}__vllm_coder__sample00__lvl_base" for task in ("double_it", "double_more"))
    assert names == {"summary.json", "attempts.json", "manifest.json", passed, failed}
    texts = {path.name: path.read_text() for path in (place / passed).iterdir()}
    assert set(texts) == {
        "prompt.txt", "response.txt", "response.json", "patch.diff", "stdout.log", "stderr.log",
    }  # fmt: skip
    assert "`double` returns twice its argument." in texts["prompt.txt"]
    assert "test_doubles" not in texts["prompt.txt"]
    assert texts["response.txt"] == answer(2)
    assert "+    return 2 * value" in texts["patch.diff"]
    assert "observation 1 is" in (place / failed / "error.log").read_text()
    summary = read(place / "summary.json")
    assert summary["status_counts"] == {"passed": 1, "failed": 1, "error": 0, "api_error": 0}
    assert summary["metrics"]["model_accuracy"] == {"vllm/coder": 0.5}
    assert read(place / "attempts.json") == summary["attempts"]
    assert read(place.parent / "latest_summary.json") == summary
    shown = assay.json("show", summary["run_id"])
    assert shown["items"] == ["double_it", "double_more"]


def test_the_latest_result_of_a_task_is_never_replaced_by_a_worse_one(assay: Assay, tasks: Path) -> None:
    with endpoint(right) as model:
        arguments = ["--task", TASK, "--models", "vllm/coder", "--base-url", model.base_url]
        best = run(assay, tasks, *arguments)
        model.reply = no_idea
        worse = run(assay, tasks, *arguments)
        latest = worse.parent / f"{TASK}__vllm_coder_latest.json"
        assert read(worse / "summary.json")["status_counts"]["error"] == 1
        assert (read(latest)["status"], read(latest)["run_dir"]) == ("passed", best.name)
        model.reply = right
        equal = run(assay, tasks, *arguments)
    assert read(latest)["run_dir"] == equal.name
    assert read(latest.with_name("latest_index.json"))[latest.name]["run_dir"] == equal.name


def test_api_errors_are_retried_in_the_same_run_and_count_as_missing_until_then(
    assay: Assay, tasks: Path
) -> None:
    replies = {"double_it": answer(2), "double_more": answer(3), "double_all": None}
    with endpoint(replies.get) as model:
        place = run(assay, tasks, "--tasks", "all", "--models", "vllm/coder", "--base-url", model.base_url)
        before = read(place / "summary.json")
        assert before["status_counts"] == {"passed": 1, "failed": 1, "error": 0, "api_error": 1}
        assert before["metrics"]["model_accuracy"] == {"vllm/coder": 0.5}
        attempt = place / "double_all__vllm_coder__sample00__lvl_base"
        assert {path.name for path in attempt.iterdir()} == {"prompt.txt", "error.log"}
        replies["double_all"] = answer(2)
        model.asked.clear()
        done = assay("code", "run", "--resume-from", str(place), "--retry-api-errors")
        assert done.returncode == 0, done.stderr
        assert model.asked == ["double_all"]
    after = read(place / "summary.json")
    assert after["run_id"] == before["run_id"]
    assert after["metrics"]["model_accuracy"] == {"vllm/coder": pytest.approx(2 / 3)}
    assert (attempt / "patch.diff").is_file()
    nothing = assay("code", "run", "--resume-from", str(place))
    assert (nothing.returncode, "nothing left to do" in nothing.stderr) == (0, True)


def test_an_interrupted_run_goes_on_with_what_is_missing(assay: Assay, tasks: Path) -> None:
    is_released = threading.Event()

    def reply(task: str) -> str:
        if task != TASK:
            is_released.wait(TIMEOUT_S)
        return answer(2)

    with endpoint(reply) as model:
        output = assay.home.parent / "runs"
        process = assay.start(
            *("code", "run", "--data", str(tasks), "--tasks", "all", "--models", "vllm/coder"),
            *("--base-url", model.base_url, "--output-dir", str(output)),
        )
        try:
            wait_until(lambda: len(model.asked) == 3 and any(output.glob("run_*/manifest.json")), within_s=60)
            [manifest] = output.glob("run_*/manifest.json")
            run_id = read(manifest)["run_id"]
            wait_until(lambda: assay.json("show", run_id)["evaluations"][0]["outcomes"] != {}, within_s=60)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=TIMEOUT_S)
        finally:
            process.kill()
            is_released.set()
        assert process.returncode == 130
        statuses = {one["task_id"]: one["status"] for one in read(manifest)["attempts"]}
        assert statuses == {TASK: "passed", "double_more": None, "double_all": None}
        model.asked.clear()
        done = assay("code", "run", "--resume-from", str(manifest.parent), "--resume-incomplete")
        assert done.returncode == 0, done.stderr
        assert sorted(model.asked) == ["double_all", "double_more"]
    assert read(manifest.parent / "summary.json")["metrics"]["model_accuracy"] == {"vllm/coder": 1.0}


def test_a_reply_from_a_file_is_graded_and_marked_as_such(assay: Assay, tasks: Path) -> None:
    reply = assay.home.parent / "reply.txt"
    reply.write_text(answer(2))
    place = run(assay, tasks, "--task", TASK, "--models", "openai/gpt-5", "--response-file", str(reply))
    summary = read(place / "summary.json")
    assert summary["status_counts"]["passed"] == 1
    [model] = summary["models"]
    assert model.startswith("replay/openai/gpt-5:")
    assert assay.json("show", summary["run_id"])["tags"] == ["replayed"]


def test_a_sweep_asks_at_every_level_with_the_provider(assay: Assay, tasks: Path) -> None:
    with endpoint(right) as model:
        place = run(
            assay, tasks, "--task", TASK, "--models", "openrouter/coder", "--base-url", model.base_url,
            "--sweep-thinking-levels", "--provider", "deepinfra", "--samples", "2", "--include-tests",
        )  # fmt: skip
    summary = read(place / "summary.json")
    assert list(summary["metrics_by_thinking_level"]) == ["base", "low", "medium", "high"]
    assert len(summary["attempts"]) == 8
    assert (place / f"{TASK}__openrouter_coder__sample01__lvl_high" / "response.json").is_file()
    assert {body["provider"]["order"][0] for body in model.bodies} == {"deepinfra"}
    assert all("test_doubles" in body["messages"][-1]["content"] for body in model.bodies)


def test_a_dry_run_prints_every_prompt_and_asks_nothing(assay: Assay, tasks: Path) -> None:
    done = assay(
        "code",
        "run",
        "--data",
        str(tasks),
        "--tasks",
        "all",
        "--models",
        "sim/oracle",
        "--dry-run",
        "--install-deps",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("`double` returns twice its argument.") == 3
    assert "--install-deps has no effect" in done.stderr
    assert assay.json("list")["runs"] == []
    assert not (assay.home.parent / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "name the tasks: give either --task ID, or --tasks"),
        (["--task", TASK, "--tasks", "all"], "name the tasks: give either --task ID, or --tasks"),
        (["--tasks", "all,double_it"], "names all tasks and single ones"),
        (["--tasks", " , "], "no task is named"),
        (["--task", "double_ti", "--models", "sim/oracle"], "did you mean 'double_it'"),
        (["--task", TASK], "name the models with --models, or set DEFAULT_MODEL"),
        (["--task", TASK, "--models", "m", "--thinking-level", "budget_seconds=9"], "budget in seconds"),
        (["--task", TASK, "--retry-api-errors"], "need --resume-from"),
        (["--resume-from", ".", "--retry-api-errors", "--resume-incomplete"], "not both"),
        (["--resume-from", ".", "--task", TASK], "goes on with the tasks and models of its run"),
        (["--resume-from", "."], "is not the manifest of a run"),
        (
            ["--task", TASK, "--models", "sim/oracle", "--output-dir", "/proc/none"],
            "cannot write to '/proc/none'",
        ),
        (["--tasks", "all", "--models", "a/b", "--response-file", "none"], "for one task, one model"),
        (["--task", TASK, "--models", "a/b", "--response-file", "none"], "cannot read 'none'"),
        (["--task", TASK, "--models", "a/b,c/d", "--response-file", "none"], "for one task, one model"),
    ],
)
def test_what_cannot_be_run_is_refused(assay: Assay, tasks: Path, arguments: list[str], reason: str) -> None:
    status, message = assay.failure("code", "run", "--data", str(tasks), *arguments)
    assert (status, reason in message) == (2, True), message


def test_the_model_of_the_settings_is_asked_where_none_is_named(tmp_path: Path, tasks: Path) -> None:
    assay = Assay(tmp_path / "home", variables=(("DEFAULT_MODEL", "sim/oracle"),))
    place = run(assay, tasks, "--task", TASK)
    assert read(place / "summary.json")["models"] == ["sim/oracle"]


@pytest.fixture
def without_compilers(tmp_path: Path, tasks: Path) -> Generator[Assay]:
    """With a task in C++ besides, and nothing to compile it."""
    metadata = read(tasks / TASK / "metadata.json") | {"task_id": "sum_up", "language": "cpp"}
    add_task(
        tasks,
        "sum_up",
        **{"metadata.json": json.dumps(metadata), "tests/tests.cpp": "void test_doubles() {}\n"},
    )
    bwrap = shutil.which("bwrap")
    assert bwrap is not None
    # Not below `tmp_path`: the sandbox is started as a user who may not enter that.
    with tempfile.TemporaryDirectory() as programs:
        Path(programs).chmod(0o755)
        shutil.copy(bwrap, programs)
        yield Assay(tmp_path / "home", variables=(("PATH", programs),))


def test_all_tasks_are_those_that_can_be_tested_here(without_compilers: Assay, tasks: Path) -> None:
    assay = without_compilers
    listed = {one["task"]: one for one in assay.json("code", "tasks", "--data", str(tasks))["tasks"]}
    assert [name for name, one in listed.items() if not one["is_available"]] == ["sum_up"]
    assert "g++ was not found on this machine" in listed["sum_up"]["reason"]
    printed = assay("code", "tasks", "--data", str(tasks)).stdout
    assert "4 tasks: 3 python, 1 cpp" in printed
    assert "1 task cannot be tested here: cpp: g++ was not found" in printed
    place = run(assay, tasks, "--tasks", "all", "--models", "sim/oracle")
    summary = read(place / "summary.json")
    assert summary["tasks"] == ["double_all", "double_it", "double_more"]
    assert summary["status_counts"]["passed"] == 3
    done = assay("code", "selftest", "sum_up", "--data", str(tasks))
    assert (done.returncode, "not tested: 1 task (sum_up)" in done.stdout) == (1, True)


def test_tasks_that_are_right_are_proven_so(assay: Assay, tasks: Path) -> None:
    done = assay("code", "validate", str(tasks))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("3 tasks, all usable\n")
    assert "ok   double_it: solution passes, 1 wrong solution found; run" in done.stdout
    found = assay.json("code", "selftest", TASK, "--data", str(tasks))
    assert (found["is_right"], found["languages"]["python"]["checks"]) == (True, 3)
    [task] = found["tasks"]
    assert [(one["files"], one["has_passed"]) for one in task["checks"]] == [
        ("solution", True),
        ("workspace", False),
        ("wrong/squares", False),
    ]


def test_the_task_of_the_guide_works(assay: Assay, tmp_path: Path) -> None:
    guide = (REPOSITORY / "docs" / "how-to" / "write-code-tasks.md").read_text()
    blocks = re.findall(r"```(?:json|python)\n(.*?)```", guide, re.DOTALL)
    code = "def doubled(numbers):\n    return [{}one + one for one in numbers]\n"
    contents = {
        **dict(zip(("metadata.json", "tests/tests.py", "expected.json"), blocks, strict=True)),
        "instructions.md": "# Double\n",
        "workspace/numbers_of.py": code.format(""),
        "solution/numbers_of.py": code.format("0 + "),
    }
    for name, text in contents.items():
        path = tmp_path / "double_numbers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = assay("code", "validate", str(tmp_path / "double_numbers"))
    assert (done.returncode, "ok   double_numbers" in done.stdout) == (0, True), done.stdout + done.stderr


def test_lists_are_given_with_spaces_as_well(assay: Assay, tasks: Path) -> None:
    lists = ("--tasks", TASK, "double_more", "--models", "sim/oracle", "sim/null,sim/echo", "--samples", "1")
    done = assay("code", "run", "--data", str(tasks), *lists, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert all(one in done.stdout for one in ("sim/oracle", "sim/null", "sim/echo"))
    refused = assay("code", "run", "--task", TASK, "double_more")
    assert (refused.returncode, "(double_more)" in refused.stderr) == (2, True)


def test_tasks_that_are_not_right_are_named_with_the_reason(assay: Assay, tmp_path: Path) -> None:
    own = tmp_path / "own"
    add_task(
        own,
        "solution_fails",
        **{"solution/numbers_.py": "def double(value):\n    return 0\n", "wrong/squares.patch": None},
    )
    add_task(own, "wrong_passes", **{"wrong/adds.patch": patch("return 2 * value", "return value + value")})
    done = assay("code", "selftest", "--data", str(own))
    assert done.returncode == 1
    assert "solution fails 1 test: test_doubles: observation 1 is [0, 0], expected [42" in done.stdout
    assert "wrong/adds passes all tests" in done.stdout
    assert "not right: " in done.stdout


def test_faults_of_tasks_are_listed_by_file(assay: Assay, tmp_path: Path) -> None:
    add_task(tmp_path / "own", "no_tests", **{"tests/tests.py": None, "tests/other.py": ""})
    add_task(tmp_path / "own", "bad_json", **{"expected.json": "{"})
    done = assay("code", "validate", str(tmp_path / "own"))
    assert done.returncode == 2
    assert "bad_json/expected.json: not valid JSON" in done.stderr
    assert "no_tests/tests/tests.py: missing" in done.stderr


def test_a_task_without_a_solution_is_usable_and_said_to_be_untested(assay: Assay, tmp_path: Path) -> None:
    add_task(tmp_path / "own", TASK, **{"solution/numbers_.py": None, "wrong/squares.patch": None})
    done = assay("code", "validate", str(tmp_path / "own"))
    assert done.returncode == 0
    assert "1 task, all usable" in done.stdout
    assert f"not tested, for want of a solution: {TASK}" in done.stdout
    assert "solution" not in assay("code", "validate", str(tmp_path / "own"), "--no-run").stdout


def test_an_unknown_task_or_language_is_refused_with_the_nearest(assay: Assay, tasks: Path) -> None:
    status, message = assay.failure("code", "selftest", "double_ti", "--data", str(tasks))
    assert (status, "double_it" in message) == (2, True)
    status, message = assay.failure("code", "setup", "rust")
    assert (status, "'rust' cannot be installed here" in message) == (2, True)
