"""Takes emphasis, LaTeX and Markdown off an answer, and finds what it puts into a box."""

import re

# Stand around what was in a box.
BOX_OPENS, BOX_CLOSES = "\x02", "\x03"

_EMPHASIS = re.compile(
    rf"(?<![\w*])[*_]{{1,2}}(?=[\w(\[\\$'\"{BOX_OPENS}])|(?<=[\w)\]}}$'\".!?:{BOX_CLOSES}])[*_]{{1,2}}(?![\w*])"
)
_LINE_START = re.compile(r"(?m)^[ ]?(?:#{1,6} |> ?|[-*•+] |\* )+")
_WRAPPED = re.compile(
    r"\\(?:text|textbf|textit|textrm|texttt|textsf|textnormal|mathrm|mathbf|mathit|mathsf|mathtt|boldsymbol"
    r"|operatorname|mbox|underline|emph|bm) ?\{([^{}]{0,200})\}"
)
_LATEX_SPACE = re.compile(
    r"\\[,;:!> ]|\\(?:quad|qquad|displaystyle|left|right|bigl?|bigr|Bigl?|Bigr)(?![A-Za-z])"
)
_ARROW = re.compile(r"\\(?:Rightarrow|rightarrow|implies|longrightarrow|to)(?![A-Za-z])")
_DELIMITER = re.compile(r"\\[()\[\]]|\\?\$\$?")
_BRACE = re.compile(r"\\?(?:boxed|fbox|framebox) ?\{|\\[{}]|[{}]")
_ESCAPED = ("\\{", "\\}")
_NESTING = 3


def plain(text: str) -> str:
    """The text without emphasis, headings and LaTeX that changes only how it looks; boxes become marks."""
    text = text.replace(BOX_OPENS, "").replace(BOX_CLOSES, "")
    if "box" in text:
        text = _framed(text)
    if "\\" in text:
        for _ in range(_NESTING):
            text, count = _WRAPPED.subn(r"\1", text)
            if not count:
                break
        text = _ARROW.sub("→", _LATEX_SPACE.sub(" ", text))
    if "$" in text or "\\" in text:
        text = _DELIMITER.sub("", text)
    for mark, replacement in (("**", ""), ("`", ""), ("~~", ""), ("~", " ")):
        text = text.replace(mark, replacement)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub("", text)
    return _LINE_START.sub("", text)


def _framed(text: str) -> str:
    """Every box whose braces balance, with marks in place of its command and braces."""
    opened: list[tuple[int, int] | None] = []
    marks: list[tuple[int, int, str]] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "}":
            box = opened.pop() if opened else None
            if box is not None:
                marks += [(*box, BOX_OPENS), (*brace.span(), BOX_CLOSES)]
        elif brace[0] not in _ESCAPED:
            opened.append(None if brace[0] == "{" else brace.span())
    pieces: list[str] = []
    done = 0
    for start, end, mark in sorted(marks):
        pieces += [text[done:start], mark]
        done = end
    return "".join((*pieces, text[done:]))
