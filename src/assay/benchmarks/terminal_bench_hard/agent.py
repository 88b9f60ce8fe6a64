"""The agent of the official harness, Terminus 2: a terminal, batches of keys, and JSON replies."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from assay.benchmarks.terminal_bench_hard import prompts
from assay.benchmarks.terminal_bench_hard.replies import AgentReply, Command, parse_reply
from assay.benchmarks.terminal_bench_hard.terminal import Terminal
from assay.domain.benchmark import Cue
from assay.domain.calls.messages import Completion, Message
from assay.domain.errors import RejectedError
from assay.engine.agents.turns import Turns, TurnsOverError

AgentEnd = Literal["done", "time", "steps", "tokens", "unusable_replies", "session_ended"]

# As the official agent takes it for a model that it does not know.
CONTEXT_TOKENS = 1_000_000
_LEAST_FREE_TOKENS = 8_000
_FREED_TOKENS = 4_000
_CHARACTERS_PER_TOKEN = 4
_LONGEST_WAIT_S = 60.0
# The official agent goes on until its time is over, whatever that costs.
MOST_UNUSABLE = 10


@dataclass(slots=True)
class Terminus:
    """`cue_at` gives the answers that simulated models know, by the number of the reply."""

    instruction: str
    terminal: Terminal
    turns: Turns
    cue_at: Callable[[int], Cue]
    context_tokens: int = CONTEXT_TOKENS
    _is_confirming: bool = False
    _unusable: int = 0
    _used_tokens: int = 0

    async def work(self) -> AgentEnd:
        """Until the task is done or a limit is reached; raises TerminalLostError and CallError."""
        screen = prompts.cut_output(await self.terminal.new_output())
        prompt: str | None = prompts.first_prompt(self.instruction, screen)
        try:
            while prompt is not None:
                if self._unusable >= MOST_UNUSABLE:
                    return "unusable_replies"
                if self.context_tokens - self._used_tokens < _LEAST_FREE_TOKENS:
                    prompt = await self._summarised()
                prompt = await self._turn(prompt)
        except TurnsOverError as error:
            return error.ended
        return "done"

    async def _turn(self, prompt: str) -> str | None:
        """One reply and what it asks for; the next prompt, or None once the task is done."""
        completion = await self._asked(prompt)
        found = parse_reply(completion.answer)
        self._unusable = self._unusable + 1 if completion.is_cut or found.error else 0
        if completion.is_cut:
            remark = prompts.too_long(found.warning)
            # The official agent has the remark twice: here, and as the next prompt.
            self.turns.context.append(Message("user", remark))
            return remark
        if found.error:
            return prompts.with_errors(found.error, found.warning)
        return await self._acted(found)

    async def _acted(self, found: AgentReply) -> str | None:
        with self.turns.acting():
            await self._type(found.commands)
            output = prompts.cut_output(await self.terminal.new_output())
        if found.is_task_complete:
            if self._is_confirming:
                return None
            self._is_confirming = True
            return prompts.confirmation(output)
        self._is_confirming = False
        return prompts.with_warnings(found.warning, prompts.cut_output(output))

    async def _type(self, commands: tuple[Command, ...]) -> None:
        left_s = self.turns.left_s
        for command in commands:
            if left_s <= 0:
                return
            # Also for what is no number: the sleep of the official agent would fail.
            wanted_s = 0.0 if math.isnan(command.duration) else max(0.0, command.duration)
            wait_s = min(wanted_s, _LONGEST_WAIT_S, left_s)
            await self.terminal.type(command.keystrokes, wait_s=wait_s)
            left_s -= wait_s

    async def _asked(self, prompt: str) -> Completion:
        cue = self.cue_at(self.turns.steps)
        try:
            completion = await self.turns.reply(prompt, cue=cue)
        except RejectedError:
            # A prompt that is too long is refused; the first cannot be shortened.
            if not self.turns.context:
                raise
            self._unwind()
            completion = await self.turns.reply(f"{await self._summarised()}\n\n{prompt}", cue=cue)
        usage = completion.usage
        known = usage.input_tokens is not None and usage.output_tokens is not None
        self._used_tokens = (
            (usage.input_tokens or 0) + (usage.output_tokens or 0) if known else self._estimated()
        )
        return completion

    def _unwind(self) -> None:
        """Forget the latest messages, until there is room for a summary."""
        target = self._estimated() - _FREED_TOKENS
        while len(self.turns.context) > 2 and self._estimated() > target:  # noqa: PLR2004 # the first pair
            del self.turns.context[-2:]

    def _estimated(self) -> int:
        return sum(len(message.text) for message in self.turns.context) // _CHARACTERS_PER_TOKEN

    async def _summarised(self) -> str:
        """Hand over to an agent that has only a summary, and the answers to its questions."""
        turns = self.turns
        summary = (await turns.reply(prompts.summary_request(self.instruction))).answer
        screen = await self.terminal.screen(is_whole=False)
        request = Message("user", prompts.questions_request(self.instruction, summary, screen))
        questions = Message("assistant", (await turns.apart([request])).answer)
        answers = (await turns.reply(prompts.answers_request(questions.text))).answer
        turns.context = [turns.context[0], request, questions]
        self._used_tokens = self._estimated()
        return prompts.handoff(answers)
