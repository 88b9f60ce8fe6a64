"""A heating network: boilers, an outage, fuels, consumers."""

from scripts.janus_items.draw import Draw, RedrawError, distinct, ranked
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed

_FUELS = {"straw": 32, "wood": 28, "gas": 61, "peat": 44}
_HOUSES = ("the hospital", "the baths", "the brewery", "the school", "the glasshouses", "the town hall")


def heating(draw: Draw) -> World:
    town, (engineer, mayor) = draw.one(PLACES), draw.some(PEOPLE, 2)
    boilers = [f"boiler {letter}" for letter in "KLMN"]
    power = dict(zip(boilers, draw.integers(4, 6, 24), strict=True))
    fuel = dict(zip(boilers, draw.some(list(_FUELS), 4), strict=True))
    price = {name: base + draw.integer(-6, 6) for name, base in _FUELS.items()}
    hours = dict(zip(boilers, draw.integers(4, 210, 640, 10), strict=True))
    broken = draw.one(boilers)
    missed = draw.integer(40, 120, 10)
    ran = {boiler: hours[boiler] - (missed if boiler == broken else 0) for boiler in boilers}
    heat = {boiler: power[boiler] * ran[boiler] for boiler in boilers}
    cost = {boiler: heat[boiler] * price[fuel[boiler]] for boiler in boilers}
    loss = draw.integer(8, 15)
    made = sum(heat.values())
    delivered = made * (100 - loss) // 100
    if made * (100 - loss) % 100:
        raise RedrawError
    houses = draw.some(_HOUSES, 4)
    use = dict(zip(houses, draw.integers(4, delivered // 14, delivered // 6), strict=True))
    rest = delivered - sum(use.values())
    tariff = draw.integer(70, 95)
    order, dear = ranked(heat), ranked({boiler: price[fuel[boiler]] for boiler in boilers})
    distinct(list(cost.values()))
    users = ranked(use)
    income = delivered * tariff
    documents = [
        (f"Heating plant of {town}: the boilers", " ".join(f"B{boiler[1:]}: {power[boiler]} MW, burns {fuel[boiler]}." for boiler in boilers) + " A boiler that runs always runs at full power; in one hour 1 MW makes 1 MWh."),
        ("Plan for January", f"Running hours as planned: {listed([f'{boiler} {hours[boiler]}' for boiler in draw.some(boilers, 4)])}."),
        (f"Shift book, {engineer}", f"B{broken[1:]} stood still for {missed} of its planned hours: the feed pump failed. The others ran exactly as planned. Of all heat made, {loss} percent was lost in the pipes."),
        ("Fuel and tariff", f"One MWh of heat costs in fuel, in crowns: {listed([f'{name} {price[name]}' for name in draw.some(sorted(price), 4)])}. Customers pay {tariff} crowns for each MWh that reaches them. {mayor}, mayor, had promised {tariff - 4} crowns; the council did not follow."),
        ("Large customers in January", f"In MWh: {listed([f'{house} {use[house]:,}' for house in houses])}. All the rest that reached customers went to dwellings."),
    ]  # fmt: skip
    named = draw.one(boilers)
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"In January the four boilers made less than {bound(draw, made, is_below=not is_true):,} MWh of heat.",
                "MWh made", made, is_true=is_true,
            ),
            lambda is_true: claim(
                f"The dwellings received more than {bound(draw, rest, is_below=is_true):,} MWh in January.",
                "MWh for dwellings", rest, is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Rank the boilers by the heat that they made in January, most first (write their letters only), and state the MWh of the first and of the last.",
                {"Ranking": [boiler[-1] for boiler in order], "Most": heat[order[0]], "Least": heat[order[-1]]},
            ),
            ask(
                "Which fuel is the dearest per MWh of heat and which the cheapest? State for each how much was spent on it in January, in crowns.",
                {"Dearest": fuel[dear[0]], "Spent on dearest": cost[dear[0]], "Cheapest": fuel[dear[-1]], "Spent on cheapest": cost[dear[-1]]},
            ),
        ),
        synthesis=(
            ask(
                "For January: MWh made by all boilers, MWh that reached customers, MWh that went to dwellings, and the large customer that took the most.",
                {"Made": made, "Reached customers": delivered, "Dwellings": rest, "Largest customer": users[0]},
            ),
            ask(
                "What did customers pay in January, what did the fuel cost, and what was left, in crowns (with a minus sign for a loss)?",
                {"Paid": income, "Fuel": sum(cost.values()), "Left": income - sum(cost.values())},
            ),
        ),
        deep_dive=(
            ask(
                "What did the failure do? State the letter of the boiler, its fuel, the hours that it ran, the MWh that were not made, and the crowns of fuel that were saved by that.",
                {"Boiler": broken[-1], "Fuel": fuel[broken], "Hours": ran[broken], "MWh not made": missed * power[broken], "Crowns saved": missed * power[broken] * price[fuel[broken]]},
            ),
            ask(
                f"State the MWh made by {named}, its share of all heat made in percent, rounded to one decimal (0.1 more or less is accepted), the crowns spent on its fuel, how many crowns customers would have paid less at the tariff that was promised, and who promised it.",
                {"MWh": heat[named], "Percent": round(100 * heat[named] / made, 1), "Crowns": cost[named], "Crowns less": delivered * 4, "Promised by": mayor}, tolerance={"Percent": 0.1},
            ),
        ),
    )  # fmt: skip
