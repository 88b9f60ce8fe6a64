"""25 tasks: one call, several at once, errors to recover from, and no call at all."""

from typing import Any

from scripts.janus_items.tools.drawn import drawn_id
from scripts.janus_items.tools.recorder import Solution, Solver, ToolTask

_HOSE = drawn_id("prd", "Hose H-38")
_PX60 = drawn_id("prd", "Pump PX-60")
_FLOW = drawn_id("prd", "Flow meter FM-12")
_KIT = drawn_id("prd", "Seal kit SK-121")
_KELSO = drawn_id("cus", "Kelso Breweries")
_PARCEL = drawn_id("trk", "Norddal Fiskeri 1")
_OTHER_PARCEL = drawn_id("trk", "Talleres Ocaña 2")
_THIRD_PARCEL = drawn_id("trk", "Aurora Greenhouses 1")
_HANA = drawn_id("emp", "Hana Kobayashi Engineering")
_PEOPLE = [
    drawn_id("emp", one)
    for one in ("Grace Okafor Logistics", "Samir Haddad Support", "Dmitri Volkov Engineering")
]


def _one(
    tool: str, member: str, *, places: int | None = None, open_: tuple[str, ...] = (), **arguments: Any
) -> Solver:
    def solve(s: Solution) -> Any:
        value = s.call(tool, open=open_, **arguments)[member]
        return value if places is None else round(value, places)

    return solve


def _windiest(s: Solution) -> str:
    cities = ("Cork, IE", "Tromsø, NO", "Sapporo, JP")
    days = s.together("get_weather", *({"city": city, "date": "2026-03-06"} for city in cities))
    return max(days, key=lambda day: day["wind_kmh"])["city"].partition(",")[0]


def _all_stock(s: Solution) -> int:
    codes = ("OSL-1", "HAM-2", "VLC-3", "ORK-1")
    found = s.together("get_stock", *({"product_id": _PX60, "warehouse": code} for code in codes))
    return sum(one["units"] for one in found)


def _offers(s: Solution) -> str:
    offers = {"Basel": (1250, "CHF"), "Leeds": (1130, "GBP"), "Bergen": (15400, "NOK")}
    amounts = s.together(
        "convert_currency",
        *(
            {"amount": amount, "from_currency": currency, "to_currency": "EUR", "date": "2026-03-04"}
            for amount, currency in offers.values()
        ),
    )
    return min(zip(amounts, offers, strict=True), key=lambda one: one[0]["amount"])[1]


def _first_parcel(s: Solution) -> str:
    parcels = s.together(
        "track_parcel", *({"tracking_number": one} for one in (_PARCEL, _OTHER_PARCEL, _THIRD_PARCEL))
    )
    days = sorted(one["arrives_on"] for one in parcels)
    assert days[0] != days[1]  # noqa: S101 - there must be one answer
    return min(parcels, key=lambda one: one["arrives_on"])["tracking_number"]


def _desks(s: Solution) -> list[str]:
    return [one["desk"] for one in s.together("get_employee", *({"employee_id": one} for one in _PEOPLE))]


def _two_files(s: Solution) -> int:
    texts = s.together("read_file", {"path": "notes/handover.txt"}, {"path": "config/line3.ini"})
    locker = int(texts[0].partition("locker ")[2].partition(".")[0])
    return locker + int(texts[1].partition("speed = ")[2].partition("\n")[0])


def _recovering(solve: Solver, *, allowed: tuple[str, ...] = ()) -> Solver:
    def solving(s: Solution) -> Any:
        s.free_refusals = 1
        s.allowed = allowed
        return solve(s)

    return solving


def _key(s: Solution) -> int:
    text = s.call("read_file", path="notes/handover.txt")
    return int(text.partition("locker ")[2].partition(".")[0])


_ONE_CALL = (
    ToolTask(
        "What is the highest temperature forecast for Oslo, Norway, on 6 March 2026, in degrees Celsius?",
        "get_weather convert_units list_events",
        _one("get_weather", "high_c", city="Oslo, NO", date="2026-03-06"),
    ),
    ToolTask(
        "Convert 37.4 miles to kilometres with the tool. Round to two decimals.",
        "convert_units convert_currency calculate",
        _one("convert_units", "value", places=2, value=37.4, from_unit="mi", to_unit="km"),
    ),
    ToolTask(
        "A bill is over 1,850 NOK. How much is that in pounds sterling at the rate of 3 March 2026?",
        "convert_currency convert_units calculate",
        _one(
            "convert_currency",
            "amount",
            amount=1850,
            from_currency="NOK",
            to_currency="GBP",
            date="2026-03-03",
        ),
    ),
    ToolTask(
        "The file config/line3.ini holds the settings of production line 3. At which pressure, in bar, does its alarm ring?",
        "read_file write_file get_stock",
        lambda s: float(
            s.call("read_file", path="config/line3.ini").partition("limit_bar = ")[2].partition("\n")[0]
        ),
    ),
    ToolTask(
        f"Where was the parcel {_PARCEL} last seen? Give the place as the tool writes it.",
        "track_parcel get_order find_customer",
        _one("track_parcel", "last_seen", tracking_number=_PARCEL),
    ),
    ToolTask(
        f"How many units of the product {_HOSE} are in the warehouse HAM-2?",
        "get_stock find_product track_parcel",
        _one("get_stock", "units", product_id=_HOSE, warehouse="HAM-2"),
    ),
    ToolTask(
        "With the calculator, not in your head: what is (48271 * 367 - 99) % 1009?",
        "calculate convert_units",
        _one("calculate", "value", open_=("expression",), expression="(48271 * 367 - 99) % 1009"),
    ),
    ToolTask(
        "Put a 'Filter change' of 40 minutes into the calendar on 6 March 2026 at 13:10. Which id does the event get?",
        "create_event list_events add_attendee",
        _one(
            "create_event",
            "event_id",
            title="Filter change",
            date="2026-03-06",
            start_time="13:10",
            duration_minutes=40,
        ),
    ),
    ToolTask(
        "Print three copies of reports/energy_2025.csv on the printer in the lab. What is the id of the job?",
        "print_file read_file list_files",
        _one("print_file", "job_id", path="reports/energy_2025.csv", printer="lab", copies=3),
    ),
    ToolTask(
        f'Send this message to the employee with the id {_HANA}: "The salt tank is full". What is the id of the message?',
        "send_message get_employee find_employee",
        _one("send_message", "message_id", employee_id=_HANA, text="The salt tank is full"),
    ),
)
_AT_ONCE = (
    ToolTask(
        "On 6 March 2026, which of Cork (Ireland), Tromsø (Norway) and Sapporo (Japan) will have the strongest wind?",
        "get_weather convert_units",
        _windiest,
    ),
    ToolTask(
        f"How many units of the product {_PX60} are in the warehouses OSL-1, HAM-2, VLC-3 and ORK-1 together?",
        "get_stock find_product",
        _all_stock,
    ),
    ToolTask(
        "Three offers for the same bearing: 1,250 CHF from Basel, 1,130 GBP from Leeds, 15,400 NOK from Bergen. Which"
        " place is cheapest in euros, at the rates of 4 March 2026?",
        "convert_currency calculate",
        _offers,
    ),
    ToolTask(
        f"Which of the parcels {_PARCEL}, {_OTHER_PARCEL} and {_THIRD_PARCEL} should arrive first?",
        "track_parcel get_order",
        _first_parcel,
    ),
    ToolTask(
        f"Give the desks of the employees {_PEOPLE[0]}, {_PEOPLE[1]} and {_PEOPLE[2]}, in this order.",
        "get_employee find_employee send_message",
        _desks,
    ),
    ToolTask(
        "Add the number of the locker in notes/handover.txt to the speed in config/line3.ini. What is the sum?",
        "read_file list_files write_file",
        _two_files,
    ),
)
_ERRORS = (
    ToolTask(
        "How much rain, in millimetres, is forecast for Springfield in Oregon on 7 March 2026?",
        "get_weather convert_units",
        _recovering(_one("get_weather", "rain_mm", city="Springfield, OR", date="2026-03-07")),
    ),
    ToolTask(
        f"How many units of the product {_FLOW} are in the warehouse HAM-1, or wherever its stock is now?",
        "get_stock find_product",
        _recovering(_one("get_stock", "units", product_id=_FLOW, warehouse="HAM-2")),
    ),
    ToolTask(
        "How many euros were 500 US dollars on Sunday, 1 March 2026? If there is no rate of that day, take the nearest one"
        " that the tool names.",
        "convert_currency calculate",
        _recovering(
            _one(
                "convert_currency",
                "amount",
                amount=500,
                from_currency="USD",
                to_currency="EUR",
                date="2026-02-27",
            )
        ),
    ),
    ToolTask(
        "Book 'Noise test' on 5 March 2026 for 45 minutes, at 10:00 or, only if that is taken, at 11:30. Which id does the"
        " event get?",
        "create_event add_attendee",
        _recovering(
            _one(
                "create_event",
                "event_id",
                title="Noise test",
                date="2026-03-05",
                start_time="11:30",
                duration_minutes=45,
            )
        ),
    ),
    ToolTask(
        f"Order seal kits SK-121 (product {_KIT}) for the customer {_KELSO}: at least 20, and no more above that than"
        " the shop demands. What is the total in euros?",
        "place_order get_order",
        _recovering(_one("place_order", "total_eur", customer_id=_KELSO, product_id=_KIT, quantity=24)),
    ),
    ToolTask(
        "The note of the night shift should be in notes/handover.md, unless somebody saved it under another ending. In which"
        " locker is the spare key?",
        "read_file list_files",
        _recovering(_key, allowed=("list_files",)),
    ),
)
_NONE = (
    ToolTask(
        "These pumps were tested today, with their pressure in bar: A 3.1, B 2.7, C 3.6, D 3.3. Which one had the second"
        " highest pressure?",
        "get_stock read_file calculate find_product",
        lambda _s: "D",
    ),
    ToolTask(
        "How many days does February have in the year 2028?",
        "list_events get_weather convert_units",
        lambda _s: 29,
    ),
    ToolTask(
        "A colleague writes: 'We moved the supplier visit from Monday to the day after, and the inventory to Thursday.' On"
        " which day of the week is the supplier visit now?",
        "list_events create_event get_event",
        lambda _s: "Tuesday",
    ),
)
TASKS = (*_ONE_CALL, *_AT_ONCE, *_ERRORS, *_NONE)
