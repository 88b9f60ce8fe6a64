"""The documents that questions are about, read when the first prompt needs them."""

import unicodedata
from collections.abc import Iterable, Mapping

from assay.benchmarks.aa_lcr.rows import Question
from assay.domain.benchmark import Row, Tables
from assay.domain.errors import BadRowError, DataMissingError

SPLIT = "documents"
_Key = tuple[str, str]


class DocumentSets:
    """All documents, about 12 MB of text; prompts are built from them one at a time."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._sets: dict[_Key, dict[str, str]] | None = None

    def texts(self, question: Question) -> list[str]:
        """The question's documents in order; raises DataMissingError if one is missing."""
        if self._sets is None:
            self._sets = _by_set(self._tables.rows(SPLIT))
        known = self._sets.get((question.category, question.document_set), {})
        return [_found(question, name, known) for name in question.documents]


def _by_set(rows: Iterable[Row]) -> dict[_Key, dict[str, str]]:
    """Paths end in category, set and file; anything before that is ignored."""
    sets: dict[_Key, dict[str, str]] = {}
    for number, row in enumerate(rows, start=1):
        path, text = row.get("path"), row.get("text")
        if not isinstance(path, str) or not isinstance(text, str):
            raise BadRowError(f"split {SPLIT!r} of aa_lcr", number, "needs the texts 'path' and 'text'")
        match path.split("/"):
            case [*_, category, document_set, name]:
                sets.setdefault((category, document_set), {})[name] = text
            case _:
                continue
    return sets


def _found(question: Question, name: str, known: Mapping[str, str]) -> str:
    if name in known:
        return known[name]
    # Some names lost their non-ASCII characters in archives.
    similar = [text for other, text in known.items() if _skeleton(other) == _skeleton(name)]
    if len(similar) == 1:
        return similar[0]
    where = f"{question.category}/{question.document_set}"
    raise DataMissingError(
        f"question {question.id!r} needs the document {name!r} of {where}, which is not in the bundle:"
        " fetch the data again, or put the file there"
    )


def _skeleton(name: str) -> str:
    """The ASCII letters and digits of a name, without accents."""
    apart = unicodedata.normalize("NFKD", name)
    return "".join(character for character in apart if character.isascii() and character.isalnum())
