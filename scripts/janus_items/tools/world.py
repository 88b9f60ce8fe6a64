"""The data of the tool simulator: an invented maker of pumps and sensors, in March 2026."""

from typing import Any

from scripts.janus_items.tools.documents import DOCUMENTS
from scripts.janus_items.tools.drawn import drawn, drawn_id

Entry = dict[str, Any]

_EMPLOYEES = (
    # name, team, office, manager
    ("Ragnhild Moe", "Management", "Oslo", ""),
    ("Tomasz Zielinski", "Finance", "Oslo", "Ragnhild Moe"),
    ("Ingrid Solvang", "Engineering", "Oslo", "Ragnhild Moe"),
    ("Pedro Quiroga", "Sales", "Valencia", "Ragnhild Moe"),
    ("Hana Kobayashi", "Engineering", "Tromsø", "Ingrid Solvang"),
    ("Jonas Weber", "Engineering", "Hamburg", "Ingrid Solvang"),
    ("Jonas Weber", "Sales", "Hamburg", "Pedro Quiroga"),
    ("Aoife Brennan", "Support", "Cork", "Pedro Quiroga"),
    ("Samir Haddad", "Support", "Valencia", "Aoife Brennan"),
    ("Lucia Ferrante", "Finance", "Valencia", "Tomasz Zielinski"),
    ("Mikko Laine", "Logistics", "Hamburg", "Tomasz Zielinski"),
    ("Grace Okafor", "Logistics", "Cork", "Mikko Laine"),
    ("Dmitri Volkov", "Engineering", "Tromsø", "Hana Kobayashi"),
    ("Elise Marchand", "Sales", "Cork", "Pedro Quiroga"),
)
_EVENTS = (
    ("Pump line review", "2026-03-05", "09:00", 60, "Fjord"),
    ("Sales call with Brightwater", "2026-03-05", "10:30", 45, "Harbour"),
    ("Kestrel stand-up", "2026-03-05", "13:00", 15, "Fjord"),
    ("Budget round", "2026-03-05", "15:00", 90, "Summit"),
    ("Safety training", "2026-03-06", "08:30", 120, "Workshop"),
    ("Kestrel steering group", "2026-03-06", "11:00", 60, "Summit"),
    ("Interview of a candidate", "2026-03-06", "14:00", 50, "Harbour"),
    ("Inventory count", "2026-03-09", "07:00", 180, "Hall B"),
    ("Supplier visit", "2026-03-09", "13:15", 75, "Reception"),
)
_PRODUCTS = (
    # name, category, price, weight, pack
    ("Pump PX-40", "pumps", 412.5, 9.4, 1),
    ("Pump PX-60", "pumps", 538.0, 12.1, 1),
    ("Pump PX-90", "pumps", 871.25, 17.8, 1),
    ("Seal kit SK-117", "spare parts", 23.9, 0.2, 6),
    ("Seal kit SK-121", "spare parts", 27.4, 0.2, 6),
    ("Impeller IM-4", "spare parts", 64.75, 0.9, 1),
    ("Temperature sensor T-8", "sensors", 118.6, 0.3, 1),
    ("Pressure sensor P-3", "sensors", 142.35, 0.4, 1),
    ("Flow meter FM-12", "sensors", 309.8, 1.6, 1),
    ("Hose H-25", "hoses", 7.15, 0.6, 10),
    ("Hose H-38", "hoses", 11.05, 1.1, 10),
    ("Control unit CU-2", "electronics", 655.0, 3.3, 1),
)
_WAREHOUSES = (("OSL-1", ()), ("HAM-2", ("HAM-1",)), ("VLC-3", ("BCN-1", "VLC-1")), ("ORK-1", ()))
_CUSTOMERS = (
    ("Brightwater Farms", "orders@brightwater.example", "Cork"),
    ("Norddal Fiskeri", "innkjop@norddal.example", "Tromsø"),
    ("Talleres Ocaña", "compras@ocana.example", "Valencia"),
    ("Elbe Marine", "einkauf@elbemarine.example", "Hamburg"),
    ("Kelso Breweries", "plant@kelso.example", "Edinburgh"),
    ("Aurora Greenhouses", "drift@aurora.example", "Oslo"),
)
_STATUSES = ("delivered", "shipped", "open", "shipped", "open")
_CITIES = (
    *("Oslo, NO", "Tromsø, NO", "Hamburg, DE", "Cork, IE", "Edinburgh, GB", "Valencia, ES", "Valencia, VE"),
    *("Springfield, IL", "Springfield, OR", "Sapporo, JP"),
)
_DAYS = ("2026-03-05", "2026-03-06", "2026-03-07")
_RATES = {
    "2026-02-27": {"EUR": 1.0, "USD": 1.0812, "NOK": 11.634, "GBP": 0.8377, "JPY": 162.4, "CHF": 0.9418},
    "2026-03-02": {"EUR": 1.0, "USD": 1.0845, "NOK": 11.702, "GBP": 0.8391, "JPY": 161.7, "CHF": 0.9433},
    "2026-03-03": {"EUR": 1.0, "USD": 1.0798, "NOK": 11.688, "GBP": 0.8364, "JPY": 163.1, "CHF": 0.9405},
    "2026-03-04": {"EUR": 1.0, "USD": 1.0826, "NOK": 11.651, "GBP": 0.8402, "JPY": 162.9, "CHF": 0.9427},
}


def world() -> Entry:
    products = [_product(*one) for one in _PRODUCTS]
    customers = [_customer(*one) for one in _CUSTOMERS]
    orders = [_order(customer, number, products) for customer in customers for number in range(1, 4)]
    return {
        "documents": [
            {"doc_id": drawn_id("doc", title), "title": title, "text": text} for title, text in DOCUMENTS
        ],
        "employees": [_employee(*one) for one in _EMPLOYEES],
        "events": [_event(*one) for one in _EVENTS],
        "products": products,
        "warehouses": [_warehouse(code, former, products) for code, former in _WAREHOUSES],
        "customers": customers,
        "orders": orders,
        "parcels": [_parcel(one["tracking_number"]) for one in orders if one["tracking_number"]],
        "weather": {city: {day: _weather(city, day) for day in _DAYS} for city in _CITIES},
        "rates": _RATES,
        "files": _files(),
    }


def _employee(name: str, team: str, office: str, manager: str) -> Entry:
    # Two people have one name: the team tells them apart.
    key = f"{name} {team}"
    first, last = name.lower().split()
    initial = first if team != "Sales" else first[0]
    teams = {one[0]: one[1] for one in _EMPLOYEES}
    return {
        "employee_id": drawn_id("emp", key),
        "name": name,
        "team": team,
        "office": office,
        "email": f"{initial}.{last}@halden.example",
        "phone": f"+47 55 {drawn(key, 10, 99)} {drawn(key + ' end', 10, 99)}",
        "desk": f"{drawn(key + ' desk', 1, 6)}.{drawn(key + ' seat', 10, 89)}",
        "manager_id": drawn_id("emp", f"{manager} {teams[manager]}") if manager else None,
    }


def _event(title: str, date: str, start: str, minutes: int, room: str) -> Entry:
    return {
        "event_id": drawn_id("evt", f"{title} {date}"),
        "title": title,
        "date": date,
        "start_time": start,
        "duration_minutes": minutes,
        "room": room,
        "attendees": [],
    }


def _product(name: str, category: str, price: float, weight: float, pack: int) -> Entry:
    return {
        "product_id": drawn_id("prd", name),
        "name": name,
        "category": category,
        "price_eur": price,
        "weight_kg": weight,
        "sold_in_packs_of": pack,
    }


def _warehouse(code: str, former: tuple[str, ...], products: list[Entry]) -> Entry:
    stock = {one["product_id"]: drawn(f"{code} {one['name']}", 3, 240) for one in products}
    return {"code": code, "former_codes": list(former), "stock": stock}


def _customer(name: str, email: str, city: str) -> Entry:
    return {"customer_id": drawn_id("cus", name), "name": name, "email": email, "city": city}


def _order(customer: Entry, number: int, products: list[Entry]) -> Entry:
    key = f"{customer['name']} {number}"
    product = products[drawn(key + " product", 0, len(products) - 1)]
    quantity = product["sold_in_packs_of"] * drawn(key + " quantity", 1, 14)
    status = _STATUSES[(drawn(customer["name"], 0, 4) + number) % len(_STATUSES)]
    return {
        "order_id": drawn_id("ord", key),
        "customer_id": customer["customer_id"],
        "product_id": product["product_id"],
        "product": product["name"],
        "quantity": quantity,
        "total_eur": round(quantity * product["price_eur"], 2),
        "status": status,
        "placed_on": f"2026-0{drawn(key + ' month', 1, 2)}-{drawn(key + ' day', 10, 27)}",
        "tracking_number": None if status == "open" else drawn_id("trk", key),
    }


def _parcel(number: str) -> Entry:
    places = ("Rotterdam hub", "Hamburg hub", "Dublin depot", "Bergen depot", "Madrid hub")
    return {
        "tracking_number": number,
        "last_seen": places[drawn(number, 0, 4)],
        "weight_kg": drawn(number + " weight", 12, 480) / 10,
        "arrives_on": f"2026-03-{drawn(number + ' day', 5, 19):02}",
    }


def _weather(city: str, day: str) -> Entry:
    low = drawn(f"{city} {day} low", -12, 14)
    return {
        "low_c": low,
        "high_c": low + drawn(f"{city} {day} high", 3, 11),
        "rain_mm": drawn(f"{city} {day} rain", 0, 240) / 10,
        "wind_kmh": drawn(f"{city} {day} wind", 4, 71),
    }


def _files() -> dict[str, str]:
    regions = ("north", "south", "east", "west")
    sales = [
        f"2026-01-{day:02},{regions[drawn(f'region {day} {row}', 0, 3)]},{drawn(f'units {day} {row}', 1, 60)},"
        f"{drawn(f'price {day} {row}', 700, 9900) / 100:.2f}"
        for day in range(1, 29)
        for row in range(2)
    ]
    readings = [f"{minute},{drawn(f'reading {minute}', 1800, 2600) / 100:.2f}" for minute in range(0, 480, 6)]
    log = [
        f"{line // 10:02}:{line % 10 * 6:02} pump{drawn(f'pump {line}', 1, 7)}"
        f" {('INFO', 'INFO', 'WARN', 'INFO', 'ERROR')[drawn(f'level {line}', 0, 4)]}"
        f" pressure={drawn(f'pressure {line}', 180, 420) / 100:.2f}"
        for line in range(90)
    ]
    edges = sorted(
        {
            (min(a, b), max(a, b), drawn(f"length {n}", 2, 40))
            for n in range(34)
            if (a := drawn(f"from {n}", 1, 16)) != (b := drawn(f"to {n}", 1, 16))
        }
    )
    return {
        "reports/sales_january.csv": "day,region,units,price\n" + "\n".join(sales) + "\n",
        "reports/energy_2025.csv": "month,kwh\n"
        + "".join(f"{month},{drawn(f'energy {month}', 4100, 9800)}\n" for month in range(1, 13)),
        "data/readings.csv": "minute,celsius\n" + "\n".join(readings) + "\n",
        "data/roads.csv": "from,to,km\n" + "".join(f"{a},{b},{km}\n" for a, b, km in edges),
        "logs/pumps.log": "\n".join(log) + "\n",
        "config/line3.ini": f"[line3]\nspeed = {drawn('speed', 40, 90)}\npressure_bar = 3.4\nmode = auto\n"
        f"[alarm]\nlimit_bar = {drawn('limit', 41, 59) / 10}\nphone_list = night-shift\n",
        "notes/handover.txt": "Night shift of 3 March.\nValve 6 sticks; open it by hand.\n"
        f"The spare key is in locker {drawn('locker', 100, 399)}.\nThe new filter comes on Friday.\n",
        "notes/ideas.txt": "Quieter mounts for the PX-90.\nA cover against salt for sensors at sea.\n",
    }
