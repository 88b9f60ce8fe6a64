"""The same requests over PostgreSQL, whose types are stricter; fewer of them."""

# Schemathesis leaves out type arguments of its own classes.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUntypedFunctionDecorator=false

from collections.abc import Generator

import pytest

from tests.integration.test_api_fuzzed import (
    Case,
    Service,
    require_all_as_described,
    schema,
    serving_over,
)
from tests.postgres import Cluster

SCHEMA = schema(max_examples=3, has_boundary_values=False)


@pytest.fixture(scope="module")
def service(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    with serving_over(postgres.new_database(), tmp_path_factory.mktemp("fuzzed")) as service:
        yield service


@pytest.mark.postgres
@SCHEMA.parametrize()
def test_every_request_is_answered_as_the_document_says(case: Case, service: Service) -> None:
    require_all_as_described(case, service)
