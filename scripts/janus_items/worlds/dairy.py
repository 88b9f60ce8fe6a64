"""A dairy cooperative: deliveries, price by fat content, bonus and deductions."""

from scripts.janus_items.draw import Draw, RedrawError, ranked
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed


def dairy(draw: Draw) -> World:
    village, chair = draw.one(PLACES), draw.one(PEOPLE)
    farms = [
        f"{name} Farm"
        for name in draw.some(("Hollow", "Upper", "Larch", "Stony", "Brook", "Chapel", "Kite", "Meadow"), 5)
    ]
    spring = dict(zip(farms, draw.integers(5, 18_000, 46_000, 500), strict=True))
    summer = dict(zip(farms, draw.integers(5, 21_000, 52_000, 500), strict=True))
    fat = dict(zip(farms, draw.integers(5, 36, 48), strict=True))
    base, rich = draw.integer(38, 46, 2), draw.integer(4, 8, 2)
    line = draw.integer(40, 44)
    threshold = draw.integer(70, 80) * 1000
    bonus = draw.integer(400, 900, 50)
    late = draw.one(farms)
    fine = draw.integer(150, 350, 50)
    litres = {farm: spring[farm] + summer[farm] for farm in farms}
    price = {farm: base + (rich if fat[farm] >= line else 0) for farm in farms}
    milk_money = {farm: litres[farm] * price[farm] // 100 for farm in farms}
    gets_bonus = [farm for farm in farms if litres[farm] > threshold]
    paid = {
        farm: milk_money[farm] + (bonus if farm in gets_bonus else 0) - (fine if farm == late else 0)
        for farm in farms
    }
    if not 1 <= len(gets_bonus) <= 3 or any(litres[farm] * price[farm] % 100 for farm in farms):
        raise RedrawError
    order, suppliers = ranked(paid), ranked(litres)
    richest = max(farms, key=lambda farm: fat[farm])
    rises = ranked({farm: summer[farm] - spring[farm] for farm in farms})
    documents = [
        ("Delivery book, spring", f"Litres brought to the dairy of {village} in the second quarter: {listed([f'{farm} {count:,}' for farm, count in spring.items()])}."),
        ("Delivery book, summer", f"Third quarter, in litres: {listed([f'{farm} {summer[farm]:,}' for farm in draw.some(farms, 5)])}. Fat in grams per kilogram, mean of both quarters: {listed([f'{farm} {fat[farm]}' for farm in farms])}."),
        ("What a litre is paid", f"The dairy pays {base} cents a litre. Milk with {line} grams of fat per kilogram or more earns {rich} cents a litre on top. The fat content of both quarters together decides for both."),
        ("Minutes of the general meeting", f"Present: all members; in the chair: {chair}. Resolved: who brings more than {threshold:,} litres in the two quarters together gets a bonus of {bonus} crowns, once. {late} came after the lorry had left on nine mornings; {fine} crowns are deducted from its payment. A motion to pay {base + 6} cents was rejected."),
    ]  # fmt: skip
    chosen, last = draw.one(farms), order[-1]
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"{late} is paid more than {bound(draw, paid[late], is_below=is_true):,} crowns for the two quarters, bonus and deductions included.",
                "Crowns paid", paid[late], is_true=is_true,
            ),
            lambda is_true: claim(
                f"In the summer quarter all five farms together delivered at least {bound(draw, sum(summer.values()) - sum(spring.values()), is_below=is_true):,} litres more than in the spring quarter.",
                "Litres more in summer", sum(summer.values()) - sum(spring.values()) if sum(summer.values()) - sum(spring.values()) > 4000 else _redraw(), is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Rank the farms by what they are paid in all for the two quarters, highest first, and state the payment of the first and of the last in crowns.",
                {"Ranking": order, "Highest": paid[order[0]], "Lowest": paid[last]},
            ),
            ask(
                "Which farm brought the most milk over both quarters, and how much; which had the richest milk; and which raised its delivery the most from spring to summer, in litres?",
                {"Most milk": suppliers[0], "Litres": litres[suppliers[0]], "Richest": richest, "Largest rise": rises[0]},
            ),
        ),
        synthesis=(
            ask(
                "How many crowns does the dairy pay to all five farms together, how many of them for milk alone, and which farms get the bonus?",
                {"Paid in all": sum(paid.values()), "For milk": sum(milk_money.values()), "Bonus": gets_bonus}, any_order=["Bonus"],
            ),
            ask(
                "Which farms are paid for rich milk, how many litres of rich milk did they bring in both quarters, and how many crowns does the addition for fat cost the dairy?",
                {"Farms": [farm for farm in farms if fat[farm] >= line] or [_redraw()], "Litres": sum(litres[farm] for farm in farms if fat[farm] >= line), "Crowns for fat": sum(litres[farm] for farm in farms if fat[farm] >= line) * rich // 100}, any_order=["Farms"],
            ),
        ),
        deep_dive=(
            ask(
                f"Write the account of {chosen}: litres in both quarters, cents per litre that it is paid, crowns for milk, bonus in crowns (0 if there is none), and crowns paid in the end.",
                {"Litres": litres[chosen], "Cents per litre": price[chosen], "For milk": milk_money[chosen], "Bonus": bonus if chosen in gets_bonus else 0, "Paid": paid[chosen]},
            ),
            ask(
                f"Suppose the rejected motion had been carried, all else equal. State the price per litre without fat that it asked for, how many crowns more the dairy would have paid to all farms, the new payment of {order[0]}, who was in the chair, and which farm had a deduction.",
                {"Cents per litre": base + 6, "Crowns more": sum(litres.values()) * 6 // 100, "New payment": paid[order[0]] + litres[order[0]] * 6 // 100, "Chair": chair, "Deduction": late},
            ),
        ),
    )  # fmt: skip


def _redraw() -> int:
    raise RedrawError
