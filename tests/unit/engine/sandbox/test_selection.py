"""Which backend is taken, and what a verdict says of it."""

from dataclasses import replace

import pytest

from assay.adapters.sandbox.scripted import ScriptedSandbox
from assay.domain.benchmark import Grade, Item, ItemId, Services
from assay.domain.calls.messages import Completion
from assay.domain.errors import SandboxError, SandboxUnavailableError, UnknownNameError
from assay.domain.outcome import Outcome
from assay.domain.programs.sandbox import Isolation, SandboxSession, Spec
from assay.engine.grading.grade import DirectGrader
from assay.engine.sandbox.selected import SelectedSandbox
from assay.engine.sandbox.selection import Choice, Probe, select
from tests.builders import LetterBenchmark

GOOD = Probe("bubblewrap", is_available=True, isolation=Isolation.NAMESPACES)
BOX = Probe("docker", is_available=True, isolation=Isolation.CONTAINER, capabilities=frozenset({"images"}))
WEAK = Probe("landlock", is_available=True, isolation=Isolation.LANDLOCK)
NOTHING = Probe("unsafe", is_available=True, isolation=Isolation.NONE)
ABSENT = Probe(
    "bubblewrap", is_available=False, isolation=Isolation.NAMESPACES, reason="no bwrap", fix="install it"
)
AUTOMATIC = frozenset({"bubblewrap", "docker", "landlock"})


def test_the_first_that_works_is_taken() -> None:
    assert select([GOOD, BOX], Choice(), automatic=AUTOMATIC) is GOOD
    assert select([ABSENT, BOX], Choice(), automatic=AUTOMATIC) is BOX


def test_a_minimum_is_never_undercut() -> None:
    with pytest.raises(SandboxUnavailableError) as caught:
        select([ABSENT, WEAK, NOTHING], Choice(), automatic=AUTOMATIC)
    lines = caught.value.message.splitlines()
    assert "bubblewrap: no bwrap; install it" in lines[1]
    assert "landlock: gives only 'landlock'" in lines[2]
    assert "ASSAY_MIN_ISOLATION=landlock" in lines[2]
    assert len(lines) == 3
    assert select([ABSENT, WEAK], Choice(minimum=Isolation.LANDLOCK), automatic=AUTOMATIC) is WEAK


def test_naming_a_backend_does_not_lower_the_minimum() -> None:
    with pytest.raises(SandboxUnavailableError):
        select([GOOD, NOTHING], Choice("unsafe"), automatic=AUTOMATIC)
    with pytest.raises(SandboxUnavailableError):
        select([GOOD], Choice("bubblewrap", Isolation.VM), automatic=AUTOMATIC)
    assert select([GOOD, NOTHING], Choice("unsafe", Isolation.NONE), automatic=AUTOMATIC) is NOTHING


def test_nothing_confines_only_on_request() -> None:
    lowest = Choice(minimum=Isolation.NONE)
    assert select([NOTHING, WEAK], lowest, automatic=AUTOMATIC) is WEAK
    with pytest.raises(SandboxUnavailableError):
        select([NOTHING], lowest, automatic=AUTOMATIC)


def test_an_unknown_backend_is_named() -> None:
    with pytest.raises(UnknownNameError, match="bubblewrap, docker"):
        select([GOOD, BOX], Choice("dokcer"), automatic=AUTOMATIC)


class ListedBackend:
    """A backend that tells what it was written to tell, and opens nothing."""

    is_automatic = True

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self.probed = 0

    @property
    def name(self) -> str:
        return self._probe.backend

    async def probe(self) -> Probe:
        self.probed += 1
        return self._probe

    async def open(self, spec: Spec) -> SandboxSession:
        raise SandboxError(f"{self.name} was asked for {spec.image!r}")

    async def close(self) -> None: ...


async def test_images_go_to_a_backend_that_has_them() -> None:
    backends = [ListedBackend(GOOD), ListedBackend(BOX)]
    sandbox = SelectedSandbox(backends, Choice())
    assert (await sandbox.selected()).backend == "bubblewrap"
    with pytest.raises(SandboxError, match="docker was asked for 'python'"):
        await sandbox.open(Spec(image="python"))
    assert [one.probed for one in backends] == [1, 1]
    alone = SelectedSandbox([ListedBackend(GOOD)], Choice())
    with pytest.raises(SandboxUnavailableError, match="bubblewrap: it has no images"):
        await alone.open(Spec(image="python"))


async def test_only_what_is_needed_is_probed() -> None:
    backends = [ListedBackend(GOOD), ListedBackend(BOX)]
    await SelectedSandbox(backends, Choice()).selected()
    await SelectedSandbox(backends, Choice("bubblewrap")).selected()
    assert [one.probed for one in backends] == [2, 0]
    with pytest.raises(UnknownNameError):
        await SelectedSandbox(backends, Choice("dokcer")).selected()


class ChangingBackend(ListedBackend):
    """Works or not, as the test has it."""

    def __init__(self, probe: Probe = GOOD) -> None:
        super().__init__(probe)
        self.works = True

    async def probe(self) -> Probe:
        return await super().probe() if self.works else replace(ABSENT, backend=self.name)

    async def open(self, spec: Spec) -> SandboxSession:
        if not self.works:
            raise SandboxError("it is gone")
        return await ScriptedSandbox(lambda _program, _stdin: b"").open(spec)


async def test_a_backend_that_appears_later_is_seen() -> None:
    clock = [0.0]
    backend = ChangingBackend()
    backend.works = False
    sandbox = SelectedSandbox([backend], Choice(), now=lambda: clock[0])
    with pytest.raises(SandboxUnavailableError):
        await sandbox.open(Spec())
    backend.works = True
    with pytest.raises(SandboxUnavailableError):
        await sandbox.open(Spec())
    clock[0] = 60.0
    await sandbox.open(Spec())
    assert backend.probed == 1, "what works is not tried again"


async def test_a_backend_that_breaks_later_is_found() -> None:
    broken, other = ChangingBackend(), ChangingBackend(BOX)
    alone, both = SelectedSandbox([broken], Choice()), SelectedSandbox([broken, other], Choice())
    for sandbox in (alone, both):
        await sandbox.open(Spec())
    broken.works = False
    for sandbox in (alone, both):
        with pytest.raises(SandboxError, match="it is gone"):
            await sandbox.open(Spec())
    # Alone it stays an error of the attempt, which is missing data and no end of the run.
    with pytest.raises(SandboxError, match="bubblewrap: no bwrap; install it"):
        await alone.open(Spec())
    assert (await both.selected()).backend == "docker"
    with pytest.raises(SandboxUnavailableError):
        await alone.selected()


class RunningBenchmark(LetterBenchmark):
    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        async with await services.required_sandbox().open(Spec()) as session:
            result = await session.exec(["run", completion.answer])
        return Grade(Outcome.CORRECT, 1.0, details={"said": result.stdout.decode()})


async def test_a_failing_sandbox_is_tried_again_and_noted() -> None:
    left = [SandboxError("gone"), SandboxError("gone")]
    sandbox = ScriptedSandbox(
        lambda _program, _stdin: left.pop() if left else b"done", isolation=Isolation.VM
    )
    grader = DirectGrader(RunningBenchmark(), Services(sandbox=sandbox))
    grade = await grader.grade(Item(ItemId("1"), {}), Completion("x"))
    assert grade.details["said"] == "done"
    assert grade.details["sandbox"] == {
        "backend": "scripted",
        "isolation": "vm",
        "enforced": [],
        "verified": True,
    }


async def test_a_broken_sandbox_is_not_held_against_the_model() -> None:
    tries: list[str] = []

    def script(program: str, _stdin: bytes) -> SandboxError:
        tries.append(program)
        return SandboxError("gone")

    grader = DirectGrader(RunningBenchmark(), Services(sandbox=ScriptedSandbox(script)))
    with pytest.raises(SandboxError):
        await grader.grade(Item(ItemId("1"), {}), Completion("x"))
    assert tries == ["run x"] * 3
