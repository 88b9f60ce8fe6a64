"""Twenty replies of some forty to two hundred lines."""

from datetime import date, timedelta
from itertools import accumulate, pairwise, product

from scripts.janus_items.lines import by_rules, clock, exact, roman

_FIRST, _SECOND = (
    ("Ada", "Boris", "Carla", "Dario", "Edda", "Farid", "Greta", "Henk"),
    ("Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir"),
)
_TRACK_A, _TRACK_B = range(6 * 60, 22 * 60, 25), range(6 * 60 + 10, 22 * 60, 40)


def _collatz(number: int) -> list[int]:
    found = [number]
    while number != 1:
        number = number // 2 if number % 2 == 0 else 3 * number + 1
        found.append(number)
    return found


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _fibonacci(count: int) -> list[int]:
    found = [1, 1]
    while len(found) < count:
        found.append(found[-1] + found[-2])
    return found


def _mondays(year: int) -> list[date]:
    days = (date(year, 1, 1) + timedelta(n) for n in range(366))
    return [day for day in days if day.year == year and day.weekday() == 0]


def _lanterns(count: int) -> list[str]:
    return [
        f"{n} lanterns burn on the quay; the wind takes one and {n - 1} {'lantern is' if n == 2 else 'lanterns are'} left."
        for n in range(count, 1, -1)
    ]


def _snake() -> list[str]:
    rows = [[f"{column}{row}" for column in "abcdefgh"] for row in range(1, 9)]
    return [square for number, row in enumerate(rows) for square in (row if number % 2 == 0 else row[::-1])]


def _balance(days: int) -> list[str]:
    moves = ((15 if day % 5 else -40) for day in range(1, days + 1))
    return [f"Day {day}: {total}" for day, total in enumerate(accumulate(moves), start=1)]


def _departures() -> list[str]:
    both = [(minute, "A") for minute in _TRACK_A] + [(minute, "B") for minute in _TRACK_B]
    return [f"{clock(minute)} {track}" for minute, track in sorted(both)]


LONG = (
    exact("Write the squares of 1 to 120, one per line, in the form '7: 49'.", (f"{n}: {n * n}" for n in range(1, 121))),
    exact("Write the multiplication table of 2 to 12 times 2 to 12, one product per line, in the form '2 x 3 = 6'. The first factor changes slowest.", (f"{a} x {b} = {a * b}" for a, b in product(range(2, 13), repeat=2))),
    exact("Write all prime numbers below 600 in rising order, one per line.", filter(_is_prime, range(600))),
    exact("Count down from 180 to 81, one number per line, but write the word 'bell' in place of every number that 7 divides or that ends in 7.", ("bell" if n % 7 == 0 or n % 10 == 7 else n for n in range(180, 80, -1))),
    exact("Track A has departures from 06:00 every 25 minutes, track B from 06:10 every 40 minutes; the last of each is before 22:00. Write all departures of both in order of time, one per line, in the form '06:00 A'. Where two are at the same time, A comes first.", _departures()),
    exact("Begin with 97. If a number is even, the next one is its half; if it is odd, the next one is three times the number plus one. Write every number from 97 until you reach 1, one per line.", _collatz(97)),
    exact("Write the dates of all Mondays of the year 2031, one per line, as YYYY-MM-DD. 1 January 2031 is a Wednesday.", _mondays(2031)),
    exact("Write the numbers from 41 to 140 as Roman numerals, one per line.", map(roman, range(41, 141))),
    exact("Write the numbers from 0 to 127 in binary with seven digits each, one per line.", (f"{n:07b}" for n in range(128))),
    exact("Write a counting rhyme, one verse per line. The first line is '45 lanterns burn on the quay; the wind takes one and 44 lanterns are left.' Every line counts one lantern fewer at both places. The last line begins with '2 lanterns burn' and ends with '1 lantern is left.'", _lanterns(45)),
    exact("Write the first 75 Fibonacci numbers, beginning with 1 and 1, one per line, in digits without separators.", _fibonacci(75)),
    by_rules("Write 52 different lines about a harbour town, each of exactly eight words. Line 1 begins with a word that starts with A, line 2 with B, and so on to Z at line 26; lines 27 to 52 go through the alphabet once more.", count=52, words=8, starts=list("abcdefghijklmnopqrstuvwxyz")),
    by_rules("Write 40 different sentences of exactly ten words each, one per line, that tell of the work of a beekeeper. Every sentence has the word 'hive'.", count=40, words=10, contains=["hive"]),
    by_rules("Write a story of 48 sentences, one per line, no two of them equal, each of exactly nine words. The odd lines have the word 'lamp', the even lines the word 'tide'.", count=48, words=9, contains=["lamp", "tide"]),
    exact("Write the 64 squares of a chessboard, one per line, in the order in which a snake goes over it: row 1 from a1 to h1, row 2 from h2 back to a2, row 3 from a3 on, and so on.", _snake()),
    exact("Write the numbers 0 to 239 in hexadecimal with two lower-case digits each, eight numbers per line, separated by one space.", (" ".join(f"{n:02x}" for n in range(start, start + 8)) for start in range(0, 240, 8))),
    exact("An archive has floors 1 to 9 with rooms 1 to 14, but no room 13 on any floor and no room at all on floor 4. Write every room in order, one per line, in the form 'floor 2, room 11'.", (f"floor {floor}, room {room}" for floor in range(1, 10) for room in range(1, 15) if floor != 4 and room != 13)),
    exact("An account begins at 0. On every day 15 are put in, but on every fifth day (days 5, 10, 15 and so on) 40 are taken out instead. Write the balance at the end of each of the first 90 days, one per line, in the form 'Day 1: 15'.", _balance(90)),
    exact("Pair every first name with every tree and write the pairs one per line as 'Ada Ash', by tree in the order given and within a tree by first name in reverse of the order given. First names: " + ", ".join(_FIRST) + ". Trees: " + ", ".join(_SECOND) + ".", (f"{name} {tree}" for tree in _SECOND for name in reversed(_FIRST))),
    exact("Write the differences between neighbouring prime numbers for all primes from 2 to 401, one per line, in the form '5-7: 2'.", (f"{a}-{b}: {b - a}" for a, b in pairwise(filter(_is_prime, range(402))))),
)  # fmt: skip
