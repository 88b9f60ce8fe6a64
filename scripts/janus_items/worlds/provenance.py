"""The owners of a manuscript: letters, a false entry, prices in three currencies."""

from scripts.janus_items.draw import Draw, RedrawError
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim

_BOOKS = (
    "Herbal of the Two Rivers",
    "Psalter of the Grey Friars",
    "Atlas of the Drowned Coast",
    "Book of Bridges",
)


def provenance(draw: Draw) -> World:
    book, library, owners = draw.one(_BOOKS), f"{draw.one(PLACES)} Library", draw.some(PEOPLE, 6)
    first, second, third, fourth, fifth, forger = owners
    start = draw.integer(1742, 1775)
    steps = [draw.integer(6, 24) for _ in range(4)]
    years = [start]
    for step in steps:
        years.append(years[-1] + step)
    given = years[-1] + draw.integer(5, 20)
    thaler, ducat = draw.integer(6, 9), draw.integer(19, 26)
    price_thaler, price_ducat, price_crowns, price_last = (
        draw.integer(40, 95),
        draw.integer(18, 36),
        draw.integer(380, 620, 5),
        draw.integer(70, 120),
    )
    paid = [price_thaler * thaler, price_ducat * ducat, price_crowns, price_last * thaler]
    leaves, lost, added = draw.integer(160, 240, 2), draw.integer(3, 11), draw.integer(12, 30, 2)
    loan_from, loan = years[2] + draw.integer(1, 3), draw.integer(1, 3)
    spans = {
        owner: end - begin for owner, begin, end in zip(owners[:5], years, [*years[1:], given], strict=True)
    }
    if len(set(spans.values())) < 5 or len(set(paid)) < 4 or loan_from + loan >= years[3]:
        raise RedrawError
    longest, dear = max(spans, key=lambda owner: spans[owner]), paid.index(max(paid))
    buyers = [second, third, fourth, fifth]
    order = sorted(buyers, key=lambda owner: -paid[buyers.index(owner)])
    profit = paid[2] - paid[1]
    in_library = leaves - lost + added
    documents = [
        ("Letter of 1901", f"The {book} belonged to {first} from {years[0]}, who found it bound, with {leaves} leaves. {second} bought it from {first} in {years[1]} for {price_thaler} thalers; when it was sold on, {lost} leaves had been cut out, and they never came back."),
        ("Ledger of an auction house", f"{years[2]}: from {second} to {third}, {price_ducat} ducats. {years[3]}: from {third} to {fourth}, {price_crowns} crowns. Lent by {third} to an engraver from {loan_from} to {loan_from + loan}; a loan changes no owner. {years[2] + 2}: from {third} to {forger}, 900 crowns (this line is in another hand)."),
        (f"Inventory of the {library}", f"{fifth} bought the {book} from {fourth} in {years[4]} for {price_last} thalers, had {added} new leaves with an index bound in, and gave it to the library in {given}."),
        ("Note of an archivist", f"The sale to {forger} never took place: the line was added to the ledger later, to sell a copy. One thaler was {thaler} crowns and one ducat {ducat} crowns, all through these years."),
    ]  # fmt: skip
    chosen = draw.one(buyers)
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"{chosen} paid more than {bound(draw, paid[buyers.index(chosen)], is_below=is_true)} crowns for the {book}.",
                "Price in crowns", paid[buyers.index(chosen)], is_true=is_true,
            ),
            lambda is_true: claim(
                f"{longest if is_true else min(spans, key=lambda owner: spans[owner])} owned the {book} for more years than anybody else before the library.",
                "Years of the longest ownership", spans[longest], is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Rank the four buyers by what they paid in crowns, the dearest purchase first, and state the highest and the lowest price in crowns.",
                {"Ranking": order, "Highest": max(paid), "Lowest": min(paid)},
            ),
            ask(
                "Compare how long each owner before the library had the book. Who had it the longest, for how many years; who the shortest, for how many years?",
                {"Longest": longest, "Years of longest": spans[longest], "Shortest": min(spans, key=lambda owner: spans[owner]), "Years of shortest": min(spans.values())},
            ),
        ),
        synthesis=(
            ask(
                "Name the owners of the book in order, up to and without the library, and state in how many years all of them together owned it.",
                {"Owners": owners[:5], "Years": given - years[0]},
            ),
            ask(
                "What did the four sales that took place come to in crowns, how many leaves has the book had since it came to the library, and in which year did it come there?",
                {"Crowns": sum(paid), "Leaves": in_library, "Year": given},
            ),
        ),
        deep_dive=(
            ask(
                f"Follow {third}: the year of the purchase, the price in crowns, the year in which the book came back from the engraver, the gain from the sale in crowns (with a minus sign for a loss), and who is named as buyer in the false entry.",
                {"Bought in": years[2], "Price": paid[1], "Back in": loan_from + loan, "Gain": profit, "False buyer": forger},
            ),
            ask(
                f"Who made the dearest purchase, in which year, how many leaves did the book have at that time, who owned it in {years[3] + 1}, and how many crowns would the dearest purchase have been above the amount in the false entry (with a minus sign if below)?",
                {"Buyer": buyers[dear], "Year": years[dear + 1], "Leaves": leaves if dear == 0 else leaves - lost, "Owner then": fourth, "Above": max(paid) - 900},
            ),
        ),
    )  # fmt: skip
