"""20 chains: a later call needs something that only an earlier result says."""

from typing import Any

from scripts.janus_items.tools.recorder import Entry, Solution, ToolTask

_PEOPLE = "find_employee get_employee send_message"
_ORDERS = "find_customer list_orders get_order track_parcel find_product"
_CALENDAR = "list_events get_event create_event add_attendee find_employee get_employee"
_DOCUMENTS = "search_documents read_document calculate convert_units convert_currency"


def _employee(s: Solution, name: str, team: str = "") -> Entry:
    found = s.call("find_employee", open=["name"], name=name)
    chosen = next(one for one in found if one["name"] == name and team in one["team"])
    return s.call("get_employee", employee_id=chosen["employee_id"])


def _manager(s: Solution, name: str) -> Entry:
    return s.call("get_employee", employee_id=_employee(s, name)["manager_id"])


def _product(s: Solution, name: str) -> Entry:
    found = s.call("find_product", open=["query"], query=name)
    return next(one for one in found if one["name"] == name)


def _orders(s: Solution, email: str) -> list[Entry]:
    customer = s.call("find_customer", email=email)
    return s.call("list_orders", customer_id=customer["customer_id"])


def _newest(orders: list[Entry]) -> Entry:
    days = [one["placed_on"] for one in orders]
    assert days.count(max(days)) == 1  # noqa: S101 - there must be one answer
    return max(orders, key=lambda one: one["placed_on"])


def _text(s: Solution, query: str, title: str) -> str:
    found = s.call("search_documents", open=["query", "limit"], query=query)
    chosen = next(one for one in found if one["title"].startswith(title))
    return s.call("read_document", doc_id=chosen["doc_id"])["text"]


def _after(text: str, words: str) -> str:
    return text.partition(words)[2].split()[0].strip(".,;")


def _skip_manager(s: Solution) -> str:
    manager = _manager(s, "Dmitri Volkov")
    return s.call("get_employee", employee_id=manager["manager_id"])["desk"]


def _tell_manager(s: Solution) -> str:
    employee = _employee(s, "Grace Okafor")
    text = "The pallet scale is broken"
    return s.call("send_message", employee_id=employee["manager_id"], text=text)["message_id"]


def _arrival(s: Solution) -> str:
    order = next(one for one in _orders(s, "drift@aurora.example") if one["placed_on"] == "2026-01-24")
    tracking = s.call("get_order", order_id=order["order_id"])["tracking_number"]
    return s.call("track_parcel", tracking_number=tracking)["arrives_on"]


def _newest_product(s: Solution) -> int:
    order = _newest(_orders(s, "plant@kelso.example"))
    return s.call("get_order", order_id=order["order_id"])["quantity"]


def _cancelled(s: Solution) -> str:
    order = next(one for one in _orders(s, "einkauf@elbemarine.example") if one["status"] == "open")
    return s.call("cancel_order", order_id=order["order_id"], reason="customer_request")["refund_code"]


def _stock_of(s: Solution, name: str, warehouse: str) -> int:
    return s.call("get_stock", product_id=_product(s, name)["product_id"], warehouse=warehouse)["units"]


def _ordered(s: Solution) -> str:
    customer = s.call("find_customer", email="orders@brightwater.example")
    found = s.also("find_product", query="Impeller IM-4")
    s.turns[-1][-1]["open"] = ["query"]
    product = next(one for one in found if one["name"] == "Impeller IM-4")
    order = s.call(
        "place_order", customer_id=customer["customer_id"], product_id=product["product_id"], quantity=7
    )
    return order["order_id"]


def _biggest_open(s: Solution) -> float:
    opened = [one for one in _orders(s, "compras@ocana.example") if one["status"] == "open"]
    orders = s.together("get_order", *({"order_id": one["order_id"]} for one in opened))
    return max(one["total_eur"] for one in orders)


def _invited(s: Solution) -> int:
    event = s.call(
        "create_event", title="Quiet pump demo", date="2026-03-09", start_time="10:30", duration_minutes=60
    )
    person = s.also("find_employee", name="Lucia Ferrante")[0]
    s.turns[-1][0]["open"], s.turns[-1][1]["open"] = ["title"], ["name"]
    email = s.call("get_employee", employee_id=person["employee_id"])["email"]
    return s.call("add_attendee", event_id=event["event_id"], email=email)["event_id"]


def _added(s: Solution) -> str:
    found = s.call("list_events", date="2026-03-05")
    event = next(one for one in found if one["title"] == "Budget round")
    email = _employee(s, "Jonas Weber", "Sales")["email"]
    s.call("add_attendee", event_id=event["event_id"], email=email)
    return email


def _room_of_last(s: Solution) -> str:
    last = max(s.call("list_events", date="2026-03-09"), key=lambda one: one["start_time"])
    return s.call("get_event", event_id=last["event_id"])["room"]


def _allowance(s: Solution) -> float:
    s.allowed = ("calculate",)
    text = _text(s, "travel policy daily allowances", "Travel policy")
    return s.call(
        "convert_currency",
        amount=6 * int(_after(text, "Ireland ")),
        from_currency="EUR",
        to_currency="GBP",
        date="2026-03-04",
    )["amount"]


def _budget(s: Solution) -> int:
    found = s.call("search_documents", open=["query", "limit"], query="Kestrel steering group budget")
    ids = {one["title"].partition(", ")[2]: one["doc_id"] for one in found if "Kestrel" in one["title"]}
    first, second = s.together(
        "read_document", {"doc_id": ids["11 February 2026"]}, {"doc_id": ids["25 February 2026"]}
    )
    amounts = _after(first["text"], "budget of "), _after(second["text"], "budget by ")
    s.allowed = ("calculate",)
    return sum(int(amount.replace(",", "")) for amount in amounts)


def _kit_price(s: Solution) -> float:
    text = _text(s, "data sheet pump PX-60 seal kit", "Data sheet of the pump PX-60")
    return _product(s, f"Seal kit {_after(text, 'Seal kit: ')}")["price_eur"]


def _flow(s: Solution) -> float:
    text = _text(s, "data sheet pump PX-40 flow", "Data sheet of the pump PX-40")
    litres = float(_after(text, "flow: "))
    s.allowed = ("calculate",)
    return round(s.call("convert_units", value=litres, from_unit="l", to_unit="gal_us")["value"], 2)


def _copied(s: Solution) -> int:
    paths = s.call("list_files", folder="config")
    text = s.call("read_file", path=paths[0])
    return s.call("write_file", path="backup/line3.ini", content=text)["bytes"]


def _warranty(s: Solution) -> int:
    order = next(one for one in _orders(s, "innkjop@norddal.example") if one["placed_on"] == "2026-02-18")
    s.call("get_order", order_id=order["order_id"])
    text = _text(s, "warranty terms pumps", "Warranty terms")
    return int(_after(text, "Pumps: "))


def _office_weather(s: Solution) -> Any:
    office = _employee(s, "Elise Marchand")["office"]
    return s.call("get_weather", city=f"{office}, IE", date="2026-03-05")["wind_kmh"]


TASKS = (
    ToolTask(
        "What is the e-mail address of Aoife Brennan's manager?",
        _PEOPLE,
        lambda s: _manager(s, "Aoife Brennan")["email"],
    ),
    ToolTask("At which desk does the manager of Dmitri Volkov's manager sit?", _PEOPLE, _skip_manager),
    ToolTask(
        "What is the phone number of the Jonas Weber who works in engineering?",
        _PEOPLE,
        lambda s: _employee(s, "Jonas Weber", "Engineering")["phone"],
    ),
    ToolTask(
        'Send the message "The pallet scale is broken" to the manager of Grace Okafor. What is the id of the message?',
        _PEOPLE,
        _tell_manager,
    ),
    ToolTask(
        "When should the parcel arrive with what drift@aurora.example ordered on 24 January 2026?",
        _ORDERS,
        _arrival,
    ),
    ToolTask("How many units are in the newest order of plant@kelso.example?", _ORDERS, _newest_product),
    ToolTask(
        "The customer einkauf@elbemarine.example asks us to cancel the order of theirs that is still open. Do so. What is the"
        " refund code?",
        "find_customer list_orders get_order cancel_order place_order",
        _cancelled,
    ),
    ToolTask(
        "How many pumps PX-90 are in the warehouse VLC-3?",
        "find_product get_stock find_customer",
        lambda s: _stock_of(s, "Pump PX-90", "VLC-3"),
    ),
    ToolTask(
        "Order seven impellers IM-4 for orders@brightwater.example. What is the id of the order?",
        "find_customer find_product place_order list_orders cancel_order",
        _ordered,
    ),
    ToolTask(
        "compras@ocana.example has more than one open order. What is the total, in euros, of the most expensive one?",
        _ORDERS,
        _biggest_open,
    ),
    ToolTask(
        "Book 'Quiet pump demo' on 9 March 2026 from 10:30 to 11:30 and add Lucia Ferrante to it. What is the id of the event?",
        _CALENDAR,
        _invited,
    ),
    ToolTask(
        "Add the Jonas Weber of the sales team to the budget round on 5 March 2026. Which e-mail address did you add?",
        _CALENDAR,
        _added,
    ),
    ToolTask("In which room is the last event of 9 March 2026?", _CALENDAR, _room_of_last),
    ToolTask(
        "By our travel policy, how much is the daily allowance for six days in Ireland, in pounds sterling at the rate of"
        " 4 March 2026? Convert the sum of the six days.",
        _DOCUMENTS,
        _allowance,
    ),
    ToolTask(
        "What is the budget of project Kestrel, in euros, after both meetings of its steering group in February 2026?",
        _DOCUMENTS,
        _budget,
    ),
    ToolTask(
        "What does one seal kit of the kind that fits the pump PX-60 cost, in euros?",
        "search_documents read_document find_product get_stock",
        _kit_price,
    ),
    ToolTask(
        "How many US gallons a minute does the pump PX-40 move at most? Convert with the tool and round to two decimals.",
        _DOCUMENTS,
        _flow,
    ),
    ToolTask(
        "Save a copy of the only file in the folder config, unchanged, as backup/line3.ini. How many bytes does the tool say"
        " it has?",
        "list_files read_file write_file print_file",
        _copied,
    ),
    ToolTask(
        "innkjop@norddal.example ordered something on 18 February 2026. For how many months is that product under warranty,"
        " according to our documents?",
        "find_customer list_orders get_order find_product search_documents read_document",
        _warranty,
    ),
    ToolTask(
        "How strong, in km/h, will the wind be on 5 March 2026 in the Irish city where Elise Marchand has her office?",
        "find_employee get_employee get_weather list_events",
        _office_weather,
    ),
)
