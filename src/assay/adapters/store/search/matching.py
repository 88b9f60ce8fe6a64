"""Searching long texts for a part of any length, with the same result on both databases."""

from sqlalchemy import (
    ColumnElement,
    Connection,
    String,
    and_,
    column,
    exists,
    false,
    func,
    literal,
    select,
    table,
    true,
)

from assay.adapters.store.database.blob_search import BLOB_HOLDS
from assay.adapters.store.database.blobs import blobs
from assay.adapters.store.database.stored_values import storable
from assay.adapters.store.search.index import GROUP, query_of_groups, query_of_terms
from assay.adapters.store.search.tables import searched_texts
from assay.domain.searching import lowered

_INDEX = table("search_index", column("rowid"), column("search_index", String))
_TERMS = table("search_terms", column("term", String))
# Texts made of random characters could ask for a million.
_MOST_TERMS = 3_000
_LAST_CHARACTER = "\U0010ffff"
_ESCAPE = "\\"


class TextSearch:
    """One search for a part that is not empty, prepared on the connection that runs it."""

    def __init__(self, connection: Connection, part: str) -> None:
        self._part = lowered(part)
        self._is_postgres = connection.dialect.name == "postgresql"
        wanted = storable(self._part)
        self._pattern = f"%{_like(wanted)}%"
        # Shorter ones are in the index as what its groups begin with.
        self._is_exact = len(wanted) <= GROUP
        self._query = None if self._is_postgres else _query(connection, wanted)

    def holds(self, sha256: ColumnElement[bytes]) -> ColumnElement[bool]:
        """Whether the text with this hash holds the part."""
        if self._is_postgres:
            has_part = searched_texts.c.text.like(self._pattern, escape=_ESCAPE)
            return exists().where(searched_texts.c.sha256 == sha256, has_part)
        if self._query is None:
            return self._is_in_blob(sha256)
        if not self._query:
            return false()
        ids = select(_INDEX.c.rowid).where(_INDEX.c.search_index.op("MATCH")(self._query))
        is_candidate = sha256.in_(select(searched_texts.c.sha256).where(searched_texts.c.id.in_(ids)))
        return and_(is_candidate, true() if self._is_exact else self._is_in_blob(sha256))

    def _is_in_blob(self, sha256: ColumnElement[bytes]) -> ColumnElement[bool]:
        part = literal(self._part.encode("utf-8", "surrogatepass"))
        held = getattr(func, BLOB_HOLDS)(blobs.c.content, blobs.c.is_compressed, blobs.c.size, part)
        return exists().where(blobs.c.sha256 == sha256, held)


def _query(connection: Connection, wanted: str) -> str | None:
    """Empty if the index tells that no text has the part, None if it cannot tell which have it."""
    if len(wanted) >= GROUP:
        return query_of_groups(wanted)
    begins = _TERMS.c.term.between(wanted, wanted + _LAST_CHARACTER)
    terms = connection.scalars(select(_TERMS.c.term).where(begins).limit(_MOST_TERMS + 1)).all()
    return query_of_terms(terms) if len(terms) <= _MOST_TERMS else None


def _like(text: str) -> str:
    for special in (_ESCAPE, "%", "_"):
        text = text.replace(special, _ESCAPE + special)
    return text
