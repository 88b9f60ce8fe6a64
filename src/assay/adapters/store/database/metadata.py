"""The schema as it is now, to which each topic adds its tables; the migrations lead to the same schema."""

from sqlalchemy import MetaData

# Structured values are JSON in text columns: they are read whole and never searched, and JSONB refuses NUL.
metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)
