"""Reasoning that a server leaves inside the answer, between tags."""

import re
from dataclasses import dataclass

_OPENING = re.compile(r"\s*<(think|thinking)>")
_CLOSING = re.compile(r"</(think|thinking)>")
_QUOTES = frozenset("`'\"“”\u2018\u2019")
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class TaggedReply:
    """`answer_start` is where in the whole text the answer begins; its length where there is none."""

    answer: str
    reasoning: str
    answer_start: int
    is_unclosed: bool = False


def split_tags(text: str, *, is_prefill_likely: bool = True) -> TaggedReply | None:
    """Separate tagged reasoning from the answer; None where the text has none.

    An opening tag counts only at the start of the reply, so an answer may write about tags. The first closing
    tag of the same name ends it; without one, everything is reasoning that was cut off.

    A closing tag alone means that the chat template wrote the opening one: the first that is not quoted
    splits the text. Quoted is a tag beside a quotation mark or a backtick, in inline code or in a code fence.
    Where the server delivered reasoning apart, `is_prefill_likely` is False and such a tag is just text.
    """
    if "<think" not in text and "</think" not in text:
        return None
    opening = _OPENING.match(text)
    if opening:
        return _after_opening(text, opening)
    return _after_prefill(text) if is_prefill_likely else None


def _after_opening(text: str, opening: re.Match[str]) -> TaggedReply:
    thoughts: list[str] = []
    position = 0
    block: re.Match[str] | None = opening
    while block:
        closing_tag = f"</{block[1]}>"
        closed_at = text.find(closing_tag, block.end())
        if closed_at < 0:
            thoughts.append(text[block.end() :].strip())
            return TaggedReply("", _joined(thoughts), len(text), is_unclosed=True)
        thoughts.append(text[block.end() : closed_at].strip())
        position = closed_at + len(closing_tag)
        block = _OPENING.match(text, position)
    return _split_at(text, position, _joined(thoughts))


def _after_prefill(text: str) -> TaggedReply | None:
    for closing in _CLOSING.finditer(text):
        before = text[: closing.start()]
        if f"<{closing[1]}>" in before:
            return None
        if not _is_quoted(text, closing):
            return _split_at(text, closing.end(), before.strip())
    return None


def _split_at(text: str, position: int, reasoning: str) -> TaggedReply:
    answer = text[position:].lstrip()
    return TaggedReply(answer, reasoning, len(text) - len(answer))


def _is_quoted(text: str, tag: re.Match[str]) -> bool:
    beside = text[max(0, tag.start() - 1) : tag.start()] + text[tag.end() : tag.end() + 1]
    if _QUOTES.intersection(beside):
        return True
    line_start = text.rfind("\n", 0, tag.start()) + 1
    return text.count("`", line_start, tag.start()) % 2 == 1 or text.count(_FENCE, 0, tag.start()) % 2 == 1


def _joined(thoughts: list[str]) -> str:
    return "\n\n".join(thought for thought in thoughts if thought)
