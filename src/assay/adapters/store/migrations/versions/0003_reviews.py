"""What is said about attempts after they ended: human labels, and gradings beside the first one."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0003"
down_revision = "0002"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")
_AMOUNT = sa.String().with_variant(sa.Numeric(), "postgresql")
_DOUBLE: sa.Double[float] = sa.Double()
_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_annotations()
    _create_judgements()
    _create_judged_attempts()


def _create_annotations() -> None:
    op.create_table(
        "annotations",
        sa.Column("id", _ID, nullable=False),
        sa.Column("evaluation_id", _KEY, nullable=False),
        sa.Column("item_id", _KEY, nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotations"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.id"], name="fk_annotations_evaluation_id", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_annotations_evaluation_id_id", "annotations", ["evaluation_id", "id"])


def _create_judgements() -> None:
    op.create_table(
        "judgements",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("evaluation_id", _KEY, nullable=False),
        sa.Column("grader", sa.Text(), nullable=False),
        sa.Column("judge", sa.Text()),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("summary", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_judgements"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.id"], name="fk_judgements_evaluation_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_judgements_evaluation_id_created_at", "judgements", ["evaluation_id", "created_at"])


def _create_judged_attempts() -> None:
    op.create_table(
        "judged_attempts",
        sa.Column("judgement_id", _KEY, nullable=False),
        sa.Column("item_id", _KEY, nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("score", _DOUBLE),
        sa.Column("extracted", sa.Text()),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("details", sa.Text()),
        sa.Column("error_code", sa.String()),
        sa.Column("error_message", sa.Text()),
        sa.Column("cost_usd", _AMOUNT),
        sa.Column("calls", sa.Text()),
        sa.PrimaryKeyConstraint("judgement_id", "item_id", "sample", name="pk_judged_attempts"),
        sa.ForeignKeyConstraint(
            ["judgement_id"], ["judgements.id"], name="fk_judged_attempts_judgement_id", ondelete="CASCADE"
        ),
    )
