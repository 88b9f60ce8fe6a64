"""A town's libraries: loans by branch, a merger, opening hours, costs per loan."""

from scripts.janus_items.draw import Draw, RedrawError, ranked
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, bound, claim, listed

_QUARTERS = ("Canal", "Castle", "Station", "Harbour", "Mill", "Cathedral", "Garden", "Market")


def libraries(draw: Draw) -> World:
    town = draw.one(PLACES)
    head, donor = draw.some(PEOPLE, 2)
    branches = [f"{name} Branch" for name in draw.some(_QUARTERS, 5)]
    loans = dict(zip(branches, draw.integers(5, 14_200, 61_800, 100), strict=True))
    children = {branch: draw.integer(21, 48) for branch in branches}
    cost = dict(zip(branches, draw.integers(5, 62, 240), strict=True))
    closing, host = draw.some(branches, 2)
    stay = draw.integer(60, 85, 5)
    year = draw.integer(1994, 2016)
    staff = dict(zip(branches, (draw.integer(3, 9) for _ in branches), strict=True))
    moved = min(staff[closing], draw.integer(2, 3))
    for_children = {branch: loans[branch] * children[branch] // 100 for branch in branches}
    per_loan = {branch: cost[branch] * 100_000 // loans[branch] for branch in branches}
    after = {branch: loans[branch] for branch in branches if branch != closing}
    after[host] += loans[closing] * stay // 100
    new_staff = {branch: staff[branch] for branch in after}
    new_staff[host] += moved
    per_head = {branch: after[branch] // new_staff[branch] for branch in after}
    cheap, order, busiest, young = (
        ranked({b: -c for b, c in per_loan.items()}),
        ranked(after),
        ranked(per_head),
        ranked(for_children),
    )
    if moved == staff[closing]:
        raise RedrawError
    documents = [
        (f"Public libraries of {town}, figures for {year}", f"Loans: {listed([f'{branch} {count:,}' for branch, count in loans.items()])}. Share of books for children in the loans, in percent: {listed([f'{branch} {children[branch]}' for branch in branches])}."),
        (f"Budget of the libraries, {year}", f"Running costs in thousand crowns: {listed([f'{branch} {cost[branch]}' for branch in draw.some(branches, 5)])}. Staff: {listed([f'{branch} {staff[branch]}' for branch in branches])}. {donor} left a further 40 thousand crowns for a new roof, which is no running cost."),
        ("Decision of the town council", f"On 31 December {year} the {closing} closes. Its readers are sent to the {host}. {moved} of its staff move there too; the others retire. {head}, head of the libraries, spoke against it."),
        (f"Forecast for {year + 1}", f"We reckon that the {host} takes over {stay} percent of the loans of the closed house and that the rest are lost. Everywhere else loans and staff stay as they are. Costs per loan are stated in hundredths of a crown, with fractions dropped."),
    ]  # fmt: skip
    lost = loans[closing] - loans[closing] * stay // 100
    chosen = draw.one([branch for branch in branches if branch not in (closing, host)])
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"In {year} the libraries of {town} lent fewer than {bound(draw, sum(for_children.values()), is_below=not is_true):,} books for children.",
                "Loans of books for children", sum(for_children.values()) if not any(loans[b] * children[b] % 100 for b in branches) else _redraw(), is_true=is_true,
            ),
            lambda is_true: claim(
                f"According to the forecast, the {host} will have more than {bound(draw, after[host], is_below=is_true):,} loans in {year + 1}.",
                "Loans forecast", after[host], is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                f"Compare the running costs per loan in {year}, in hundredths of a crown with fractions dropped. Rank all five branches, cheapest first, and state the figure of the cheapest and of the dearest.",
                {"Ranking": cheap, "Cheapest": per_loan[cheap[0]], "Dearest": per_loan[cheap[-1]]},
            ),
            ask(
                f"Which branch lent the most books for children in {year}, which the fewest, and how many did each of these two lend?",
                {"Most": young[0], "Loans of most": for_children[young[0]], "Fewest": young[-1], "Loans of fewest": for_children[young[-1]]},
            ),
        ),
        synthesis=(
            ask(
                f"How many loans will the four remaining branches have in {year + 1} according to the forecast, how many are lost, and which of them will have the most?",
                {"Loans": sum(after.values()), "Lost": lost, "Most": order[0]},
            ),
            ask(
                f"How many people work in the libraries after the closure, how many retire, and how many loans per member of staff will the {host} have in {year + 1}, with fractions dropped?",
                {"Staff": sum(new_staff.values()), "Retire": staff[closing] - moved, "Loans per head": per_head[host]},
            ),
        ),
        deep_dive=(
            ask(
                "Describe the closure: the branch that closes, the branch that takes it over, the loans of that branch before and after by the forecast, and who opposed the decision.",
                {"Closes": closing, "Takes over": host, "Loans before": loans[host], "Loans after": after[host], "Opposed": head},
            ),
            ask(
                f"For {year + 1}: the branch with the most loans per member of staff and that number (fractions dropped), the branch with the fewest, the loans of the {chosen}, and the running costs in crowns that are saved if the whole costs of the closed branch fall away and nothing else changes.",
                {"Most per head": busiest[0], "Loans per head": per_head[busiest[0]], "Fewest per head": busiest[-1], "Loans": after[chosen], "Crowns saved": cost[closing] * 1000},
            ),
        ),
    )  # fmt: skip


def _redraw() -> int:
    raise RedrawError
