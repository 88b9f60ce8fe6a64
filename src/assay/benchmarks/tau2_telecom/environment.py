"""The telecom environment: both databases, the tools of agent and user, and what keeps them in step."""

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel

from assay.benchmarks.tau2_telecom.accounts import BillStatus, LineStatus, TelecomDB
from assay.benchmarks.tau2_telecom.agent_scenario import AgentScenario
from assay.benchmarks.tau2_telecom.phone_state import PaymentRequest, TelecomUserDB
from assay.benchmarks.tau2_telecom.user_scenario import UserScenario
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError

Requestor = Literal["assistant", "user"]
# What functions raise for arguments of the wrong number, type or value.
_TOOL_ERRORS = (ValueError, TypeError, AttributeError, ArithmeticError, LookupError, RecursionError)


@dataclass(frozen=True, slots=True)
class ToolResult:
    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The definitions that models get, and the tools whose calls a replay repeats."""

    definitions: Mapping[Requestor, Sequence[Mapping[str, Json]]]
    of: Mapping[Requestor, frozenset[str]]
    writing: frozenset[str]


@cache
def tool_names() -> ToolNames:
    content = files("assay.benchmarks.tau2_telecom").joinpath("tools.json").read_text(encoding="utf-8")
    found = json.loads(content)
    requestors: tuple[Requestor, ...] = ("assistant", "user")
    return ToolNames(
        definitions={one: found[one] for one in requestors},
        of={one: frozenset(tool["function"]["name"] for tool in found[one]) for one in requestors},
        writing=frozenset(found["writes"]),
    )


class Environment:
    """Changes copies of the databases, never those that it is given."""

    def __init__(self, db: TelecomDB, user_db: TelecomUserDB) -> None:
        self.carrier = AgentScenario(db.model_copy(deep=True))
        self.phone = UserScenario(user_db.model_copy(deep=True))
        self.synchronise()

    @property
    def db_hash(self) -> str:
        return _hash(self.carrier.db)

    @property
    def user_db_hash(self) -> str:
        return _hash(self.phone.db)

    def call(self, requestor: Requestor, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """What a tool answers; never raises for what a model wrote."""
        try:
            value = self.change(requestor, name, arguments)
            self.synchronise()
        except _TOOL_ERRORS as error:
            return ToolResult(f"Error: {error}", is_error=True)
        return ToolResult(_text(value))

    def change(self, requestor: Requestor, name: str, arguments: Mapping[str, Json]) -> object:
        """Use a tool without bringing the databases in step; raises as the tool does."""
        if name not in tool_names().of[requestor]:
            raise ValueError(f"Tool '{name}' not found.")
        return getattr(self._side(requestor), name)(**arguments)

    def run(self, requestor: Requestor, name: str, arguments: Mapping[str, Json]) -> object:
        """Call a function of a task; raises DataError if it fails."""
        function = task_function(requestor, name)
        if function is None:
            raise DataError(f"there is no function {name!r} of the {requestor}")
        try:
            value = function(self._side(requestor), **arguments)
            self.synchronise()
        except _TOOL_ERRORS as error:
            raise DataError(f"the function {name!r} of the task failed: {error}") from error
        return value

    def synchronise(self) -> None:
        """Tell the phone what the carrier has changed, and the carrier what the user has paid."""
        around = self.phone.surroundings
        if around.phone_number is None:
            return
        carrier = self.carrier
        line = carrier.line_of_number(around.phone_number)
        plan = carrier.plan(line.plan_id)
        around.line_active = line.status == LineStatus.ACTIVE
        around.roaming_allowed = bool(line.roaming_enabled)
        around.mobile_data_usage_exceeded = line.data_used_gb >= plan.data_limit_gb + line.data_refueling_gb
        if around.payment_request is not None and around.payment_request.paid:
            carrier.bill(around.payment_request.bill_id).status = BillStatus.PAID
            around.payment_request = None
        if around.payment_request is None:
            customer = carrier.customer_of_number(around.phone_number)
            waiting = carrier.bills(customer, BillStatus.AWAITING_PAYMENT)
            if waiting:
                around.payment_request = PaymentRequest(
                    bill_id=waiting[0].bill_id, amount_due=waiting[0].total_due
                )

    def _side(self, requestor: Requestor) -> AgentScenario | UserScenario:
        return self.carrier if requestor == "assistant" else self.phone


def task_function(requestor: Requestor, name: str) -> Callable[..., object] | None:
    """A tool, or a function that prepares or checks a state; None for any other name."""
    kind = AgentScenario if requestor == "assistant" else UserScenario
    found = inspect.getattr_static(kind, name, None)
    return found if inspect.isfunction(found) and not name.startswith("_") else None


def _hash(database: BaseModel) -> str:
    # A value that has another type than its field is hashed as it is.
    content = json.dumps(database.model_dump(warnings=False), sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(_plain(value), default=str)


def _plain(value: object) -> object:
    """As the harness writes results: numbers as text, except those in records."""
    match value:
        case BaseModel():
            return value.model_dump(warnings=False)
        case dict():
            return {key: _plain(one) for key, one in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] # of tools
        case list():
            return [_plain(one) for one in value]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] # of tools
        case date():
            return value.isoformat()
        case int() | float():
            return str(value)
        case _:
            return value
