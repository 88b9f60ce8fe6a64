"""A seed bank: deposits, withdrawals, germination tests and the rules for renewing a lot."""

from scripts.janus_items.draw import Draw, RedrawError, ranked
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed

_CROPS = (
    "blue einkorn",
    "horned lentil",
    "marsh barley",
    "silver flax",
    "dwarf sorrel",
    "ridge millet",
    "winter vetch",
    "amber maize",
)


def seeds(draw: Draw) -> World:
    bank = f"Seed Vault of {draw.one(PLACES)}"
    curator, clerk = draw.some(PEOPLE, 2)
    lots = [f"{draw.one('BDHKM')}{number}" for number in draw.integers(5, 112, 988)]
    crops = dict(zip(lots, draw.some(_CROPS, 5), strict=True))
    deposited = dict(zip(lots, draw.integers(5, 3_400, 9_800, 100), strict=True))
    taken = {lot: [0, 0] for lot in lots}
    for lot in draw.some(lots, 4):
        taken[lot] = [draw.integer(200, 900, 50), draw.integer(0, 1) * draw.integer(300, 800, 50)]
    early = dict(zip(lots, draw.integers(5, 78, 97), strict=True))
    late = {lot: early[lot] - draw.integer(2, 25) for lot in lots}
    retested = draw.some(lots, 3)
    rate = {lot: late[lot] if lot in retested else early[lot] for lot in lots}
    stock = {lot: deposited[lot] - sum(taken[lot]) for lot in lots}
    viable = {lot: stock[lot] * rate[lot] // 100 for lot in lots}
    limit, special = draw.integer(79, 84), draw.one(lots)
    special_limit = limit - draw.integer(8, 12)
    limits = {lot: special_limit if lot == special else limit for lot in lots}
    renewed = sorted(lot for lot in lots if rate[lot] < limits[lot])
    if not 2 <= len(renewed) <= 4 or any(stock[lot] % 100 for lot in lots):
        raise RedrawError
    if not special_limit <= rate[special] < limit or len(set(rate.values())) < len(lots):
        raise RedrawError
    lowest = min(lots, key=lambda lot: rate[lot])
    order, losses = ranked(viable), ranked({lot: sum(taken[lot]) for lot in lots if sum(taken[lot])})
    year = draw.integer(2003, 2019)

    register = "; ".join(f"{lot} ({crops[lot]}), {deposited[lot]:,} seeds" for lot in lots)
    log = [f"{lot}: {count} seeds" for lot in lots for count in taken[lot] if count]
    documents = [
        (f"{bank}, register of deposits", f"Lots and what was deposited in {year - 6}: {register}."),
        ("Book of withdrawals", f"Kept by {clerk}. Since the deposit these were handed out and not returned: {'; '.join(draw.some(log, len(log)))}. Nothing else has left the vault."),
        ("Germination tests", f"{year - 4}, 100 seeds of each lot: {listed([f'{lot} {early[lot]} sprouted' for lot in lots])}. {year}, tested again were only {listed([f'{lot} ({late[lot]} sprouted)' for lot in retested])}. The tested seeds came from a reserve and are not part of the stock. Always the latest test of a lot counts."),
        ("Rules of the vault", f"A lot is renewed if fewer than {limit} of 100 seeds sprout in its latest test. The viable stock of a lot is its stock times that share. {curator}, curator: for {crops[special]} alone the limit is {special_limit}, because it never sprouts well."),
    ]  # fmt: skip
    chosen, count = draw.one(order[1:4]), len(renewed)
    all_viable, needed = sum(viable.values()), limits[special]
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"The viable stock of lot {chosen} is above {bound(draw, viable[chosen], is_below=is_true):,} seeds.",
                "Viable seeds", viable[chosen], is_true=is_true,
            ),
            lambda is_true: claim(
                f"All lots together hold fewer than {bound(draw, sum(stock.values()), is_below=not is_true):,} seeds, viable or not.",
                "Seeds in stock", sum(stock.values()), is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Compare the lots by their viable stock. Rank all five, largest first, and state the viable stock of the first and of the last.",
                {"Ranking": order, "Largest": viable[order[0]], "Smallest": viable[order[-1]]},
            ),
            ask(
                "From which lot were the most seeds withdrawn in all, which crop is it, and how many seeds are left of it? State also how many seeds were withdrawn from all lots together.",
                {"Lot": losses[0], "Crop": crops[losses[0]], "Seeds left": stock[losses[0]], "Withdrawn in all": sum(sum(one) for one in taken.values())},
            ),
        ),
        synthesis=(
            ask(
                "Which lots must be renewed under the rules, and how many viable seeds do these lots hold together?",
                {"Lots": renewed, "Viable seeds": sum(viable[lot] for lot in renewed)}, any_order=["Lots"],
            ),
            ask(
                "How many seeds are in the vault, how many of them are viable, and which percentage is that, rounded to one decimal (0.1 more or less is accepted)?",
                {"Seeds": sum(stock.values()), "Viable seeds": all_viable, "Percent": round(100 * all_viable / sum(stock.values()), 1)}, tolerance={"Percent": 0.1},
            ),
        ),
        deep_dive=(
            ask(
                f"Report on {crops[special]}: its lot, its stock, its latest germination in percent, the limit that applies to it, and whether the lot must be renewed (TRUE or FALSE).",
                {"Lot": special, "Stock": stock[special], "Germination": rate[special], "Limit": needed, "Renewal": special in renewed},
            ),
            ask(
                "How many lots must be renewed, how many would have to be if the curator's exception did not exist, which lot has the lowest germination in its latest test, how many seeds of that lot are viable, and who wrote the book of withdrawals?",
                {"Lots": count, "Lots without the exception": sum(rate[lot] < limit for lot in lots), "Lowest": lowest, "Viable seeds of it": viable[lowest], "Clerk": clerk},
            ),
        ),
    )  # fmt: skip
