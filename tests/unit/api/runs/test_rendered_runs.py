from dataclasses import replace

from pydantic import BaseModel

from assay.api.runs.rendered_runs import RenderedRuns
from assay.domain.outcome import Outcome
from assay.domain.run import RunId, State
from assay.engine.stores.runs import StoredRun, stored_run
from tests.builders import Seeded


class Shown(BaseModel):
    number: int


def found(number: int = 0, *, correct: int = 0) -> StoredRun:
    """Made anew each time, as a store does that remembers nothing."""
    run = replace(Seeded().run, id=RunId(f"{number:08}-run"), state=State.RUNNING)
    evaluation = Seeded(run).evaluation(started_at=run.created_at)
    return stored_run(run, (evaluation,), {evaluation.id: {Outcome.CORRECT: correct}})


def test_a_run_is_rendered_again_only_when_it_stands_otherwise() -> None:
    asked: list[StoredRun] = []

    def shown(run: StoredRun) -> Shown:
        asked.append(run)
        return Shown(number=len(asked))

    rendered = RenderedRuns(shown, kept=2)
    assert rendered.json(found()) == rendered.json(found()) == b'{"number":1}'
    assert rendered.json(found(correct=1)) == b'{"number":2}'
    assert rendered.json(found()) == b'{"number":3}'
    # The one that was asked for longest ago makes room.
    rendered.json(found(1))
    assert rendered.json(found()) == b'{"number":3}'
    rendered.json(found(2))
    assert rendered.json(found(1)) == b'{"number":6}'
