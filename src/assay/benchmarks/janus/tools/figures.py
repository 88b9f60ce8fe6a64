"""Tools that look up or convert figures: the calculator, units, currencies and the weather."""

from assay.benchmarks.janus.tools.arithmetic import calculated, rounded
from assay.benchmarks.janus.tools.errors import ToolError
from assay.benchmarks.janus.tools.world import Entry, World

# Each unit as so many of the first unit of its kind.
_UNITS: tuple[dict[str, float], ...] = (
    {"m": 1, "km": 1000, "cm": 0.01, "mi": 1609.344, "ft": 0.3048, "in": 0.0254, "nmi": 1852},
    {"kg": 1, "g": 0.001, "t": 1000, "lb": 0.45359237, "oz": 0.028349523125},
    {"l": 1, "ml": 0.001, "m3": 1000, "gal_us": 3.785411784},
    {"s": 1, "min": 60, "h": 3600, "d": 86400},
    {"m2": 1, "ha": 10_000, "km2": 1_000_000, "acre": 4046.8564224},
    {"m/s": 1, "km/h": 1 / 3.6, "kn": 1852 / 3600, "mph": 0.44704},
)


def calculate(world: World, expression: str) -> Entry:  # noqa: ARG001 - the form of every tool
    return {"value": calculated(expression)}


def convert_units(world: World, value: float, from_unit: str, to_unit: str) -> Entry:  # noqa: ARG001
    for factors in _UNITS:
        if from_unit in factors and to_unit in factors:
            return {"value": rounded(value * factors[from_unit] / factors[to_unit]), "unit": to_unit}
    known = {unit for factors in _UNITS for unit in factors}
    for unit in (from_unit, to_unit):
        if unit not in known:
            raise ToolError(f"there is no unit {unit!r}; there are {', '.join(sorted(known))}")
    raise ToolError(f"{from_unit!r} and {to_unit!r} measure different things")


def convert_currency(world: World, amount: float, from_currency: str, to_currency: str, date: str) -> Entry:
    rates = world.rates.get(date)
    if rates is None:
        raise ToolError(
            f"there are no rates of {date}; the nearest are of {_nearest(list(world.rates), date)}"
        )
    for currency in (from_currency, to_currency):
        if currency not in rates:
            raise ToolError(
                f"there is no rate for {currency!r}; there are rates for {', '.join(sorted(rates))}"
            )
    return {
        "amount": round(amount / rates[from_currency] * rates[to_currency], 2),
        "currency": to_currency,
        "date": date,
    }


def _nearest(dates: list[str], date: str) -> str:
    earlier = [one for one in sorted(dates) if one <= date]
    return earlier[-1] if earlier else min(dates)


def get_weather(world: World, city: str, date: str) -> Entry:
    if city not in world.weather:
        alike = [name for name in world.weather if name.startswith(city.partition(",")[0].strip())]
        known = alike or list(world.weather)
        raise ToolError(f"there is no city {city!r}: write {' or '.join(map(repr, sorted(known)))}")
    days = world.weather[city]
    if date not in days:
        raise ToolError(f"there is no forecast of {date} for {city}; there are {', '.join(sorted(days))}")
    return {"city": city, "date": date, **days[date]}
