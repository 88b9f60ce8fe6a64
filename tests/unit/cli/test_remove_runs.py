"""`assay rm` and `assay prune`."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.domain.run import State
from tests.builders import attempt
from tests.unit.cli.conftest import CommandLine, run_named


def listed(assay: CommandLine) -> list[str]:
    return [one["run_id"][:4] for one in assay.json("list")["runs"]]


def test_named_runs_are_deleted_with_all_that_was_stored(assay: CommandLine, tmp_path: Path) -> None:
    ended = assay.add_run([attempt("0", answer="long " * 300)], run=run_named("aaaa0001"), state=State.FAILED)
    assay.add_run(run=run_named("bbbb0001"), state=State.RUNNING)
    assert "no run 'cccc'" in assay.error("rm", ended.id[:4], "cccc")
    assert sorted(listed(assay)) == ["aaaa", "bbbb"]
    assert "run 'bbbb0001' is running and cannot be deleted" in assay.error("rm", "bbbb")
    assert assay.printed("rm", ended.id[:4], ended.id) == "deleted 1 run\n"
    assert listed(assay) == ["bbbb"]
    with closing(sqlite3.connect(tmp_path / "home" / "assay.db")) as database:
        tables = ("attempts", "calls", "events")
        counts = {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}  # noqa: S608
        [blobs] = database.execute("SELECT count(*) FROM blobs").fetchone()
    assert counts == dict.fromkeys(tables, 0)
    assert blobs == 1, "the item ids of the run that is left"


def test_old_runs_are_pruned_by_age_and_state(assay: CommandLine) -> None:
    now = datetime.now(UTC)
    for start, days, state in (
        ("aaaa0001", 40, State.FAILED),
        ("bbbb0001", 40, State.SUCCEEDED),
        ("cccc0001", 1, State.FAILED),
        ("dddd0001", 40, State.RUNNING),
    ):
        created_at = now - timedelta(days=days)
        assay.add_run(run=run_named(start, created_at=created_at), state=state)
    dry = assay.printed("prune", "--older-than", "30d", "--dry-run")
    assert "aaaa0001" in dry
    assert "dddd0001" not in dry
    assert "2 runs would be deleted" in dry
    assert len(listed(assay)) == 4
    asked = assay.error("prune", "--older-than", "30d", "--status", "failed")
    assert asked == "1 run would be deleted; add --yes to delete without asking"
    assert assay.json("prune", "--older-than", "30d", "--status", "failed", "--yes")["deleted"] is True
    assert sorted(listed(assay)) == ["bbbb", "cccc", "dddd"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give --older-than, --status or both"),
        (("--older-than", "soon"), "such as 12h, 30d or 8w, not 'soon'"),
        (("--status", "running"), "only runs that have ended or are paused"),
        (("--status", "done"), "no state 'done'"),
    ],
)
def test_prune_explains_wrong_options(assay: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    assert message in assay.error("prune", *arguments)
