"""The loop of the agent, in front of a screen that is always the same."""
# ruff: noqa: ARG002 - the fakes have the arguments of their protocols

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Self

import pytest

from assay.benchmarks.terminal_bench_hard.agent import MOST_UNUSABLE, Terminus
from assay.benchmarks.terminal_bench_hard.prompts import cut_output
from assay.benchmarks.terminal_bench_hard.terminal import Terminal
from assay.domain.benchmark import Ask, Cue
from assay.domain.calls.messages import Completion, Prompt, Usage
from assay.domain.errors import RejectedError
from assay.domain.programs.containers import Answering, PlacedFile
from assay.domain.programs.sandbox import MIB, Confinement, ExecResult, Isolation, Status
from assay.engine.agents.turns import TurnLimits, Turns

CONFINEMENT = Confinement("fake", Isolation.CONTAINER, frozenset())
NO_CUE = Cue()


class ScreenContainer:
    """A container whose terminal shows `$` whatever is typed; `typed` are the keys."""

    def __init__(self) -> None:
        self.typed: list[str] = []

    @property
    def confinement(self) -> Confinement:
        return CONFINEMENT

    async def exec(
        self,
        argv: Sequence[str],
        *,
        wall_s: float,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        is_root: bool = True,
        output_bytes: int = MIB,
    ) -> ExecResult:
        if argv[1] == "send-keys":
            self.typed.append(argv[-1])
        return ExecResult(
            status=Status.OK,
            exit_code=0,
            signal=None,
            stdout=b"$\n",
            stderr=b"",
            truncated=False,
            cpu_s=None,
            wall_s=wall_s,
            peak_bytes=None,
            confinement=CONFINEMENT,
        )

    async def put(self, folder: str, files: Mapping[str, PlacedFile]) -> None:
        raise NotImplementedError

    async def get(self, folder: str, *, max_files: int = 1000, max_bytes: int = 64 * MIB) -> dict[str, bytes]:
        raise NotImplementedError

    def serving(self, answer: Answering) -> AbstractAsyncContextManager[str]:
        raise NotImplementedError

    async def close(self) -> None:
        """Holds nothing."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, error: object, trace: object) -> None:
        """Holds nothing."""


def reply(*keys: str, is_done: bool = False) -> str:
    commands = [{"keystrokes": one, "duration": 0} for one in keys]
    return json.dumps({"analysis": "", "plan": "", "commands": commands, "task_complete": is_done})


class Model:
    """Gives these answers in turn; `prompts` are what it was asked."""

    def __init__(self, *answers: str | Exception | Completion) -> None:
        self.left = list(answers)
        self.prompts: list[Prompt] = []

    async def __call__(self, prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        self.prompts.append(prompt)
        answer = self.left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Completion) else Completion(answer, finish_reason="stop")

    def last(self, place: int) -> str:
        return self.prompts[place].messages[-1].text


def agent(ask: Ask, *, steps: int = 50, wall_s: float = 999, context_tokens: int = 1_000_000) -> Terminus:
    turns = Turns(ask, TurnLimits(steps, wall_s))
    terminal = Terminal(ScreenContainer(), "agent", is_root=True)
    return Terminus("Do it.", terminal, turns, lambda _: NO_CUE, context_tokens)


async def test_a_task_is_done_when_it_was_said_twice_in_a_row() -> None:
    model = Model(reply(is_done=True), reply("ls\n"), reply(is_done=True), reply(is_done=True))
    assert await agent(model).work() == "done"
    assert "Do it." in model.last(0)
    assert model.last(1).endswith('include "task_complete": true in your JSON response again.')
    assert model.last(2) == "New Terminal Output:\n$\n"
    assert [len(prompt.messages) for prompt in model.prompts] == [1, 3, 5, 7]


async def test_errors_and_warnings_are_sent_back() -> None:
    model = Model("no", reply("ls", "pwd\n"), reply(is_done=True), reply(is_done=True))
    assert await agent(model).work() == "done"
    assert model.last(1).startswith("Previous response had parsing errors:\nERROR: No valid JSON found")
    assert model.last(1).endswith("Please fix these issues and provide a proper JSON response.")
    assert model.last(2).startswith("Previous response had warnings:\nWARNINGS: - Command 1 should end with")


async def test_a_cut_reply_is_not_carried_out() -> None:
    cut = Completion(reply("rm x\n"), finish_reason="length")
    model = Model(cut, reply(is_done=True), reply(is_done=True))
    one = agent(model)
    assert await one.work() == "done"
    assert model.last(1).startswith("ERROR!! NONE of the actions you just requested were performed")
    assert [message.role for message in model.prompts[1].messages] == ["user", "assistant", "user", "user"]


@pytest.mark.parametrize(
    ("limits", "expected"), [({"steps": 2}, "steps"), ({"wall_s": 0.0}, "time"), ({}, "unusable_replies")]
)
async def test_limits_end_the_agent(limits: dict[str, int], expected: str) -> None:
    model = Model(*["no"] * 99)
    assert await agent(model, **limits).work() == expected
    assert len(model.prompts) <= MOST_UNUSABLE


async def test_a_full_context_is_summarised() -> None:
    full = Completion(reply("ls\n"), finish_reason="stop", usage=Usage(input_tokens=9_000, output_tokens=1))
    model = Model(full, "the summary", "questions?", "answers", reply(is_done=True), reply(is_done=True))
    assert await agent(model, context_tokens=16_000).work() == "done"
    assert "Original Task: Do it." in model.last(1)
    assert "the summary" in model.last(2)
    assert len(model.prompts[2].messages) == 1, "the next agent knows only the summary"
    assert model.last(3).endswith("questions?")
    assert "answers" in model.last(4)
    assert [message.role for message in model.prompts[4].messages] == ["user", "user", "assistant", "user"]


async def test_a_refused_prompt_is_shortened_and_the_first_is_not() -> None:
    refused = RejectedError("too long", status=400)
    model = Model(
        reply("ls\n"), refused, "summary", "questions", "answers", reply(is_done=True), reply(is_done=True)
    )
    assert await agent(model).work() == "done"
    assert "$" in model.last(5)
    with pytest.raises(RejectedError):
        await agent(Model(refused)).work()


def test_long_output_loses_its_middle() -> None:
    output = "é" * 20_000
    cut = cut_output(output)
    assert cut.startswith(
        "é" * 2_500 + "\n[... output limited to 10000 bytes; 30000 interior bytes omitted ...]\n"
    )
    assert cut_output("é" * 5_000) == "é" * 5_000
