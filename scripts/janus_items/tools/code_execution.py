"""15 tasks that take a program, on numbers that nobody has in mind."""

from scripts.janus_items.tools.recorder import Solution, Solver, ToolTask

_CODE = "run_python"
_FILES = "run_python list_files read_file"


def _number(code: str) -> Solver:
    def solve(s: Solution) -> float:
        s.allowed = ("list_files", "read_file")
        printed = s.program(code)
        return float(printed) if "." in printed else int(printed)

    return solve


def _text(code: str) -> Solver:
    def solve(s: Solution) -> str:
        s.allowed = ("list_files", "read_file")
        return s.program(code)

    return solve


_ROWS = 'import csv\nrows = list(csv.DictReader(open("{}")))\n'
_LOG = 'lines = [line.split() for line in open("logs/pumps.log")]\n'

TASKS = (
    ToolTask(
        "What is the sum of all prime numbers below 20,000?",
        _CODE,
        _number("print(sum(n for n in range(2, 20000) if all(n % d for d in range(2, int(n ** 0.5) + 1))))"),
    ),
    ToolTask(
        "What are the first eight characters of the SHA-256 digest, in hexadecimal, of the text halden-2026 (in UTF-8, without"
        " a line break)?",
        _CODE,
        _text('import hashlib\nprint(hashlib.sha256(b"halden-2026").hexdigest()[:8])'),
    ),
    ToolTask(
        "The file reports/sales_january.csv has units and the price of one. What was the revenue of the region 'south' in"
        " January, to two decimals?",
        _FILES,
        _number(
            _ROWS.format("reports/sales_january.csv")
            + 'print(round(sum(int(r["units"]) * float(r["price"]) for r in rows if r["region"] == "south"), 2))'
        ),
    ),
    ToolTask(
        "What is the median of the temperatures in data/readings.csv? Give it with all its decimals.",
        _FILES,
        _number(
            "import statistics\n"
            + _ROWS.format("data/readings.csv")
            + 'print(round(statistics.median(float(r["celsius"]) for r in rows), 3))'
        ),
    ),
    ToolTask(
        "In data/readings.csv, what is the greatest number of readings in a row that are above 21.0 degrees?",
        _FILES,
        _number(
            _ROWS.format("data/readings.csv")
            + "best = run = 0\n"
            + 'for r in rows:\n    run = run + 1 if float(r["celsius"]) > 21 else 0\n    best = max(best, run)\nprint(best)'
        ),
    ),
    ToolTask(
        "How many lines of logs/pumps.log are WARN or ERROR and have a pressure above 3.00?",
        _FILES,
        _number(
            _LOG + 'print(sum(l[2] in ("WARN", "ERROR") and float(l[3].split("=")[1]) > 3 for l in lines))'
        ),
    ),
    ToolTask(
        "Which pump has the highest mean pressure in logs/pumps.log? Give its name as it stands there.",
        _FILES,
        _text(
            _LOG + "by = {}\nfor l in lines:\n"
            '    by.setdefault(l[1], []).append(float(l[3].split("=")[1]))\n'
            "print(max(by, key=lambda name: sum(by[name]) / len(by[name])))"
        ),
    ),
    ToolTask(
        "The roads in data/roads.csv can be driven both ways. How long, in km, is the shortest way from place 4 to place 16?",
        _FILES,
        _number(
            _ROWS.format("data/roads.csv") + "import heapq\nroads = {}\nfor r in rows:\n"
            '    a, b, km = (int(r[key]) for key in ("from", "to", "km"))\n'
            "    roads.setdefault(a, []).append((b, km))\n    roads.setdefault(b, []).append((a, km))\n"
            "queue, seen = [(0, 4)], set()\nwhile queue:\n    so_far, place = heapq.heappop(queue)\n"
            "    if place == 16:\n        print(so_far)\n        break\n    if place not in seen:\n"
            "        seen.add(place)\n        for other, km in roads[place]:\n"
            "            heapq.heappush(queue, (so_far + km, other))"
        ),
    ),
    ToolTask(
        "Start with a positive number; halve it if it is even, else multiply it by 3 and add 1; repeat until it is 1. Which"
        " start below 10,000 takes the most steps?",
        _CODE,
        _number(
            "def steps(n):\n    count = 0\n    while n != 1:\n        n = n // 2 if n % 2 == 0 else 3 * n + 1\n"
            "        count += 1\n    return count\nprint(max(range(1, 10000), key=steps))"
        ),
    ),
    ToolTask(
        "What is the sum of the first 150 digits after the decimal point of 1/97?",
        _CODE,
        _number("print(sum(int(d) for d in str(10 ** 150 // 97).rjust(150, '0')))"),
    ),
    ToolTask(
        "How many Fridays fell on the 13th of a month from January 1990 to December 2024?",
        _CODE,
        _number(
            "import datetime\nprint(sum(datetime.date(y, m, 13).weekday() == 4 for y in range(1990, 2025)"
            " for m in range(1, 13)))"
        ),
    ),
    ToolTask(
        "Let x = 7. Replace x 5,000 times by (1103515245 * x + 12345) mod 2147483648. What is x then?",
        _CODE,
        _number("x = 7\nfor _ in range(5000):\n    x = (1103515245 * x + 12345) % 2147483648\nprint(x)"),
    ),
    ToolTask(
        "In how many ways can 60 be written as a sum of positive whole numbers, if the order does not count?",
        _CODE,
        _number(
            "ways = [1] + [0] * 60\nfor part in range(1, 61):\n    for total in range(part, 61):\n"
            "        ways[total] += ways[total - part]\nprint(ways[60])"
        ),
    ),
    ToolTask(
        "How many words of nine letters can be made of a, b and c if no letter stands next to itself and the word has an even"
        " number of a's?",
        _CODE,
        _number(
            "from itertools import product\nprint(sum(all(x != y for x, y in zip(w, w[1:])) and w.count('a') % 2 == 0"
            " for w in product('abc', repeat=9)))"
        ),
    ),
    ToolTask(
        "What does this program print?\n\nstate = [3, 1, 4, 1, 5, 9, 2, 6]\nfor step in range(1, 4001):\n"
        "    i = state[step % 8] % 8\n    state[i] = (state[i] * 5 + state[(i + step) % 8] + step) % 1013\n"
        "print(sum(state))",
        _CODE,
        _number(
            "state = [3, 1, 4, 1, 5, 9, 2, 6]\nfor step in range(1, 4001):\n    i = state[step % 8] % 8\n"
            "    state[i] = (state[i] * 5 + state[(i + step) % 8] + step) % 1013\nprint(sum(state))"
        ),
    ),
)
