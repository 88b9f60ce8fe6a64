"""A narrow-gauge railway: timetable, delays, connections, and a rule for waiting."""

from scripts.janus_items.draw import Draw, RedrawError
from scripts.janus_items.lines import clock
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed


def trains(draw: Draw) -> World:
    (guard, clerk), (a, b, c, d, e) = draw.some(PEOPLE, 2), draw.some(PLACES, 5)
    ride = {
        "ab": draw.integer(35, 55),
        "bc": draw.integer(20, 40),
        "bd": draw.integer(25, 50),
        "de": draw.integer(15, 35),
    }
    first = draw.integer(6 * 60, 7 * 60, 5)
    every = draw.one((70, 75, 80))
    trunk = [first + n * every for n in range(4)]
    arrive = [start + ride["ab"] for start in trunk]
    east = [when + draw.integer(4, 12) for when in arrive]
    south = [when + draw.integer(6, 15) for when in arrive]
    delays = [0, draw.integer(5, 14), draw.integer(16, 30), draw.integer(0, 4)]
    wait = draw.integer(6, 11)
    change = draw.integer(2, 3)
    real = [when + delay for when, delay in zip(arrive, delays, strict=True)]

    def leaves(planned: int, arrived: int) -> tuple[int, bool]:
        """When the connecting train leaves, and whether it takes the passengers along."""
        ready = arrived + change
        if ready <= planned:
            return planned, True
        return (ready, True) if ready <= planned + wait else (planned + wait, False)

    to_c = [leaves(plan, when) for plan, when in zip(east, real, strict=True)]
    to_d = [leaves(plan, when) for plan, when in zip(south, real, strict=True)]
    missed_c, missed_d = (
        [n + 1 for n in range(4) if not to_c[n][1]],
        [n + 1 for n in range(4) if not to_d[n][1]],
    )
    if (
        not missed_c
        or not missed_d
        or not any(kept and when > plan for (when, kept), plan in zip(to_c, east, strict=True))
    ):
        raise RedrawError
    late = max(range(4), key=lambda n: delays[n])
    riders = draw.integers(4, 18, 74)
    chosen = draw.one([n for n in range(4) if to_c[n][1]])
    south_ok = draw.one([n for n in range(4) if to_d[n][1]])
    at_c, at_e = to_c[chosen][0] + ride["bc"], to_d[south_ok][0] + ride["bd"] + ride["de"]
    stranded = sum(riders[n] for n in range(4) if not to_c[n][1])
    minutes = sum(delay * count for delay, count in zip(delays, riders, strict=True))
    waited = [when - plan for (when, _), plan in zip(to_c, east, strict=True)]
    documents = [
        (f"Timetable of the {a} and {e} Light Railway", f"From {a} to {b}: trains 1 to 4 leave at {listed([clock(one) for one in trunk])}; the ride takes {ride['ab']} minutes. From {b} east to {c} ({ride['bc']} minutes): at {listed([clock(one) for one in east])}. From {b} to {d} ({ride['bd']} minutes): at {listed([clock(one) for one in south])}; these trains go on to {e} without a stop ({ride['de']} minutes more)."),
        (f"Report of the guard, {guard}", f"All four trains left {a} on time. Train 2 reached {b} {delays[1]} minutes late, train 3 {delays[2]} minutes late (a cow), train 4 {f'{delays[3]} minute{chr(115) * (delays[3] != 1)} late' if delays[3] else 'on time'}; train 1 was on time. On board were {listed([f'{count} passengers in train {n}' for n, count in enumerate(riders, start=1)])}."),
        ("Rule for connections", f"Passengers need {change} minutes to change at {b}. The two trains that connect with a train wait for it, each for itself, but no longer than {wait} minutes beyond their planned time; they leave as soon as those who change are in. Whoever cannot be in by then has missed the connection. A train that would wait in vain waits the full time, since nobody can know. Beyond {b} all trains keep the times of ride."),
        (f"Letter of the station clerk, {clerk}", f"The rule of my youth was to wait for {wait + 15} minutes. It has been given up. On that day half of the passengers of every train went to {c}, they say; I did not count them."),
    ]  # fmt: skip
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"The passengers of train {chosen + 1 if is_true else missed_c[0]} who wanted to go on to {c} caught their train.",
                "Departure of that train to the east", clock(to_c[chosen if is_true else missed_c[0] - 1][0]), is_true=is_true,
            ),
            lambda is_true: claim(
                f"Added up over the passengers of all four trains, more than {bound(draw, minutes, is_below=is_true):,} minutes were lost by the time the trains reached {b}.",
                "Minutes lost", minutes, is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                f"Compare the trains by when they reached {b}: state the true time of arrival of each as HH:MM, and the number of the train that was latest against its plan.",
                {**{f"Train {n}": clock(when) for n, when in enumerate(real, start=1)}, "Latest": late + 1},
            ),
            ask(
                f"Compare the two branches: for which trains was the connection to {c} missed, for which that to {d}? State the numbers of the trains.",
                {f"Missed to {c}": [str(n) for n in missed_c], f"Missed to {d}": [str(n) for n in missed_d]}, any_order=[f"Missed to {c}", f"Missed to {d}"],
            ),
        ),
        synthesis=(
            ask(
                f"When did the four trains to {c} leave {b}? State the times as HH:MM, in the order of the trains that they connect with.",
                {f"Train {n}": clock(when) for n, (when, _) in enumerate(to_c, start=1)},
            ),
            ask(
                f"How many passengers did the four trains bring to {b}, how many minutes were lost by them in all up to {b}, added up over the passengers, and how many minutes did the four trains to {c} wait in all beyond their planned time?",
                {"Passengers": sum(riders), "Minutes lost": minutes, "Minutes waited": sum(waited)},
            ),
        ),
        deep_dive=(
            ask(
                f"A passenger goes with train {chosen + 1} from {a} to {c}. State the true time of arrival at {b}, the time at which the train to {c} leaves, the time of arrival at {c}, all as HH:MM, how many minutes later than planned that is, and the minutes of the whole journey.",
                {f"At {b}": clock(real[chosen]), "Leaves": clock(to_c[chosen][0]), f"At {c}": clock(at_c), "Minutes late": to_c[chosen][0] - east[chosen], "Journey": at_c - trunk[chosen]},
            ),
            ask(
                f"A passenger goes with train {south_ok + 1} from {a} to {e}. State when the train to {d} leaves {b}, when it is at {d}, when at {e}, all as HH:MM, the minutes of the whole journey, and how many passengers were on board of trains whose connection to {c} was missed.",
                {"Leaves": clock(to_d[south_ok][0]), f"At {d}": clock(to_d[south_ok][0] + ride["bd"]), f"At {e}": clock(at_e), "Journey": at_e - trunk[south_ok], "On board": stranded},
            ),
        ),
    )  # fmt: skip
