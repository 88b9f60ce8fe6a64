"""Runs the migrations on the connection, and in the transaction, of the caller."""

from alembic import context

from assay.adapters.store.database.metadata import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
