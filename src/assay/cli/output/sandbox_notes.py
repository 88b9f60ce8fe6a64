"""What commands say about where code runs; that nothing confines it is said in red."""

from collections.abc import Mapping, Sequence

import typer

from assay.cli.output.write import write_note
from assay.domain.benchmark import ChecksItems, Need
from assay.domain.calls.messages import Json
from assay.domain.programs.sandbox import Isolation
from assay.domain.run import Evaluation, RunSpec
from assay.engine.execution.engine import Engine
from assay.engine.grading.grade import SANDBOX_DETAIL
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter

_ALARM = "UNSAFE"
_UNSAFE = f"{_ALARM}: code that a model wrote runs here as an ordinary program, with nothing around it"


async def check_sandbox(engine: Engine, spec: RunSpec) -> None:
    """Find out before a run is made whether its code can be run here; `spec` is resolved.

    Raises SandboxUnavailableError.
    """
    benchmarks = await engine.planner.benchmarks(spec)
    needs = [one.card.needs for one in benchmarks]
    containers, sandbox = engine.grading.containers, engine.grading.sandbox
    if containers is not None and any(Need.CONTAINERS in one for one in needs):
        await containers.check()
    if any(isinstance(one, ChecksItems) for one in benchmarks):
        _note_unsupported(await engine.planner.plan(spec))
    if sandbox is None or not any(Need.SANDBOX in one for one in needs):
        return
    probe = await sandbox.selected()
    if probe.isolation is Isolation.NONE:
        typer.secho(_UNSAFE, fg=typer.colors.RED, bold=True, err=True)


def _note_unsupported(planned: Sequence[PlannedBenchmark]) -> None:
    for one in planned:
        if isinstance(one.benchmark, ChecksItems):
            for item_id, reason in one.benchmark.unsupported(one.items).items():
                write_note(f"{one.benchmark.card.name}: {item_id} is not supported: {reason}")


class Confinements:
    """How the code of some attempts was confined, each way once."""

    def __init__(self) -> None:
        self._lines: dict[str, None] = {}

    def add(self, details: Mapping[str, Json]) -> None:
        line = _confinement(details)
        if line is not None:
            self._lines[line] = None

    def print(self, *, to_stderr: bool = False) -> None:
        for line in self._lines:
            if line.startswith(_ALARM):
                typer.secho(line, fg=typer.colors.RED, bold=True, err=to_stderr)
            else:
                typer.echo(line, err=to_stderr)


def print_confinement(details: Mapping[str, Json]) -> None:
    """How the attempt's code was confined, where it ran any."""
    found = Confinements()
    found.add(details)
    found.print()


async def print_confinements(stores: Stores, evaluations: Sequence[Evaluation]) -> None:
    """How code of a run was confined, from the first attempts of each evaluation."""
    found = Confinements()
    for evaluation in evaluations:
        for attempt in await stores.attempts.page(evaluation.id, AttemptFilter()):
            found.add(attempt.details)
    found.print()


def _confinement(details: Mapping[str, Json]) -> str | None:
    noted = details.get(SANDBOX_DETAIL)
    if not isinstance(noted, Mapping):
        return None
    enforced = noted.get("enforced")
    limits = ", ".join(map(str, enforced)) if isinstance(enforced, list) else ""
    claim = "" if noted.get("verified") else " (claimed by the service, not verified)"
    line = f"sandbox: {noted.get('backend')}, isolation {noted.get('isolation')}{claim}, enforced: {limits}"
    return f"{_ALARM} {line}" if noted.get("isolation") == Isolation.NONE.label else line
