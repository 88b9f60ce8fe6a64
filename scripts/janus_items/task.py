"""One task as it stands in its file."""

Task = dict[str, object]
