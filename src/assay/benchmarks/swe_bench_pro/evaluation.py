"""Runs an instance's tests on a patch, in a container that no agent has been in."""

import json
from dataclasses import dataclass

from assay.benchmarks.swe_bench_pro.instances import Instance
from assay.benchmarks.swe_bench_pro.patches import without_binary
from assay.benchmarks.swe_bench_pro.results import TestsOutcome, outcome_of
from assay.domain.calls.messages import Json
from assay.domain.programs.containers import Containers, ContainerSpec, PlacedFile
from assay.domain.programs.sandbox import MIB, Confinement, ExecResult, Status

_PLACE = "/workspace"
_PARSER_S = 600.0
_OUTPUT_BYTES = 64 * MIB
_TAIL = 2_000


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`ended` is `ok`, or what ended the tests: then no result counts."""

    tests: TestsOutcome
    ended: str
    tail: str
    seconds: float
    confinement: Confinement


async def evaluated(
    instance: Instance, patch: str, containers: Containers, *, has_network: bool
) -> Evaluation:
    """The tests' output is read in another container, where nothing of the patch runs.

    So neither a report that the patch writes nor a program that it leaves behind is ever read.
    """
    image = await image_of(instance, containers)
    network = "on" if has_network and instance.has_network else "none"
    files = {
        "patch.diff": PlacedFile(without_binary(patch).encode("utf-8", "surrogatepass")),
        "run_script.sh": PlacedFile(instance.run_script.encode()),
        "entry.sh": PlacedFile(entry_script(instance).encode()),
    }
    async with await containers.open(
        ContainerSpec(image, network=network, hostname="evaluation")
    ) as container:
        await container.put(_PLACE, files)
        ran = await container.exec(
            ["bash", f"{_PLACE}/entry.sh"], wall_s=instance.tests_s, output_bytes=_OUTPUT_BYTES
        )
    output, parsed_s = None, 0.0
    if ran.status in (Status.OK, Status.NONZERO):
        output, parsed_s = await _parsed(instance, image, ran, containers)
    tests = outcome_of(output, fail_to_pass=instance.fail_to_pass, pass_to_pass=instance.pass_to_pass)
    ended = "ok" if ran.status is Status.NONZERO else ran.status.value
    tail = (ran.stdout[-_TAIL:] + b"\n" + ran.stderr[-_TAIL:]).decode("utf-8", "replace").strip()
    return Evaluation(tests, ended, tail, ran.wall_s + parsed_s, ran.confinement)


async def image_of(instance: Instance, containers: Containers) -> str:
    if instance.build is not None:
        return await containers.built(instance.build)
    return await containers.pulled(instance.image)


def entry_script(instance: Instance) -> str:
    """The official steps: that the patch does not apply stops nothing, and names are not quoted."""
    steps = [
        "cd /app",
        f"git reset --hard {instance.base_commit}",
        f"git checkout {instance.base_commit}",
        f"git apply -v {_PLACE}/patch.diff",
        instance.setup,
    ]
    prepare = "\n".join(step for step in steps if step)
    exports = "\n".join(instance.env_lines)
    return (
        f"{exports}\n{{\n{prepare}\n}} > {_PLACE}/setup.log 2>&1\n"
        f"bash {_PLACE}/run_script.sh {','.join(instance.test_files)}\n"
    )


async def _parsed(
    instance: Instance, image: str, ran: ExecResult, containers: Containers
) -> tuple[Json, float]:
    files = {
        "parser.py": PlacedFile(instance.parser.encode()),
        "stdout.log": PlacedFile(ran.stdout),
        "stderr.log": PlacedFile(ran.stderr),
    }
    names = [f"{_PLACE}/{name}" for name in ("parser.py", "stdout.log", "stderr.log", "output.json")]
    async with await containers.open(ContainerSpec(image, hostname="parser")) as container:
        await container.put(_PLACE, files)
        parsed = await container.exec(["python", *names], wall_s=_PARSER_S)
        written = (await container.get(_PLACE, max_bytes=4 * _OUTPUT_BYTES)).get("output.json")
    try:
        return (None if written is None else json.loads(written)), parsed.wall_s
    except (ValueError, RecursionError):
        return None, parsed.wall_s
