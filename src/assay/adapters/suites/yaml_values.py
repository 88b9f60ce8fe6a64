"""YAML as plain values with their lines: texts, numbers, true, false and null, lists and mappings alone."""

from typing import Any

import yaml

Path = tuple[str | int, ...]
_MAX_VALUES = 20_000
_MAX_CHARACTERS = 2_000_000
_MERGE = "tag:yaml.org,2002:merge"
# Everything else, such as a date, is taken as the text that stands there.
_PLAIN = {f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float")}
_TEXTS = {f"tag:yaml.org,2002:{name}" for name in ("str", "timestamp", "value")}


class YamlFaultError(Exception):
    def __init__(self, line: int, path: Path, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.path = path
        self.message = message


def yaml_values(text: str) -> tuple[Any, dict[Path, int]]:
    """The value of the document, None if it is empty, and the lines; raises YamlFaultError."""
    try:
        loader = yaml.SafeLoader(text)
        node: Any = loader.get_single_node()
        if node is None:
            return None, {}
        reader = _Reader(loader)
        return reader.value(node, ()), reader.lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(filter(None, (error.context, error.problem)))
        raise YamlFaultError(mark.line + 1 if mark else 1, (), f"this is not YAML: {said}") from error
    except yaml.YAMLError as error:
        raise YamlFaultError(1, (), f"this is not YAML: {str(error).splitlines()[0]}") from error


class _Reader:
    """Walks the nodes; aliases are followed, and count for each use."""

    def __init__(self, loader: Any) -> None:  # noqa: ANN401 # PyYAML has no types
        self.lines: dict[Path, int] = {}
        self._loader = loader
        self._count = self._characters = 0

    def value(self, node: Any, path: Path) -> Any:  # noqa: ANN401
        line: int = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        self._count += 1
        if self._count > _MAX_VALUES:
            raise YamlFaultError(line, path, f"a suite has at most {_MAX_VALUES:,} values, aliases included")
        if isinstance(node, yaml.ScalarNode):
            self._characters += len(node.value)
            if self._characters > _MAX_CHARACTERS:
                raise YamlFaultError(line, path, "the values are too long, aliases included")
            return self._scalar(node, line, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(one, (*path, index)) for index, one in enumerate(node.value)]
        return self._mapping(node, path)

    def _scalar(self, node: Any, line: int, path: Path) -> Any:  # noqa: ANN401
        if node.tag in _TEXTS:
            return node.value
        if node.tag not in _PLAIN:
            raise YamlFaultError(line, path, f"the tag {node.tag!r} is not read: write a plain value")
        try:
            return self._loader.construct_object(node)
        except ValueError as error:
            raise YamlFaultError(line, path, f"{node.value!r} is not a value") from error

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:  # noqa: ANN401
        found: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, member in node.value:
            line: int = key.start_mark.line + 1
            if key.tag == _MERGE:
                for one in member.value if isinstance(member, yaml.SequenceNode) else [member]:
                    merged = self._merged(one, path) | merged
                continue
            name = key.value
            if not isinstance(name, str):
                raise YamlFaultError(line, path, "a key must be a text")
            if name in found:
                raise YamlFaultError(line, (*path, name), "the key is there twice")
            self.lines[(*path, name)] = line
            found[name] = self.value(member, (*path, name))
        return merged | found

    def _merged(self, node: Any, path: Path) -> dict[str, Any]:  # noqa: ANN401
        if not isinstance(node, yaml.MappingNode):
            raise YamlFaultError(node.start_mark.line + 1, path, "<<: needs a mapping, or a list of them")
        return self._mapping(node, path)
