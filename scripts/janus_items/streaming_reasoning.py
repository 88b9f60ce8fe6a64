"""Ten numbers that are derived step by step; every step is a line of the reply."""

from collections.abc import Iterable

from scripts.janus_items.lines import clock
from scripts.janus_items.task import Task


def _derived(prompt: str, steps: Iterable[object], result: object, *, named: str = "Step {}") -> Task:
    lines = {named.format(number): value for number, value in enumerate(steps, start=1)}
    return {"prompt": prompt, "expected_answer": {**lines, "Result": result}}


def _cistern() -> Task:
    level, lost, levels = 640, 0, list[int]()
    for rain, use in ((120, 85), (0, 140), (510, 95), (45, 160), (0, 175), (360, 60)):
        lost += max(0, level + rain - use - 900)
        level = min(900, level + rain - use)
        levels.append(level)
    return _derived(
        "A cistern holds at most 900 litres; what is above runs off at the end of the day. It begins with 640 litres."
        " Rain and use in litres are, day by day: 120 and 85; 0 and 140; 510 and 95; 45 and 160; 0 and 175; 360 and 60."
        " State the level at the end of each day, and as the result how many litres ran off in all.",
        levels, lost, named="Day {}",
    )  # fmt: skip


def _registers() -> Task:
    a, b, c = 5, 12, 3
    sums = list[int]()
    for _ in range(5):
        a, b, c = b - c, a + c, (a * 2) % 17
        sums.append(a + b + c)
    return _derived(
        "Three registers hold A = 5, B = 12 and C = 3. In each round all three change at once: the new A is B minus C,"
        " the new B is A plus C, and the new C is the remainder of twice A after division by 17, where A, B and C on the"
        " right are the values before the round. State the sum of the three registers after each of five rounds, and as"
        " the result the value of B after the fifth.",
        sums, b, named="Round {}",
    )  # fmt: skip


def _walk() -> Task:
    x, y, places = 0, 0, list[str]()
    for dx, dy in ((7, 0), (0, -4), (-12, 0), (0, 9), (3, 0), (0, -2)):
        x, y = x + dx, y + dy
        places.append(f"{x}/{y}")
    return _derived(
        "A surveyor starts at 0/0 (east/north, in paces) and walks 7 east, 4 south, 12 west, 9 north, 3 east, 2 south."
        " State the position after each leg in the form east/north, with a minus sign for west or south, and as the"
        " result how many paces it takes to walk back along the grid.",
        places, abs(x) + abs(y), named="Leg {}",
    )  # fmt: skip


def _checksum() -> Task:
    number, remainders = 0, list[int]()
    for digit in "83920475":
        number = (number * 10 + int(digit)) % 97
        remainders.append(number)
    return _derived(
        "A check number is made of 83920475 digit by digit, from the left. Begin with 0; for each digit multiply by ten,"
        " add the digit, and keep the remainder after division by 97. State the remainder after each digit, and as the"
        " result 98 minus the last remainder.",
        remainders, 98 - number, named="Digit {}",
    )  # fmt: skip


def _loan() -> Task:
    debt, debts = 8000, list[int]()
    for _ in range(6):
        debt = debt + debt * 3 // 100 - 1200
        debts.append(debt)
    return _derived(
        "A loan of 8000 crowns is paid back yearly. At the end of each year 3 percent of the debt are added, rounded down"
        " to whole crowns, and then 1200 crowns are paid. State the debt after each of the first six years, and as the"
        " result how many crowns of interest were added in these six years.",
        debts, debt - 8000 + 6 * 1200, named="Year {}",
    )  # fmt: skip


def _seats() -> Task:
    row, first = ["Ines", "Jonas", "Katya", "Luca", "Mirela", "Noor"], list[str]()
    for left, right in ((1, 4), (2, 6), (3, 4), (1, 5), (2, 3)):
        row[left - 1], row[right - 1] = row[right - 1], row[left - 1]
        first.append(row[0])
    return _derived(
        "Six people sit in seats 1 to 6: Ines, Jonas, Katya, Luca, Mirela, Noor. One after the other, the people in these"
        " seats change places: 1 and 4; 2 and 6; 3 and 4; 1 and 5; 2 and 3. State who sits in seat 1 after each change,"
        " and as the result the names in order of the seats in the end.",
        first, row, named="Change {}",
    )  # fmt: skip


def _flight() -> Task:
    minute, times = 22 * 60 + 35, list[str]()
    for minutes in (165, 50, 415, 80, 245):
        minute += minutes
        times.append(clock(minute))
    return _derived(
        "A parcel leaves Varde at 22:35 by Varde's clock. The flight to Osmin takes 2 hours 45 minutes, the wait there 50"
        " minutes, the flight to Kelb 6 hours 55 minutes, the wait there 1 hour 20 minutes, and the lorry to Tarn 4 hours"
        " 5 minutes. State the time by Varde's clock after each of the five parts, as HH:MM, and as the result the time"
        " of arrival by Tarn's clock, which is 3 hours 30 minutes ahead of Varde's.",
        times, clock(minute + 210), named="Part {}",
    )  # fmt: skip


def _carp() -> Task:
    fish, counts = 48, list[int]()
    for year in range(1, 7):
        fish = fish * 2 - (25 if year % 2 else 60)
        counts.append(fish)
    return _derived(
        "A pond begins with 48 carp. Every year their number doubles; then 25 are caught in the years 1, 3 and 5, and 60"
        " in the years 2, 4 and 6. State the number after each of the six years, and as the result how many were caught"
        " in all.",
        counts, 3 * 25 + 3 * 60, named="Year {}",
    )  # fmt: skip


def _bases() -> Task:
    digits = [int(digit, 16) for digit in "b3e"]
    return _derived(
        "Convert the hexadecimal number b3e. State first the value of its first digit times 256, then that of its second"
        " digit times 16, then that of its third digit, all in decimal, then their sum, and as the result the sum written"
        " in octal, in digits without a prefix.",
        (digits[0] * 256, digits[1] * 16, digits[2], 0xB3E), int(f"{0xB3E:o}"),
    )  # fmt: skip


def _sieve() -> Task:
    left, counts = list(range(1, 61)), list[int]()
    for step in (2, 3, 4, 5):
        left = [number for position, number in enumerate(left, start=1) if position % step]
        counts.append(len(left))
    return _derived(
        "The numbers 1 to 60 stand in a row. First every second number of the row is struck out (the 2nd, the 4th and so"
        " on); then every third of those that are left, then every fourth of those left after that, then every fifth."
        " State how many are left after each of the four rounds, and as the result the largest number left in the end.",
        counts, left[-1], named="Round {}",
    )  # fmt: skip


REASONING = (
    _cistern(), _registers(), _walk(), _checksum(), _loan(), _seats(), _flight(), _carp(), _bases(), _sieve(),
)  # fmt: skip
