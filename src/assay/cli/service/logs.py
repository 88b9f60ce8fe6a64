"""How the service writes its log: as text for people, or as JSON lines for machines."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime

import orjson
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from assay.domain.access.secret import printable, redacted
from assay.engine.log_context import log_context
from assay.settings import Settings

_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Shorter ones occur in ordinary words, and guard nothing.
_LEAST_CHARACTERS = 6

Redact = Callable[[str], str]


def set_up_logs(settings: Settings) -> None:
    """Everything that is logged in this process goes to standard error, without the secrets we know of."""
    secrets = known_secrets(settings)

    def redact(text: str) -> str:
        return redacted(text, secrets)

    handler = logging.StreamHandler()
    is_json = settings.assay_log_format == "json"
    handler.setFormatter(JsonFormatter(redact) if is_json else TextFormatter(redact))
    logging.basicConfig(level=settings.assay_log_level, handlers=[handler], force=True)


def known_secrets(settings: Settings) -> tuple[str, ...]:
    """What the settings hold that nobody may read, the longest first: one may be part of another."""
    values = [value for name, value in settings.environment.items() if name.endswith("_API_KEY")]
    hidden = [name for name, about in Settings.model_fields.items() if not about.repr]
    values += [str(getattr(settings, name) or "") for name in hidden]
    values.append(_password(settings.store_url))
    found = {value.strip() for value in values}
    return tuple(sorted((one for one in found if len(one) >= _LEAST_CHARACTERS), key=len, reverse=True))


def _password(url: str) -> str:
    try:
        return make_url(url).password or ""
    except ArgumentError:
        return ""  # opening the database reports what is wrong with it


class TextFormatter(logging.Formatter):
    def __init__(self, redact: Redact) -> None:
        super().__init__(_TEXT)
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        place = "".join(f" {name}={value}" for name, value in log_context().items())
        first, *rest = self._redact(super().format(record)).split("\n", 1)
        return printable("\n".join([first + place, *rest]))


class JsonFormatter(logging.Formatter):
    """One object a line; `run_id`, `evaluation_id`, `shard_id` and `attempt` only where they are known."""

    def __init__(self, redact: Redact) -> None:
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, tz=UTC)
        line = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": printable(self._redact(record.getMessage())),
            **log_context(),
        }
        if record.exc_info:
            line["exception"] = printable(self._redact(self.formatException(record.exc_info)))
        return orjson.dumps(line, default=str).decode()
