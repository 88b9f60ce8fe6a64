"""A ferry company: passengers by route and year, a correction, fares."""

from scripts.janus_items.draw import Draw, distinct, ranked
from scripts.janus_items.names import PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed


def ferries(draw: Draw) -> World:
    company = f"{draw.one(('Northern', 'Sound', 'Blue Anchor', 'Strait'))} {draw.one(('Ferries', 'Packet Company', 'Navigation'))}"
    ports = draw.some(PLACES, 5)
    routes = [f"{ports[0]}-{other}" for other in ports[1:]]
    first = draw.integer(1986, 2014)
    years = [first, first + 1, first + 2]
    printed = {route: draw.integers(3, 21_300, 78_900, 100) for route in routes}
    wrong, wrong_year = draw.one(routes), draw.integer(0, 2)
    passengers = {route: list(counts) for route, counts in printed.items()}
    passengers[wrong][wrong_year] = draw.integer(20_050, 79_950, 100)
    fares = dict(zip(routes, draw.integers(4, 12, 36), strict=True))
    dearer = draw.one(routes)
    raised = fares[dearer] + draw.integer(2, 7)
    last_fares = {**fares, dearer: raised}
    revenue = {route: passengers[route][2] * last_fares[route] for route in routes}
    total = {route: sum(passengers[route]) for route in routes}
    growth = {route: passengers[route][2] - passengers[route][0] for route in routes}
    by_year = [sum(passengers[route][n] for route in routes) for n in range(3)]
    order, earners, growers = ranked(total), ranked(revenue), ranked(growth)
    distinct(by_year)
    best_year = years[by_year.index(max(by_year))]

    report = " ".join(
        f"The route {route} carried {one:,} passengers in {years[0]}, {two:,} in {years[1]} and {three:,} in {years[2]}."
        for route, (one, two, three) in printed.items()
    )
    documents = [
        (f"{company}, traffic report {years[0]} to {years[2]}", f"All sailings leave from {ports[0]}. {report} Crew and lorry drivers are not counted."),
        ("Erratum to the traffic report", f"On page 7 the figure for {wrong} in {years[wrong_year]} is that of another season. It should read {passengers[wrong][wrong_year]:,}. All other figures stand."),
        ("Table of fares", f"Single fares in crowns, the same for every passenger: {listed([f'{route} {fare}' for route, fare in fares.items()])}. These fares applied from {years[0]} on. From 1 January {years[2]} the fare for {dearer} is {raised} crowns; the others stay."),
        (f"{ports[0]} Courier, {draw.integer(3, 27)} March {years[2] + 1}", f"Around {round(sum(by_year), -4):,} people, as the harbour master likes to say, have crossed with {company} in three years. A rival, the {ports[2]} Steam Launch Society, claims {draw.integer(61_000, 99_000, 100):,} for {years[2]} alone, which nobody has checked."),
    ]  # fmt: skip
    chosen = draw.one(routes)
    strong, weak = order[0], order[-1]
    corrected = passengers[wrong][wrong_year] - printed[wrong][wrong_year]
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"In the years {years[0]} to {years[2]} together, {chosen} carried more than {bound(draw, total[chosen], is_below=is_true):,} passengers.",
                "Passengers in all three years", total[chosen], is_true=is_true,
            ),
            lambda is_true: claim(
                f"In {years[2]} the route {dearer} brought in less than {bound(draw, revenue[dearer], is_below=not is_true):,} crowns in fares.",
                "Crowns in fares", revenue[dearer], is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Compare the four routes by the passengers that they carried in the three years together. Rank them, most passengers first; state the total of the first one, and by how many passengers it exceeds the second.",
                {"Ranking": order, "Total of the first": total[strong], "Lead over the second": total[strong] - total[order[1]]},
            ),
            ask(
                f"Which route gained the most passengers from {years[0]} to {years[2]}, and which gained the fewest or lost the most? State both and the change of each as a number of passengers, with a minus sign for a loss.",
                {"Most": growers[0], "Change of most": growth[growers[0]], "Fewest": growers[-1], "Change of fewest": growth[growers[-1]]},
            ),
        ),
        synthesis=(
            ask(
                "How many passengers did the four routes carry together in each of the three years, and which was the best year?",
                {**{f"Year {year}": count for year, count in zip(years, by_year, strict=True)}, "Best year": best_year},
            ),
            ask(
                f"What did all four routes together bring in in fares in {years[2]}, and what would they have brought in had no fare been raised?",
                {"Crowns in fares": sum(revenue.values()), "Crowns without the raise": sum(passengers[route][2] * fares[route] for route in routes)},
            ),
        ),
        deep_dive=(
            ask(
                f"Work out the finances of {years[2]}: the route that brought in the most in fares, its takings, the route that brought in the least, its takings, and the average fare per passenger over all routes, rounded to two decimals (0.01 more or less is accepted).",
                {"Most": earners[0], "Takings of most": revenue[earners[0]], "Least": earners[-1], "Takings of least": revenue[earners[-1]], "Average fare": round(sum(revenue.values()) / by_year[2], 2)},
                tolerance={"Average fare": 0.01},
            ),
            ask(
                "How does the erratum change the report? State the route and the year concerned, by how many passengers the total of that year changes (with a minus sign if it falls), the right total of all routes in that year, and which route is last over all three years once the erratum is applied.",
                {"Route": wrong, "Year": years[wrong_year], "Change": corrected, "Total of the year": by_year[wrong_year], "Last": weak},
            ),
        ),
    )  # fmt: skip
