"""Tasks of lm-eval load as they are, and give its own prompts and scores.

`verdicts.json` is what lm-eval 0.4.13 made of the tasks beside it; `scripts/lm_eval_verdicts` wrote it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.datasets.row_reader import FileRowReader
from assay.adapters.one_file.loading import LocalBenchmarkFiles
from assay.domain.benchmark import HasMetrics, Result, Services
from assay.domain.calls.messages import Completion
from assay.domain.outcome import Outcome
from assay.engine.one_file.lm_eval.benchmark import LmEvalBenchmark
from tests.builders import called_here

HERE = Path(__file__).parent
VERDICTS: dict[str, Any] = json.loads((HERE / "verdicts.json").read_text(encoding="utf-8"))


def loaded(path: Path) -> LmEvalBenchmark:
    [benchmark] = LocalBenchmarkFiles(FileRowReader()).load(str(path)).benchmarks
    assert isinstance(benchmark, LmEvalBenchmark)
    return benchmark


def test_every_task_was_recorded() -> None:
    assert {path.stem for path in (HERE / "tasks").glob("[!_]*.yaml")} == VERDICTS.keys()


@pytest.mark.parametrize("name", VERDICTS)
async def test_a_task_gives_the_prompts_and_scores_of_lm_eval(name: str) -> None:
    benchmark = loaded(HERE / "tasks" / f"{name}.yaml")
    item_set = benchmark.load(benchmark.own_data("official").tables)
    prompts = [item_set.prompt(item).body for item in item_set.items]
    assert prompts == [{"messages": messages} for messages in VERDICTS[name]["prompts"]]
    first = benchmark.task.filters[0].name
    outcomes: set[Outcome] = set()
    for case in VERDICTS[name]["cases"]:
        replies: list[str] = case["replies"]
        answer = replies[0] if benchmark.task.repeats == 1 else json.dumps(replies)
        number: int = case["doc"]
        item = item_set.items[number]
        grade = await benchmark.grade(item, Completion(answer), Services(isolated=called_here))
        assert grade.details["filters"] == case["filters"], case
        assert grade.score == case["filters"][first]["score"]
        outcomes.add(grade.outcome)
    assert Outcome.CORRECT in outcomes
    assert len(outcomes) > 1


def test_the_other_filters_are_metrics() -> None:
    benchmark = loaded(HERE / "tasks" / "sums.yaml")
    assert isinstance(benchmark, HasMetrics)

    def result(outcome: Outcome, **scores: float) -> Result:
        filters = {name.replace("_", "-"): {"score": score} for name, score in scores.items()}
        return Result(
            item_id=benchmark.load(benchmark.own_data("official").tables).items[0].id,
            sample=0,
            outcome=outcome,
            score=0.0,
            category=None,
            cluster=None,
            details={"filters": filters} if scores else {},
        )

    found = benchmark.metrics(
        [
            result(Outcome.INCORRECT, strict_match=0.0, flexible_extract=1.0),
            result(Outcome.UNPARSED, strict_match=0.0, flexible_extract=1.0),
            result(Outcome.REFUSED),
            result(Outcome.CORRECT, strict_match=1.0, flexible_extract=1.0),
        ]
    )
    assert {name: one.value for name, one in found.items()} == {"exact_match,flexible-extract": 0.75}


def test_what_the_file_says_of_generation_is_asked_for() -> None:
    card = loaded(HERE / "tasks" / "sums.yaml").card
    assert (card.name, card.metric) == ("file:sums", "exact_match,strict-match")
    assert card.generation.stop == ("Question:", "</s>", "<|im_end|>")
    assert (card.generation.temperature, card.generation.max_tokens) == (0.0, 256)
    capitals = loaded(HERE / "tasks" / "capitals.yaml").card.generation
    assert (capitals.stop, capitals.max_tokens) == (("\n",), 32)


def test_a_reply_is_cut_at_the_first_stop_text() -> None:
    benchmark = loaded(HERE / "tasks" / "sums.yaml")
    kept = benchmark.load(benchmark.own_data("official").tables).kept
    assert kept("#### 7\nQuestion: and</s> more") == "#### 7\n"
    assert kept("#### 7") == "#### 7"


def test_an_included_file_belongs_to_the_content(tmp_path: Path) -> None:
    for name in ("_base.yaml", "capitals.yaml", "data/capitals.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text((HERE / "tasks" / name).read_text())
    before = loaded(tmp_path / "capitals.yaml").file.sha256
    (tmp_path / "_base.yaml").write_text((tmp_path / "_base.yaml").read_text() + "# changed\n")
    assert loaded(tmp_path / "capitals.yaml").file.sha256 != before
