"""What the code harness says about models: OpenRouter's list, and LM Studio on this machine."""

import json
import os
import sys
from collections.abc import Generator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.models.lists.lm_studio import LmsLimits, LmStudio
from assay.adapters.models.lists.provider_lists import HttpModelLists
from assay.api.app import create_app
from tests.integration.catalogue_server import CatalogueServer, serving
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

SECRET = "sk-canary-0123456789"  # noqa: S105 - a test value
LISTED = [
    {"type": "llm", "modelKey": "qwen/small", "displayName": "Small", "sizeBytes": 7, "maxContextLength": 9},
    {"type": "llm", "modelKey": "lone", "path": "vendor/lone.gguf", "sizeBytes": -1},
    {"type": "embedding", "modelKey": "embedder"},
    {"type": "llm"},
    {"type": "llm", "modelKey": "--all"},
    7,
]


@dataclass
class Lms:
    """A program `lms` of ours, which notes its calls, and does as its answers say."""

    folder: Path

    def install(self, **answers: str) -> None:
        (self.folder / "answers.json").write_text(json.dumps(answers))
        program = self.folder / "lms"
        program.write_text(
            f"""#!{sys.executable}
import json, os, sys, time
with open({str(self.folder / "calls")!r}, "a") as calls:
    calls.write(json.dumps([sys.argv[1:], sorted(os.environ)]) + "\\n")
answers = json.load(open({str(self.folder / "answers.json")!r}))
exec(answers.get(sys.argv[1], ""))
"""
        )
        program.chmod(0o755)

    @property
    def calls(self) -> list[tuple[list[str], list[str]]]:
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def client(self) -> TestClient:
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "OPENROUTER_API_KEY": SECRET}
        found = LmStudio(environment, LmsLimits(list_s=self.list_s, load_s=60))
        return client_for(create_app(replace(services(memory_stores()), lm_studio=found)))

    list_s: float = 60


def printing(value: Any) -> str:
    return f"print({json.dumps(json.dumps(value))})"


@pytest.fixture
def lms(tmp_path: Path) -> Lms:
    return Lms(tmp_path)


def test_models_of_lm_studio_are_listed(lms: Lms) -> None:
    lms.install(ls=printing(LISTED), ps=printing([{"identifier": "x", "path": "vendor/lone.gguf"}]))
    response = lms.client.get("/models/lmstudio")
    assert response.status_code == 200, response.text
    [small, lone, odd] = response.json()["models"]
    assert small == {
        "id": "qwen/small",
        "model_id": "lmstudio/qwen/small",
        "name": "Small",
        "is_loaded": False,
        "size_bytes": 7,
        "context_length": 9,
    }
    assert (lone["model_id"], lone["is_loaded"], lone["size_bytes"]) == ("lmstudio/lone", True, None)
    assert odd["model_id"] == "lmstudio/--all"
    assert [call for call, _ in lms.calls] == [["ps", "--json"], ["ls", "--json"]]
    assert not any("OPENROUTER_API_KEY" in names for _, names in lms.calls)


@pytest.mark.parametrize("model_id", ["lmstudio/qwen/small", "qwen/small"])
def test_a_switch_unloads_all_and_loads_one(lms: Lms, model_id: str) -> None:
    lms.install(ls=printing(LISTED), ps="print('[]')")
    response = lms.client.post("/models/lmstudio/switch", json={"model_id": model_id})
    assert response.json() == {"model_id": "lmstudio/qwen/small", "status": "loaded"}
    assert [call for call, _ in lms.calls][2:] == [["unload", "--all"], ["load", "qwen/small"]]


@pytest.mark.parametrize(
    ("model_id", "status"),
    [("lmstudio/none", 404), ("lmstudio/--all", 404), ("a b", 400), ("$(touch x)", 400), ("", 422)],
)
def test_only_listed_models_are_loaded(lms: Lms, model_id: str, status: int) -> None:
    lms.install(ls=printing(LISTED), ps="print('[]')")
    response = lms.client.post("/models/lmstudio/switch", json={"model_id": model_id})
    assert response.status_code == status, response.text
    assert not [call for call, _ in lms.calls if call[0] in ("load", "unload")]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("print('no json')", "not JSON"),
        ("print('{}')", "not a list"),
        (f"sys.exit('cannot: {SECRET} \\x1b[31m')", "failed with status 1: cannot: [key]"),
        ("print('[' * 100_000)", "not JSON"),
        ("print('x' * 20_000_000)", "not JSON"),
    ],
)
def test_a_program_that_misbehaves_is_a_bad_gateway(lms: Lms, answer: str, said: str) -> None:
    lms.install(ls="print('[]')", ps=answer)
    response = lms.client.get("/models/lmstudio")
    assert (response.status_code, response.json()["code"]) == (502, "endpoint")
    assert said in response.json()["detail"]
    assert SECRET not in response.text
    assert "\x1b" not in response.json()["detail"]


def test_a_program_that_does_not_end_is_killed_with_its_children(lms: Lms) -> None:
    child = lms.folder / "child"
    lms.install(ps=f"import subprocess; child = subprocess.Popen(['sleep', '600']);"
                   f"open({str(child)!r}, 'w').write(str(child.pid)); time.sleep(600)")  # fmt: skip
    lms.list_s = 3.0
    response = lms.client.get("/models/lmstudio")
    assert (response.status_code, "did not end within 3 s" in response.json()["detail"]) == (502, True)
    if child.exists():
        status = Path(f"/proc/{child.read_text()}/stat")
        assert not status.exists() or status.read_text().split()[2] == "Z"


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/models/lmstudio"), ("POST", "/models/lmstudio/switch")]
)
def test_without_lm_studio_the_service_is_unavailable(tmp_path: Path, method: str, path: str) -> None:
    for found in (None, LmStudio({"PATH": str(tmp_path)})):
        client = client_for(create_app(replace(services(memory_stores()), lm_studio=found)))
        response = client.request(method, path, json={"model_id": "lmstudio/a"})
        assert (response.status_code, response.json()["code"]) == (503, "no-lm-studio")
        assert "`lms` is not on PATH" in response.json()["detail"]


@pytest.fixture
def server() -> Generator[CatalogueServer]:
    with serving(CatalogueServer()) as running:
        yield running


@pytest.fixture
def listing(server: CatalogueServer) -> TestClient:
    lists = HttpModelLists({"OPENROUTER_BASE_URL": f"{server.url}/openrouter"})
    return client_for(create_app(replace(services(memory_stores()), model_lists=lists)))


def test_capabilities_are_those_of_openrouters_list(listing: TestClient, server: CatalogueServer) -> None:
    for given in ("openrouter/google/gemini-test", "google/gemini-test"):
        response = listing.get("/models/capabilities", params={"model_id": given})
        assert response.json() == {
            "model_id": given,
            "supports_thinking": True,
            "thinking_variant": None,
            "supported_parameters": ["max_tokens", "reasoning", "include_reasoning"],
            "suggested_levels": ["low", "medium", "high"],
            "supports_budget_tokens": True,
            "supports_budget_seconds": False,
            "context_length": 1048576,
            "pricing": {"prompt": 0.00000125, "completion": 0.00001},
        }
    plain = listing.get("/models/capabilities?model_id=openrouter/openrouter/auto").json()
    assert (plain["supports_thinking"], plain["suggested_levels"], plain["pricing"]) == (False, [], None)
    assert len(server.seen) == 1


def test_models_that_are_not_listed_have_no_capabilities(
    listing: TestClient, server: CatalogueServer
) -> None:
    unknown = listing.get("/models/capabilities?model_id=google/gemini-tset")
    assert (unknown.status_code, "'google/gemini-test'" in unknown.json()["detail"]) == (404, True)
    assert listing.get("/models/capabilities?model_id=a%20b").status_code == 400
    assert listing.get("/models/capabilities").status_code == 422
    away = HttpModelLists({"OPENROUTER_BASE_URL": f"{server.url}/nothing"})
    client = client_for(create_app(replace(services(memory_stores()), model_lists=away)))
    assert client.get("/models/capabilities?model_id=a/b").status_code == 502
