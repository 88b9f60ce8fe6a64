"""A bell foundry: batches, defects, recasting, a contract with deductions."""

from scripts.janus_items.draw import Draw, RedrawError, distinct, ranked
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed

_GOODS = ("ship's bells", "hand bells", "fire bells", "school bells", "sleigh bells")


def foundry(draw: Draw) -> World:
    house, client = (
        f"Foundry of {draw.one(PLACES)}",
        f"{draw.one(('Harbour Board', 'Fire Office', 'School Board'))} of {draw.one(PLACES)}",
    )
    master, inspector = draw.some(PEOPLE, 2)
    batches = [f"Batch {number}" for number in sorted(draw.integers(5, 21, 79))]
    goods = dict(zip(batches, draw.some(_GOODS, 5), strict=True))
    cast = dict(zip(batches, draw.integers(5, 110, 420, 10), strict=True))
    cracked = {batch: draw.integer(6, 30) for batch in batches}
    dull = {batch: draw.integer(4, 24) for batch in batches}
    saved = {batch: draw.integer(1, dull[batch] - 1) for batch in batches}
    weight = dict(zip(batches, draw.integers(5, 2, 14), strict=True))
    price = dict(zip(batches, draw.integers(5, 30, 160, 5), strict=True))
    allowed = draw.integer(6, 11)
    deduction = draw.integer(5, 15, 5)
    good = {batch: cast[batch] - cracked[batch] - dull[batch] + saved[batch] for batch in batches}
    scrap = {batch: (cracked[batch] + dull[batch] - saved[batch]) * weight[batch] for batch in batches}
    faulty = {batch: cracked[batch] + dull[batch] for batch in batches}
    reduced = [batch for batch in batches if 100 * faulty[batch] > allowed * cast[batch]]
    value = {batch: good[batch] * price[batch] for batch in batches}
    invoice = {
        batch: value[batch] * (100 - deduction) // 100 if batch in reduced else value[batch]
        for batch in batches
    }
    if not 2 <= len(reduced) <= 4 or any(value[batch] * deduction % 100 for batch in reduced):
        raise RedrawError
    order, quality = (
        ranked(invoice),
        ranked({batch: -1000 * faulty[batch] // cast[batch] for batch in batches}),
    )
    distinct(list(scrap.values()))
    heaviest = max(batches, key=lambda batch: scrap[batch])
    documents = [
        (f"{house}, casting book", " ".join(f"{batch}: {cast[batch]} {goods[batch]} of {weight[batch]} kg each." for batch in batches) + f" Signed {master}, master founder."),
        (f"Report of the inspector, {inspector}", "Found at the first inspection: " + "; ".join(f"{batch}: {cracked[batch]} cracked, {dull[batch]} dull" for batch in draw.some(batches, 5)) + ". No bell has both faults. Cracked bells are broken up. Dull ones may be retuned and shown again."),
        ("Second inspection", f"After retuning these sound well and are released: {'; '.join(f'{batch}: {saved[batch]}' for batch in batches)}. The other dull bells are broken up too."),
        (f"Contract with the {client}", f"Price for each bell that is released, in crowns: {listed([f'{goods[batch]} {price[batch]}' for batch in draw.some(batches, 5)])}. If more than {allowed} percent of a batch are faulty at the first inspection, {deduction} percent are deducted from the invoice of that batch, whatever is saved later. {draw.integer(2, 5)} percent discount for payment within a week was proposed and struck out."),
    ]  # fmt: skip
    chosen, named = draw.one(batches), draw.one(batches)
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"The invoice for {named}, after any deduction, is above {bound(draw, invoice[named], is_below=is_true):,} crowns.",
                "Invoice in crowns", invoice[named], is_true=is_true,
            ),
            lambda is_true: claim(
                f"Fewer than {bound(draw, sum(good.values()), is_below=not is_true):,} bells of the five batches were released in the end.",
                "Bells released", sum(good.values()), is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Rank the batches (write each as 'Batch N') by the amount of their invoice after deductions, highest first, and state the highest and the lowest amount in crowns.",
                {"Ranking": order, "Highest": invoice[order[0]], "Lowest": invoice[order[-1]]},
            ),
            ask(
                "Which batch (write it as 'Batch N') had the smallest share of faulty bells at the first inspection and which the largest? State both shares in percent, rounded to one decimal (0.1 more or less is accepted).",
                {"Smallest": quality[0], "Percent of smallest": round(100 * faulty[quality[0]] / cast[quality[0]], 1), "Largest": quality[-1], "Percent of largest": round(100 * faulty[quality[-1]] / cast[quality[-1]], 1)},
                tolerance={"Percent of smallest": 0.1, "Percent of largest": 0.1},
            ),
        ),
        synthesis=(
            ask(
                "On which batches (write each as 'Batch N') is a deduction made, and what do all five invoices come to, in crowns?",
                {"Batches": reduced, "Invoices": sum(invoice.values())}, any_order=["Batches"],
            ),
            ask(
                "How many bells were cast in all, how many were broken up, and how many kilograms of metal do the broken bells make?",
                {"Cast": sum(cast.values()), "Broken up": sum(cast.values()) - sum(good.values()), "Kilograms": sum(scrap.values())},
            ),
        ),
        deep_dive=(
            ask(
                f"Write the record of the batch of {goods[chosen]}: its number, bells released, kilograms broken up, its invoice before and after any deduction, in crowns.",
                {"Batch number": int(chosen.split()[1]), "Released": good[chosen], "Kilograms": scrap[chosen], "Before": value[chosen], "After": invoice[chosen]},
            ),
            ask(
                "Which batch (write it as 'Batch N') left the most metal, by weight, among the broken bells; what did it cast; who inspected it; how many of its bells did retuning save; and how many crowns do the deductions on all batches come to?",
                {"Batch": heaviest, "Goods": goods[heaviest], "Inspector": inspector, "Saved": saved[heaviest], "Deductions": sum(value.values()) - sum(invoice.values())}, accept={"Goods": [goods[heaviest].replace("'", "\u2019")]},
            ),
        ),
    )  # fmt: skip
