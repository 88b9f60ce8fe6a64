"""Users' own data sets."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, Select, func, insert, select, update

from assay.adapters.store.database.locks import Lock, hold
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.datasets.tables import datasets
from assay.domain.dataset_report import Fault, Grading
from assay.domain.datasets.dataset import DataSet, DatasetId, DatasetRef
from assay.domain.errors import NotTheOwnerError, UnknownNameError, nearest_names

_GRADERS = TypeAdapter(dict[Grading, int])
_MODELS = TypeAdapter(tuple[str, ...])
_FAULTS = TypeAdapter(tuple[Fault, ...])
_IS_HERE = datasets.c.removed_at.is_(None)
_NEWEST_FIRST = datasets.c.created_at.desc(), datasets.c.id.desc()


class SqlDatasetStore(DatabaseStore):
    @write
    def add(self, connection: Connection, dataset: DataSet, *, by_operator: bool = True) -> DataSet:
        hold(connection, Lock.DATASETS)
        newest = connection.execute(_latest(dataset.name)).one_or_none()
        if newest is not None:
            if not by_operator:
                _require_owner(_dataset(newest), dataset)
            if _is_same(_dataset(newest), dataset):
                return _dataset(newest)
        versions = select(func.max(datasets.c.version)).where(datasets.c.name == dataset.name)
        stored = replace(dataset, version=(connection.scalar(versions) or 0) + 1)
        connection.execute(insert(datasets), _values(stored))
        return stored

    @read
    def list(self, connection: Connection) -> tuple[DataSet, ...]:
        statement = select(datasets).where(_IS_HERE).order_by(*_NEWEST_FIRST)
        return tuple(map(_dataset, connection.execute(statement)))

    @read
    def get(self, connection: Connection, dataset_id: DatasetId) -> DataSet:
        return _existing(connection, dataset_id)

    @read
    def named(self, connection: Connection, ref: DatasetRef) -> DataSet:
        statement = _latest(ref.name)
        if ref.version is not None:
            statement = statement.where(datasets.c.version == ref.version)
        row = connection.execute(statement).one_or_none()
        if row is None:
            known = connection.scalars(select(datasets.c.name).where(_IS_HERE).distinct()).all()
            raise _unknown(ref.text, known)
        return _dataset(row)

    @write
    def remove(self, connection: Connection, dataset_id: DatasetId, *, at: datetime) -> bool:
        hold(connection, Lock.DATASETS)
        sha256 = _existing(connection, dataset_id).sha256
        connection.execute(update(datasets).where(datasets.c.id == dataset_id).values(removed_at=at))
        others = select(func.count()).where(datasets.c.sha256 == sha256, _IS_HERE)
        return connection.execute(others).scalar_one() == 0


def _existing(connection: Connection, dataset_id: DatasetId) -> DataSet:
    row = connection.execute(select(datasets).where(datasets.c.id == dataset_id, _IS_HERE)).one_or_none()
    if row is None:
        raise _unknown(dataset_id, [])
    return _dataset(row)


def _require_owner(stored: DataSet, given: DataSet) -> None:
    if stored.owner not in (None, given.owner):
        raise NotTheOwnerError(f"the data set {stored.name!r}", stored.owner)


def _is_same(stored: DataSet, given: DataSet) -> bool:
    return (stored.sha256, stored.grading, stored.graders) == (given.sha256, given.grading, given.graders)


def _unknown(name: str, known: Iterable[str]) -> UnknownNameError:
    nearest = nearest_names(name.partition("@")[0], sorted(known))
    return UnknownNameError("data set", name, nearest=nearest, remedy="`assay datasets list` lists all")


def _latest(name: str) -> Select[Any]:
    of_name = select(datasets).where(datasets.c.name == name, _IS_HERE)
    return of_name.order_by(datasets.c.version.desc()).limit(1)


def _values(dataset: DataSet) -> dict[str, object]:
    return {
        "id": dataset.id,
        "name": dataset.name,
        "version": dataset.version,
        "file_name": dataset.file_name,
        "sha256": dataset.sha256,
        "size_bytes": dataset.size_bytes,
        "lines": dataset.count,
        "grading": dataset.grading.value,
        "graders": _GRADERS.dump_json(dict(dataset.graders)).decode(),
        "models": _MODELS.dump_json(dataset.models).decode(),
        "owner": dataset.owner,
        "warnings": _FAULTS.dump_json(dataset.warnings).decode(),
        "warning_count": dataset.warning_count,
        "created_at": dataset.created_at,
    }


def _dataset(row: Row[Any]) -> DataSet:
    return DataSet(
        id=row.id,
        name=row.name,
        version=row.version,
        file_name=row.file_name,
        sha256=row.sha256,
        size_bytes=row.size_bytes,
        count=row.lines,
        created_at=row.created_at,
        grading=Grading(row.grading),
        graders=_GRADERS.validate_json(row.graders),
        models=_MODELS.validate_json(row.models),
        owner=row.owner,
        warnings=_FAULTS.validate_json(row.warnings),
        warning_count=row.warning_count,
    )
