"""What a tool answers a call that it cannot carry out."""

from enum import StrEnum


class Fault(StrEnum):
    """Why a call got an error; `REFUSED` is a valid call that the tool could not carry out."""

    UNKNOWN_TOOL = "unknown_tool"
    INVALID_ARGUMENTS = "invalid_arguments"
    REFUSED = "refused"


class ToolError(Exception):
    """The message goes to the model, and says what to change."""
