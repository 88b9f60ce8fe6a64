"""What the simulated models say."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.domain.benchmark import Cue
from assay.domain.calls.messages import Prompt
from assay.domain.errors import UsageError

_WORDS = (
    "amber", "bridge", "candle", "delta", "ember", "forest", "garden", "harbour", "island", "jungle",
    "kettle", "lantern", "meadow", "needle", "orchard", "pebble", "quarry", "river", "saddle", "timber",
)  # fmt: skip
_WORDS_IN_ANSWER = 8
_REFUSAL = "I am sorry, but I cannot help with that."
_NO_IDEA = "I do not know."
# Most items are always right or always wrong for a model; on this share its answer varies between samples.
_WAVERING = 0.3
_ARTICLES = frozenset({"a", "an", "the"})
_WORD = re.compile(r"[^\W_]+|[-+](?=\d)|(?<=\d)\.(?=\d)")
_COMPARED_CHARACTERS = 20_000
_SKILLS: Mapping[str, float] = {"good": 0.85, "weak": 0.45}


@dataclass(frozen=True, slots=True)
class Question:
    """Everything an answer may depend on, so that the same question always gets the same answer."""

    prompt: Prompt
    cue: Cue
    sample: int
    seed: int
    skill: float | None = None
    endpoint: int = 0


def draw(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def answer(name: str, question: Question) -> str:
    return MODELS[name](name, question)


def _null(_name: str, _question: Question) -> str:
    return ""


def _echo(_name: str, question: Question) -> str:
    return question.prompt.text


def _refuse(_name: str, _question: Question) -> str:
    return _REFUSAL


def _oracle(name: str, question: Question) -> str:
    return _right(name, question.cue)


def _random(name: str, question: Question) -> str:
    choices = question.cue.choices
    if choices:
        choice = choices[int(_drawn(name, question, "which") * len(choices))]
        return _in_form(question.cue, choice)
    picks = [_drawn(name, question, position) for position in range(_WORDS_IN_ANSWER)]
    return " ".join(_WORDS[int(pick * len(_WORDS))] for pick in picks)


def _skilled(name: str, question: Question) -> str:
    right = _right(name, question.cue)
    skill = _SKILLS[name] if question.skill is None else question.skill
    ease = draw(question.seed, name, "ease", question.prompt.text)
    wavering = min(_WAVERING, 2 * skill, 2 * (1 - skill))
    if ease < skill - wavering / 2:
        return right
    if ease < skill + wavering / 2 and _drawn(name, question, "luck") < 1 / 2:
        return right
    return question.cue.wrong or _other_choice(question.cue, right) or _NO_IDEA


def _judge(name: str, question: Question) -> str:
    """Says right if the final answer equals the expected one, ignoring case, articles and punctuation."""
    cue = question.cue
    if cue.judged is None or cue.right is None or cue.wrong is None:
        message = f"'sim/{name}' judges answers and gives none of its own: name it with --judge"
        raise UsageError(message)
    given, expected = cue.judged
    is_right = _normalised(_final_answer(given)) == _normalised(expected)
    errs = question.skill is not None and _drawn(name, question, "error") >= question.skill
    return cue.right if is_right != errs else cue.wrong


# Models that give right answers, and with them their tool calls.
ANSWERING = frozenset({"oracle", *_SKILLS})
MODELS: Mapping[str, Callable[[str, Question], str]] = {
    "null": _null,
    "echo": _echo,
    "refuse": _refuse,
    "random": _random,
    "oracle": _oracle,
    "good": _skilled,
    "weak": _skilled,
    "judge": _judge,
}


def _final_answer(text: str) -> str:
    """What follows the last `Answer:` that begins a line, up to the end of that line; else the whole text."""
    for line in reversed(text.splitlines()):
        label, colon, answer = line.partition(":")
        if colon and label.strip(" *_#").lower() == "answer":
            return answer
    return text


def _normalised(text: str) -> str:
    # A very long answer cannot match a short expected one: its start is enough to see that.
    words = _WORD.findall(text[:_COMPARED_CHARACTERS].lower())
    return " ".join([word for word in words if word not in _ARTICLES] or words)


def _right(name: str, cue: Cue) -> str:
    if cue.right is None and cue.calls:
        return ""
    if cue.right is None:
        message = f"'sim/{name}' has to know the right answers, and these items have none: use --data demo"
        raise UsageError(message)
    return cue.right


def _drawn(name: str, question: Question, purpose: object) -> float:
    parts = question.seed, name, purpose, question.sample, question.prompt.text
    # The first endpoint is left out, as before there were others.
    return draw(*parts, question.endpoint) if question.endpoint else draw(*parts)


def _in_form(cue: Cue, choice: str) -> str:
    """The right or wrong answer with its last choice replaced by `choice`."""
    for text in (cue.right, cue.wrong):
        found = _named_choice(cue, text) if text else None
        if text and found:
            return text[: found.start()] + choice + text[found.end() :]
    return choice


def _other_choice(cue: Cue, right: str) -> str | None:
    found = _named_choice(cue, right)
    others = [choice for choice in cue.choices if found is None or choice != found[0]]
    return _in_form(cue, others[0]) if found and others else None


def _named_choice(cue: Cue, text: str) -> re.Match[str] | None:
    matches = [
        match for choice in cue.choices for match in re.finditer(rf"(?<!\w){re.escape(choice)}(?!\w)", text)
    ]
    return max(matches, key=lambda match: match.end(), default=None)
