"""Dated bulletins that supersede, announce, postpone and withdraw: what holds on a given day?"""

from datetime import date, timedelta

from scripts.janus_items.draw import Draw, RedrawError
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.task import Task
from scripts.janus_items.world import ask, listed

Bulletins = list[tuple[date, str]]
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def _shown(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


def _task(draw: Draw, sources: tuple[str, ...], bulletins: Bulletins, question: Task) -> Task:
    """In an order that is not that of time."""
    documents = [
        {"title": f"{sources[number % len(sources)]}, {_shown(day)}", "text": text}
        for number, (day, text) in enumerate(draw.some(bulletins, len(bulletins)))
    ]
    return {"documents": documents, **question}


def roads(draw: Draw) -> Task:
    region, (pass_a, pass_b, pass_c, pass_d) = (
        draw.one(PLACES),
        [f"{name} Pass" for name in draw.some(PLACES, 4)],
    )
    start = date(draw.integer(1988, 2016), draw.integer(1, 11), draw.integer(1, 20))
    day = lambda n: start + timedelta(n)  # noqa: E731
    asked = draw.integer(40, 46)
    limits = sorted(draw.integers(3, 7, 26))
    shut_c = draw.integer(20, asked - 3)
    eased = draw.integer(28, asked - 1)
    bulletins = [
        (day(0), f"All four passes of {region} are open to all vehicles from today: {listed([pass_a, pass_b, pass_c, pass_d])}. A notice takes effect on the day that it names; until then the earlier one holds. A notice that is withdrawn before its day never takes effect."),
        (day(9), f"{pass_a} will be closed to all traffic from {_shown(day(15))}. Reason: blasting above the second bend."),
        (day(12), f"The notice of {_shown(day(9))} about {pass_a} is withdrawn. Instead the pass is open only to vehicles of up to {limits[0]} t from {_shown(day(15))}."),
        (day(16), f"{pass_b}: only vehicles of up to {limits[1]} t from {_shown(day(18))}, because a bridge is weak."),
        (day(eased - 3), f"{pass_b}: the bridge has been braced. From {_shown(day(eased))} vehicles of up to {limits[2]} t may pass again; heavier ones not."),
        (day(shut_c - 2), f"{pass_c} is closed to all traffic from {_shown(day(shut_c))} until further notice. Snow."),
        (day(asked - 1), f"{pass_c} will be opened to all vehicles on {_shown(day(asked + draw.integer(2, 5)))}, if the ploughs get through."),
        (day(asked - 4), f"{pass_d} will be closed from {_shown(day(asked + draw.integer(1, 3)))}; the date depends on nothing and will be kept."),
        (day(asked - 6), f"Drivers report that {pass_d} is closed already. This is not so; no notice about {pass_d} is in effect but that of {_shown(day(0))}."),
    ]  # fmt: skip
    return _task(draw, (f"Roads Office of {region}",), bulletins, ask(
        f"What holds on {_shown(day(asked))}? State the passes that are closed to all traffic; the passes that are open to all vehicles; the weight in tonnes up to which vehicles may use {pass_a}, and that for {pass_b}; and since when {pass_c} has been closed.",
        {"Closed": [pass_c], "Open to all": [pass_d], f"Tonnes on {pass_a.split()[0]}": limits[0], f"Tonnes on {pass_b.split()[0]}": limits[2], "Closed since": day(shut_c).isoformat()}, any_order=["Closed", "Open to all"],
    ))  # fmt: skip


def offices(draw: Draw) -> Task:
    society = f"{draw.one(('Botanical', 'Geodetic', 'Choral', 'Chess', 'Mycological'))} Society of {draw.one(PLACES)}"
    a, b, c, d, e, f, g = draw.some(PEOPLE, 7)
    year = draw.integer(1985, 2015)
    took, left = date(year, 2, draw.integer(1, 25)), date(year, 6, draw.integer(2, 28))
    new_treasurer, asked = date(year, 8, draw.integer(1, 12)), date(year, 9, draw.integer(5, 28))
    chair_from = date(year, 10, draw.integer(1, 20))
    bulletins = [
        (took - timedelta(12), f"The members have elected {a} to the chair, {b} as treasurer and {c} as librarian. All three take office on {_shown(took)}. The librarian stands in for the chair whenever there is none."),
        (left - timedelta(3), f"{a} resigns from the chair with effect from {_shown(left)} and moves abroad."),
        (left + timedelta(9), f"An election for the chair was held. {d} won with {draw.integer(31, 60)} votes against {draw.integer(12, 30)} for {e}, and takes office on {_shown(chair_from)}, not before."),
        (new_treasurer - timedelta(15), f"{b} gives up the treasury on {_shown(new_treasurer)}; from that day on {f} is treasurer."),
        (new_treasurer - timedelta(8), f"{f} cannot take the office for reasons of health. The resignation of {b} stands; {g} becomes treasurer in place of {f}, on the same day."),
        (left + timedelta(15), f"We wrote last week that {e} had been elected to the chair. We regret the mistake: see the notice of {_shown(left + timedelta(9))}."),
        (asked + timedelta(2), f"{c} will leave the library at the end of the year."),
    ]  # fmt: skip
    return _task(draw, (f"Gazette of the {society}",), bulletins, ask(
        f"Who does what in the society on {_shown(asked)}? State who acts as chair, who is treasurer, since which day the treasurer has been in office, who has been elected to take the chair next, and on which day that will be.",
        {"Acting chair": c, "Treasurer": g, "Treasurer since": new_treasurer.isoformat(), "Next chair": d, "In the chair from": chair_from.isoformat()},
    ))  # fmt: skip


def prices(draw: Draw) -> Task:
    museum = f"{draw.one(('Clock', 'Glass', 'Mining', 'Puppet', 'Salt'))} Museum of {draw.one(PLACES)}"
    year, (adult, raised, third) = draw.integer(1992, 2016), sorted(draw.integers(3, 6, 19))
    child, child_new = sorted(draw.integers(2, 2, 5))
    changed, asked = date(year, 5, draw.integer(1, 28)), date(year, 9, draw.integer(10, 28))
    shut_on, later = draw.some(_WEEKDAYS, 2)
    hour, winter_hour = draw.integer(18, 20), draw.integer(16, 17)
    adults, children = draw.integer(2, 4), draw.integer(2, 6)
    bulletins = [
        (date(year, 1, 4), f"Admission this year: adults {adult} crowns, children {child} crowns. Open until {hour}:00. Closed on {shut_on}s."),
        (date(year, 3, draw.integer(2, 20)), f"From 1 April adults pay {raised} crowns. Children pay as before."),
        (date(year, 3, 28), f"The new price for adults was to apply from 1 April. It applies from {_shown(changed)} instead, so that schools can plan."),
        (date(year, 7, draw.integer(1, 25)), f"From {_shown(date(year, 9, 1))} children pay {child_new} crowns."),
        (date(year, 8, draw.integer(1, 25)), f"The board has discussed an admission of {third} crowns for adults. It decided to leave all prices as announced."),
        (date(year, 8, 29), f"From 1 September the museum is closed on {later}s and open on {shut_on}s. In winter, from {_shown(date(year, 10, 15))} on, it closes at {winter_hour}:00."),
    ]  # fmt: skip
    return _task(draw, ("Notice board", f"News of the {museum}"), bulletins, ask(
        f"What holds on {_shown(asked)}? State what {adults} adults and {children} children pay together in crowns, since which day the price for adults has applied, on which weekday the museum is closed, and the hour at which it closes on the other days, as HH:MM.",
        {"Crowns": adults * raised + children * child_new, "Price for adults since": changed.isoformat(), "Closed on": later, "Closes at": f"{hour}:00"}, accept={"Closed on": [f"{later}s"]},
    ))  # fmt: skip


def warnings(draw: Draw) -> Task:
    river, zones = f"the {draw.one(PLACES)} River", draw.some(PLACES, 4)
    start = date(draw.integer(1990, 2016), draw.integer(1, 12), draw.integer(1, 14))
    levels = dict.fromkeys(zones, 0)
    bulletins: Bulletins = [(start, f"Bulletin 1. Flood warning for {river}: {listed(zones)} are at level 0. The levels go from 0 to 5. A bulletin changes only what it names.")]  # fmt: skip
    void = draw.integer(4, 6)
    for number in range(2, 9):
        day, zone = start + timedelta(number), draw.one(zones)
        up, was = draw.integer(1, 2), dict(levels)
        if draw.integer(0, 2) == 0:
            levels[zone] = draw.integer(1, 4)
            text = f"{zone} is set to level {levels[zone]}."
        else:
            others = draw.some([one for one in zones if one != zone], draw.integer(0, 2))
            for one in (zone, *others):
                levels[one] += up
            text = f"{listed([zone, *others]) if others else zone} {'go' if others else 'goes'} up by {up}."
        if number == void + 1:
            text = f"Bulletin {void} was sent by mistake and is void: read on as if it had never been sent. {text}"
        if number == void:
            levels = was
        if max(levels.values()) > 5:
            raise RedrawError
        bulletins.append((day, f"Bulletin {number}. {text}"))
    down = draw.one(zones)
    levels[down] -= 1
    bulletins.append((start + timedelta(9), f"Bulletin 9. {down} goes down by 1. The peak has passed there."))
    asked = start + timedelta(10)
    bulletins.append((start + timedelta(11), f"Bulletin 10. All zones of {river} go down by 1."))
    if not 0 <= min(levels.values()) < max(levels.values()) <= 5:
        raise RedrawError
    highest = [zone for zone in zones if levels[zone] == max(levels.values())]
    return _task(draw, ("Flood service",), bulletins, ask(
        f"At which level is each of the four zones on {_shown(asked)}, and which zones are at the highest of these levels?",
        {**{f"Level of {zone}": level for zone, level in levels.items()}, "Highest": highest}, any_order=["Highest"],
    ))  # fmt: skip


def building(draw: Draw) -> Task:
    what = f"{draw.one(('footbridge', 'swimming bath', 'observation tower', 'fish ladder', 'tram depot'))} in {draw.one(PLACES)}"
    first, second, third = (
        f"{name.split()[-1]} & Co." for name in draw.some([name for name in PEOPLE if "-" not in name], 3)
    )
    year = draw.integer(1987, 2015)
    begun, due = date(year, 3, draw.integer(1, 28)), date(year + 1, 5, draw.integer(1, 28))
    budget, more, less, proposed = (
        draw.integer(800, 2_400, 10),
        draw.integer(60, 240, 10),
        draw.integer(20, 50, 10),
        draw.integer(90, 300, 10),
    )
    weeks, fewer = draw.integer(5, 14), draw.integer(1, 4)
    changed, asked = date(year, 9, draw.integer(1, 28)), date(year, 12, draw.integer(1, 28))
    bulletins = [
        (begun, f"Work on the {what} begins. Contractor: {first} Budget: {budget} thousand crowns. To be finished on {_shown(due)}."),
        (date(year, 6, draw.integer(1, 25)), f"The ground is softer than thought. The council adds {more} thousand crowns to the budget and {weeks} weeks to the time."),
        (date(year, 7, draw.integer(1, 25)), f"A motion to add a further {proposed} thousand crowns for a roof is referred to the committee."),
        (date(year, 8, draw.integer(1, 25)), f"{first} is bankrupt. From {_shown(changed)} {second} takes over; until then the site rests. The budget stays."),
        (date(year, 10, draw.integer(1, 15)), f"The committee rejects the roof. By leaving out the ornament the budget falls by {less} thousand crowns."),
        (date(year, 11, draw.integer(1, 20)), f"{second} works faster than planned: the date of completion as last set is brought forward by {fewer} weeks. Rumours that {third} takes over are denied by the mayor."),
        (asked + timedelta(draw.integer(4, 20)), f"{third} takes over the site from today, with {draw.integer(30, 80)} thousand crowns more in the budget."),
    ]  # fmt: skip
    end = due + timedelta(weeks=weeks - fewer)
    return _task(draw, ("Council minutes", "Town gazette"), bulletins, ask(
        f"How do things stand with the {what} on {_shown(asked)}? State the contractor, since which day it has been the contractor, the budget in thousand crowns, and the day on which the work is to be finished.",
        {"Contractor": second, "Since": changed.isoformat(), "Thousand crowns": budget + more - less, "To be finished": end.isoformat()}, accept={"Contractor": [second.removesuffix(" & Co."), second.replace("&", "and")]},
    ))  # fmt: skip


BULLETINS = (roads, offices, prices, warnings, building)
