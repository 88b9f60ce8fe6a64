"""What a task file says, checked: everything that is not supported is named with its file and line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from assay.domain.benchmark import Row
from assay.domain.calls.messages import Generation
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json
from assay.engine.one_file.lm_eval.checks import Checked
from assay.engine.one_file.lm_eval.scoring import ExactMatch, Filter, Step
from assay.engine.one_file.lm_eval.yaml_file import Places, TaskFile

_MOST_REPEATS = 100
_MOST_STOPS = 4
_DEFAULT_TOKENS = 256
_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME = 64
# Of these, lm-eval reads nothing that a prompt or a score depends on.
_UNREAD = frozenset({"task_alias", "tag", "metadata", "should_decontaminate", "doc_to_decontamination_query"})
_KNOWN_OF_EXAMPLES = frozenset(
    {"sampler", "split", "samples", "doc_to_text", "doc_to_target", "doc_to_choice", "gen_prefix"}
    | {"target_delimiter", "fewshot_delimiter"}
)
_FUNCTIONS: Mapping[str, frozenset[str]] = {
    "regex": frozenset({"regex_pattern", "group_select", "fallback"}),
    "remove_whitespace": frozenset(),
    "lowercase": frozenset(),
    "uppercase": frozenset(),
    "map": frozenset({"mapping_dict", "default_value"}),
    "majority_vote": frozenset(),
    "take_first_k": frozenset({"k"}),
    "take_first": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows are: on the hub, or in files beside the task."""

    repository: str | None
    config: str | None
    revision: str | None
    files: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class FewShot:
    """Worked examples before the question; `samples` are given in the file itself."""

    count: int
    split: str | None
    samples: tuple[Row, ...]
    takes_first: bool
    text: str
    target: object
    choices: object
    gen_prefix: str
    # Whether the question itself may be among the examples of its split, and is left out.
    excludes_question: bool


@dataclass(frozen=True, slots=True)
class Task:
    name: str
    source: Source
    split: str
    text: str
    target: object
    # Where it is given, a target is the number of one of them.
    choices: object
    # What the reply has to begin with, as the beginning of the assistant's turn.
    gen_prefix: str
    description: str
    few_shot: FewShot
    generation: Generation
    stops: tuple[str, ...]
    repeats: int
    filters: tuple[Filter, ...]
    metric: ExactMatch


def read_task(file: TaskFile) -> Task:
    """Raises InvalidValueError that names every fault."""
    checked = Checked(file)
    checked.refuse_functions()
    for key in _UNREAD:
        checked.take(key)
    _check_kind(checked)
    split = checked.text("test_split") or checked.text("validation_split")
    if not split:
        checked.add("test_split", "is missing, and so is validation_split: one of them has the questions")
    generation, stops = _generation(checked)
    text, target = checked.template("doc_to_text"), checked.target("doc_to_target")
    choices, gen_prefix = checked.choices("doc_to_choice"), checked.template("gen_prefix", is_needed=False)
    task = Task(
        name=_name(checked.text("task") or file.path.stem),
        source=_source(checked, split or ""),
        split=split or "",
        text=text,
        target=target,
        choices=choices,
        gen_prefix=gen_prefix,
        description=checked.template("description", is_needed=False),
        few_shot=_few_shot(checked, _Asked(text, target, choices, gen_prefix)),
        generation=generation,
        stops=stops,
        repeats=checked.whole("repeats", default=1, at_least=1, at_most=_MOST_REPEATS),
        filters=_filters(checked),
        metric=_metric(checked),
    )
    # Only between the parts of a prompt that is one text; in turns of a chat there are none.
    checked.take("target_delimiter")
    checked.finish()
    return task


def _name(task: str) -> str:
    return _PLAIN.sub("-", task).strip("-._")[:_LONGEST_NAME] or "task"


def _check_kind(checked: Checked) -> None:
    kind = checked.text("output_type") or "generate_until"
    if kind != "generate_until":
        checked.add("output_type", f"is {kind!r}; supported is generate_until, which needs only replies")
    if checked.take("unsafe_code"):
        checked.add("unsafe_code", "runs code of the model; use the grader code_tests in a file of your own")


def _source(checked: Checked, split: str) -> Source:
    path = checked.text("dataset_path") or ""
    if not path:
        checked.add("dataset_path", "is missing")
    given = checked.mapping("dataset_kwargs")
    known = {"data_files", "revision", "trust_remote_code"}
    checked.refuse_others("dataset_kwargs", given, known)
    files = _files(given.get("data_files"), split)
    is_local = path in {"json", "csv", "parquet"}
    if is_local and not files:
        checked.add("dataset_kwargs", f"needs data_files, as dataset_path is {path!r}")
    if files and not is_local:
        checked.add("dataset_kwargs", "data_files goes with a dataset_path of json, csv or parquet")
    revision = given.get("revision")
    return Source(
        None if is_local else path,
        checked.text("dataset_name"),
        revision if isinstance(revision, str) else None,
        files,
    )


def _files(given: object, split: str) -> Mapping[str, tuple[str, ...]]:
    """By split; what names none is the split that lm-eval's loader calls `train`."""
    if given is None:
        return {}
    by_split = cast("Mapping[object, object]", given) if isinstance(given, Mapping) else {"train": given}
    _ = split
    return {
        str(name): tuple(map(str, cast("list[object]", paths) if isinstance(paths, list) else [paths]))
        for name, paths in by_split.items()
    }


class _Asked(NamedTuple):
    """What examples have in common with the question, unless they say otherwise."""

    text: str
    target: object
    choices: object
    gen_prefix: str


def _few_shot(checked: Checked, asked: _Asked) -> FewShot:
    count = checked.whole("num_fewshot", default=0, at_least=0, at_most=1_000)
    config = checked.mapping("fewshot_config")
    checked.refuse_others("fewshot_config", config, _KNOWN_OF_EXAMPLES)
    sampler = config.get("sampler", "default")
    if sampler not in ("default", "first_n"):
        checked.add("fewshot_config", f"sampler is {sampler!r}; supported are default and first_n")
    own = config.get("split") or checked.text("fewshot_split")
    training, validation = checked.text("training_split"), checked.text("validation_split")
    test = checked.text("test_split")
    samples = cast("list[Row]", config["samples"]) if isinstance(config.get("samples"), list) else []
    split = str(own) if own else None if samples else training or validation or test
    own_text, own_prefix = config.get("doc_to_text"), config.get("gen_prefix")
    checked.take("fewshot_delimiter")
    return FewShot(
        count=count,
        split=split,
        samples=() if own else tuple(samples),
        takes_first=sampler == "first_n",
        text=own_text if isinstance(own_text, str) else asked.text,
        target=config.get("doc_to_target", asked.target),
        choices=config.get("doc_to_choice", asked.choices),
        gen_prefix=own_prefix if isinstance(own_prefix, str) else asked.gen_prefix,
        excludes_question=(str(own) if own else None) == test,
    )


def _generation(checked: Checked) -> tuple[Generation, tuple[str, ...]]:
    """lm-eval asks for the most likely reply of 256 tokens where the task says nothing."""
    given = checked.mapping("generation_kwargs")
    known = {"until", "max_gen_toks", "max_tokens", "temperature", "do_sample", "top_p", "seed"}
    checked.refuse_others("generation_kwargs", given, known)
    until = given.get("until", checked.text("fewshot_delimiter") or "\n\n")
    stops = tuple(map(str, cast("list[object]", until) if isinstance(until, list) else [until]))
    temperature = given.get("temperature", 0.0)
    tokens = given.get("max_gen_toks", given.get("max_tokens", _DEFAULT_TOKENS))
    top_p = given.get("top_p")
    try:
        generation = Generation(
            temperature=None if temperature is None else float(str(temperature)),
            top_p=None if top_p is None else float(str(top_p)),
            max_tokens=int(str(tokens)),
            seed=int(str(given["seed"])) if "seed" in given else None,
            # Endpoints take no more; every reply is cut at all of them here.
            stop=tuple(filter(None, stops))[:_MOST_STOPS],
        )
    except (InvalidValueError, ValueError) as error:
        checked.add("generation_kwargs", str(error))
        generation = Generation()
    return generation, tuple(filter(None, stops))


def _filters(checked: Checked) -> tuple[Filter, ...]:
    given = checked.sequence("filter_list")
    if not given:
        return (Filter("none", (Step("take_first"),)),)
    return tuple(_filter(checked, one) for one in given)


def _filter(checked: Checked, given: Mapping[str, object]) -> Filter:
    name, steps = str(given.get("name", "")), given.get("filter")
    found: list[Step] = []
    for one in cast("list[object]", steps) if isinstance(steps, list) else []:
        content: Mapping[str, object] = one if isinstance(one, Places) else {}
        function = str(content.get("function"))
        if function not in _FUNCTIONS:
            checked.add("filter_list", f"{name}: the function {function!r} is not supported", content)
            continue
        options = {key: value for key, value in content.items() if key != "function"}
        unknown = sorted(options.keys() - _FUNCTIONS[function])
        if unknown:
            checked.add("filter_list", f"{name}: {function} has no option {unknown[0]!r}", content)
        _check_pattern(checked, name, function, content)
        found.append(Step(function, cast("Mapping[str, Json]", options)))  # what YAML gives has a JSON form
    if not found or found[-1].function not in ("take_first", "majority_vote"):
        checked.add("filter_list", f"{name}: must end with take_first, to leave one reply", given)
    return Filter(name, tuple(found))


def _check_pattern(checked: Checked, name: str, function: str, content: Mapping[str, object]) -> None:
    if function != "regex":
        return
    pattern = content.get("regex_pattern")
    if not isinstance(pattern, str):
        checked.add("filter_list", f"{name}: regex needs a regex_pattern", content)
        return
    checked.pattern("filter_list", pattern, content)


def _metric(checked: Checked) -> ExactMatch:
    given = checked.sequence("metric_list")
    for one in given:
        if one.get("metric") != "exact_match":
            checked.add("metric_list", f"{one.get('metric')!r} is not supported; exact_match is", one)
        elif one.get("aggregation", "mean") != "mean" or one.get("higher_is_better", True) is not True:
            checked.add("metric_list", "supported are the aggregation mean and higher_is_better: true", one)
    options = dict(given[0]) if given else {}
    for key in ("metric", "aggregation", "higher_is_better", "hf_evaluate"):
        options.pop(key, None)
    patterns = options.pop("regexes_to_ignore", None)
    listed: Sequence[object] = cast("list[object]", patterns) if isinstance(patterns, list) else []
    for pattern in listed:
        checked.pattern("metric_list", str(pattern), given[0])
    flags = {name: bool(options.pop(f"ignore_{name}", False)) for name in ("case", "punctuation", "numbers")}
    if options:
        checked.add("metric_list", f"exact_match has no option {min(options)!r}", given[0])
    return ExactMatch(
        tuple(map(str, listed)),
        ignore_case=flags["case"],
        ignore_punctuation=flags["punctuation"],
        ignore_numbers=flags["numbers"],
    )
