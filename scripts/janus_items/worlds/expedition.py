"""An expedition over ice: a diary of marches, stores, a change of route."""

from itertools import accumulate

from scripts.janus_items.draw import Draw, RedrawError
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim

_CAUSES = ("a storm", "a broken runner", "fog", "a sick dog")


def expedition(draw: Draw) -> World:
    leader, cook, navigator, partner = draw.some(PEOPLE, 4)
    ship, depot, goal = (
        f"'{draw.one(('Petrel', 'Boreas', 'Sibyl', 'Ember'))}'",
        f"Depot {draw.one(PLACES)}",
        f"Cape {draw.one(PLACES)}",
    )
    days = 9
    marches = [draw.integer(11, 34) for _ in range(days)]
    rest, rested = draw.integer(2, 7), draw.one(_CAUSES)
    marches[rest] = 0
    error = draw.integer(2, 6)
    wrong = draw.one([day for day in range(days) if day != rest])
    written = [count + (error if day == wrong else 0) for day, count in enumerate(marches)]
    people, dogs = draw.integer(4, 7), draw.integer(14, 26, 2)
    ration, dog_ration = draw.integer(800, 1_100, 100), draw.integer(500, 900, 100)
    oil = draw.integer(5, 9)
    daily = (people * ration + dogs * dog_ration) // 100
    if daily % 10:
        raise RedrawError
    stores = daily // 10 * days + draw.integer(40, 160, 10)
    found = draw.integer(20, 90, 10)
    found_day = draw.integer(3, 8)
    covered = list(accumulate(marches))
    total, longest = covered[-1], max(marches)
    if marches.count(longest) > 1 or sorted(marches)[1] == sorted(marches)[2]:
        raise RedrawError
    used = daily // 10 * days
    left = stores - used + found
    distance = total + draw.integer(35, 120)
    marched = [count for count in marches if count]
    halfway = next(day for day, count in enumerate(covered, start=1) if 2 * count >= total)
    documents = [
        (f"Diary of {leader}", " ".join(f"Day {day}: {f'{count} km' if count else f'no march, {rested}'}." for day, count in enumerate(written, start=1))),
        (f"Remark of the navigator, {navigator}", f"Checked against the stars: the march of day {wrong + 1} was {error} km shorter than {leader.split()[0]} wrote. All other days are right. From the ship {ship} to {goal} it is {distance} km by our route."),
        (f"List of stores, kept by {cook}", f"On leaving the ship: {stores} kg of food for people and dogs together. Each of the {people} people eats {ration} g a day, each of the {dogs} dogs {dog_ration} g, on marches and on days of rest alike. The stove burns {oil} litres of oil a day on marches and twice as much on a day of rest."),
        (f"Letter of {partner}", f"At {depot}, which they reached on day {found_day}, they found {found} kg of food that we had left for them the year before, all of it good, and took everything. Nobody turned back and no dog was lost in the first {days} days. The newspapers wrote of thirty dogs; there were never so many."),
    ]  # fmt: skip
    stove = oil * (days - 1) + 2 * oil
    further = left // (daily // 10)
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"In the first {days} days the expedition covered more than {bound(draw, total, is_below=is_true)} km.",
                "Kilometres", total, is_true=is_true,
            ),
            lambda is_true: claim(
                f"At the end of day {days} fewer than {bound(draw, left, is_below=not is_true)} kg of food were left.",
                "Kilograms left", left, is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Compare the marches: on which day was the longest, how long was it, on which day was the shortest on which they marched at all, and how many kilometres lie between the two?",
                {"Longest": marches.index(longest) + 1, "Kilometres": longest, "Shortest": marches.index(min(marched)) + 1, "Difference": longest - min(marched)},
            ),
            ask(
                "Compare the first four days with days 6 to 9: the kilometres covered in each of these two parts, and the food eaten on one day by all people and by all dogs, in grams.",
                {"First four days": covered[3], "Days 6 to 9": total - covered[4], "People": people * ration, "Dogs": dogs * dog_ration},
            ),
        ),
        synthesis=(
            ask(
                f"At the end of day {days}: kilometres covered, kilometres still to go to {goal}, food left in kilograms, and the number of whole days that this food lasts.",
                {"Covered": total, "To go": distance - total, "Food left": left, "Days": further},
            ),
            ask(
                f"How many litres of oil were burnt in the {days} days, how much food was eaten in kilograms, and by the end of which day was half of the distance of these {days} days behind them?",
                {"Oil": stove, "Eaten": used, "Half by day": halfway},
            ),
        ),
        deep_dive=(
            ask(
                "Which day is wrong in the diary, what is the right distance of that day in km, who found the error, how far had they come by the end of that day, and how long was the mean march in km over the days on which they marched, rounded to one decimal (0.1 more or less is accepted)?",
                {"Day": wrong + 1, "Distance": marches[wrong], "Found by": navigator, "By then": covered[wrong], "Mean march": round(total / (days - 1), 1)}, tolerance={"Mean march": 0.1},
            ),
            ask(
                "Tell the story of the depot: the day on which it was reached, the kilometres covered by the end of that day, the food in kilograms before anything was taken from it, at the end of that day, the food after, and who kept the list of stores.",
                {"Day": found_day, "Covered": covered[found_day - 1], "Before": stores - daily // 10 * found_day, "After": stores - daily // 10 * found_day + found, "List kept by": cook},
            ),
        ),
    )  # fmt: skip
