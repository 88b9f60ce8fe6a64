"""The table of evaluations, to which runs, attempts and reviews refer."""

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, String, Table, Text

from assay.adapters.store.database.blobs import BlobKey
from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

evaluations = Table(
    "evaluations",
    metadata,
    Column("id", Key, primary_key=True),
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("model", FreeText, nullable=False),
    Column("benchmark", FreeText, nullable=False),
    Column("benchmark_version", String, nullable=False),
    Column("benchmark_size", Integer, nullable=False),
    Column("fingerprint", String, nullable=False),
    Column("fingerprint_fields", Text, nullable=False),
    # Item ids are a blob: the models of a run share one list, which can hold over ten thousand ids.
    Column("items_sha256", BlobKey, nullable=False),
    Column("generation", Text, nullable=False),
    Column("samples", Integer, nullable=False),
    Column("price", Text),
    Column("state", String, nullable=False),
    Column("error", FreeText),
    Column("summary", Text),
    Column("score", Double),
    Column("scored", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("started_at", Moment),
    Column("finished_at", Moment),
    Column("endpoint", FreeText),
    Column("facts_sha256", BlobKey),
    Index(None, "run_id", "position"),
    Index(None, "fingerprint"),
    Index(None, "model"),
    Index(None, "benchmark"),
)
