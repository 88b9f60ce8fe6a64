"""The words a reply gives as its answer: the last statement wins, else the last line."""

import re

from assay.engine.graders.robust.cues import CONNECTOR, cues_backwards, sentence_at
from assay.engine.graders.robust.markup import BOX_CLOSES, BOX_OPENS, plain
from assay.engine.graders.robust.visible import visible_text

_MOST_BOXES = 16
_BOX = re.compile(rf"{BOX_OPENS}([^{BOX_OPENS}]{{1,500}}?){BOX_CLOSES}")
_MARKS = re.compile(f"[{BOX_OPENS}{BOX_CLOSES}]")
_REASON = re.compile(r",? (?i:because|since|as it|as they|due to|given that|which is why)\b.*", re.DOTALL)
_LABEL_LINE = re.compile(r"(?i:confidence|explanation|reasoning|note|sources?)\s?:")
_ACRONYM = re.compile(r"(?:^|[ .])[A-Za-z]\.$")
_QUOTES = "\"'"


def robust_text(reply: str) -> str | None:
    """The answer without what leads to it, quotation marks and the full stop; None for an empty reply."""
    text = plain(visible_text(reply))
    stated = max((one for one in (_boxed(text), _cued(text)) if one), default=None)
    return stated[1] if stated else _last_line(text)


def _boxed(text: str) -> tuple[int, str] | None:
    for box in reversed(list(_BOX.finditer(text))[-_MOST_BOXES:]):
        answer = _trimmed(box[1])
        if answer:
            return box.end(), answer
    return None


def _cued(text: str) -> tuple[int, str] | None:
    for cue in cues_backwards(text):
        if cue.kind != "answer":
            continue
        if text[cue.end - 1] == ">":
            answer = _trimmed(text[cue.end :].partition("</")[0])
        else:
            answer = _after_connector(text, cue.end)
        if answer:
            return cue.end, answer
    return None


def _after_connector(text: str, at: int) -> str | None:
    connector = CONNECTOR.search(sentence_at(text, at))
    if connector is None:
        return None
    start = at + connector.end()
    if connector[0].isalpha():
        return _trimmed(_REASON.sub("", sentence_at(text, start)))
    # A label: what it labels goes to the end of the line, or is the next line.
    line = text[start:].lstrip().partition("\n")[0]
    return None if _LABEL_LINE.match(line) else _trimmed(line)


def _last_line(text: str) -> str | None:
    return _trimmed(text.rpartition("\n")[2])


def _trimmed(content: str) -> str | None:
    answer = _MARKS.sub("", content).strip(" \n:*")
    while len(answer) > 1 and answer[0] in _QUOTES and answer[-1] in (*_QUOTES, "."):
        answer = answer[1:].rstrip(".").removesuffix(answer[0])
    if not _ACRONYM.search(answer):
        answer = answer.rstrip(".").rstrip()
    return answer.strip() or None
