"""Data sets of users, each statement inside a transaction of the caller."""

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, Select, func, insert, select, update

from assay.adapters.store.locks import Lock, hold
from assay.adapters.store.rules import is_same_dataset, next_version, unknown_dataset
from assay.adapters.store.tables import datasets
from assay.domain.dataset import DataSet, DatasetId, DatasetRef
from assay.domain.dataset_report import Fault, Grading

_GRADERS = TypeAdapter(dict[Grading, int])
_MODELS = TypeAdapter(tuple[str, ...])
_FAULTS = TypeAdapter(tuple[Fault, ...])
_IS_HERE = datasets.c.removed_at.is_(None)
_NEWEST = datasets.c.created_at.desc(), datasets.c.id.desc()


def add(connection: Connection, dataset: DataSet) -> DataSet:
    hold(connection, Lock.DATASETS)
    of_name = datasets.c.name == dataset.name
    newest = connection.execute(_latest(dataset.name)).one_or_none()
    if newest is not None and is_same_dataset(_from(newest), dataset):
        return _from(newest)
    highest = connection.scalar(select(func.max(datasets.c.version)).where(of_name))
    stored = next_version(dataset, highest)
    connection.execute(insert(datasets), _values(stored))
    return stored


def every(connection: Connection) -> tuple[DataSet, ...]:
    return tuple(map(_from, connection.execute(select(datasets).where(_IS_HERE).order_by(*_NEWEST))))


def one(connection: Connection, dataset_id: DatasetId) -> DataSet:
    row = connection.execute(select(datasets).where(datasets.c.id == dataset_id, _IS_HERE)).one_or_none()
    if row is None:
        raise unknown_dataset(dataset_id, [])
    return _from(row)


def named(connection: Connection, ref: DatasetRef) -> DataSet:
    statement = _latest(ref.name)
    if ref.version is not None:
        statement = statement.where(datasets.c.version == ref.version)
    row = connection.execute(statement).one_or_none()
    if row is None:
        known = connection.scalars(select(datasets.c.name).where(_IS_HERE).distinct()).all()
        raise unknown_dataset(ref.text, known)
    return _from(row)


def remove(connection: Connection, dataset_id: DatasetId, *, at: datetime) -> bool:
    hold(connection, Lock.DATASETS)
    sha256 = one(connection, dataset_id).sha256
    connection.execute(update(datasets).where(datasets.c.id == dataset_id).values(removed_at=at))
    others = select(func.count()).where(datasets.c.sha256 == sha256, _IS_HERE)
    return connection.execute(others).scalar_one() == 0


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


def _from(row: Row[Any]) -> DataSet:
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
