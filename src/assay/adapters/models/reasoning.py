"""Reasoning that a server leaves inside the answer, between tags."""

import re
from dataclasses import dataclass

_OPENING = re.compile(r"\s*<(think|thinking)>")
# A reply may hold very many short blocks, for which the search for long ones would be slow.
_SHORT_BLOCK = re.compile(r"\s*+<(think|thinking)>(.{0,99}?)</\1>", re.DOTALL)
_NAMES = ("think", "thinking")
_QUOTES = "`'\"“”\u2018\u2019"
_UNQUOTED_CLOSING = re.compile(
    rf"</think(?:ing)?>(?<![{_QUOTES}]</think>)(?<![{_QUOTES}]</thinking>)(?![{_QUOTES}])"
)
_FENCE = "```"
_CODE_OR_LINE_END = re.compile(r"[`\n]")


@dataclass(frozen=True, slots=True)
class TaggedReply:
    """`answer_start` is the offset of the answer in the text, or the length of the text if there is none."""

    answer: str
    reasoning: str
    answer_start: int
    is_unclosed: bool = False


def split_tags(text: str, *, is_prefill_likely: bool = True) -> TaggedReply | None:
    """Separate tagged reasoning from the answer; None if the text has none.

    An opening tag counts only at the start of the reply, so an answer may mention tags. The first closing
    tag of the same name ends it; without one, everything is reasoning that was cut off.

    A closing tag alone means that the chat template wrote the opening one: the first that is not quoted
    splits the text. Quoted means next to a quotation mark or backtick, in inline code or in a code fence.
    If the server sent reasoning separately, `is_prefill_likely` is False and such a tag is plain text.
    """
    if "<think" not in text and "</think" not in text:
        return None
    if _OPENING.match(text):
        return _after_opening(text)
    return _after_prefill(text) if is_prefill_likely else None


def _after_opening(text: str) -> TaggedReply:
    thoughts: list[str] = []
    position = 0
    while True:
        while short := _SHORT_BLOCK.match(text, position):
            thoughts.append(short[2].strip())
            position = short.end()
        opening = _OPENING.match(text, position)
        if opening is None:
            return _split_at(text, position, _joined(thoughts))
        closing_tag = f"</{opening[1]}>"
        closed_at = text.find(closing_tag, opening.end())
        if closed_at < 0:
            thoughts.append(text[opening.end() :].strip())
            return TaggedReply("", _joined(thoughts), len(text), is_unclosed=True)
        thoughts.append(text[opening.end() : closed_at].strip())
        position = closed_at + len(closing_tag)


def _after_prefill(text: str) -> TaggedReply | None:
    code = _Code(text)
    end = _own_block_end(text)
    closing = _UNQUOTED_CLOSING.search(text, 0, end)
    while closing:
        if not code.holds(closing.start()):
            return _split_at(text, closing.end(), text[: closing.start()].strip())
        # Everything before that is code.
        closing = _UNQUOTED_CLOSING.search(text, code.next_change(closing.end()), end)
    return None


def _own_block_end(text: str) -> int:
    """The position of the first closing tag that has an opening tag before it, or the end of the text."""
    ends: list[int] = []
    for name in _NAMES:
        opening = text.find(f"<{name}>")
        ends.append(text.find(f"</{name}>", opening) if opening >= 0 else -1)
    return min((end for end in ends if end >= 0), default=len(text))


def _split_at(text: str, position: int, reasoning: str) -> TaggedReply:
    answer = text[position:].lstrip()
    return TaggedReply(answer, reasoning, len(text) - len(answer))


class _Code:
    """Whether a position is in inline code or in a code fence; positions must be asked for in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._read = 0
        self._backticks = 0  # in this line
        self._fences = 0

    def holds(self, at: int) -> bool:
        line_start = self._text.rfind("\n", self._read, at) + 1
        if line_start:
            self._backticks = 0
        self._backticks += self._text.count("`", line_start or self._read, at)
        self._fences += self._text.count(_FENCE, self._read, at)
        self._read = at
        return self._backticks % 2 == 1 or self._fences % 2 == 1

    def next_change(self, at: int) -> int:
        """The next position at which the answer may change."""
        if self._fences % 2 == 1:
            fence = self._text.find(_FENCE, at)
            return fence if fence >= 0 else len(self._text)
        found = _CODE_OR_LINE_END.search(self._text, at)
        return found.start() if found else len(self._text)


def _joined(thoughts: list[str]) -> str:
    return "\n\n".join(thought for thought in thoughts if thought)
