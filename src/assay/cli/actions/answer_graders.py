"""Which grader an answer made elsewhere gets: one that asks judges, or one with what a judge has said."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from assay.bootstrap import grading_services, model_directory
from assay.domain.benchmark import Benchmark, Cue, HasEnvironment, Need, Panel, Services
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.judging import Judging
from assay.engine.clock import SystemClock
from assay.engine.grading.answers import Answer, GraderOf
from assay.engine.grading.grade import DirectGrader
from assay.engine.judging.judges import Judges, new_limiters, open_judges, with_prices
from assay.engine.models.limits import CallLimits
from assay.engine.models.retry import RetryPolicy
from assay.engine.planning.plan import judge_missing
from assay.settings import load_settings


@dataclass(frozen=True, slots=True)
class _ReplyOnFile:
    """A judge that has spoken already."""

    reply: str
    model: str = "on file"

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        del prompt, generation, cue, vote
        return Completion(self.reply)


@asynccontextmanager
async def opened_graders(
    benchmark: Benchmark, judging: Judging | None, answers: Sequence[Answer]
) -> AsyncGenerator[GraderOf]:
    """Raises InvalidValueError where an answer needs a judge and there is none."""
    is_judged = Need.JUDGE in benchmark.card.needs
    if is_judged and judging is None and any(answer.judge_reply is None for answer in answers):
        raise judge_missing(benchmark.card)
    judges = await _opened_judges(judging) if is_judged and judging else None

    def grader_of(answer: Answer) -> DirectGrader:
        if answer.judge_reply is None or not is_judged:
            return DirectGrader(benchmark, services, judges=judges)
        return DirectGrader(benchmark, Services(panel=Panel((_ReplyOnFile(answer.judge_reply),))))

    try:
        async with grading_services(load_settings()) as services:
            if isinstance(benchmark, HasEnvironment):
                benchmark.check_prepared([answer.item for answer in answers], services.required_prepared())
            yield grader_of
    finally:
        if judges is not None:
            await judges.close()


async def _opened_judges(judging: Judging) -> Judges:
    clock, models = SystemClock(), model_directory(load_settings())
    judges = open_judges(
        await with_prices(judging, models),
        models,
        clock=clock,
        limiter_of=new_limiters(CallLimits(), clock),
        retries=RetryPolicy(),
    )
    await judges.check()
    return judges
