"""The registry of models, each statement inside a transaction of the caller."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, or_, select

from assay.adapters.store.locks import Lock, hold
from assay.adapters.store.registry_tables import models
from assay.adapters.store.rules import followed
from assay.adapters.store.substrings import contains
from assay.domain.pricing import Price
from assay.domain.registry import ListedModel, RegisteredModel
from assay.engine.stores.registry import Change, ModelFilter, RegisteredPage


def register(connection: Connection, provider: str, listed: Sequence[ListedModel], *, at: datetime) -> Change:
    hold(connection, Lock.MODELS)
    of_provider = models.c.provider == provider
    before = [_from(row) for row in connection.execute(select(models).where(of_provider))]
    after, change = followed(before, listed, at=at)
    connection.execute(delete(models).where(of_provider))
    if after:
        connection.execute(insert(models), [_values(one) for one in after])
    return change


def page(connection: Connection, wanted: ModelFilter) -> RegisteredPage:
    matching: list[ColumnElement[bool]] = [] if wanted.with_inactive else [models.c.is_active]
    if wanted.provider is not None:
        matching.append(models.c.provider == wanted.provider)
    if wanted.search is not None:
        dialect = connection.dialect.name
        searched = (models.c.id, models.c.name)
        matching.append(or_(*(contains(column, wanted.search, dialect) for column in searched)))
    total = connection.execute(select(func.count()).select_from(models).where(*matching)).scalar_one()
    statement = select(models).where(*matching).order_by(models.c.id)
    rows = connection.execute(statement.limit(wanted.limit).offset(wanted.offset))
    return RegisteredPage(tuple(map(_from, rows)), total)


def called(connection: Connection, name: str) -> tuple[RegisteredModel, ...]:
    is_called = or_(models.c.id == name, models.c.slug == name, models.c.chute_id == name)
    statement = select(models).where(models.c.is_active, is_called).order_by(models.c.id)
    return tuple(map(_from, connection.execute(statement)))


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


def _from(row: Row[Any]) -> RegisteredModel:
    price = None
    if row.price_source is not None:
        price = Price(row.input_usd_per_million, row.output_usd_per_million, row.price_source)
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
