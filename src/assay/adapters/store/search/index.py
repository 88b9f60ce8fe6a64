"""The index of long texts in SQLite; imports no database library, which takes long to load.

A text is a row of `searched_texts`, under whose id FTS5 keeps the groups of three characters that occur in
it. Neither the text nor the places are kept, which would take five times the space: so a search for more
than three characters finds candidates, and looks into the texts of these.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from itertools import chain, islice

from assay.adapters.store.database.stored_values import MARK, storable
from assay.domain.searching import lowered, readable

GROUP = 3
_OPTIONS = "content='', detail='none', tokenize='trigram case_sensitive 1'"
TABLES = (
    f"CREATE VIRTUAL TABLE search_index USING fts5(text, {_OPTIONS})",
    "CREATE VIRTUAL TABLE search_terms USING fts5vocab(search_index, 'row')",
)
# The last one or two characters of a text begin a group too: what is that short is found by such a beginning.
# No text that can be stored holds two marks in a row.
_END = MARK * (GROUP - 1)
_ROWS_PER_STATEMENT = 200
_MOST_GROUPS = 40


def indexed(text: str) -> str:
    """What the index is given of a text; the same whenever the text is indexed or removed."""
    return lowered(storable(readable(text)))


def add_texts(connection: sqlite3.Connection, texts: Mapping[bytes, str]) -> None:
    """Index the texts, given by the hash of their blobs, that are not indexed yet."""
    hashes = iter(texts)
    while part := list(islice(hashes, _ROWS_PER_STATEMENT)):
        places = ", ".join(["(?)"] * len(part))
        added = connection.execute(
            f"INSERT INTO searched_texts (sha256) VALUES {places}"  # noqa: S608 # places only
            " ON CONFLICT DO NOTHING RETURNING id, sha256",
            part,
        ).fetchall()
        if added:
            places = ", ".join(["(?, ?)"] * len(added))
            values = chain.from_iterable((number, indexed(texts[key]) + _END) for number, key in added)
            connection.execute(f"INSERT INTO search_index (rowid, text) VALUES {places}", list(values))  # noqa: S608


def remove_texts(connection: sqlite3.Connection, texts: Mapping[int, str]) -> None:
    """Remove texts, given by their ids: FTS5 has to be told what it was given."""
    connection.executemany(
        "INSERT INTO search_index (search_index, rowid, text) VALUES ('delete', ?, ?)",
        ((number, indexed(text) + _END) for number, text in texts.items()),
    )
    connection.executemany("DELETE FROM searched_texts WHERE id = ?", ((number,) for number in texts))


def query_of_groups(wanted: str) -> str:
    """Texts that hold all groups of the wanted text, or the most that are looked for."""
    groups = list(dict.fromkeys(wanted[at : at + GROUP] for at in range(len(wanted) - GROUP + 1)))
    return " AND ".join(map(_quoted, groups[:: -(-len(groups) // _MOST_GROUPS)]))


def query_of_terms(terms: Iterable[str]) -> str:
    return " OR ".join(map(_quoted, terms))


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
