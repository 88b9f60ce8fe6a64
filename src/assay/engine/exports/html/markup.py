"""HTML of which no part comes from a model: every text is escaped, and nothing is loaded or executed."""

import html
from collections.abc import Iterable, Sequence

from assay.domain.access.secret import printable

# Longer texts are cut in a page that people read.
MAX_TEXT_LENGTH = 4_000

STYLE = """
.assay{--ink:#1b1f24;--soft:#5a6472;--line:#d9dee5;--fill:#2563a8;--wash:#f3f5f8;--bad:#a4341f;
color:var(--ink);font:14px/1.5 system-ui,sans-serif;max-width:64rem}
.assay h1{font-size:1.5rem;margin:0 0 .25rem}.assay h2{font-size:1.15rem;margin:2rem 0 .5rem}
.assay h3{font-size:1rem;margin:1.25rem 0 .25rem}.assay p{margin:.35rem 0}
.assay .soft{color:var(--soft)}.assay .bad{color:var(--bad)}
.assay table{border-collapse:collapse;margin:.5rem 0;display:block;overflow-x:auto}
.assay th,.assay td{padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top;
border-bottom:1px solid var(--line)}
.assay th{font-weight:600;white-space:nowrap}.assay .number{text-align:right;white-space:nowrap}
.assay svg{display:block;max-width:100%;height:auto;font:12px system-ui,sans-serif;fill:var(--ink)}
.assay details{border-bottom:1px solid var(--line);padding:.25rem 0}
.assay summary{cursor:pointer;overflow-wrap:anywhere}
.assay pre{background:var(--wash);padding:.5rem;margin:.25rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
.assay code{overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){
.assay{--ink:#e6e9ee;--soft:#9aa5b4;--line:#39414d;--fill:#6ea8e6;--wash:#1d2229;--bad:#f0907c}}
""".strip()
_PAGE_STYLE = """
body{margin:2rem auto;padding:0 1rem;max-width:64rem;background:#fff}
@media (prefers-color-scheme:dark){body{background:#13171c}}
""".strip()

# Even if a text were not escaped, the browser would neither run it nor ask anybody for anything.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def text(value: object) -> str:
    return html.escape(printable(str(value)))


def head(title: str) -> str:
    """The beginning of a page, up to its first paragraph; `foot` ends it."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{text(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}\n{_PAGE_STYLE}</style></head>\n"
        f'<body><main class="assay">\n<h1>{text(title)}</h1>\n'
    )


def foot() -> str:
    return "</main></body></html>\n"


def paragraph(said: str, kind: str = "") -> str:
    return f'<p class="{kind}">{text(said)}</p>\n' if kind else f"<p>{text(said)}</p>\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: frozenset[str]) -> str:
    """`numbers` names the columns that stand to the right."""
    kinds = [' class="number"' if name in numbers else "" for name in columns]
    names = "".join(f"<th{kind}>{text(name)}</th>" for kind, name in zip(kinds, columns, strict=True))
    cells = [
        "".join(f"<td{kind}>{text(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)) for row in rows
    ]
    lines = "".join(f"<tr>{line}</tr>\n" for line in cells)
    return f"<table><thead><tr>{names}</tr></thead><tbody>\n{lines}</tbody></table>\n"


def block(title: str, value: str) -> str:
    """A titled text of a model or an item, cut if it is long; nothing where it is empty."""
    if not value:
        return ""
    more = len(value) - MAX_TEXT_LENGTH
    rest = f'<p class="soft">and {more:,} more characters</p>' if more > 0 else ""
    return f'<p class="soft">{text(title)}</p><pre>{text(value[:MAX_TEXT_LENGTH])}</pre>{rest}\n'
