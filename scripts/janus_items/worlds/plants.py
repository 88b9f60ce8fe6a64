"""A key to invented plants, and field notes to be identified with it."""

from collections import Counter

from scripts.janus_items.draw import Draw, RedrawError
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, claim

_SPECIES = (
    "moonwort vetch",
    "pale staghorn",
    "fen candle",
    "widow's thimble",
    "crooked sorrel",
    "bog lantern",
)
_COLOURS = ("white", "blue", "yellow")


def plants(draw: Draw) -> World:
    place, (author, walker, reviser) = draw.one(PLACES), draw.some(PEOPLE, 3)
    a, b, c, d, e, f = draw.some(_SPECIES, 6)
    height, petals = draw.integer(20, 40, 5), draw.integer(5, 7)
    new_height = height + draw.integer(5, 15, 5)
    colour = draw.one(_COLOURS)

    def species(leaves: str, tall: int, count: int, tint: str, limit: int) -> str:
        if leaves == "opposite":
            return a if tall > limit else (b if tint == colour else c)
        return (d if tint == colour else e) if count <= petals else f

    finds: list[tuple[int, str, int, int, str, int]] = []
    for number in range(1, 11):
        tall = draw.one(
            (
                draw.integer(8, height),
                draw.integer(height + 1, new_height),
                draw.integer(new_height + 1, new_height + 30),
            )
        )
        finds.append(
            (
                number,
                draw.one(("opposite", "opposite", "alternate")),
                tall,
                draw.integer(petals - 2, petals + 3),
                draw.one(_COLOURS),
                draw.integer(2, 40),
            )
        )
    named = {
        number: species(leaves, tall, count, tint, new_height)
        for number, leaves, tall, count, tint, _ in finds
    }
    old = {
        number: species(leaves, tall, count, tint, height) for number, leaves, tall, count, tint, _ in finds
    }
    stems = Counter[str]()
    for number, *_, count in finds:
        stems[named[number]] += count
    changed = [number for number in named if named[number] != old[number]]
    kinds = Counter(named.values())
    if not 1 <= len(changed) <= 3 or len(kinds) < 4 or len(set(stems.values())) < len(stems):
        raise RedrawError
    order = [name for name, _ in stems.most_common()]
    rare = [name for name, count in kinds.items() if count == 1]
    absent = [name for name in (a, b, c, d, e, f) if name not in kinds]
    if not rare or len(absent) > 1:
        raise RedrawError
    notes = " ".join(
        f"Find {number}: leaves {leaves}, {tall} cm tall, {count} petals, {tint}; {stems_here} stems."
        for number, leaves, tall, count, tint, stems_here in finds
    )
    documents = [
        (f"Key to the plants of {place} Moor, by {author}", f"1. Leaves opposite: go to 2. Leaves alternate: go to 4. 2. Taller than {height} cm: {a}. Not taller: go to 3. 3. Flowers {colour}: {b}. Another colour: {c}. 4. At most {petals} petals: go to 5. More: {f}. 5. Flowers {colour}: {d}. Another colour: {e}."),
        (f"Field notes of {walker}", notes),
        (f"Revision of the key, by {reviser}", f"Young plants of {a} have been taken for others, and others for it. In step 2 read {new_height} cm instead of {height} cm. The rest of the key is sound. A proposal to rename {f} was not accepted."),
    ]  # fmt: skip
    chosen = draw.one(finds)
    top = order[0]
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"By the revised key, more stems were counted of {order[0] if is_true else order[1]} than of {order[1] if is_true else order[0]}.",
                "Stems of the former", stems[order[0] if is_true else order[1]], is_true=is_true,
            ),
            lambda is_true: claim(
                f"The revision changes the name of {'at least' if is_true else 'more than'} {len(changed)} of the ten finds.",
                "Stems of the finds that change", sum(count for number, *_, count in finds if number in changed), is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Use the revised key. Rank the species that were found by the number of stems counted, most first, and state the stems of the first and of the last.",
                {"Ranking": order, "Stems of first": stems[order[0]], "Stems of last": stems[order[-1]]},
            ),
            ask(
                f"Compare the old key with the revised one: for how many finds do they give different names, which finds are these (numbers only), and how many finds are {a} by the old key and by the revised one?",
                {"Different": len(changed), "Finds": [str(number) for number in changed], "By the old": list(old.values()).count(a), "By the revised": list(named.values()).count(a)}, any_order=["Finds"],
            ),
        ),
        synthesis=(
            ask(
                "By the revised key, how many species were found, which of them were found exactly once, and how many stems were counted in all?",
                {"Species": len(kinds), "Found once": rare, "Stems": sum(stems.values())}, any_order=["Found once"],
            ),
            ask(
                "Name finds 1 to 5 by the revised key.",
                {f"Find {number}": named[number] for number in range(1, 6)},
            ),
        ),
        deep_dive=(
            ask(
                f"For find {chosen[0]}: its name by the revised key, its name by the old key, its stems, all stems of the species that it belongs to by the revised key, and who wrote the field notes.",
                {"Name": named[chosen[0]], "Old name": old[chosen[0]], "Stems": chosen[5], "Stems of the species": stems[named[chosen[0]]], "Notes by": walker},
            ),
            ask(
                "Which species has the most stems by the revised key, in how many finds does it occur, what is the greatest height in cm among these finds, who revised the key, and from which height in cm to which other was step 2 changed (write the two as A; B)?",
                {"Species": top, "Finds": kinds[top], "Greatest height": max(tall for number, _, tall, *_ in finds if named[number] == top), "Revised by": reviser, "Step 2": [str(height), str(new_height)]},
            ),
        ),
    )  # fmt: skip
