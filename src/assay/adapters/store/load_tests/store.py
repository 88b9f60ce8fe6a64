"""Load tests and their results."""

from pydantic import TypeAdapter
from sqlalchemy import Connection, func, insert, select

from assay.adapters.store.database.stored_values import storable
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.load_tests.tables import load_tests
from assay.domain.errors import UnknownNameError
from assay.domain.load import LoadTest
from assay.engine.stores.load_tests import LoadTestPage

_TEST = TypeAdapter(LoadTest)


class SqlLoadTestStore(DatabaseStore):
    @write
    def add(self, connection: Connection, test: LoadTest) -> None:
        document = _TEST.dump_json(test).decode()
        connection.execute(
            insert(load_tests), {"id": test.id, "created_at": test.created_at, "document": document}
        )

    @read
    def get(self, connection: Connection, test_id: str) -> LoadTest:
        statement = select(load_tests.c.document).where(load_tests.c.id == storable(test_id))
        document = connection.scalar(statement)
        if document is None:
            raise UnknownNameError("load test", test_id)
        return _TEST.validate_json(document)

    @read
    def page(self, connection: Connection, *, limit: int, offset: int) -> LoadTestPage:
        newest_first = load_tests.c.created_at.desc(), load_tests.c.id
        found = connection.scalars(
            select(load_tests.c.document).order_by(*newest_first).limit(limit).offset(offset)
        )
        total = connection.execute(select(func.count()).select_from(load_tests)).scalar_one()
        return LoadTestPage(tuple(map(_TEST.validate_json, found)), total)
