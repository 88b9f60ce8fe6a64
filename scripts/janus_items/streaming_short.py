"""Twenty replies of four to sixteen lines."""

from itertools import accumulate

from scripts.janus_items.lines import by_rules, clock, exact, roman

_HERONS = ("grebe", "avocet", "bittern", "egret", "curlew", "dunlin", "fulmar", "crake")
_PLOTS = (("Ostrava Lane", 14, 3), ("Quill Street", 9, 5), ("Tannery Row", 22, 2), ("Mill End", 7, 8))
_LITRES = (18, 7, 25, 11, 40, 3, 16, 29, 8)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SENTENCE = "the lighthouse keeper counts seven boats"


def _marked(number: int) -> str:
    marks = "tick" * (number % 3 == 0) + "tock" * (number % 4 == 0)
    return marks or str(number)


def _shifted(word: str, by: int) -> str:
    return "".join(chr((ord(letter) - ord("a") + by) % 26 + ord("a")) for letter in word)


SHORT = (
    exact("Count from 17 to 53 in steps of 3, one number per line.", range(17, 54, 3)),
    exact("Count down from 200 to 116 in steps of 7, one number per line.", range(200, 115, -7)),
    exact("Write the letters of the word harpsichord in reverse order, one lower-case letter per line.", reversed("harpsichord")),
    exact("Write these years as Roman numerals without the century, one per line (that is, only the last two digits): 1814, 1849, 1876, 1892, 1938, 1963, 1999.", map(roman, (14, 49, 76, 92, 38, 63, 99))),
    exact(f"Sort these birds by the last letter of their name, and by the first letter where the last is equal; one name per line: {', '.join(_HERONS)}.", sorted(_HERONS, key=lambda name: (name[-1], name[0]))),
    exact("Write one line for each whole number from 1 to 16: 'tick' if 3 divides it, 'tock' if 4 divides it, 'ticktock' if both do, and else the number itself.", map(_marked, range(1, 17))),
    exact("Write the powers of 3 from 3 to the power of 2 up to 3 to the power of 9, one number per line, in digits without separators.", (3**n for n in range(2, 10))),
    exact("A ferry leaves at 08:05 and then every 47 minutes. Write the first nine departures as HH:MM, one per line.", (clock(8 * 60 + 5 + 47 * n) for n in range(9))),
    exact("Write the numbers 19 to 26 in binary, one per line, without a prefix.", (f"{n:b}" for n in range(19, 27))),
    exact("Write the days of the week backwards, one per line, beginning with Thursday and ending with Friday.", (_DAYS[(3 - n) % 7] for n in range(7))),
    by_rules("Write five lines about the sea. Each line has exactly four words, and the first letters of the lines spell the word CORAL.", count=5, words=4, starts=list("coral")),
    by_rules("Write six different lines about a market, one sentence per line. Each has exactly seven words, and one of them is the word 'baskets'.", count=6, words=7, contains=["baskets"]),
    exact("Draw a board of six lines with eight characters each: '#' and '.' in turn within a line, and each line begins with the other character than the line before. The first line begins with '#'.", (("#." * 4 if n % 2 == 0 else ".#" * 4) for n in range(6))),
    exact("Rewrite each record as 'rooms=R; name=NAME', one per line, in order of the number of rooms, fewest first. Records, as name, house number, rooms: " + "; ".join(f"{name}, {number}, {rooms}" for name, number, rooms in _PLOTS) + ".", (f"rooms={rooms}; name={name}" for name, _, rooms in sorted(_PLOTS, key=lambda plot: plot[2]))),
    exact("Write a triangle of seven lines: line n has the numbers from 1 to n, separated by one space.", (" ".join(map(str, range(1, n + 1))) for n in range(1, 8))),
    exact("For each of the numbers 101, 118, 135, 152, 169, 186 and 203, write the remainder after division by 13, one per line.", (n % 13 for n in range(101, 204, 17))),
    exact(f"A cask is filled with these amounts in litres, one after the other: {', '.join(map(str, _LITRES))}. Write how much is in it after each filling, one number per line.", accumulate(_LITRES)),
    exact(f"Move every letter four places forward in the alphabet (after z comes a). Write one word per line: {_SENTENCE}", (_shifted(word, 4) for word in _SENTENCE.split())),
    exact("Write the first ten whole numbers above 60 that neither 2 nor 3 nor 5 divides, one per line.", [n for n in range(61, 120) if n % 2 and n % 3 and n % 5][:10]),
    exact("Write the word 'lamp' and the word 'mast' in turn, five times each, beginning with 'lamp'. Each line has a word, a hyphen without spaces, and how many lines are left after this line.", (f"{('lamp', 'mast')[n % 2]}-{9 - n}" for n in range(10))),
)  # fmt: skip
