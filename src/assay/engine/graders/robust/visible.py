"""The part of a reply in which an answer is looked for: reasoning left out, typography made plain.

Of a long reply only the beginning and the end are read, where answers are stated. So the work is bounded,
whatever a model writes.
"""

import re

_HEAD = 4_000
_TAIL = 16_000
# Where reasoning is separated from the answer: thoughts may stand between the answer and the end.
_SEARCHED = 100_000
_NAMES = ("think", "thinking", "thought", "reasoning")
_OPENING = (*(f"<{name}>" for name in _NAMES), "[THINK]", "◁think▷")
_CLOSING = (*(f"</{name}>" for name in _NAMES), "[/THINK]", "◁/think▷")
_TAGS = (*_OPENING, *_CLOSING)
# One of these is in every tag: fewer are looked for where there is none.
_IN_TAGS = ("think", "thought>", "reasoning>", "THINK]")
# Beyond so many blocks, all that comes before them is taken for reasoning.
_MOST_BLOCKS = 16
_FINAL_CHANNEL = "<|channel|>final<|message|>"
_CONTROL = re.compile(r"<\|[a-z_]{1,20}\|>")
_QUOTES = frozenset("`'\"")

_PLAIN = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {
    ord(typeset): plain
    for plain, typesets in {
        '"': "“”„«»「」",
        "'": "\u2018\u2019",
        "-": "\u2010\u2011\u2012\u2212",
        " ": "\u00a0\u2002\u2003\u3000",
        ".": "。",
        ",": "、",
        "": "\u200b\u200c\u200d\u2060\ufeff",
    }.items()
    for typeset in typesets
}
_SPACES = re.compile(r"[ \t\r\f\v]{2,}|[\t\r\f\v]")
_LINES = re.compile(r" \n[ \n]*|\n[ \n]+")


def visible_text(reply: str) -> str:
    """The beginning and the end of what the reply says outside its reasoning, one space between words."""
    text = _without_reasoning(reply)
    if len(text) > _HEAD + _TAIL:
        text = f"{_whole_words(text[:_HEAD], first=True)}\n{_whole_words(text[-_TAIL:], first=False)}"
    if not text.isascii():
        text = text.translate(_PLAIN)
    return _LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def may_hold_reasoning(reply: str) -> bool:
    """False is certain: a single character is found fastest, and most replies have none of these."""
    return "<" in reply or "[" in reply or "◁" in reply


def _whole_words(part: str, *, first: bool) -> str:
    """Without the word that the cut went through: half of one may read as a letter or a number."""
    if first:
        return part.rpartition(" ")[0] or part
    return part.partition(" ")[2] or part


def _without_reasoning(reply: str) -> str:
    channel = reply.rfind(_FINAL_CHANNEL) if may_hold_reasoning(reply) else -1
    if channel >= 0:
        return _CONTROL.sub(" ", reply[channel + len(_FINAL_CHANNEL) :][: _HEAD + _TAIL])
    if not may_hold_reasoning(reply) or not _has_tag(reply):
        return reply
    if len(reply) <= _SEARCHED:
        return _outside_blocks(reply)
    before, searched = reply[:-_SEARCHED], reply[-_SEARCHED:]
    last = max((before.rfind(tag), tag) for tag in _TAGS)[1]
    return _outside_blocks(last + searched if last in _OPENING and last in before else searched)


def _has_tag(reply: str) -> bool:
    return any(part in reply for part in _IN_TAGS) and any(tag in reply for tag in _TAGS)


def _outside_blocks(reply: str) -> str:
    """From the end backwards: a closing tag without an opening one makes all before it reasoning."""
    parts: list[str] = []
    end = len(reply)
    for _ in range(_MOST_BLOCKS):
        start, close = _last(reply, _CLOSING, end)
        parts.append(_before_opening(reply[close:end]))
        if start < 0:
            break
        end = _last(reply, _OPENING, start)[0]
        if end < 0:
            break
    return "\n".join(reversed(parts))


def _before_opening(part: str) -> str:
    """An opening tag that nothing closes makes all after it reasoning that was cut off."""
    found = [at for tag in _OPENING if (at := part.find(tag)) >= 0 and not _is_quoted(part, at, tag)]
    return part[: min(found)] if found else part


def _last(text: str, tags: tuple[str, ...], end: int) -> tuple[int, int]:
    """Where the last of the tags begins and ends; -1 and 0 where there is none."""
    for _ in range(_MOST_BLOCKS):
        at, tag = max((text.rfind(tag, 0, end), tag) for tag in tags)
        if at < 0:
            break
        if not _is_quoted(text, at, tag):
            return at, at + len(tag)
        end = at
    return -1, 0


def _is_quoted(text: str, at: int, tag: str) -> bool:
    """A tag between quotation marks or backticks is written about, not used."""
    after = at + len(tag)
    return at > 0 and text[at - 1] in _QUOTES and text[after : after + 1] in _QUOTES
