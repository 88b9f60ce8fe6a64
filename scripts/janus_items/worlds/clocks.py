"""Statements of witnesses whose clocks were wrong: who was where at which true time?"""

from scripts.janus_items.draw import Draw, RedrawError
from scripts.janus_items.lines import clock
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, claim

_ROOMS = ("library", "orangery", "cellar", "music room", "gallery", "stables")
_THINGS = ("silver astrolabe", "first edition", "miniature of the duchess", "jade seal")


def clocks(draw: Draw) -> World:
    house, thing, (owner, inspector, *guests) = (
        f"{draw.one(PLACES)} House",
        draw.one(_THINGS),
        draw.some(PEOPLE, 6),
    )
    rooms = draw.some(_ROOMS, 5)
    scene = rooms[0]
    offsets = dict(zip(guests, draw.some([-25, -20, -15, -10, -5, 5, 10, 15, 20, 25], 4), strict=True))
    start = draw.integer(20 * 60, 21 * 60, 5)
    came = {guest: start + draw.integer(10, 90, 5) for guest in guests}
    stayed = {guest: draw.integer(10, 45, 5) for guest in guests}
    left = {guest: came[guest] + stayed[guest] for guest in guests}
    place = dict(zip(guests, [scene, rooms[1], scene, rooms[2]], strict=True))
    first, second = guests[0], guests[2]
    if left[first] + 15 > came[second] or len(set(came.values()) | set(left.values())) < 8:
        raise RedrawError
    seen = left[first] + 5
    missed = came[second] - 5
    shown = {guest: (came[guest] + offsets[guest], left[guest] + offsets[guest]) for guest in guests}
    order = sorted(guests, key=lambda guest: came[guest])
    if sorted(guests, key=lambda guest: shown[guest][0]) == order or len(set(stayed.values())) < 4:
        raise RedrawError
    both = [(a, b) for a in guests for b in guests if a < b and came[a] < left[b] and came[b] < left[a]]
    longest = max(guests, key=lambda guest: stayed[guest])
    hall = draw.one(guests)

    def side(minutes: int) -> str:
        return f"{abs(minutes)} minutes {'fast' if minutes > 0 else 'slow'}"

    documents = [
        (f"Statements taken at {house} by {inspector}", " ".join(f"{guest}: 'By my watch I went into the {place[guest]} at {clock(shown[guest][0])} and left it at {clock(shown[guest][1])}.'" for guest in draw.some(guests, 4)) + " All four told the truth about what their watches showed."),
        ("The watchmaker's note", "I compared the watches with the tower clock, which is right. " + " ".join(f"That of {guest} is {side(offsets[guest])}." for guest in guests) + " A watch that is fast shows a later time than it is."),
        (f"{owner}, owner of the house", f"By the tower clock: at {clock(seen)} I looked into the {scene}; nobody was there, and the {thing} stood in its place. At {clock(missed)} I looked in again: nobody, and the {thing} was gone. Supper had begun at {clock(start)}."),
        ("Note of the housekeeper", f"The {rooms[3]} and the {rooms[4]} were locked all evening. {hall.split()[0]} asked me for a candle, I forget when. The gardener says he saw a light at midnight; by then everybody had gone home."),
    ]  # fmt: skip
    target, other = guests[1], guests[3]
    lapse = missed - seen
    gap = came[second] - left[first]
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"{(order[0] if is_true else order[-1])} was, by the true time, the first of the four guests to go into one of the rooms.",
                "First true entry", clock(came[order[0]]), is_true=is_true,
            ),
            lambda is_true: claim(
                f"Between {first} leaving the {scene} and {second} entering it, more than {gap - 5 if is_true else gap + 5} minutes passed.",
                "Minutes", gap, is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "In which order did the four guests go into their rooms by the true time? Give the full names, the earliest first, and the true times of the first and of the last entry as HH:MM.",
                {"Order": order, "First entry": clock(came[order[0]]), "Last entry": clock(came[order[-1]])},
            ),
            ask(
                "Which guest stayed the longest in a room, for how many minutes, and whose watch is the furthest from the right time, by how many minutes?",
                {"Stayed longest": longest, "Minutes": stayed[longest], "Worst watch": max(guests, key=lambda guest: abs(offsets[guest])) if len({abs(one) for one in offsets.values()}) == 4 else _redraw(), "Minutes wrong": max(map(abs, offsets.values()))},
            ),
        ),
        synthesis=(
            ask(
                "When, by the true time, was each guest in a room? State the true time of entry of each as HH:MM.",
                {f"Entry of {guest.split()[0]}": clock(came[guest]) for guest in guests},
            ),
            ask(
                "How many pairs of guests were in rooms during the same minutes, in the same room or in different ones, and how many minutes did all four spend in rooms, added up?",
                {"Pairs": len(both), "Minutes": sum(stayed.values())},
            ),
        ),
        deep_dive=(
            ask(
                f"When can the {thing} have been taken? State from when to when by the owner's observation, as HH:MM, how many minutes that is, and the true times at which {target} entered and left, as HH:MM.",
                {"From": clock(seen), "To": clock(missed), "Minutes": lapse, "Entered": clock(came[target]), "Left": clock(left[target])},
            ),
            ask(
                f"Who was in the {scene} before the owner looked in first, who entered it after the owner had looked in again, the true time at which the former left, the true time at which the latter entered, and the true time at which {other} entered the {place[other]}; times as HH:MM?",
                {"Before": first, "After": second, "Former left": clock(left[first]), "Latter entered": clock(came[second]), "Third entry": clock(came[other])},
            ),
        ),
    )  # fmt: skip


def _redraw() -> str:
    raise RedrawError
