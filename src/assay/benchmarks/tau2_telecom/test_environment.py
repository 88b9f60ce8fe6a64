"""The tools against what models may write, and the databases that they change."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from assay.benchmarks.tau2_telecom.environment import Environment, Requestor, task_function, tool_names
from assay.benchmarks.tau2_telecom.task import ReleaseTables, benchmark
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError

TABLES = benchmark.demo_tables()
assert isinstance(TABLES, ReleaseTables)
WORLD = TABLES.release.world
LINE = {"customer_id": "C2001", "line_id": "L2001"}


def new() -> Environment:
    environment = Environment(WORLD.db, WORLD.user_db)
    environment.run("user", "set_user_info", {"name": "Ines", "phone_number": "555-010-4401"})
    environment.run("user", "simulate_network_search", {})
    return environment


def hashes(environment: Environment) -> tuple[str, str]:
    return environment.db_hash, environment.user_db_hash


@pytest.mark.parametrize(
    ("requestor", "name", "arguments", "message"),
    [
        ("assistant", "no_such_tool", {}, "Tool 'no_such_tool' not found."),
        ("assistant", "toggle_data", {}, "Tool 'toggle_data' not found."),
        ("user", "refuel_data", LINE, "Tool 'refuel_data' not found."),
        ("assistant", "set_data_usage", LINE, "Tool 'set_data_usage' not found."),
        ("assistant", "__init__", {"db": 1}, "Tool '__init__' not found."),
        ("assistant", "get_customer_by_id", {"customer_id": "C9"}, "Customer with ID C9 not found"),
        ("assistant", "get_customer_by_id", {"customer_id": [1]}, "Customer with ID [1] not found"),
        (
            "assistant",
            "get_customer_by_id",
            {},
            "TelecomTools.get_customer_by_id() missing 1 required positional argument: 'customer_id'",
        ),
        (
            "user",
            "toggle_data",
            {"on": True},
            "TelecomUserTools.toggle_data() got an unexpected keyword argument 'on'",
        ),
        ("assistant", "get_details_by_id", {"id": 7}, "'int' object has no attribute 'startswith'"),
        ("assistant", "get_details_by_id", {"id": "X7"}, "Unknown ID format or type: X7"),
        ("assistant", "get_details_by_id", {"id": ""}, "Unknown ID format or type: "),
        (
            "assistant",
            "refuel_data",
            {**LINE, "gb_amount": "2"},
            "'<=' not supported between instances of 'str' and 'int'",
        ),
        ("assistant", "refuel_data", {**LINE, "gb_amount": -1}, "Refuel amount must be positive"),
        (
            "assistant",
            "refuel_data",
            {**LINE, "gb_amount": 10**400},
            "int too large to convert to float",
        ),
        ("assistant", "resume_line", LINE, "Line must be suspended to resume"),
        (
            "assistant",
            "resume_line",
            {**LINE, "line_id": "L9"},
            "Line L9 not found for customer C2001",
        ),
        ("user", "check_app_status", {"app_name": []}, "unhashable type: 'list'"),
        (
            "user",
            "grant_app_permission",
            {"app_name": "messaging", "permission": None},
            "'NoneType' object has no attribute 'lower'",
        ),
        ("user", "set_network_mode_preference", {"mode": 5}, "'int' object has no attribute 'value'"),
        ("user", "set_apn_settings", {"apn_settings": "x"}, "'str' object has no attribute 'apn_name'"),
    ],
    ids=str,
)
def test_calls_that_no_tool_can_carry_out_get_the_official_error_and_change_nothing(
    requestor: Requestor, name: str, arguments: dict[str, Any], message: str
) -> None:
    environment = new()
    before = hashes(environment)
    result = environment.call(requestor, name, arguments)
    assert (result.content, result.is_error) == (f"Error: {message}", True)
    assert hashes(environment) == before


VALUES: list[Json] = [None, True, -1, 1e308, "", "é" * 9_000, [], {}, [[[]]], {"a": {"b": 1}}]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(value)[:9])
def test_no_value_of_an_argument_raises(value: Json) -> None:
    for requestor, tools in tool_names().definitions.items():
        for tool in tools:
            function: Any = tool["function"]
            names = function["parameters"]["properties"]
            content = new().call(requestor, function["name"], dict.fromkeys(names, value)).content
            assert isinstance(content, str)


def test_wrong_settings_are_told_and_not_taken_over() -> None:
    environment = new()
    before = hashes(environment)
    mode = environment.call("user", "set_network_mode_preference", {"mode": "6g"})
    assert mode.content.startswith(
        "Failed to set network mode: '6g' is not a valid option. Please use one of: 4g_5g"
    )
    assert not mode.is_error
    apn = environment.call("user", "set_apn_settings", {"apn_settings": {"apn_name": "x", "more": 1}})
    assert apn.content.startswith("Error: 2 validation errors for APNSettings\napn_name\n")
    assert hashes(environment) == before


def test_the_databases_of_a_release_are_never_changed() -> None:
    before = hashes(Environment(WORLD.db, WORLD.user_db))
    environment = new()
    environment.call("assistant", "refuel_data", {**LINE, "gb_amount": 1})
    environment.call("user", "toggle_airplane_mode", {})
    assert hashes(environment) != before
    assert hashes(Environment(WORLD.db, WORLD.user_db)) == before


def test_what_is_paid_and_resumed_reaches_the_other_side() -> None:
    environment = new()
    bill = {**LINE, "new_bill_id": "B7", "contract_ended": False}
    environment.run("assistant", "suspend_line_for_overdue_bill", bill)
    assert not environment.phone.surroundings.line_active
    environment.call("assistant", "send_payment_request", {"customer_id": "C2001", "bill_id": "B7"})
    request = environment.call("user", "check_payment_request", {}).content
    assert request == "You have a payment request for bill B7 of 22.0 USD."
    environment.call("user", "make_payment", {})
    paid = json.loads(environment.call("assistant", "get_details_by_id", {"id": "B7"}).content)
    assert paid["status"] == "Paid"
    assert environment.call("user", "make_payment", {}).content == "You do not have a payment request."
    environment.call("assistant", "resume_line", LINE)
    assert "No Signal" not in environment.call("user", "reboot_device", {}).content


def test_numbers_in_results_are_texts_except_in_records() -> None:
    usage = new().call("assistant", "get_data_usage", LINE)
    assert json.loads(usage.content) == {
        "line_id": "L2001",
        "data_used_gb": "5.5",
        "data_limit_gb": "8.0",
        "data_refueling_gb": "0.0",
        "cycle_end_date": "2025-02-28",
    }
    line = json.loads(new().call("assistant", "get_details_by_id", {"id": "L2001"}).content)
    assert line["data_used_gb"] == 5.5


def test_a_charge_without_a_draft_bill_makes_the_same_one_each_time() -> None:
    def charged() -> Environment:
        environment = new()
        environment.carrier.bill("B2002").status = environment.carrier.bill("B2001").status
        environment.call("assistant", "refuel_data", {**LINE, "gb_amount": 2.0})
        return environment

    one, other = charged(), charged()
    assert hashes(one) == hashes(other)
    bill = one.carrier.db.bills[-1]
    assert (str(bill.period_start), str(bill.due_date), bill.total_due) == ("2025-03-01", "2025-03-15", 7.0)


def test_a_server_of_the_vpn_that_is_bad_stays_bad_for_one_phone_only() -> None:
    environment = new()
    environment.run("user", "break_vpn", {})
    environment.call("user", "disconnect_vpn", {})
    environment.call("user", "connect_vpn", {})
    assert "PerformanceLevel.POOR" in environment.call("user", "check_vpn_status", {}).content
    other = new()
    other.call("user", "connect_vpn", {})
    assert "PerformanceLevel.EXCELLENT" in other.call("user", "check_vpn_status", {}).content


@pytest.mark.parametrize(
    ("changes", "speed"),
    [
        ([], "275.00 Mbps (Excellent)"),
        (["turn_data_saver_mode_on"], "55.00 Mbps (Good)"),
        (["break_vpn"], "27.50 Mbps (Good)"),
        (["break_vpn", "turn_data_saver_mode_on"], "5.50 Mbps (Fair)"),
    ],
)
def test_speed_depends_on_what_slows_it_down(changes: list[str], speed: str) -> None:
    environment = new()
    for name in changes:
        environment.run("user", name, {})
    assert speed in environment.call("user", "run_speed_test", {}).content


@pytest.mark.parametrize(
    ("mode", "speed"),
    [("4g_only", "44.00 Mbps (Good)"), ("3g_only", "1.50 Mbps (Poor)"), ("2g_only", "0.05")],
)
def test_speed_depends_on_the_technology(mode: str, speed: str) -> None:
    environment = new()
    environment.call("user", "set_network_mode_preference", {"mode": mode})
    assert speed in environment.call("user", "run_speed_test", {}).content


def test_only_public_functions_serve_tasks() -> None:
    for name in ("_speed", "__init__", "device", "db", "nothing"):
        assert task_function("user", name) is None
    assert isinstance(task_function("assistant", "assert_line_status"), Callable)
    with pytest.raises(DataError, match="'nothing'"):
        new().run("user", "nothing", {})
    with pytest.raises(DataError, match="'set_user_info' of the task failed"):
        new().run("user", "set_user_info", {"name": "x"})
