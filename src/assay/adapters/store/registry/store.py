"""The registry of models."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, or_, select

from assay.adapters.store.database.locks import Lock, hold
from assay.adapters.store.database.substrings import contains
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.registry.tables import models
from assay.domain.calls.pricing import Price
from assay.domain.registry import ListedModel, RegisteredModel
from assay.engine.stores.registry import Change, ModelFilter, RegisteredPage


class SqlModelRegistry(DatabaseStore):
    @write
    def register(
        self, connection: Connection, provider: str, listed: Sequence[ListedModel], *, at: datetime
    ) -> Change:
        hold(connection, Lock.MODELS)
        of_provider = models.c.provider == provider
        before = [_model(row) for row in connection.execute(select(models).where(of_provider))]
        after, change = _updated(before, listed, at=at)
        connection.execute(delete(models).where(of_provider))
        if after:
            connection.execute(insert(models), [_values(one) for one in after])
        return change

    @read
    def page(self, connection: Connection, wanted: ModelFilter) -> RegisteredPage:
        conditions: list[ColumnElement[bool]] = [] if wanted.with_inactive else [models.c.is_active]
        if wanted.provider is not None:
            conditions.append(models.c.provider == wanted.provider)
        if wanted.search is not None:
            dialect = connection.dialect.name
            searched = (models.c.id, models.c.name)
            conditions.append(or_(*(contains(column, wanted.search, dialect) for column in searched)))
        total = connection.execute(select(func.count()).select_from(models).where(*conditions)).scalar_one()
        statement = select(models).where(*conditions).order_by(models.c.id)
        rows = connection.execute(statement.limit(wanted.limit).offset(wanted.offset))
        return RegisteredPage(tuple(map(_model, rows)), total)

    @read
    def named(self, connection: Connection, name: str) -> tuple[RegisteredModel, ...]:
        has_name = or_(models.c.id == name, models.c.slug == name, models.c.chute_id == name)
        statement = select(models).where(models.c.is_active, has_name).order_by(models.c.id)
        return tuple(map(_model, connection.execute(statement)))


def _updated(
    before: Iterable[RegisteredModel], listed: Sequence[ListedModel], *, at: datetime
) -> tuple[tuple[RegisteredModel, ...], Change]:
    """A provider's models after its catalogue was read; those that it lists no more stay, inactive."""
    known = {one.id: one for one in before}
    now = {one.id: one for one in listed}
    first_seen = {one.id: one.first_seen_at for one in known.values()}
    kept = (RegisteredModel(one, first_seen.get(one.id, at), at) for one in now.values())
    left = (
        replace(one, listed=replace(one.listed, is_active=False))
        for one in known.values()
        if one.id not in now
    )
    after = (*kept, *left)
    active = {one.id for one in after if one.listed.is_active}
    gone = sum(one.listed.is_active and one.id not in active for one in known.values())
    return after, Change(active=len(active), added=len(now.keys() - known.keys()), gone=gone)


def _values(registered: RegisteredModel) -> dict[str, object]:
    listed = registered.listed
    price = listed.price
    return {
        "id": listed.id,
        "provider": listed.provider,
        "slug": listed.slug,
        "name": listed.name,
        "is_active": listed.is_active,
        "tagline": listed.tagline,
        "user": listed.user,
        "logo": listed.logo,
        "chute_id": listed.chute_id,
        "instance_count": listed.instance_count,
        "input_usd_per_million": price and price.input_usd_per_million,
        "output_usd_per_million": price and price.output_usd_per_million,
        "price_source": price and price.source,
        "context_tokens": listed.context_tokens,
        "first_seen_at": registered.first_seen_at,
        "synced_at": registered.synced_at,
    }


def _model(row: Row[Any]) -> RegisteredModel:
    sides = row.input_usd_per_million, row.output_usd_per_million
    price = None if None in sides else Price(*sides, row.price_source)
    listed = ListedModel(
        provider=row.provider,
        slug=row.slug,
        name=row.name,
        is_active=row.is_active,
        tagline=row.tagline,
        user=row.user,
        logo=row.logo,
        chute_id=row.chute_id,
        instance_count=row.instance_count,
        price=price,
        context_tokens=row.context_tokens,
    )
    return RegisteredModel(listed, row.first_seen_at, row.synced_at)
