"""Tasks that need few words, few tokens or few calls."""

from scripts.janus_items.task import Task
from scripts.janus_items.tools.drawn import drawn_id
from scripts.janus_items.tools.recorder import Solution, Solver, ToolTask
from scripts.janus_items.tools.world import world


def _concise(
    prompt: str, words: int, *facts: str | list[str], in_order: bool = False, wrong: str = ""
) -> Task:
    """`wrong` names what a list of guesses would state too."""
    order = " in this order and" if in_order else ""
    evaluation: dict[str, object] = {"max_words": words}
    if in_order:
        evaluation["in_order"] = True
    if wrong:
        evaluation["wrong_facts"] = wrong.split("; ")
    return {
        "task_type": "concise_response",
        "prompt": f"{prompt} Answer{order} in at most {words} words.",
        "expected_facts": list(facts),
        "evaluation": evaluation,
    }


def _explained(prompt: str, words: int, *facts: str | list[str]) -> Task:
    text = f"{prompt} Use at most {words} words."
    return {
        "task_type": "efficient_explanation",
        "prompt": text,
        "expected_facts": list(facts),
        "evaluation": {"max_words": words},
    }


def _direct(prompt: str, answer: float) -> Task:
    return {"task_type": "direct_answer", "prompt": prompt, "expected_answer": answer}


def _no_call(prompt: str, tools: str, answer: object) -> Task:
    return ToolTask(prompt, tools, lambda _solution: answer).written("minimal_tools")


def _one_call(prompt: str, tools: str, solve: Solver) -> Task:
    return ToolTask(prompt, tools, solve).written("minimal_tools")


def _rise(s: Solution) -> int:
    day = s.call("get_weather", city="Hamburg, DE", date="2026-03-07")
    return day["high_c"] - day["low_c"]


def _unit_price(s: Solution) -> float:
    order = s.call("get_order", order_id=_ORDER)
    return round(order["total_eur"] / order["quantity"], 2)


def tasks() -> list[Task]:
    return [*_CONCISE, *_EXPLAINED, *_MINIMAL, *_DIRECT]


_CONCISE = (
    _concise("Which gas do green plants take in to build sugar, and which do they give off?", 15, ["carbon dioxide", "CO2", "CO\u2082"], ["oxygen", "O2", "O\u2082"], in_order=True, wrong="nitrogen; N2; methane; hydrogen; H2; carbon monoxide"),
    _concise("A recipe for 4 people takes 300 g of flour. How many grams does it take for 7, and how many for 10?", 12, "525", "750", in_order=True),
    _concise("Which two oceans does the Panama Canal join?", 10, "Atlantic", "Pacific", wrong="Arctic; Indian; Southern; Antarctic"),
    _concise("What are the two solutions of x\u00b2 \u2212 19x + 84 = 0?", 10, "7", "12"),
    _concise("A bus leaves at 14:50, arrives at 17:05, and stands still for 20 minutes on the way. For how many minutes does it move?", 8, "115"),
    _concise("What are the chemical symbols of sodium, potassium and iron?", 10, "Na", "K", "Fe", in_order=True, wrong="Mg; Ca; Al; Si; Cl; Cu; Zn; Ag"),
    _concise("Which planet of the solar system has the most mass, and which the least?", 10, "Jupiter", "Mercury", in_order=True, wrong="Venus; Earth; Mars; Saturn; Uranus; Neptune; Pluto"),
    _concise("Which two bones lie side by side between knee and ankle?", 10, ["tibia", "shinbone", "shin bone"], "fibula", wrong="femur; patella; humerus; radius; ulna; talus"),
    _concise("What is 15 percent of 240, and what is a ninth of that?", 8, "36", "4", in_order=True),
    _concise("How many minutes are in a week, and how many seconds in a day?", 12, "10080", "86400", in_order=True),
    _concise("Write the binary number 101101 in decimal and in hexadecimal.", 10, "45", ["2D", "0x2D", "2D16"]),
    _concise("At how many degrees Fahrenheit does water freeze, and at how many does it boil, at sea level?", 14, "32", "212", in_order=True),
    _concise("What is it called when a solid turns into gas without melting, and what is the reverse called?", 12, "sublimation", ["deposition", "desublimation", "resublimation"], in_order=True, wrong="evaporation; condensation; vaporization; vaporisation; solidification"),
    _concise("A right triangle has legs of 9 cm and 40 cm. How long is the third side, and how large is the area?", 14, "41", "180", in_order=True),
    _concise("A lift starts on floor 6, goes up 9 floors, down 11 and up 4. On which floor is it, and how many floors did it travel?", 12, "8", "24", in_order=True),
)  # fmt: skip
_EXPLAINED = (
    _explained("A floor of 4.2 m by 3.6 m is tiled with square tiles of 30 cm. Explain to an apprentice how many tiles to buy if ten percent are added for breakage, rounded up: tiles along each side, tiles on the floor, tiles to buy.", 80, "14", "12", "168", "185"),
    _explained("2000 crowns lie in an account at 5 percent interest a year, and the interest stays there. Explain how the balance grows, with the balance after each of three years.", 70, "2100", "2205", "2315.25"),
    _explained("A car uses 6.5 litres for 100 km, and a litre costs 1.80 crowns. Explain what a trip of 420 km costs, and what there and back costs, with the litres for one way.", 60, ["27.3"], "49.14", "98.28"),
    _explained("3 litres of a solution of 20 percent salt are mixed with 2 litres of one of 45 percent, by volume. Explain which percentage the mixture has, with the salt in each part and in the whole, in litres.", 70, ["0.6", ".6"], ["0.9", ".9"], "1.5", "30"),
    _explained("Two dice are thrown. Explain how likely it is that the sum is 7 or 11: the number of throws for each sum, for both together, of all throws, and the probability.", 80, ["6", "six"], ["8", "eight"], "36", ["2/9", "0.22", "0.222", "22", "22.2", "22.22"]),
    _explained("A child of 24 kg gets 20 mg of a medicine per kg of weight in one dose, every six hours; 5 ml of the syrup hold 160 mg. Explain how much that is: mg in a dose, ml in a dose, mg in a day.", 70, "480", "15", "1920"),
    _explained("Explain why most coasts have high water about twice a day.", 80, "moon", ["gravity", "gravitational", "gravitation", "attraction", "pull", "pulls"], ["rotates", "rotation", "rotating", "turns", "spins"], ["bulge", "bulges"]),
    _explained("Explain why ice floats on water.", 60, ["density", "dense", "denser"], ["hydrogen bonds", "hydrogen bonding", "hydrogen bond", "lattice", "crystal", "crystalline"], ["expands", "expand", "expanding", "expansion", "volume", "space", "apart", "open"]),
    _explained("A sorted list has 1000 names. Explain the way to find one name in it with the fewest comparisons, with the name of the method, and how many comparisons are enough in the worst case.", 80, "binary search", ["middle", "midpoint", "half", "halves", "halving"], ["10", "ten"]),
    _explained("Explain how a vaccine protects against an infection that comes a year later.", 80, ["immune", "immunity"], ["antibody", "antibodies"], ["memory"]),
)  # fmt: skip
_HOSE, _ORDER = drawn_id("prd", "Hose H-38"), world()["orders"][1]["order_id"]
_PARCEL = drawn_id("trk", "Norddal Fiskeri 1")
_MINIMAL = (
    _no_call("A box holds 12 eggs. How many eggs are in 7 full boxes?", "calculate search_documents", 84),
    _no_call("A bakery has these orders for tomorrow: the school wants 40 rolls, the inn 25, the hospital 60. The van takes 50 rolls a trip, and an order may be split. How many trips are needed?", "get_order get_stock calculate", 3),
    _no_call("Which of these words does not name a bird: heron, otter, plover, wren?", "search_documents find_product", "otter"),
    _no_call("A note on a door says: 'Back at 15:30, gone for 45 minutes.' At what time was its writer to leave, as HH:MM?", "list_events calculate", "14:45"),
    _no_call("In Oslo it was 14 degrees at noon and 9 degrees at midnight. By how many degrees did it cool down?", "get_weather calculate convert_units", 5),
    _one_call(f"A customer wants 250 pieces of the product {_HOSE} from the warehouse OSL-1. How many are missing there?", "get_stock find_product place_order calculate", lambda s: 250 - s.call("get_stock", product_id=_HOSE, warehouse="OSL-1")["units"]),
    _one_call(f"On which day should the parcel {_PARCEL} arrive, as YYYY-MM-DD?", "track_parcel get_order list_orders", lambda s: s.call("track_parcel", tracking_number=_PARCEL)["arrives_on"]),
    _one_call("By how many degrees Celsius does the temperature rise in Hamburg, DE, on 2026-03-07, from the lowest to the highest?", "get_weather convert_units calculate", _rise),
    _one_call(f"What does one piece cost in the order {_ORDER}, in euros?", "get_order list_orders find_product calculate", _unit_price),
    _one_call("How many euros are 250 Swiss francs (CHF) at the rate of 2026-03-03?", "convert_currency calculate search_documents", lambda s: s.call("convert_currency", amount=250, from_currency="CHF", to_currency="EUR", date="2026-03-03")["amount"]),
)  # fmt: skip
_DIRECT = (
    _direct("What is 17 times 23?", 391),
    _direct("How many days are there from 1 March to 31 August of one year, both included?", 184),
    _direct("A shirt costs 80 crowns and is reduced by 35 percent. What does it cost now, in crowns?", 52),
    _direct("What is the greatest common divisor of 252 and 198?", 18),
    _direct("How many edges does an octahedron have?", 12),
)  # fmt: skip
