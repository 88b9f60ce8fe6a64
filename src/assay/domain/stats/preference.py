"""Strengths of competitors from comparisons of two at a time: the model of Bradley and Terry."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_TOLERANCE = 1e-10
_MAX_STEPS = 10_000
_Z_95 = 1.959963984540054


class Duel(NamedTuple):
    """`score` of the first: 1 for a win, one half for a tie, 0 for a loss."""

    first: str
    second: str
    score: float


@dataclass(frozen=True, slots=True)
class Strength:
    """The natural logarithm of a strength, with its 95 % interval; the logarithms of all add up to 0."""

    log: float
    low: float
    high: float


def bradley_terry(duels: Sequence[Duel]) -> dict[str, Strength]:
    """Maximum likelihood with intervals from the Fisher information; a tie counts as half a win of each.

    Strengths exist only among competitors of whom each has beaten each other, directly or through others:
    who has won everything is stronger than any number says. Of several such groups the one with the most
    duels is taken; the competitors outside it are left out.
    """
    wins = _wins(duels)
    names = _largest_group(wins)
    if not names:
        return {}
    strengths = _fitted(names, wins)
    errors = _standard_errors(names, wins, strengths)
    return {
        name: Strength(log, log - _Z_95 * error, log + _Z_95 * error)
        for name, log, error in zip(names, map(math.log, strengths), errors, strict=True)
    }


_Wins = Mapping[str, Mapping[str, float]]


def _wins(duels: Iterable[Duel]) -> _Wins:
    wins: dict[str, dict[str, float]] = {}
    for first, second, score in duels:
        for winner, loser, share in ((first, second, score), (second, first, 1 - score)):
            row = wins.setdefault(winner, {})
            row[loser] = row.get(loser, 0.0) + share
    return wins


def _largest_group(wins: _Wins) -> list[str]:
    """The strongly connected competitors with the most duels, in order of their names; at least two."""
    left = set(wins)
    best: list[str] = []
    most = 0.0
    while left:
        start = min(left)
        group = _reached(start, wins) & _reached(start, _reversed(wins))
        left -= group
        duels = math.fsum(wins[one].get(other, 0.0) for one in group for other in group)
        if len(group) > 1 and duels > most:
            best, most = sorted(group), duels
    return best


def _reversed(wins: _Wins) -> _Wins:
    return {name: {other: wins[other].get(name, 0.0) for other in wins[name]} for name in wins}


def _reached(start: str, wins: _Wins) -> set[str]:
    found, waiting = {start}, [start]
    while waiting:
        for other, count in wins[waiting.pop()].items():
            if count > 0 and other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _fitted(names: Sequence[str], wins: _Wins) -> list[float]:
    """Minorise-maximise; the geometric mean of the strengths is 1."""
    strengths = dict.fromkeys(names, 1.0)
    won = {name: math.fsum(wins[name].get(other, 0.0) for other in names) for name in names}
    for _ in range(_MAX_STEPS):
        raised = {
            name: won[name]
            / math.fsum(
                _duels(wins, name, other) / (strengths[name] + strengths[other])
                for other in names
                if other != name
            )
            for name in names
        }
        scale = math.exp(math.fsum(map(math.log, raised.values())) / len(names))
        after = {name: strength / scale for name, strength in raised.items()}
        change = max(abs(math.log(after[name] / strengths[name])) for name in names)
        strengths = after
        if change < _TOLERANCE:
            break
    return [strengths[name] for name in names]


def _duels(wins: _Wins, one: str, other: str) -> float:
    return wins[one].get(other, 0.0) + wins[other].get(one, 0.0)


def _standard_errors(names: Sequence[str], wins: _Wins, strengths: Sequence[float]) -> list[float]:
    """Of the logarithms under the condition that they add up to 0."""
    size = len(names)
    # The information has one direction of zeros, that of a common factor: filled here, taken out below.
    information = [[1 / size] * size for _ in names]
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            if i != j:
                share = strengths[i] / (strengths[i] + strengths[j])
                known = _duels(wins, one, other) * share * (1 - share)
                information[i][i] += known
                information[i][j] -= known
    inverse = _inverted(information)
    return [math.sqrt(max(0.0, inverse[i][i] - 1 / size)) for i in range(size)]


def _inverted(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """By Gauss and Jordan; the matrix is positive definite, so the diagonal needs no search for a pivot."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for place in range(size):
        pivot = rows[place][place]
        rows[place] = [value / pivot for value in rows[place]]
        for other in range(size):
            factor = rows[other][place]
            if other != place and factor:
                rows[other] = [
                    value - factor * base for value, base in zip(rows[other], rows[place], strict=True)
                ]
    return [row[size:] for row in rows]
