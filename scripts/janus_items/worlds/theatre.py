"""A theatre on tour: halls, tickets sold and given away, fees and takings."""

from scripts.janus_items.draw import Draw, RedrawError, distinct, ranked
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed

_PLAYS = (
    "The Salt Orchard",
    "Nine Umbrellas",
    "A Clock for Hedwig",
    "The Second Lighthouse",
    "Paper Herons",
    "The Tin Mayor",
)


def theatre(draw: Draw) -> World:
    play, (director, treasurer) = draw.one(_PLAYS), draw.some(PEOPLE, 2)
    towns = draw.some(PLACES, 5)
    seats = dict(zip(towns, draw.integers(5, 180, 620, 10), strict=True))
    evenings = {town: draw.integer(1, 4) for town in towns}
    sold = {town: seats[town] * evenings[town] * draw.integer(48, 97) // 100 for town in towns}
    free = {town: draw.integer(4, 24) for town in towns}
    price = {town: draw.integer(9, 19) for town in towns}
    fee = {town: draw.integer(30, 120, 10) * 10 for town in towns}
    shared = draw.one(towns)
    cancelled = draw.one([town for town in towns if town != shared])
    evenings_planned = {town: evenings[town] + (town == cancelled) for town in towns}
    takings = {town: sold[town] * price[town] for town in towns}
    rent = {town: takings[town] // 4 if town == shared else fee[town] * evenings[town] for town in towns}
    profit = {town: takings[town] - rent[town] for town in towns}
    empty = {town: seats[town] * evenings[town] - sold[town] - free[town] for town in towns}
    share = {town: 1000 * sold[town] // (seats[town] * evenings[town]) for town in towns}
    if min(empty.values()) < 5 or min(profit.values()) < 50 or takings[shared] % 4:
        raise RedrawError
    order, fullest, emptiest = ranked(profit), ranked(share), ranked(empty)
    distinct([sold[town] for town in towns])
    documents = [
        (f"Tour plan of '{play}'", f"Directed by {director}. The tour goes to {listed([f'{town} ({evenings_planned[town]} evening{chr(115) * (evenings_planned[town] > 1)}, a hall with {seats[town]} seats)' for town in towns])}."),
        ("Telegram", f"LAST EVENING IN {cancelled.upper()} CANCELLED STOP LIGHTING FAILED STOP TICKETS FOR IT WERE TAKEN BACK AND ARE NOT IN THE BOX OFFICE FIGURES STOP HALL CHARGES NOTHING FOR IT STOP"),
        ("Box office", " ".join(f"{town}: {sold[town]:,} tickets sold at {price[town]} crowns, {free[town]} given away." for town in draw.some(towns, 5)) + " The figures are those of all evenings that were played."),
        ("Contracts with the halls", f"Rent for each evening that is played, in crowns: {listed([f'{town} {fee[town]}' for town in towns if town != shared])}. {shared} takes no rent but a quarter of the takings. {treasurer}, treasurer: profit is takings less rent; nothing else is counted."),
    ]  # fmt: skip
    chosen = draw.one(towns)
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"The evenings in {cancelled} left a profit of less than {bound(draw, profit[cancelled], is_below=not is_true):,} crowns.",
                "Profit in crowns", profit[cancelled], is_true=is_true,
            ),
            lambda is_true: claim(
                f"On the whole tour more than {bound(draw, sum(empty.values()), is_below=is_true):,} seats stayed empty, counting each evening that was played.",
                "Empty seats", sum(empty.values()), is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Rank the five towns by profit, highest first, and state the profit of the first and of the last in crowns.",
                {"Ranking": order, "Highest profit": profit[order[0]], "Lowest profit": profit[order[-1]]},
            ),
            ask(
                "Compare how well the halls were sold: tickets sold as a percentage of the seats on all evenings played. Which town has the highest percentage, which the lowest, and what are they, rounded to one decimal (0.1 more or less is accepted)?",
                {"Highest": fullest[0], "Percent of highest": round(100 * sold[fullest[0]] / seats[fullest[0]] / evenings[fullest[0]], 1), "Lowest": fullest[-1], "Percent of lowest": round(100 * sold[fullest[-1]] / seats[fullest[-1]] / evenings[fullest[-1]], 1)},
                tolerance={"Percent of highest": 0.1, "Percent of lowest": 0.1},
            ),
        ),
        synthesis=(
            ask(
                "How many evenings were played, how many tickets were sold in all, and how many people saw the play, if everybody who had a ticket came?",
                {"Evenings": sum(evenings.values()), "Tickets sold": sum(sold.values()), "People": sum(sold.values()) + sum(free.values())},
            ),
            ask(
                "What did the tour take in, what did it pay to the halls, and what was left, in crowns?",
                {"Takings": sum(takings.values()), "Paid to halls": sum(rent.values()), "Left": sum(profit.values())},
            ),
        ),
        deep_dive=(
            ask(
                f"Write the account of {shared}: tickets sold, takings, what the hall received, profit, and by how many crowns the profit would differ had the hall taken the rent of {chosen if chosen != shared else cancelled} per evening instead (with a minus sign if it would be lower).",
                {"Tickets": sold[shared], "Takings": takings[shared], "Hall": rent[shared], "Profit": profit[shared], "Difference": rent[shared] - fee[chosen if chosen != shared else cancelled] * evenings[shared]},
            ),
            ask(
                "State the town with the most empty seats over all evenings played, that number, the evenings played there, who directed the play, and the mean takings per evening of the whole tour in crowns, with fractions dropped.",
                {"Town": emptiest[0], "Empty seats": empty[emptiest[0]], "Evenings there": evenings[emptiest[0]], "Director": director, "Takings per evening": sum(takings.values()) // sum(evenings.values())},
            ),
        ),
    )  # fmt: skip
