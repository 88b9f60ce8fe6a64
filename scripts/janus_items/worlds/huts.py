"""A mountain trail: distances between huts, a detour, beds, seasons."""

from itertools import pairwise

from scripts.janus_items.draw import Draw, RedrawError, distinct, ranked
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed

_HUTS = (
    "Raven Hut",
    "Glass Saddle",
    "Old Customs Hut",
    "Marmot House",
    "Three Springs",
    "Black Tarn Hut",
    "Bell Rock",
    "Larch Refuge",
)


def huts(draw: Draw) -> World:
    valley, (warden, author) = draw.one(PLACES), draw.some(PEOPLE, 2)
    stops = draw.some(_HUTS, 6)
    stages = [f"{a} to {b}" for a, b in pairwise(stops)]
    metres = dict(zip(stages, draw.integers(5, 7_200, 16_800, 100), strict=True))
    climb = dict(zip(stages, draw.integers(5, 240, 1_180, 10), strict=True))
    blocked = draw.one(stages)
    longer, higher = draw.integer(1_300, 3_900, 100), draw.integer(60, 310, 10)
    real = {stage: metres[stage] + (longer if stage == blocked else 0) for stage in stages}
    real_climb = {stage: climb[stage] + (higher if stage == blocked else 0) for stage in stages}
    pace, per_hundred = draw.one((12, 15)), draw.integer(8, 11)
    minutes = {stage: real[stage] * pace // 1000 + real_climb[stage] * per_hundred // 100 for stage in stages}
    height = {stops[0]: draw.integer(1_120, 1_480, 10)}
    descent = {stage: draw.integer(150, 900, 10) for stage in stages}
    for stage, (a, b) in zip(stages, pairwise(stops), strict=True):
        height[b] = height[a] + climb[stage] - descent[stage]
    beds = dict(zip(stops, draw.integers(6, 14, 64), strict=True))
    shut = draw.one(stops[1:5])
    open_beds = sum(count for hut, count in beds.items() if hut != shut)
    order, steep = (
        ranked(minutes),
        ranked({stage: 1000 * real_climb[stage] // real[stage] for stage in stages}),
    )
    distinct(list(height.values()))
    if any(
        real[stage] * pace % 1000 or real_climb[stage] * per_hundred % 100 for stage in stages
    ) and draw.integer(0, 3):
        raise RedrawError
    top = max(stops, key=lambda hut: height[hut])
    before, after = stages[stops.index(shut) - 1], stages[stops.index(shut)]
    year = draw.integer(1998, 2018)
    documents = [
        (f"The {valley} High Trail, guide by {author}", "Five stages, always in this direction. " + " ".join(f"{stage}: {metres[stage] / 1000:g} km, {climb[stage]} m up, {descent[stage]} m down." for stage in stages) + f" {stops[0]} lies at {height[stops[0]]} m."),
        (f"Notice to walkers, summer {year}", f"Rockfall between {' and '.join(blocked.split(' to '))}: the path is closed all summer. The detour is {longer / 1000:g} km longer and has {higher} m more of ascent and just as much more of descent. It begins and ends at the same huts."),
        ("How we reckon walking time", f"{pace} minutes for each kilometre, and {per_hundred} minutes for each 100 m of ascent on top; descents count nothing. Work with metres and drop fractions of a minute in each of the two parts of a stage."),
        ("Beds on the trail", f"{listed([f'{hut} {beds[hut]}' for hut in draw.some(stops, 6)])}. {warden}, warden: the {shut} is being rebuilt and takes nobody this summer; walkers go on to the next hut on the same day."),
    ]  # fmt: skip
    chosen = draw.one(stages)
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"In summer {year} the whole trail from {stops[0]} to {stops[-1]} is more than {bound(draw, sum(real.values()), is_below=is_true):,} metres long.",
                "Metres", sum(real.values()), is_true=is_true,
            ),
            lambda is_true: claim(
                f"{top} is the highest of the six huts and lies more than {bound(draw, height[top], is_below=is_true):,} m above the sea.",
                "Height of the highest hut in m", height[top], is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                f"Compare the stages as they must be walked in summer {year}: rank them by walking time, longest first, giving for each only the hut where it begins; state the minutes of the longest and of the shortest.",
                {"Ranking": [stage.split(" to ")[0] for stage in order], "Longest": minutes[order[0]], "Shortest": minutes[order[-1]]},
            ),
            ask(
                f"Which stage of summer {year} is the steepest, by metres of ascent per kilometre walked, and which is the gentlest? Name the hut where each begins, and state the ascent per kilometre of each with fractions dropped.",
                {"Steepest": steep[0].split(" to ")[0], "Ascent of steepest": 1000 * real_climb[steep[0]] // real[steep[0]], "Gentlest": steep[-1].split(" to ")[0], "Ascent of gentlest": 1000 * real_climb[steep[-1]] // real[steep[-1]]},
            ),
        ),
        synthesis=(
            ask(
                f"For the whole trail in summer {year}: metres walked, metres of ascent, walking time in minutes as the sum of the stages, and beds that are open.",
                {"Metres": sum(real.values()), "Ascent": sum(real_climb.values()), "Minutes": sum(minutes.values()), "Beds": open_beds},
            ),
            ask(
                "At which height do the six huts lie? State the height of each but the first in the order of the trail, in metres.",
                {f"Hut {number}": height[hut] for number, hut in enumerate(stops[1:], start=2)},
            ),
        ),
        deep_dive=(
            ask(
                f"A party sleeps in every hut that is open in summer {year}. Which hut must they pass by, how many metres do they walk on the day on which they do, how many minutes does that day take, how many beds await them at its end, and who announced the closure?",
                {"Passed by": shut, "Metres": real[before] + real[after], "Minutes": minutes[before] + minutes[after], "Beds": beds[stops[stops.index(shut) + 1]], "Announced by": warden},
            ),
            ask(
                f"What does the rockfall change? State the length of the detour stage in metres, its ascent in metres, its walking time in minutes, by how many minutes it is longer than before, and the walking time in minutes of the stage that begins at {chosen.split(' to ')[0]} in summer {year}.",
                {"Length": real[blocked], "Ascent": real_climb[blocked], "Minutes": minutes[blocked], "Minutes more": minutes[blocked] - (metres[blocked] * pace // 1000 + climb[blocked] * per_hundred // 100), f"Minutes from {chosen.split(' to ')[0]}": minutes[chosen]},
            ),
        ),
    )  # fmt: skip
