"""Executes what is missing of a suite in this process, and prints one statement of its results."""

from dataclasses import dataclass, replace

import typer

from assay.bootstrap import opened_engine
from assay.cli.actions.gate_run import GATE_EXIT
from assay.cli.actions.run_once import (
    doubtful_exit_code,
    dry_in,
    execute_here,
    require_not_running,
)
from assay.cli.actions.suites.gate import suite_rulings
from assay.cli.actions.suites.layout import Wanted, laid_out, places_of, without
from assay.cli.actions.suites.suite_files import loaded
from assay.cli.event_loop import run_async, run_until_stopped
from assay.cli.exit_codes import EXIT_FAILED
from assay.cli.output.print_race import print_race
from assay.cli.output.print_suite import SuiteResult, print_plan, print_result, suite_document
from assay.cli.output.sandbox_notes import check_sandbox
from assay.cli.output.write import write_json, write_note
from assay.domain.run import Budget, Evaluation, Run, RunId
from assay.engine.execution import control
from assay.engine.execution.create import create_run, price_snapshot
from assay.engine.execution.engine import Engine
from assay.engine.gate.decide import overall
from assay.engine.gate.rulings import RuleResult
from assay.engine.results.compare import Comparison, compare, model_pairs
from assay.engine.results.race_report import race_report
from assay.engine.suites.matrix import Cell, Place, Stored, remaining, specs
from assay.engine.suites.suite import Suite
from assay.settings import Settings, load_settings


def run_suite(wanted: Wanted) -> None:
    """Exits as the gate decides, or with 1 if a cell has no result."""
    settings = load_settings()
    suite = loaded(wanted.file, settings)

    async def work() -> int:
        async with opened_engine(settings) as engine:
            return await _Execution(engine, settings, suite, wanted).exit_code()

    raise typer.Exit(run_until_stopped(work()))


def dry_suite(wanted: Wanted) -> None:
    """Show what is taken, what would be asked, and what that would cost."""
    settings = load_settings()
    suite = loaded(wanted.file, settings)

    async def work() -> None:
        async with opened_engine(settings) as engine:
            every, found = await laid_out(engine, suite, again=wanted.again)
            missing = [one.place for one in every if one.place not in found.taken]
            print_plan(every, found, as_json=wanted.as_json)
            if not wanted.as_json:
                for spec, _ in specs(suite, missing, budget=suite.budget):
                    await dry_in(engine, spec, as_json=False)

    run_async(work())


@dataclass(slots=True)
class _Execution:
    engine: Engine
    settings: Settings
    suite: Suite
    wanted: Wanted

    async def exit_code(self) -> int:
        every, found = await laid_out(self.engine, self.suite, again=self.wanted.again)
        if found.taken and not self.wanted.as_json:
            runs = ", ".join(sorted(run_id[:8] for run_id in found.run_ids))
            taken = f"{len(found.taken)} of {len(every)} results are stored already, in {runs}"
            write_note(f"{taken}: they are taken", err=True)
        new = await self._asked(every, found)
        result = SuiteResult(self.suite.name, tuple(every), found.taken, new)
        rulings = await self._rulings(result)
        if self.wanted.as_json:
            write_json(suite_document(result, rulings))
        else:
            compared = () if self.suite.stop else await self._compared(result)
            print_result(result, compared, rulings)
            await self._print_races(result)
        return self._code(result, rulings)

    async def _compared(self, result: SuiteResult) -> tuple[Comparison, ...]:
        scored = {one.id: one for one in result.evaluations if one.summary and one.summary.score}
        return await compare(self.engine.stores.attempts, model_pairs(list(scored.values())))

    async def _print_races(self, result: SuiteResult) -> None:
        """In place of comparisons, which are for numbers of items that were fixed beforehand."""
        stores = self.engine.stores
        for run_id in dict.fromkeys(one.run_id for one in result.evaluations):
            race = await race_report(stores, await stores.runs.get(run_id))
            if race is not None:
                print_race(race)

    def _code(self, result: SuiteResult, rulings: list[RuleResult] | None) -> int:
        if not result.is_complete:
            return EXIT_FAILED
        decided = 0 if rulings is None else GATE_EXIT[overall(rulings)]
        return decided or doubtful_exit_code(result.evaluations, self.wanted.fail_on_error)

    async def _rulings(self, result: SuiteResult) -> list[RuleResult] | None:
        gate = self.suite.gate
        return None if gate is None else await suite_rulings(self.engine, self.settings, gate, result)

    async def _asked(self, every: list[Cell], found: Stored) -> dict[Place, Evaluation]:
        """What the runs made that were executed now; the later ones are left out when the budget is used."""
        left = [one.place for one in every if one.place not in found.taken]
        await self._check(left)
        new: dict[Place, Evaluation] = {}
        runs = [run.id for run in found.unfinished]
        for run in found.unfinished:
            budget = await self._budget(runs)
            if budget is None:
                return new
            await self._gone_on(run, budget)
            places = await places_of(self.engine, run.id, every)
            new |= places
            left = without(left, places)
        for spec, places in specs(self.suite, left, budget=Budget()):
            budget = await self._budget(runs)
            if budget is None:
                return new
            limited = replace(spec, budget=budget)
            run = await create_run(self.engine, limited, description=self.suite.description)
            runs.append(run.id)
            await execute_here(self.engine, self.settings, run, quiet=self.wanted.as_json)
            made = await places_of(self.engine, run.id, every)
            new |= {place: made[place] for place in places}
        return new

    async def _check(self, places: list[Place]) -> None:
        """Before anything is asked; raises UsageError if a later run could not be made."""
        engine = self.engine
        for spec, _ in specs(self.suite, places, budget=self.suite.budget):
            await check_sandbox(engine, spec)
            if spec.budget.usd is not None:
                await price_snapshot(spec, engine.models, engine.stores.registry)

    async def _gone_on(self, run: Run, budget: Budget) -> None:
        """Go on with a run of the suite that was stopped or failed; what it has used counts."""
        write_note(f"run {run.id[:8]} of this suite is {run.state.value}: it goes on", err=True)
        await require_not_running(self.engine, run)
        if budget != Budget():
            spent = await self.engine.stores.attempts.spent(run.id)
            usd = None if budget.usd is None else budget.usd + spent.usd
            tokens = None if budget.tokens is None else budget.tokens + spent.tokens
            await control.set_budget(self.engine.stores.runs, run.id, Budget(usd, tokens))
        reopen = control.requeue if run.state.is_final else control.resume
        await execute_here(self.engine, self.settings, run, quiet=self.wanted.as_json, reopen=reopen)

    async def _budget(self, runs: list[RunId]) -> Budget | None:
        """What is left for the next run; None, and a note, if nothing is."""
        spent = [await self.engine.stores.attempts.spent(run_id) for run_id in runs]
        left = remaining(self.suite.budget, spent)
        if left is None:
            write_note("the budget of the suite is used up: what is missing was not asked", err=True)
        return left
