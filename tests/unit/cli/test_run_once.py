"""Where the progress of a resumed run begins."""

from assay.cli.actions.run_once import attempts_done
from assay.cli.output.run_report import run_report
from assay.domain.calls.messages import Completion
from assay.domain.errors import RejectedError
from assay.domain.run import State
from assay.engine.execution.control import requeue
from assay.engine.ports import Request
from tests.builders import LetterBenchmark, ScriptedModel, World, right

NOTE = "2 model_error  score 100.0 %"


def never_for_a(request: Request, number: int) -> Completion | RejectedError:
    return RejectedError("busy") if request.cue().right == "a" else right(request, number)


async def test_attempts_that_are_repeated_do_not_count_as_done() -> None:
    world = World(model=ScriptedModel(never_for_a), benchmark=LetterBenchmark(size=50))
    engine = world.engine
    run = await world.run()
    evaluations = await world.store.runs.evaluations(run.id)
    [evaluation] = evaluations
    done = await attempts_done(engine.stores, run, evaluations)
    assert (done[evaluation.id].done, done[evaluation.id].note) == (50, NOTE)
    await world.store.runs.set_state(run.id, State.QUEUED, at=world.clock.now())
    await world.store.runs.set_state(run.id, State.FAILED, at=world.clock.now())
    await requeue(engine.lifecycle, run.id)
    done = await attempts_done(engine.stores, run, evaluations)
    assert (done[evaluation.id].done, done[evaluation.id].note) == (48, "score 100.0 %")
    assert (await run_report(engine.stores, run.id)).progress_note == "48 of 50 attempts done"
