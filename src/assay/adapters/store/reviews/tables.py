"""Labels of people, and later gradings of stored answers."""

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, String, Table, Text

from assay.adapters.store.database.columns import Amount, FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

annotations = Table(
    "annotations",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("evaluation_id", Key, ForeignKey("evaluations.id", ondelete="CASCADE"), nullable=False),
    Column("item_id", Key, nullable=False),
    Column("sample", Integer, nullable=False),
    Column("label", String, nullable=False),
    Column("note", FreeText, nullable=False),
    Column("author", FreeText, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("owner", FreeText),
    Index(None, "evaluation_id", "id"),
    # An id that was shown to somebody must never come to mean another label.
    sqlite_autoincrement=True,
)

judgements = Table(
    "judgements",
    metadata,
    Column("id", Key, primary_key=True),
    Column("evaluation_id", Key, ForeignKey("evaluations.id", ondelete="CASCADE"), nullable=False),
    Column("grader", FreeText, nullable=False),
    Column("judge", FreeText),
    Column("created_at", Moment, nullable=False),
    # Null until every attempt has been graded.
    Column("summary", Text),
    Index(None, "evaluation_id", "created_at"),
)

judged_attempts = Table(
    "judged_attempts",
    metadata,
    Column("judgement_id", Key, ForeignKey("judgements.id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", Key, primary_key=True),
    Column("sample", Integer, primary_key=True, autoincrement=False),
    Column("outcome", String, nullable=False),
    Column("score", Double),
    Column("extracted", FreeText),
    Column("explanation", FreeText, nullable=False),
    Column("details", Text),
    Column("error_code", String),
    Column("error_message", FreeText),
    Column("cost_usd", Amount),
    Column("calls", Text),
)
