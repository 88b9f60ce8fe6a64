"""A run whose process is gone is seen to be so."""

from assay.domain.run import State
from tests.stores import set_silent
from tests.unit.cli.conftest import WORKER, CommandLine

NOTE = "the process that executed it is gone; go on with: assay resume 00000000"


def test_a_run_is_shown_as_interrupted_when_its_worker_is_silent(assay: CommandLine) -> None:
    assay.add_run(state=State.RUNNING)
    assert "running" in assay.printed("list")
    assert assay.json("show", "0000")["is_interrupted"] is False
    assay.stores(lambda stores: set_silent(stores, WORKER, 100))
    for printed in (assay.printed("list"), assay.printed("show", "0000")):
        assert "interrupted" in printed
        assert NOTE in " ".join(printed.split())
        assert "assay resume 00000000" in printed, "it can be copied from one line"
        assert " left" not in printed
        assert "running" not in printed
    assert assay.json("show", "0000")["is_interrupted"] is True
    assert assay.json("list")["runs"][0]["is_interrupted"] is True


def test_a_paused_run_is_not_interrupted(assay: CommandLine) -> None:
    assay.add_run(state=State.PAUSED)
    assay.stores(lambda stores: set_silent(stores, WORKER, 100))
    assert "interrupted" not in assay.printed("list")
