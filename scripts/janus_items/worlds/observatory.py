"""An observatory: the log of its nights, two instruments, failures, rules for observing time."""

from scripts.janus_items.draw import Draw, RedrawError, distinct
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed

_MONTHS = ("September", "October", "November", "December", "January", "February")
_DAYS = (30, 31, 30, 31, 31, 28)
_STARS = ("Lyra", "Cygnus", "Draco", "Perseus", "Hydra", "Auriga")


def observatory(draw: Draw) -> World:
    site = f"{draw.one(PLACES)} Observatory"
    director, engineer, *guests = draw.some(PEOPLE, 5)
    cloudy = [draw.integer(6, 17) for _ in _MONTHS]
    partly = [draw.integer(2, 8) for _ in _MONTHS]
    year = draw.integer(1991, 2017)
    clear = [days - a - b for days, a, b in zip(_DAYS, cloudy, partly, strict=True)]
    failed = draw.integer(0, 5)
    lost = draw.integer(2, 4)
    used = [count - (lost if n == failed else 0) for n, count in enumerate(clear)]
    hours_clear, hours_partly = draw.integer(7, 9), draw.integer(2, 4)
    hours = [a * hours_clear + b * hours_partly for a, b in zip(used, partly, strict=True)]
    distinct(hours)
    if min(clear) < 5 or (year + 1) % 4 == 0:
        raise RedrawError
    fields = draw.some(_STARS, 3)
    shares = draw.one(((50, 30, 20), (40, 35, 25), (45, 35, 20)))
    programme = dict(zip(guests, fields, strict=True))
    total = sum(hours)
    granted = {guest: total * share // 100 for guest, share in zip(guests, shares, strict=True)}
    price = draw.integer(35, 80, 5)
    paying = draw.one(guests)
    best, worst = _MONTHS[hours.index(max(hours))], _MONTHS[hours.index(min(hours))]

    documents = [
        (f"Night log of {site}, season {year}/{year + 1}", " ".join(f"{month}: {a} nights cloudy, {b} partly clear, the other nights clear." for month, a, b in zip(_MONTHS, cloudy, partly, strict=True)) + f" February {year + 1} had 28 nights."),
        ("Note of the engineer", f"{engineer}: the dome was stuck for {lost} nights in {_MONTHS[failed]}. All of them were clear, and none of them was used. They are in the log as clear nights all the same."),
        ("How observing time is counted", f"A clear night that was used counts {hours_clear} hours, a partly clear one {hours_partly}; a cloudy night counts nothing. {director}, director: the hours of the season are shared among the guests, {listed([f'{guest} {share} percent' for guest, share in zip(guests, shares, strict=True)])}. Fractions of an hour are dropped."),
        ("Guests of the season", f"{listed([f'{guest} observes {field}' for guest, field in programme.items()])}. {paying} pays {price} crowns for every hour granted; the other two are guests of the university and pay nothing."),
    ]  # fmt: skip
    autumn, winter = sum(hours[:3]), sum(hours[3:])
    chosen = draw.integer(0, 5)
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"In {_MONTHS[failed]} more than {bound(draw, hours[failed], is_below=is_true)} hours of observing time were counted.",
                "Hours", hours[failed], is_true=is_true,
            ),
            lambda is_true: claim(
                f"The season had fewer than {bound(draw, sum(clear), is_below=not is_true)} clear nights according to the log, used or not.",
                "Clear nights", sum(clear), is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "In which month was the most observing time counted, in which the least, and how many hours lie between the two?",
                {"Most": best, "Least": worst, "Hours between": max(hours) - min(hours)},
            ),
            ask(
                "Compare the months September to November with the months December to February: the hours of observing time of each half, and by how many hours the better half leads.",
                {"First half": autumn, "Second half": winter, "Lead": abs(autumn - winter) or _redraw()},
            ),
        ),
        synthesis=(
            ask(
                "How many hours were counted in the whole season, how many hours is each guest granted, and which field is observed for the fewest hours?",
                {"Season": total, **{f"Hours for {guest.split()[0]}": count for guest, count in granted.items()}, "Fewest": programme[guests[2]]},
            ),
            ask(
                "How many nights of the season were clear and used, how many were partly clear, how many brought no observing time at all?",
                {"Clear and used": sum(used), "Partly clear": sum(partly), "Without observing time": sum(cloudy) + lost},
            ),
        ),
        deep_dive=(
            ask(
                "What does the season earn? State who pays, which field that guest observes, the hours granted to that guest, and the amount in crowns; and the amount that the stuck dome cost, as the difference to a season in which those nights had been used.",
                {"Guest": paying, "Field": programme[paying], "Hours": granted[paying], "Crowns": granted[paying] * price, "Crowns lost": ((total + lost * hours_clear) * shares[guests.index(paying)] // 100 - granted[paying]) * price},
            ),
            ask(
                f"For {_MONTHS[chosen]}: the number of clear nights in the log, the number of clear nights that were used, the hours counted, the share of the season's hours in percent, rounded to one decimal (0.1 more or less is accepted), and who reported the failure of the dome.",
                {"Clear nights": clear[chosen], "Used": used[chosen], "Hours": hours[chosen], "Percent": round(100 * hours[chosen] / total, 1), "Reported by": engineer}, tolerance={"Percent": 0.1},
            ),
        ),
    )  # fmt: skip


def _redraw() -> int:
    raise RedrawError
