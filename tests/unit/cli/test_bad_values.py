"""Values that cannot be meant are input errors of one sentence."""

from pathlib import Path

import pytest

from tests.unit.cli.conftest import CommandLine

COSTLY_AGENT = ("--agent-command", "x", "--agent-limit", "usd=1")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "--limit", "999"), "'--limit': must be at most 200, not '999'"),
        (("worker", "--concurrency", "0"), "'--concurrency': must be at least 1, not '0'"),
        (("sim-server", "--port", "abc"), "'--port': must be a whole number, not 'abc'"),
        (("gate", "aaaa", "--threshold", "high"), "'--threshold': must be a number, not 'high'"),
        (("users", "add", "ci", "--role", "boss"), "'--role': 'boss' is not one of 'viewer', 'runner'"),
    ],
)
def test_options_of_the_wrong_type_are_explained_in_our_words(
    assay: CommandLine, arguments: tuple[str, ...], said: str
) -> None:
    done = assay(*arguments)
    assert done.exit_code == 2
    assert f"Invalid value for {said}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("up", "--port", "99999"), "--port must be 0 to 65535, not 99999"),
        (("api", "--port", "-1"), "--port must be 0 to 65535, not -1"),
        (("sim-server", "--port", "65536"), "--port must be 0 to 65535, not 65536"),
        (("worker", "--health-port", "70000"), "--health-port must be 0 to 65535, not 70000"),
        (("worker", "--grace", "-1"), "--grace must be at least 0 seconds, not -1"),
        # The official data is not on this machine.
        (("run", "gpt-4o", "mmlu_pro"), "did you mean 'openai/gpt-4o'?"),
        (("run", "sim/good", "MMLU_Pro", "--data", "demo"), "did you mean 'mmlu_pro'"),
        (("run", "sim/Good", "mmlu_pro", "--data", "demo"), "did you mean 'good'"),
        (("run", "sim/good", "mmlu_pro", "--fail-on-error", "0.1", "--detach"), "leave out --detach"),
        (("run", "sim/good", "mmlu_pro", "--item", ""), "--item names no item"),
        (("run", "sim/good", "mmlu_pro", "--item", '"1'), "is not a list of ids"),
        (("run", "sim/good", "mmlu_pro", "--item", "1", "--count", "2"), "named items or a subset"),
        (
            ("run", "sim/good", "mmlu_pro", "--data", "demo", "--item", "1001015,100103"),
            "no benchmark of the run has these items: '100103' (did you mean '100103",
        ),
        (("run", "sim/good", "mmlu_pro", "--agent-folder", "x"), "no agent: add --agent-command"),
        (("run", "sim/good", "mmlu_pro", "--agent-limit", "calls=2"), "no agent: add --agent-command"),
        (("run", "sim/good", "mmlu_pro", "--agent-command", " "), "the agent's command is empty"),
        (
            ("run", "sim/good", "mmlu_pro", "--data", "demo", "--agent-command", "x"),
            "'mmlu_pro' has no containers",
        ),
        (
            ("run", "sim/good", "swe_bench_pro", "--agent-command", "x", "--agent-limit", "steps=2"),
            "there are calls, tokens and usd",
        ),
        (
            ("run", "sim/good", "swe_bench_pro", "--agent-command", "x", "--agent-limit", "calls=2.5"),
            "'calls=2.5' needs a whole number",
        ),
        (
            ("run", "sim/good", "swe_bench_pro", "--agent-command", "x", "--agent-limit", "calls=0"),
            "the calls of an agent must be at least 1, not 0",
        ),
        (
            ("run", "sim/good", "swe_bench_pro", "--data", "demo", "--detach", *COSTLY_AGENT),
            "the price of 'sim/good' is unknown",
        ),
        (("gate", "aaaa"), "give --baseline, --threshold or --policy"),
        (("gate", "aaaa", "--threshold", "70"), "threshold must be a share from 0 to 1, not 70"),
    ],
)
def test_bad_values_are_refused(assay: CommandLine, arguments: tuple[str, ...], said: str) -> None:
    assert said in assay.error(*arguments)


def test_a_run_is_held_against_a_plain_threshold(assay: CommandLine, tmp_path: Path) -> None:
    run = assay.json("run", "sim/good", "mmlu_pro", "--data", "demo")["run_id"]
    passed = assay("gate", run, "--threshold", "0.8")
    assert passed.exit_code == 0
    assert "threshold: score 83.3 %; the threshold is 80 %" in passed.stdout
    assert assay("gate", run, "--threshold", "0.9").exit_code == 1
    policy = tmp_path / "policy.toml"
    policy.write_text("[benchmarks.mmlu_por]\nthreshold = 0.9\n")
    assert "no benchmark 'mmlu_por'; did you mean 'mmlu_pro'" in assay.error(
        "gate", run, "--policy", str(policy)
    )
    policy.write_text("[benchmarks.mmlu_pro]\nthreshhold = 0.9\n")
    assert "'benchmarks.mmlu_pro.threshhold' is not known" in assay.error(
        "gate", run, "--policy", str(policy)
    )


def test_another_tools_name_runs_our_benchmark(assay: CommandLine, tmp_path: Path) -> None:
    run = assay.json("run", "sim/good", "if_bench,ifbench", "--data", "demo")["run_id"]
    [evaluation] = assay.json("show", run)["evaluations"]
    assert evaluation["benchmark"] == "ifbench"
    policy = tmp_path / "policy.toml"
    policy.write_text("[benchmarks.if-bench]\nthreshold = 0.0\n")
    assert "threshold" in assay.printed("gate", run, "--policy", str(policy))
    assert "ifbench" in assay.printed("score", run, "--benchmark", "IF_Bench")


def test_a_benchmark_that_needs_setup_is_shown_with_the_reason_and_not_run(assay: CommandLine) -> None:
    assert "needs setup" in assay.printed("benchmarks")
    assert "affine_lgc_v2" in {one["name"] for one in assay.json("benchmarks")["needs_setup"]}
    assert "evaluation server" in assay.printed("benchmarks", "critpt")
    assert assay.json("benchmarks", "critpt")["size"] == 70
    for command in (("run", "sim/good", "critpt"), ("data", "fetch", "critpt")):
        said = assay.error(*command)
        assert "'critpt' needs setup" in said
        assert "install a package that brings a benchmark named 'critpt'" in said
