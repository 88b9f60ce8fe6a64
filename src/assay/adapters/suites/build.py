"""Builds a suite from a document; goes on after a fault, so that all are told at once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, TypeVar

from pydantic import ValidationError

from assay.adapters.suites import schema
from assay.adapters.suites.document import Document, Fault, Path, shown
from assay.adapters.suites.names import Names
from assay.adapters.suites.tables import (
    TableT,
    composite_rule,
    description_of,
    gate_rules,
    options_in,
    text_in,
    validated,
)
from assay.domain.agent import AgentLimits, OwnAgent
from assay.domain.benchmark import ItemId, Need
from assay.domain.calls.headers import checked_headers
from assay.domain.calls.messages import Generation, merged_generation
from assay.domain.calls.pricing import Price
from assay.domain.composite import CompositeRule
from assay.domain.datasets.benchmark_file import FileRef
from assay.domain.errors import InvalidValueError, UsageError
from assay.domain.judging import Judging
from assay.domain.run import Budget, ModelEndpoint, Subset
from assay.domain.stopping import StopRule
from assay.engine.gate.policy import Policy, Rules
from assay.engine.one_file.files import referred
from assay.engine.planning.plan import with_examples
from assay.engine.suites.races import require_one_run
from assay.engine.suites.suite import Gate, Scope, Suite, SuiteBenchmark, SuiteModel

T = TypeVar("T")
_NAMED_DATA = ("official", "demo")


class Builder:
    def __init__(
        self, document: Document, names: Names, *, folder: FilePath, stem: str, skipped: Collection[str]
    ) -> None:
        """Fields in `skipped` have a fault already."""
        self._document = document
        self._names = names
        self._folder = folder
        self._stem = stem
        self._skipped = skipped
        self._own_names = frozenset[str]()
        self.faults: list[Fault] = []

    def suite(self) -> Suite | None:
        """None, or nothing to be used, if there are faults."""
        values = self._document.values
        shared = self._table(schema.SettingsTable, ("settings",)) or schema.SettingsTable()
        models = [one for path in self._paths("models") if (one := self._model(path, shared))]
        found = [one for path in self._paths("benchmarks") for one in self._benchmarks(path)]
        self._require_once("models", [one.label for one in models], "another `name`")
        self._require_once("benchmarks", [one.name for _, one, _ in found], "a suite of its own")
        judge = self._optional(schema.JudgeTable, "judge", self._judge)
        user_model = self._tried(("user_model",), lambda: self._user_model(values.get("user_model")))
        self._require_helpers(found, judge=judge, user_model=user_model)
        agent = self._optional(schema.AgentTable, "agent", self._agent)
        composite = self._optional(schema.CompositeTable, "composite", composite_rule)
        budget = self._optional(schema.BudgetTable, "budget", lambda one: Budget(one.usd, one.tokens))
        stop = self._tried(("stop",), lambda: self._stop(values.get("stop"), models))
        self._own_names = frozenset(one.name for _, one, _ in found if one.file is not None)
        gate = self._optional(schema.GateTable, "gate", self._gate)
        try:
            table = schema.SuiteTable.model_validate(values)
        except ValidationError:
            return None
        name = table.name or self._stem
        description = self._tried(("tags",), lambda: description_of(name, table))
        if self.faults or description is None:
            return None
        return Suite(
            name=name,
            models=tuple(models),
            benchmarks=tuple(one for _, one, _ in found),
            description=description,
            max_connections=table.max_connections,
            warmup=table.warmup,
            judge=judge,
            user_model=user_model,
            agent=agent,
            composite=composite or CompositeRule(),
            budget=budget or Budget(),
            gate=gate,
            stop=stop,
            reuse=table.reuse,
        )

    def _model(self, path: Path, shared: schema.SettingsTable) -> SuiteModel | None:
        table = self._table(schema.ModelTable, path)
        if table is None:
            return None
        self._tried(
            (*path, "model"),
            lambda: self._names.model(table.model, base_url=table.base_url, key_variable=table.key_variable),
        )
        price = table.price and Price(table.price.input, table.price.output, source="given with the run")
        endpoint = self._tried(
            (*path, "key_variable"), lambda: ModelEndpoint(table.base_url, table.key_variable, price)
        )
        own = self._settings(table.settings, (*path, "settings"))
        common = self._settings(shared, ("settings",))
        if endpoint is None or own is None or common is None:
            return None
        headers = {**common[1], **own[1]}
        generation = merged_generation(common[0], own[0])
        return SuiteModel(table.name or table.model, table.model, endpoint, generation, headers)

    def _settings(
        self, table: schema.SettingsTable, path: Path
    ) -> tuple[Generation, Mapping[str, str]] | None:
        options = self._tried((*path, "options"), lambda: options_in(table.options))
        headers = self._tried((*path, "headers"), lambda: checked_headers(table.headers or {}))
        if options is None or headers is None:
            return None
        given = table.model_dump(exclude={"options", "headers", "stop"})
        stop = tuple(table.stop or ())
        generation = self._tried(path, lambda: Generation(**given, stop=stop))
        with_options = self._tried((*path, "options"), lambda: Generation(options=options))
        if generation is None or with_options is None:
            return None
        return replace(generation, options=options), headers

    def _benchmarks(self, path: Path) -> list[tuple[Path, SuiteBenchmark, frozenset[Need]]]:
        table = self._table(schema.BenchmarkTable, path)
        if table is None:
            return []
        scope = self._tried(path, lambda: self._scope(table)) or Scope()
        named = [((*path, "name"), table.name)]
        if table.variants:
            named = [
                ((*path, "variants", position), f"{table.name}:{variant}")
                for position, variant in enumerate(table.variants)
            ]
        found: list[tuple[Path, SuiteBenchmark, frozenset[Need]]] = []
        for place, name in named:
            ref = FileRef.parse(name)
            if ref is not None:
                in_file = self._tried(place, lambda ref=ref: self._in_file(ref, scope)) or []
                found += [(place, one, needs) for one, needs in in_file]
                continue
            known = self._tried(place, lambda name=name: self._names.benchmark(name))
            if known is not None:
                found.append((place, SuiteBenchmark(known[0], scope), known[1]))
                self._require_examples((*path, "few_shot"), known[0], scope.few_shot)
        return found

    def _in_file(self, ref: FileRef, scope: Scope) -> list[tuple[SuiteBenchmark, frozenset[Need]]]:
        loaded = self._names.in_file(self._absolute(ref.path))
        wanted = referred(ref, loaded)
        if scope.few_shot is not None:
            for one in wanted:
                with_examples(one, scope.few_shot)
        return [(SuiteBenchmark(one.card.name, scope, loaded.file), one.card.needs) for one in wanted]

    def _gated(self, name: str) -> str:
        """The name of a benchmark that the gate has rules for."""
        ref = FileRef.parse(name)
        if ref is not None:
            names = [one.card.name for one in referred(ref, self._names.in_file(self._absolute(ref.path)))]
            if len(names) > 1:
                raise InvalidValueError(f"{ref.path!r} declares {', '.join(names)}: name one of them")
            name = names[0]
        return name if name in self._own_names else self._names.benchmark(name)[0]

    def _require_examples(self, path: Path, name: str, few_shot: int | None) -> None:
        if few_shot is not None:
            self._tried(path, lambda: self._names.require_examples(name, few_shot))

    def _scope(self, table: schema.BenchmarkTable) -> Scope:
        if sum(one is not None for one in (table.count, table.percent, table.items)) > 1:
            raise InvalidValueError("has several of count, percent and items: give one of them")
        values = self._document.values
        seed = table.seed or text_in(values.get("seed"), schema.DEFAULT_SEED)
        shared = values.get("samples", 1)
        samples = table.samples or (shared if isinstance(shared, int) else int(str(shared)))
        return Scope(
            subset=Subset(table.percent or 100, table.count, seed),
            items=tuple(map(ItemId, dict.fromkeys(table.items or ()))),
            samples=samples,
            few_shot=table.few_shot,
            data=self._data(table.data or text_in(values.get("data"), "official")),
        )

    def _data(self, text: str) -> str:
        return text if text in _NAMED_DATA else self._absolute(text)

    def _absolute(self, text: str) -> str:
        """Paths in a suite begin at its folder."""
        return str((self._folder.absolute() / FilePath(text).expanduser()).resolve())

    def _judge(self, table: schema.JudgeTable) -> Judging:
        for model in table.models:
            self._names.model(model, base_url=table.base_url, key_variable=None)
        return Judging(
            models=tuple(table.models),
            votes=table.votes,
            generation=Generation(temperature=table.temperature, max_tokens=table.max_tokens),
            base_url=table.base_url,
            timeout_s=table.timeout_s,
        )

    def _stop(self, given: object, models: Sequence[SuiteModel]) -> StopRule | None:
        if isinstance(given, str):
            rule = StopRule.parse(given)
        else:
            table = self._table(schema.StopTable, ("stop",))
            if table is None:
                return None
            rule = StopRule(table.margin, table.alpha, table.until, table.bar)
        named = self._document.values.get("models")
        if isinstance(named, list) and len(named) == len(models):
            # With a model missing, its own fault is told.
            require_one_run(rule, models)
        return rule

    def _user_model(self, name: object) -> Judging | None:
        if not isinstance(name, str):
            return None
        self._names.model(name, base_url=None, key_variable=None)
        return Judging((name,))

    def _agent(self, table: schema.AgentTable) -> OwnAgent:
        limits = AgentLimits(table.max_calls, table.max_tokens, table.max_usd)
        return OwnAgent(table.command, table.folder and self._absolute(table.folder), limits)

    def _gate(self, table: schema.GateTable) -> Gate:
        rules = gate_rules(table, Rules())
        own: dict[str, Rules] = {}
        for name, one in table.benchmarks.items():
            known = self._tried(("gate", "benchmarks", name), lambda name=name: self._gated(name))
            if known is not None:
                own[known] = gate_rules(one, rules)
        required: list[str] = []
        for position, name in enumerate(table.required):
            place = ("gate", "required", position)
            known = self._tried(place, lambda name=name: self._gated(name))
            required += [known] if known else []
        baseline = table.baseline
        if baseline is not None and FilePath(self._absolute(baseline)).is_file():
            baseline = self._absolute(baseline)
        return Gate(Policy(rules, own, tuple(required)), baseline, tuple(table.keys))

    def _require_helpers(
        self,
        found: list[tuple[Path, SuiteBenchmark, frozenset[Need]]],
        *,
        judge: Judging | None,
        user_model: Judging | None,
    ) -> None:
        values = self._document.values
        for path, one, needs in found:
            if Need.JUDGE in needs and judge is None and "judge" not in values:
                self._fault(path, f"{one.name!r} is graded by a judge: name models in a table `judge`")
            if Need.USER_MODEL in needs and user_model is None and "user_model" not in values:
                self._fault(path, f"in {one.name!r} a model plays the user: name it as `user_model`")

    def _require_once(self, key: str, names: list[str], remedy: str) -> None:
        for name in dict.fromkeys(names):
            if names.count(name) > 1:
                self._fault((key,), f"{name!r} is there {names.count(name)} times: give it {remedy}")

    def _paths(self, key: str) -> list[Path]:
        values = self._document.values.get(key)
        return [(key, index) for index in range(len(values))] if isinstance(values, list) else []

    def _optional(self, kind: type[TableT], key: str, made: Callable[[TableT], T]) -> T | None:
        if key not in self._document.values:
            return None
        table = self._table(kind, (key,))
        return None if table is None else self._tried((key,), lambda: made(table))

    def _table(self, kind: type[TableT], path: Path) -> TableT | None:
        """Without its faulty fields, which are told already; None where it is not there."""
        value: Any = self._document.values
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return validated(kind, value)

    def _tried(self, path: Path, made: Callable[[], T]) -> T | None:
        try:
            return made()
        except UsageError as error:
            self._fault(path, error.message)
            return None

    def _fault(self, path: Path, message: str) -> None:
        if shown(path) not in self._skipped:
            self.faults.append(Fault(self._document.line(path), shown(path), message))
