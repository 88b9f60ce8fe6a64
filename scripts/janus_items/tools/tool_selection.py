"""20 tasks in which the right tool has to be found among many, or none is needed."""

from typing import Any

from scripts.janus_items.tools.drawn import drawn_id
from scripts.janus_items.tools.recorder import Solution, ToolTask

_OFFICE = (
    "search_documents read_document find_employee get_employee send_message list_events get_event create_event"
    " add_attendee list_files read_file write_file print_file"
)
_SHOP = (
    "find_product get_stock find_customer list_orders get_order place_order cancel_order track_parcel calculate"
    " convert_units convert_currency"
)
_MIXED = (
    "search_documents get_employee find_employee list_events get_event read_file list_files find_product list_orders"
    " get_order track_parcel calculate convert_units convert_currency get_weather"
)
_MIKKO = drawn_id("emp", "Mikko Laine Logistics")
_STEERING = drawn_id("evt", "Kestrel steering group 2026-03-06")
_VISIT = drawn_id("evt", "Supplier visit 2026-03-09")
_PARCEL = drawn_id("trk", "Kelso Breweries 1")
_NORDDAL = drawn_id("cus", "Norddal Fiskeri")
_ORDER = drawn_id("ord", "Aurora Greenhouses 2")
_OTHER_ORDER = drawn_id("ord", "Elbe Marine 2")


def _calibration(s: Solution) -> int:
    found = s.call("search_documents", open=["query", "limit"], query="temperature sensor T-8")
    text = s.call("read_document", doc_id=found[0]["doc_id"])["text"]
    return int(text.partition("Calibrate it after ")[2].partition(" ")[0])


def _kept_days(s: Solution) -> int:
    found = s.call("search_documents", open=["query", "limit"], query="retention recordings of calls kept")
    text = s.call("read_document", doc_id=found[0]["doc_id"])["text"]
    return int(text.partition("kept for ")[2].partition(" ")[0])


def _open_orders(s: Solution) -> int:
    return sum(one["status"] == "open" for one in s.call("list_orders", customer_id=_NORDDAL))


def _attending(s: Solution) -> str:
    return s.call("add_attendee", event_id=_VISIT, email="grace.okafor@halden.example")["attendees"][0]


def _hose(s: Solution) -> Any:
    found = s.call("find_product", open=["query"], query="hose H-25")
    return next(one["price_eur"] for one in found if one["name"] == "Hose H-25")


TASKS = (
    ToolTask(
        "After how many months should the temperature sensor T-8 be calibrated, according to our documents?",
        _OFFICE,
        _calibration,
    ),
    ToolTask(
        f"What is the phone number of the employee with the id {_MIKKO}?",
        _OFFICE,
        lambda s: s.call("get_employee", employee_id=_MIKKO)["phone"],
    ),
    ToolTask(
        f"In which room is the event {_STEERING}?",
        _OFFICE,
        lambda s: s.call("get_event", event_id=_STEERING)["room"],
    ),
    ToolTask(
        f"How many kilograms does the parcel {_PARCEL} weigh?",
        _SHOP,
        lambda s: s.call("track_parcel", tracking_number=_PARCEL)["weight_kg"],
    ),
    ToolTask(
        "The storm reaches 48 knots. How many kilometres an hour is that, according to the tool? Round to one decimal.",
        _MIXED,
        lambda s: round(s.call("convert_units", value=48, from_unit="kn", to_unit="km/h")["value"], 1),
    ),
    ToolTask(
        "Which mode is set for production line 3 in the file config/line3.ini?",
        _OFFICE,
        lambda s: s.call("read_file", path="config/line3.ini").partition("mode = ")[2].partition("\n")[0],
    ),
    ToolTask(
        f"How many orders of the customer {_NORDDAL} are still open?",
        _SHOP,
        _open_orders,
    ),
    ToolTask(
        "How many events are in the calendar on 6 March 2026?",
        _OFFICE,
        lambda s: len(s.call("list_events", date="2026-03-06")),
    ),
    ToolTask(
        "A hotel in Zurich costs 212 Swiss francs. How many Norwegian kroner are that at the rate of 2 March 2026?",
        _MIXED,
        lambda s: s.call(
            "convert_currency", amount=212, from_currency="CHF", to_currency="NOK", date="2026-03-02"
        )["amount"],
    ),
    ToolTask(
        "What is the lowest temperature, in degrees Celsius, forecast for Sapporo, Japan, on 5 March 2026?",
        _MIXED,
        lambda s: s.call("get_weather", city="Sapporo, JP", date="2026-03-05")["low_c"],
    ),
    ToolTask(
        f"The order {_ORDER} was placed twice by mistake, and this one is the duplicate: cancel it. What is the refund code?",
        _SHOP,
        lambda s: s.call("cancel_order", order_id=_ORDER, reason="duplicate")["refund_code"],
    ),
    ToolTask(
        f"Add grace.okafor@halden.example to the event {_VISIT}. Which address is then the first in its list of attendees?",
        _OFFICE,
        _attending,
    ),
    ToolTask("What does the hose H-25 cost, in euros, according to the shop?", _SHOP, _hose),
    ToolTask(
        "Which customer id belongs to compras@ocana.example?",
        _SHOP,
        lambda s: s.call("find_customer", email="compras@ocana.example")["customer_id"],
    ),
    ToolTask(
        "How long are recordings of calls with support kept, in days, according to our rules for data?",
        _OFFICE,
        _kept_days,
    ),
    ToolTask(
        f"What was the total, in euros, of the order {_OTHER_ORDER}?",
        _SHOP,
        lambda s: s.call("get_order", order_id=_OTHER_ORDER)["total_eur"],
    ),
    ToolTask(
        "What is the German word for 'pump'? Give the noun alone, without its article.",
        _OFFICE,
        lambda _s: "Pumpe",
    ),
    ToolTask(
        "A parcel of 12 kg was sent on Monday, one of 7 kg on Tuesday and one of 9 kg on Wednesday. On which day was the"
        " lightest one sent?",
        _SHOP,
        lambda _s: "Tuesday",
    ),
    ToolTask(
        "Put these words in alphabetical order and give the third one: valve, hose, gasket, motor, flange.",
        _MIXED,
        lambda _s: "hose",
    ),
    ToolTask(
        "In the sentence 'Ingrid asked Pedro to call Aoife before lunch', who is to be called?",
        _OFFICE,
        lambda _s: "Aoife",
    ),
)
