"""A stored run as a suite in TOML: what it asked, and no secret."""

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import PurePath

from assay.domain.composite import CompositeRule, Part
from assay.domain.datasets.benchmark_file import PREFIX
from assay.domain.json_value import Json
from assay.domain.judging import Judging
from assay.domain.run import DEFAULT_SEED, Run, RunSpec
from assay.domain.stopping import StopRule
from assay.engine.suites.toml_text import AsItStands, toml_key, toml_value

Shown = Callable[[str], str]
_NAMED_DATA = ("official", "demo")
# A value that is a variable, maybe after the word that names a kind of token.
_REFERENCE = re.compile(r"(?:[A-Za-z]{1,16} )?\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_NO_NAME = re.compile(r"[^A-Za-z0-9]")
_HEAD = """#:schema ./assay-suite.schema.json
# What run {run_id} asked, as a suite: check it with `assay suite check FILE`, run it with `assay run FILE`.
"""


Table = dict[str, Json | Decimal]


def suite_text(run: Run, *, shown: Shown, paths: bool) -> str:
    """`shown` takes user, password and query out of an address; folders are named in full with `paths`."""
    spec, said = run.spec, run.description
    tables: list[tuple[str, Table]] = [
        ("", _given(_head(run, said.name, said.note, said.tags, paths=paths))),
        ("settings", _settings(spec)),
        *(("[models]", _model(spec, model, shown)) for model in spec.models),
        *(("[benchmarks]", _benchmark(spec, name, paths=paths)) for name in spec.benchmarks),
        ("judge", _judge(spec.judge, shown)),
        ("agent", _agent(spec, paths=paths)),
        ("budget", _given({"usd": spec.budget.usd, "tokens": spec.budget.tokens})),
        ("stop", _stop(spec.stop)),
        ("composite", _composite(spec.composite)),
    ]
    parts = [_HEAD.format(run_id=run.id)]
    for name, table in tables:
        if table:
            lines = [f"{toml_key(key)} = {toml_value(value)}" for key, value in table.items()]
            parts.append("\n".join([*([f"[{name}]"] if name else []), *lines, ""]))
    return "\n".join(parts)


def _head(run: Run, name: str, note: str, tags: Sequence[str], *, paths: bool) -> Table:
    spec = run.spec
    is_path = spec.data not in _NAMED_DATA
    return {
        "name": name or f"run-{run.id[:8]}",
        "note": note or None,
        "tags": [tag for tag in tags if not tag.startswith("suite:")] or None,
        "data": PurePath(spec.data).name if is_path and not paths else spec.data,
        "samples": spec.samples,
        "seed": spec.subset.seed if spec.subset.seed != DEFAULT_SEED else None,
        "max_connections": spec.max_connections,
        "warmup": spec.warmup or None,
        "reuse": spec.reuse or None,
        "user_model": spec.user_model.models[0] if spec.user_model else None,
    }


def _settings(spec: RunSpec) -> Table:
    generation = spec.generation
    return _given(
        {
            "temperature": generation.temperature,
            "top_p": generation.top_p,
            "max_tokens": generation.max_tokens,
            "reasoning_effort": generation.reasoning_effort,
            "seed": generation.seed,
            "stop": list(generation.stop) or None,
            "system": generation.system,
            # As JSON, which has a null.
            "options": json.dumps(generation.options, ensure_ascii=False) if generation.options else None,
            "headers": {name: _header(name, value) for name, value in spec.headers.items()} or None,
            "timeout_s": generation.timeout_s,
            "retries": generation.retries,
            "logprobs": generation.logprobs or None,
        }
    )


def _header(name: str, value: str) -> str:
    """A value in clear may be secret: a variable takes its place."""
    variable = _NO_NAME.sub("_", name).upper()
    return AsItStands(value if _REFERENCE.fullmatch(value) else f"${{{variable}}}")


def _model(spec: RunSpec, model: str, shown: Shown) -> Table:
    endpoint = spec.endpoint_of(model)
    price = endpoint.price
    prices = price and {
        "input": float(price.input_usd_per_million),
        "output": float(price.output_usd_per_million),
    }
    return _given(
        {
            "model": model,
            "base_url": endpoint.base_url and shown(endpoint.base_url),
            "key_variable": endpoint.key_variable,
            "price": prices,
        }
    )


def _benchmark(spec: RunSpec, name: str, *, paths: bool) -> Table:
    subset = spec.subset
    is_percent = subset.count is None and not subset.is_whole
    return _given(
        {
            "name": _in_file(spec, name, paths=paths),
            "count": subset.count,
            "percent": subset.percent if is_percent else None,
            "items": list(spec.items) or None,
            "few_shot": spec.few_shot,
        }
    )


def _in_file(spec: RunSpec, name: str, *, paths: bool) -> str:
    """The file that declares the benchmark, if one does."""
    file = spec.files.get(name)
    if file is None:
        return name
    return f"{file.path if paths else PurePath(file.path).name}:{name.removeprefix(PREFIX)}"


def _stop(rule: StopRule | None) -> Table:
    if rule is None:
        return {}
    if rule.bar is not None:
        return {"bar": rule.bar, "alpha": rule.alpha}
    return {"until": rule.until, "margin": rule.margin, "alpha": rule.alpha}


def _judge(judge: Judging | None, shown: Shown) -> Table:
    if judge is None:
        return {}
    return _given(
        {
            "models": list(judge.models),
            "votes": judge.votes,
            "base_url": judge.base_url and shown(judge.base_url),
            "temperature": judge.generation.temperature,
            "max_tokens": judge.generation.max_tokens,
            "timeout_s": judge.timeout_s,
        }
    )


def _agent(spec: RunSpec, *, paths: bool) -> Table:
    agent = spec.agent
    if agent is None:
        return {}
    folder = agent.folder if paths or agent.folder is None else PurePath(agent.folder).name
    limits = agent.limits
    return _given(
        {
            "command": agent.command,
            "folder": folder,
            "max_calls": limits.calls,
            "max_tokens": limits.tokens,
            "max_usd": limits.usd,
        }
    )


def _composite(rule: CompositeRule) -> Table:
    if rule == CompositeRule():
        return {}
    weights = {part.value: rule.weights.of(part) for part in Part}
    return {"weights": weights, "minimum_quality": rule.minimum_quality}


def _given(table: Table) -> Table:
    return {key: value for key, value in table.items() if value is not None}
