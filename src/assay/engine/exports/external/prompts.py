"""The messages and the text of stored prompts, for other tools."""

import json
from collections.abc import Mapping, Sequence

from assay.domain.calls.messages import Json


def prompt_messages(prompt: str) -> list[Mapping[str, Json]]:
    """The messages that were sent; empty if the prompt is masked or has another form."""
    try:
        value: Json = json.loads(prompt)
    except (ValueError, RecursionError):
        return []
    if isinstance(value, str) or not isinstance(value, Sequence):
        return []
    return [one for one in value if isinstance(one, Mapping)]


def prompt_text(prompt: str) -> str:
    messages = prompt_messages(prompt)
    return "\n\n".join(content_text(one.get("content")) for one in messages) if messages else prompt


def content_text(content: Json) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, Sequence) else ()
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))
