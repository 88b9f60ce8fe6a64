"""One reply within an attempt of several calls, kept until the attempt is stored."""

from typing import Literal

from assay.domain.attempt import Call
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.json_value import digest
from assay.domain.record import record

StepRole = Literal["model", "user"]


@record
class Step:
    """A reply with what was asked for it and the calls that it took."""

    role: StepRole
    prompt_digest: str
    completion: Completion
    calls: tuple[Call, ...]


def prompt_digest(prompt: Prompt) -> str:
    return digest([prompt.to_json(), prompt.extra])
