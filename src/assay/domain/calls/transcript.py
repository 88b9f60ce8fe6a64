"""A conversation with tools as the answer of an attempt: all that its grader needs."""

import json
from collections.abc import Mapping, Sequence

from assay.domain.calls.messages import Completion, Json, Message
from assay.domain.json_value import has_too_many_values
from assay.domain.record import record

FORMAT = "assay-transcript/1"
_MOST_MESSAGES = 10_000


@record
class Transcript:
    """Messages in the form of the OpenAI API, with keys of the benchmark's own, and facts about the whole."""

    messages: Sequence[Mapping[str, Json]]
    facts: Mapping[str, Json]


def transcript_text(messages: Sequence[Mapping[str, Json]], **facts: Json) -> str:
    document = {"format": FORMAT, "messages": list(messages), **facts}
    return json.dumps(document, ensure_ascii=False, indent=1, default=dict)


def transcript_in(answer: str) -> Transcript | None:
    """None if the answer has another form, which is then no conversation."""
    if not answer.startswith("{") or has_too_many_values(answer.encode("utf-8", "surrogatepass")):
        return None
    try:
        document: Json = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return None
    messages = document.get("messages")
    if not isinstance(messages, list) or len(messages) > _MOST_MESSAGES:
        return None
    found = [message for message in messages if isinstance(message, dict)]
    facts = {name: value for name, value in document.items() if name not in {"format", "messages"}}
    return Transcript(found, facts) if len(found) == len(messages) else None


def assistant_message(completion: Completion) -> Message:
    """The reply as the next prompt has it: without its reasoning, which endpoints refuse."""
    return Message("assistant", completion.answer, tool_calls=completion.tool_calls)
