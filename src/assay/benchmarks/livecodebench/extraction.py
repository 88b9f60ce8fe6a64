"""The program in a reply, found as the official script finds it."""

_FENCE = "```"


def program_in(reply: str) -> str:
    """What stands between the last two lines that hold a fence; empty where there are fewer than two."""
    end = reply.rfind("\n", 0, max(reply.rfind(_FENCE), 0))
    first = reply.rfind(_FENCE, 0, max(end, 0))
    if first < 0:
        return ""
    start = reply.index("\n", first)
    return reply[start + 1 : end]
