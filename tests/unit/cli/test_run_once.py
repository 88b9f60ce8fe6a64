"""Where the progress of a resumed run begins."""

from assay.cli.actions.run_once import attempts_done
from assay.domain.errors import RejectedError
from assay.domain.messages import Completion
from assay.domain.run import State
from assay.engine.execution.control import requeue
from assay.engine.ports import Request
from tests.builders import LetterBenchmark, ScriptedModel, World, right


def never_for_a(request: Request, number: int) -> Completion | RejectedError:
    return RejectedError("busy") if request.cue().right == "a" else right(request, number)


async def test_attempts_that_are_repeated_do_not_count_as_done() -> None:
    world = World(model=ScriptedModel(never_for_a), benchmark=LetterBenchmark(size=50))
    engine = world.engine
    run = await world.run()
    evaluations = await world.store.runs.evaluations(run.id)
    [evaluation] = evaluations
    assert await attempts_done(engine, run, evaluations) == {evaluation.id: 50}
    await world.store.runs.set_state(run.id, State.QUEUED, at=world.clock.now())
    await world.store.runs.set_state(run.id, State.FAILED, at=world.clock.now())
    await requeue(engine.lifecycle, run.id)
    assert await attempts_done(engine, run, evaluations) == {evaluation.id: 48}
