"""Extracts the program from a reply, as the official script does."""

_FENCE = "```"


def program_in(reply: str) -> str:
    """The text between the last two lines with a fence; empty if there are fewer than two."""
    end = reply.rfind("\n", 0, max(reply.rfind(_FENCE), 0))
    first = reply.rfind(_FENCE, 0, max(end, 0))
    if first < 0:
        return ""
    start = reply.index("\n", first)
    return reply[start + 1 : end]
