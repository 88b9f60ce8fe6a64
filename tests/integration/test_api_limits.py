"""How many requests a caller may make, and what wrong keys do to right ones."""

import asyncio
from dataclasses import replace

from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.api.access.key_throttle import MAX_FAILURES
from assay.api.app import create_app
from assay.domain.access.identity import Role
from assay.engine.identity.access_keys import new_key_user
from tests.builders import World
from tests.integration.serving import client_for, services

PER_MINUTE = 3


def new_key(world: World, name: str) -> dict[str, str]:
    made = new_key_user(name, Role.RUNNER, store=world.store.identity, clock=world.clock)
    return {"X-API-Key": asyncio.run(made)[1].value}


def test_a_new_key_is_accepted_where_many_wrong_ones_came_from() -> None:
    world = World()
    client = client_for(create_app(replace(services(world.store), needs_identity=True)))
    wrong = [client.get("/api/runs", headers={"X-API-Key": f"assay_{n}"}) for n in range(MAX_FAILURES + 1)]
    assert [one.status_code for one in wrong] == [401] * MAX_FAILURES + [429]
    assert client.get("/api/runs", headers=new_key(world, "ci")).status_code == 200


def limited(world: World) -> FastAPI:
    made = services(world.store)
    engine = replace(made.engine, clock=world.clock)
    return create_app(replace(made, engine=engine, needs_identity=True, requests_per_minute=PER_MINUTE))


def test_each_caller_has_a_limit_of_their_own() -> None:
    world = World()
    client = client_for(limited(world))
    ada, bob = new_key(world, "ada"), new_key(world, "bob")
    assert [client.get("/api/runs", headers=ada).status_code for _ in range(PER_MINUTE + 1)] == [
        *[200] * PER_MINUTE,
        429,
    ]
    assert client.get("/api/runs", headers=bob).status_code == 200
    refused = client.get("/v1/models", headers=ada)
    assert refused.status_code == 429
    assert refused.json()["error"]["code"] == "too-many-requests"
    assert int(refused.headers["retry-after"]) > 0
    asyncio.run(world.clock.sleep(60))
    assert client.get("/api/runs", headers=ada).status_code == 200


def test_callers_without_a_name_share_the_limit_of_their_address() -> None:
    app = limited(World())
    here = client_for(app)
    there = TestClient(app, "http://127.0.0.1:8017", client=("127.0.0.2", 1))
    assert [here.get("/api/models").status_code for _ in range(PER_MINUTE)] == [401] * PER_MINUTE
    assert {here.get(path).status_code for path in ("/api/models", "/api/status", "/api/auth/login")} == {429}
    assert there.get("/api/models").status_code == 401
    assert {here.get("/api/health").status_code for _ in range(PER_MINUTE + 1)} == {200}
