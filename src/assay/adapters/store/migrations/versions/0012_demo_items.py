"""Runs on the items that ship with a benchmark: `--data samples` is now `--data demo`.

Fingerprints stay as they were recorded, so that exports of these runs still verify.
"""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.execute("""UPDATE runs SET spec = replace(spec, '"data":"samples"', '"data":"demo"')""")
