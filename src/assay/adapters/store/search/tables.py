"""Long texts that are searched: prompts, and answers that are stored as blobs.

On SQLite `text` is empty: FTS5 indexes the texts (`index.py`). On Postgres it is the text in lower case, with
an index of its trigrams if the server lets us have the extension `pg_trgm`; without, the texts are read.
"""

from sqlalchemy import DDL, BigInteger, Column, Integer, LargeBinary, Table, Text, UniqueConstraint, event

from assay.adapters.store.database.metadata import metadata
from assay.adapters.store.search.index import TABLES

# Not a `BlobKey`: a blob that only the index refers to is not needed.
searched_texts = Table(
    "searched_texts",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("sha256", LargeBinary, nullable=False),
    Column("text", Text),
    UniqueConstraint("sha256"),
)

for _statement in TABLES:
    event.listen(searched_texts, "after_create", DDL(_statement).execute_if(dialect="sqlite"))
