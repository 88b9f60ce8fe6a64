"""The recipes to run Assay elsewhere: Dockerfile, Compose files, Render Blueprint, Helm chart."""

import base64
import json
import re
import shlex
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
import pytest
import yaml
from typer.testing import CliRunner

from assay.adapters.signing.keyring import Keyring
from assay.adapters.vault.fernet import FernetVault
from assay.cli.main import app
from assay.domain.access.secret import Secret
from assay.settings import Settings
from tests.conftest import REPOSITORY
from tests.integration.serving import client_of
from tests.stores import memory_stores

CHART = REPOSITORY / "deploy/helm/assay"
TEMPLATES = {path.name: path.read_text(encoding="utf-8") for path in sorted(CHART.glob("templates/*"))}
COMPOSE_FILES = ("compose.yaml", "compose.worker.yaml")
SETTINGS = frozenset(name.upper() for name in Settings.model_fields)
# Read by provider, not as settings: docs/reference/settings.md.
PROVIDERS = frozenset({"CHUTES_API_KEY"})
HEALTH = re.compile(r"http://127\.0\.0\.1:(\d+|\$\{ASSAY_PORT:-\d+\})(/[\w/]+)")


def text_of(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


def read(name: str) -> dict[str, Any]:
    return yaml.safe_load(text_of(name))


def has_command(arguments: list[str]) -> bool:
    return CliRunner().invoke(app, [*arguments, "--help"]).exit_code == 0


def is_path_of_the_api(path: str) -> bool:
    return client_of(memory_stores()).get(path).status_code == 200


def instructions(name: str) -> Iterator[tuple[str, str]]:
    joined = re.sub(r"\\\n\s*", "", text_of("Dockerfile"))
    for line in joined.splitlines():
        word, _, rest = line.partition(" ")
        if word == name:
            yield word, rest


def argument(name: str) -> str:
    return [rest for _, rest in instructions(name)][-1]


def test_the_image_runs_a_command_that_there_is_without_rights() -> None:
    assert json.loads(argument("ENTRYPOINT")) == ["assay"]
    assert has_command(json.loads(argument("CMD")))
    assert (
        f"useradd --uid 10001 --user-group --no-create-home --home-dir /data {argument('USER')}"
        in text_of("Dockerfile")
    )
    port = Settings.model_fields["assay_port"].default
    assert argument("EXPOSE") == str(port)
    asked = HEALTH.search(argument("HEALTHCHECK"))
    assert asked is not None
    assert asked[1] == f"${{ASSAY_PORT:-{port}}}"
    assert is_path_of_the_api(asked[2])


def test_what_the_image_is_built_from_is_there_and_sent_to_the_engine() -> None:
    sent = {line.removeprefix("!") for line in text_of(".dockerignore").splitlines() if line.startswith("!")}
    copied = [shlex.split(rest)[:-1] for _, rest in instructions("COPY") if not rest.startswith("--from")]
    names = {name.rstrip("/") for several in copied for name in several}
    assert names <= sent
    assert [name for name in names if not (REPOSITORY / name).exists()] == []


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_a_compose_file_is_one_by_the_specification(name: str) -> None:
    folder = resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    schema = json.loads((folder / "compose-spec.json").read_text(encoding="utf-8"))
    jsonschema_rs.validate(schema, read(name))


@pytest.mark.parametrize("name", COMPOSE_FILES)
def test_services_of_a_compose_file_run_assay_without_rights(name: str) -> None:
    services = [one for one in read(name)["services"].values() if "build" in one]
    assert services
    for service in services:
        assert set(service["environment"]) <= SETTINGS
        assert has_command(service["command"])
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory"}
        assert service["volumes"] == ["data:/data"]
        if service["command"][0] == "worker":
            asked = HEALTH.search(service["healthcheck"]["test"][-1])
            assert asked is not None
            assert asked[1] == service["command"][service["command"].index("--health-port") + 1]


def test_workers_on_another_machine_run_as_those_beside_the_api_do() -> None:
    here, elsewhere = (read(name)["services"]["worker"] for name in COMPOSE_FILES)
    differing = {"environment", "depends_on", "deploy"}
    assert {key: value for key, value in here.items() if key not in differing} == {
        key: value for key, value in elsewhere.items() if key not in differing
    }


def given_in(service: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["key"]: one for one in service["envVars"]}


def test_services_on_render_are_given_what_there_is() -> None:
    blueprint = read("render.yaml")
    services = {one["name"]: one for one in blueprint["services"]}
    assert {one["type"] for one in services.values()} == {"web", "worker"}
    for service in services.values():
        program, *arguments = shlex.split(service["dockerCommand"])
        assert program == "/opt/assay/bin/assay"
        assert has_command(arguments)
        assert set(given_in(service)) <= SETTINGS | PROVIDERS | {"PORT"}
        for source in given_in(service).values():
            if "fromDatabase" in source:
                assert source["fromDatabase"]["name"] in {one["name"] for one in blueprint["databases"]}
            if "fromService" in source:
                of = services[source["fromService"]["name"]]
                assert source["fromService"]["type"] == of["type"]
                assert source["fromService"]["envVarKey"] in {*given_in(of), "RENDER_EXTERNAL_URL"}
    api = services["assay-api"]
    assert is_path_of_the_api(api["healthCheckPath"])
    assert given_in(api)["PORT"]["value"] == given_in(api)["ASSAY_PORT"]["value"]
    assert has_command(shlex.split(api["preDeployCommand"])[1:])


def test_keys_that_render_generates_can_be_used(tmp_path: Path) -> None:
    generated = base64.b64encode(b"\xfb\xff" * 16).decode()  # has both signs that URL-safe base64 replaces
    sealed = FernetVault(tmp_path, key=generated)
    assert sealed.unseal(sealed.seal(Secret("sk-1"))) == Secret("sk-1")
    assert Keyring(tmp_path, private_key=generated, public_key=None).signer().public_key


def leaves(values: dict[str, Any], at: str = "") -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict) and value and name not in ("settings", "resources"):
            yield from leaves(cast("dict[str, Any]", value), f"{at}.{name}")  # names in YAML are text
        else:
            yield f"{at}.{name}"


def test_templates_of_the_chart_use_every_value_and_no_other() -> None:
    values = set(leaves(read("deploy/helm/assay/values.yaml")))
    used = set(re.findall(r"\.Values((?:\.\w+)+)", "".join(TEMPLATES.values())))
    # Given as a whole to the template that places pods.
    placed = {
        f".{of}.{name}" for of in ("api", "worker") for name in ("nodeSelector", "tolerations", "affinity")
    }
    assert used - {".api", ".worker"} == values - placed
    assert placed <= values


def test_values_of_the_chart_are_as_its_schema_says() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    values = read("deploy/helm/assay/values.yaml")
    jsonschema_rs.validate(schema, values)
    assert set(leaves(values)) == set(leaves(described(schema)))


def described(schema: dict[str, Any]) -> dict[str, Any]:
    named = {name: one for name, one in schema["properties"].items() if name != "global"}
    return {name: described(one) if "properties" in one else None for name, one in named.items()}


def test_the_chart_names_settings_commands_paths_and_metrics_that_there_are() -> None:
    everything = "".join(TEMPLATES.values())
    values = read("deploy/helm/assay/values.yaml")
    named = set(re.findall(r"- name: ([A-Z][A-Z_]+)$", everything, re.MULTILINE)) | set(values["settings"])
    assert "ASSAY_ALLOWED_HOSTS" in named
    assert named <= SETTINGS
    for given in re.findall(r"^ +args: \[(.*)\]", everything, re.MULTILINE):
        arguments = [one.strip().strip('"') for one in given.split(",")]
        assert has_command([one for one in arguments if "{{" not in one and one != "--concurrency"]), given
    asked = re.findall(r"path: (/api/\S+)", everything)
    assert asked
    assert all(is_path_of_the_api(path) for path in asked)
    metrics = client_of(memory_stores()).get("/metrics").text
    [(metric, label)] = re.findall(r"valueLocation: '(\w+)\{(\w+)=", everything)
    for state in ("queued", "running"):
        assert f'{metric}{{{label}="{state}"}} 0.0' in metrics
    assert values["worker"]["concurrency"] == Settings.model_fields["worker_max_concurrent"].default
    chart = read("deploy/helm/assay/Chart.yaml")
    assert chart["version"] == chart["appVersion"]
