"""The only reader of the environment and of `.env`."""

import os
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values, find_dotenv
from platformdirs import user_data_path
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from assay.domain.errors import InvalidValueError

_ENV_FILE = ".env"
_ORIGIN = re.compile(r"https?://[^/\s*?#@]+")
# What pydantic's kinds of faults mean to whoever wrote the value.
_WANTED = {
    "bool_parsing": "must be true or false",
    "float_parsing": "must be a number",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "int_parsing": "must be a whole number",
    "less_than_equal": "must be at most {le:g}",
    "literal_error": "must be one of {expected}",
    "value_error": "{error}",
}


class Settings(BaseSettings):
    """Each field is one environment variable; `docs/reference/settings.md` describes them."""

    model_config = SettingsConfigDict(env_file=_ENV_FILE, env_prefix="", extra="ignore", frozen=True)

    assay_home: Path = Field(default_factory=lambda: user_data_path("assay", appauthor=False))
    """Data folder: database, fetched data, keys."""
    assay_host: str = "127.0.0.1"
    """Address the API listens on."""
    assay_port: int = Field(default=8017, ge=0, le=65535)
    """Port the API listens on."""
    assay_log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    """Least severe log message to show."""
    assay_log_format: Literal["text", "json"] = "text"
    """Log format: text for people, or one JSON object per line."""
    default_model: str | None = None
    """Models that `assay code run` asks if it is given none, with commas between."""
    database_url: str | None = None
    """Where runs are stored; SQLite in the data folder by default."""
    assay_object_store: str | None = None
    """Where files are kept that all machines of an installation share: s3://, gs://, az:// or a folder."""
    assay_object_cache_gb: int = Field(default=20, ge=1, le=100_000)
    """Room in the data folder for copies of files of the object store, in GiB."""
    hf_token: str | None = Field(default=None, repr=False)
    """Token for gated data on the Hugging Face hub."""
    hf_endpoint: str | None = None
    """Address of the Hugging Face hub or a mirror."""
    hf_hub_offline: bool = False
    """Make no requests to the hub: use only what is on this machine."""
    bench_signing_private_key: str | None = Field(default=None, repr=False)
    """Ed25519 key that signs exports: base64 of the raw bytes, or PEM; created if none is given."""
    bench_signing_public_key: str | None = None
    """Its public key; alone, for an installation that only verifies."""
    chutes_models_api_url: str = "https://api.chutes.ai"
    """Address of the public list of Chutes models, for the registry of models."""
    otel_exporter_otlp_endpoint: str | None = None
    """Address of a collector that spans and metrics of calls are sent to, over OTLP with HTTP."""
    maintenance_mode: bool = False
    """Refuse new runs."""
    maintenance_message: str = "Assay is under maintenance; running work goes on."
    """Message for callers in maintenance mode."""

    worker_max_concurrent: int = Field(default=4, ge=1, le=64)
    """Shards a worker executes at once."""
    worker_item_concurrency: int = Field(default=16, ge=1, le=4096)
    """Concurrent calls of a run that does not set them."""
    worker_item_timeout_seconds: float = Field(default=600.0, gt=0, le=86_400)
    """How long an attempt is retried while its endpoint is busy or unreachable."""
    worker_item_attempts: int = Field(default=3, ge=1, le=100)
    """How often a call is tried that ends in a bad reply or a timeout."""
    worker_disabled: bool = False
    """Whether `assay up` executes no runs, like `assay api`."""
    worker_only_api_key: str | None = Field(default=None, repr=False)
    """Execute only runs that were started with this key."""
    worker_heartbeat_seconds: float = Field(default=2.0, gt=0, le=6)
    """Interval between heartbeats of a worker; others take over after five missed ones."""
    assay_offload_after_days: int | None = Field(default=None, ge=1, le=36_500)
    """Days after which the service offloads a run that has ended; never by default."""
    assay_endpoint_connections: int | None = Field(default=None, ge=1)
    """Concurrent calls of all workers together to one endpoint; no limit by default."""
    assay_endpoint_requests_per_minute: int | None = Field(default=None, ge=1)
    """Calls per minute of all processes together to one endpoint; no limit by default."""
    assay_endpoint_tokens_per_minute: int | None = Field(default=None, ge=1)
    """Input and output tokens per minute of calls to one endpoint; no limit by default."""
    assay_max_active_runs: int | None = Field(default=None, ge=1)
    """Runs that one user may have queued, running or paused; no limit by default."""
    assay_requests_per_minute: int | None = Field(default=None, ge=1)
    """Requests to the API per minute of one caller: a user, else an address; no limit by default."""
    assay_secret_key: str | None = Field(default=None, repr=False)
    """Encrypts stored secrets: 32 bytes as URL-safe base64, created if none is given; while it is replaced,
    the new one and the old one, with a comma between."""
    chutes_idp_url: str = "https://idp.chutes.ai"
    """Address of the identity provider that users sign in with."""
    chutes_client_id: str | None = None
    """Client id of this installation at the identity provider; without it nobody can sign in."""
    chutes_client_secret: str | None = Field(default=None, repr=False)
    """Client secret, if the identity provider issued one."""
    oidc_issuer: str | None = None
    """Issuer of an OpenID Connect provider that users sign in with, in place of `CHUTES_IDP_URL`."""
    oidc_client_id: str | None = None
    """Client id of this installation at that provider."""
    oidc_client_secret: str | None = Field(default=None, repr=False)
    """Client secret, if that provider issued one."""
    frontend_url: str | None = None
    """Public address of this server; by default taken from the request."""
    assay_default_role: Literal["viewer", "runner"] = "runner"
    """Role of users who sign in for the first time."""
    assay_audit_days: int = Field(default=365, ge=1, le=36_500)
    """Days that entries of the audit log are kept."""
    assay_require_login: bool = False
    """Require a login or an access key, also on loopback."""
    admin_secret: str | None = Field(default=None, repr=False)
    """Required value of the header X-Admin-Secret for admin calls; without it they are refused."""
    benchmark_api_token: str | None = Field(default=None, repr=False)
    """Required as bearer token by calls of the code harness that change something; none by default."""
    expert_qa_judge_model: str | None = None
    """Judge of runs that are started with `POST /qa/runs` and name none."""
    expert_qa_questions: Path | None = None
    """File of questions that such runs ask, in place of those that come with Assay."""

    assay_allowed_endpoints: Annotated[tuple[str, ...] | None, NoDecode] = None
    """Hosts that callers of the API may name in a base URL: `name` or `name:port`, separated by commas; by
    default those of loopback if the API listens there, else none."""
    webhook_secret: str | None = Field(default=None, repr=False)
    """Signs webhooks whose callers gave no secret of their own."""
    assay_max_upload_mb: int = Field(default=2048, ge=1, le=1024 * 1024)
    """Largest data set that the API accepts, in MiB."""
    assay_allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Host names that the API accepts besides those of loopback, separated by commas."""

    cors_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Origins of web pages that may use the API from elsewhere, separated by commas."""

    assay_sandbox: str = "auto"
    """Which backend runs code: a name that `assay doctor` lists, or the best that works."""
    assay_min_isolation: Literal["none", "landlock", "namespaces", "container", "gvisor", "vm"] = "namespaces"
    """Weakest isolation to accept; a weaker backend is never used instead."""
    assay_sandbox_slots: int | None = Field(default=None, ge=1, le=256)
    """Concurrent programs; the number of processors by default."""
    assay_sandbox_image: str = "python:3.11-slim"
    """Image of the docker backend, for programs that name none."""
    assay_container_slots: int = Field(default=4, ge=1, le=256)
    """Containers of tasks that run at once."""
    assay_image_disk_gb: int = Field(default=100, ge=1, le=100_000)
    """Room for images that Assay fetched or built, in GiB; beyond it the least recently used are removed."""
    docker_host: str | None = None
    """Address of the Docker engine, as `unix:///path`; the usual socket by default."""
    assay_containers: Literal["docker", "sandy"] = "docker"
    """Where tasks in containers run: the engine of this machine, or a remote sandbox service."""
    sandy_base_url: str | None = None
    """Address of a remote sandbox service, for the sandy backend and containers there."""
    sandy_api_key: str | None = Field(default=None, repr=False)
    """Its key; sent to that address alone."""
    sandy_docker_upstream: str | None = None
    """Which host of the service containers run on, if it has several."""

    janus_bench_target_url: str = "http://localhost:8000"
    """Endpoint that `janus-bench run` asks, if `--target` is not given."""
    janus_bench_model: str = "janus-baseline-agent-cli"
    """Model that it asks for, if `--model` is not given."""
    janus_bench_request_timeout: float = Field(default=300.0, gt=0, le=86_400)
    """Seconds until one of its calls is given up, if `--timeout` is not given."""
    janus_bench_ttft_timeout: float = Field(default=5.0, gt=0, le=86_400)
    """Seconds after which its report notes a late first token as an error of the task."""
    janus_bench_weight_quality: float = 40.0
    """Points of the composite for quality; the five weights add up to 100."""
    janus_bench_weight_speed: float = 20.0
    """Points for speed."""
    janus_bench_weight_cost: float = 15.0
    """Points for cost."""
    janus_bench_weight_streaming: float = 15.0
    """Points for streaming."""
    janus_bench_weight_multimodal: float = 10.0
    """Points for pictures and sound."""
    janus_bench_output_dir: Path = Path()
    """Folder that its reports are written to, if `--output` is not given."""
    janus_bench_seed: int = 42
    """Which items a subset takes, if `--seed` is not given."""
    janus_bench_subset_percent: int = Field(default=100, ge=1, le=100)
    """Percent of the items, if `--subset` is not given."""
    janus_bench_judge_url: str | None = None
    """Endpoint of the judge, for benchmarks that have one."""
    janus_bench_judge_model: str = "gpt-4o"
    """Model that judges."""
    janus_bench_judge_api_key: str | None = Field(default=None, repr=False)
    """Key for the endpoint of the judge."""
    janus_bench_judge_timeout: float = Field(default=120.0, gt=0, le=3_600)
    """Seconds until a call of the judge is given up."""

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        wrong = [one for one in value if _ORIGIN.fullmatch(one) is None]
        if wrong:
            # Browsers refuse `*` for requests with cookies.
            raise ValueError(f"must list origins such as 'https://app.example.org', not {wrong[0]!r}")
        return value

    @field_validator("assay_allowed_endpoints", "assay_allowed_hosts", "cors_origins", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(part.strip() for part in value.split(",") if part.strip())

    @property
    def has_identity_provider(self) -> bool:
        return bool(self.chutes_client_id or self.oidc_issuer or self.oidc_client_id)

    @property
    def store_url(self) -> str:
        return self.database_url or f"sqlite:///{self.assay_home.absolute() / 'assay.db'}"

    @cached_property
    def environment(self) -> Mapping[str, str]:
        """Environment variables, over those of `.env`: the source of providers' keys and addresses."""
        found = find_dotenv(_ENV_FILE, usecwd=True)
        from_file = {name: value for name, value in dotenv_values(found).items() if value} if found else {}
        return from_file | dict(os.environ)


def load_settings() -> Settings:
    try:
        return Settings(_env_file=find_dotenv(_ENV_FILE, usecwd=True) or None)  # pyright: ignore[reportCallIssue] # a documented argument of BaseSettings that its stub leaves out
    except ValidationError as error:
        raise InvalidValueError(_fault(error)) from error


def _fault(error: ValidationError) -> str:
    """The first fault in our own words, without the value of a secret."""
    first = error.errors()[0]
    name, given = str(first["loc"][0]), first["input"]
    shown = f", not {given!r}" if isinstance(given, str) and Settings.model_fields[name].repr else ""
    return f"setting {name.upper()} {wanted(error)}{shown}; see docs/reference/settings.md"


def wanted(error: ValidationError) -> str:
    """What the first faulty value must be, without the value."""
    first = error.errors()[0]
    return _WANTED.get(first["type"], "cannot be used").format(**first.get("ctx", {}))
