"""Files that end their lines with CRLF, answered by models that write LF, and the reverse."""


def is_crlf(text: str) -> bool:
    """Whether all lines end with CRLF, and there is one."""
    return text.count("\r\n") == text.count("\n") > 0


def adapted(text: str, like: str) -> str:
    """The text with the line endings of another, if each of them uses one kind."""
    if is_crlf(like) and "\r\n" not in text:
        return text.replace("\n", "\r\n")
    if is_crlf(text) and "\n" in like and "\r\n" not in like:
        return text.replace("\r\n", "\n")
    return text
