"""What a caller asks for, as the specification of a run."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Any,
    Protocol,
    TypedDict,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)

from assay.adapters.models.local_code import Function
from assay.cli import options as cli_options
from assay.domain.benchmark import Benchmark, ItemId
from assay.domain.datasets.benchmark_file import PREFIX
from assay.domain.errors import InvalidValueError, UnknownNameError, nearest_names
from assay.domain.run import LOCAL_CODE, Budget, Description, RunSpec
from assay.engine.one_file.declaration import Declaration
from assay.engine.one_file.files import HUB_PREFIX
from assay.python_api.own_benchmarks import OwnBenchmark

Model = str | Function | Mapping[str, Function]
"""A model as `provider/name`, a function, or functions with their names."""

BenchmarkChoice = str | Path | Benchmark | Declaration
"""A benchmark's name, a file that declares some, what `assay.benchmark` made, or a benchmark itself."""

_NAME = re.compile(r"[\w.:-]{1,100}")


class Options(TypedDict, total=False):
    """Options of `evaluate`, with the meaning that the options of `assay run` have."""

    subset: int
    count: int | None
    seed: str | None
    items: Sequence[str]
    samples: int
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    reasoning_effort: str | None
    logprobs: bool
    data: str | Path
    base_url: str | None
    max_connections: int | None
    timeout_s: float | None
    budget_usd: str | float | Decimal | None
    budget_tokens: int | None
    price_in: str | float | Decimal | None
    price_out: str | float | Decimal | None
    judge: str | Sequence[str] | None
    judge_votes: int
    judge_base_url: str | None
    user_model: str | None
    name: str
    tags: Sequence[str]
    note: str
    progress: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """`functions` are the models, and `benchmarks` the benchmarks, that exist in this program alone."""

    spec: RunSpec
    description: Description
    functions: Mapping[str, Function]
    benchmarks: tuple[OwnBenchmark, ...]
    timeout_s: float | None
    has_progress: bool


def wanted(
    model: Model | Sequence[Model],
    benchmarks: BenchmarkChoice | Sequence[BenchmarkChoice],
    given: Options,
) -> Wanted:
    """Raises UsageError for what cannot be asked for."""
    check_types(given)
    names, functions = named_models(model)
    chosen = chosen_benchmarks(benchmarks)
    usd = partial(_usd, given)
    spec = RunSpec(
        models=names,
        benchmarks=_benchmark_names(chosen),
        subset=cli_options.subset(given.get("subset", 100), given.get("count"), given.get("seed")),
        items=tuple(ItemId(item) for item in given.get("items", ())),
        samples=given.get("samples", 1),
        generation=cli_options.generation(
            temperature=given.get("temperature"),
            top_p=given.get("top_p"),
            max_tokens=given.get("max_tokens"),
            reasoning_effort=given.get("reasoning_effort"),
            further={"logprobs": given.get("logprobs") or None},
        ),
        data=cli_options.absolute(str(given.get("data", "official"))),
        max_connections=given.get("max_connections"),
        budget=Budget(usd=cli_options.usd(usd("budget_usd")), tokens=given.get("budget_tokens")),
        base_url=given.get("base_url"),
        price=cli_options.price(usd("price_in"), usd("price_out")),
        judge=cli_options.judging(
            _joined(given.get("judge")),
            votes=given.get("judge_votes", 1),
            base_url=given.get("judge_base_url"),
            temperature=None,
            max_tokens=None,
            timeout_s=120.0,
        ),
        user_model=cli_options.user_model(given.get("user_model")),
    )
    description = Description.of(given.get("name", ""), given.get("note", ""), given.get("tags", ()))
    own = own_benchmarks(chosen)
    return Wanted(spec, description, functions, own, given.get("timeout_s"), given.get("progress", True))


def chosen_benchmarks(
    given: BenchmarkChoice | Sequence[BenchmarkChoice],
) -> Sequence[BenchmarkChoice]:
    is_one = isinstance(given, str | Path | Declaration) or _is_benchmark(given)
    return cast(Sequence[BenchmarkChoice], [given] if is_one else given)


def own_benchmarks(chosen: Sequence[BenchmarkChoice]) -> tuple[OwnBenchmark, ...]:
    """Those of the program itself; raises InvalidValueError where two have one name."""
    found: dict[str, OwnBenchmark] = {}
    for one in chosen:
        if not isinstance(one, str | Path) and found.setdefault(_own_benchmark(one), one) is not one:
            raise InvalidValueError(f"two benchmarks are called {_own_benchmark(one)!r}: rename one of them")
    return tuple(found.values())


def _own_benchmark(given: OwnBenchmark) -> str:
    if isinstance(given, Declaration):
        return f"{PREFIX}{given.name}"
    if not _is_benchmark(given):
        raise InvalidValueError(
            f"a benchmark is a name such as 'mmlu_pro', a file, or a declared one, not {given!r}"
        )
    return given.card.name


def check_types(given: Options) -> None:
    """A mistake in a name or a type is found before anything is stored."""
    hints = get_type_hints(Options)
    for name, value in given.items():
        if name not in hints:
            raise UnknownNameError("option", name, nearest=nearest_names(name, hints))
        kinds = _kinds(hints[name])
        is_text_for_list = isinstance(value, str) and str not in kinds
        if (
            not isinstance(value, kinds)
            or is_text_for_list
            or (isinstance(value, bool) and bool not in kinds)
        ):
            names = " or ".join("None" if kind is NoneType else kind.__name__ for kind in kinds)
            raise InvalidValueError(f"{name} must be {names}, not {value!r}")
    timeout_s = given.get("timeout_s")
    if timeout_s is not None and not timeout_s > 0:
        raise InvalidValueError(f"timeout_s must be more than 0 seconds, not {timeout_s}")


def _kinds(hint: Any) -> tuple[type, ...]:  # noqa: ANN401 # whatever an annotation may be
    members = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
    kinds = tuple(cast(type, get_origin(one) or one) for one in members)
    return (*kinds, int) if float in kinds else kinds


def named_models(model: Model | Sequence[Model]) -> tuple[tuple[str, ...], dict[str, Function]]:
    """The names of the models in order, and the functions among them."""
    is_one = isinstance(model, str | Mapping) or not isinstance(model, Sequence)
    models = cast(Sequence[Model], [model] if is_one else model)
    names: list[str] = []
    functions: dict[str, Function] = {}
    for one in models:
        if isinstance(one, str):
            names.append(one.strip())
            continue
        for name, function in _named_functions(one):
            if functions.get(name, function) is not function:
                raise InvalidValueError(
                    f"two functions are called {name!r}: name them, as in {{'first': …, 'second': …}}"
                )
            functions[name] = function
            names.append(name)
    return tuple(dict.fromkeys(names)), functions


def _named_functions(given: object) -> list[tuple[str, Function]]:
    named = cast(Mapping[object, object], given if isinstance(given, Mapping) else {_own_name(given): given})
    found: list[tuple[str, Function]] = []
    for name, function in named.items():
        if not callable(function):
            raise _no_model(function)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InvalidValueError(
                f"a function's name is 1 to 100 letters, digits or any of . _ : -, not {name!r}"
            )
        found.append((f"{LOCAL_CODE}/{name}", cast(Function, function)))
    return found


def _own_name(function: object) -> str:
    named = function.func if isinstance(function, partial) else function
    name: Any = getattr(named, "__name__", type(named).__name__)
    return str(name).strip("<>")


def _no_model(given: object) -> InvalidValueError:
    return InvalidValueError(
        f"a model is a name such as 'vllm/my-model', or a function of messages, not {given!r}"
    )


@runtime_checkable
class _LooksLikeBenchmark(Protocol):
    card: Any
    load: Any
    grade: Any


def _is_benchmark(given: object) -> bool:
    return isinstance(given, _LooksLikeBenchmark)


def _benchmark_names(chosen: Sequence[BenchmarkChoice]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for one in chosen:
        if isinstance(one, str):
            _require_no_hub_name(one)
            names |= dict.fromkeys(cli_options.benchmark_names(one))
        else:
            names[str(one) if isinstance(one, Path) else _own_benchmark(one)] = None
    return tuple(names)


def _require_no_hub_name(name: str) -> None:
    if name.strip().startswith(HUB_PREFIX):
        raise InvalidValueError(
            f"{name!r} does not say what its columns mean: declare it with @assay.benchmark(rows={name!r},"
            ' prompt="{question}", expected=…), and give that'
        )


def _joined(names: str | Sequence[str] | None) -> str | None:
    return names if names is None or isinstance(names, str) else ",".join(names)


def _usd(given: Options, name: str) -> str | None:
    amount = given.get(name)
    return None if amount is None else str(amount)
