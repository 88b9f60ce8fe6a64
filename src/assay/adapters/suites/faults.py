"""What pydantic finds wrong with a suite, in words of the file: which field, on which line, what to write."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from assay.adapters.suites.document import Document, Fault, Path, shown
from assay.domain.errors import nearest_names

_WORDS: Mapping[str, str] = {
    "missing": "is missing",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "list_type": "must be a list",
    "too_short": "must have at least {min_length} entry",
    "too_long": "must have at most {max_length} entries",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "enum": "must be one of {expected}",
    "literal_error": "must be one of {expected}",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "finite_number": "must be a finite number",
}
_KINDS = {"int": "must be a whole number", "float": "must be a number", "decimal": "must be a number"}
_UNION = "must be a text or a table"
_OPTIONS = "must be a table, or a text that holds one as JSON"


def faults_of(error: ValidationError, document: Document, root: type[BaseModel]) -> list[Fault]:
    """Each place once: the branches of a union say the same in several ways."""
    found: dict[Path, Fault] = {}
    for one in error.errors(include_input=False, include_url=False):
        path = _path(one, document)
        line = document.line(path)
        found.setdefault(path, Fault(line, shown(path), _message(one, path, root)))
    return list(found.values())


def _path(error: ErrorDetails, document: Document) -> Path:
    """As far as it leads through the document, without the names of types that pydantic adds."""
    loc = error["loc"]
    found: Path = ()
    for part in loc:
        if (*found, part) in document.lines:
            found = (*found, part)
    return (*found, loc[-1]) if error["type"] == "missing" else found


def _message(error: ErrorDetails, path: Path, root: type[BaseModel]) -> str:
    kind = error["type"]
    if path and path[-1] == "options":
        return _OPTIONS
    if path == ("stop",):
        return _UNION
    if kind == "extra_forbidden":
        return _unknown(str(path[-1]), _known(root, path[:-1]))
    family = next((words for start, words in _KINDS.items() if kind.startswith(f"{start}_")), None)
    if family is not None:
        return family
    words = _WORDS.get(kind)
    limits = {name: _number(value) for name, value in error.get("ctx", {}).items()}
    return words.format(**limits) if words else error["msg"]


def _number(value: object) -> object:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else value


def _unknown(key: str, known: Iterable[str]) -> str:
    names = sorted(known)
    nearest = nearest_names(key, names)
    hint = f"; did you mean {' or '.join(map(repr, nearest))}?" if nearest else ""
    return f"is not known here{hint}" if hint else f"is not known here; there are {', '.join(names)}"


def _known(model: type[BaseModel], path: Path) -> Iterable[str]:
    """The keys of the table at a path."""
    for part in path:
        if isinstance(part, int) or part not in model.model_fields:
            continue
        inner = _table_in(model.model_fields[part].annotation)
        if inner is not None:
            model = inner
    return model.model_fields


def _table_in(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401 # any annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = map(_table_in, get_args(annotation))
    return next((one for one in inner if one is not None), None)
