"""A tournament: results of games, a game that is annulled, points and tie-breaks."""

from itertools import combinations

from scripts.janus_items.draw import Draw, RedrawError
from scripts.janus_items.names import PEOPLE, PLACES
from scripts.janus_items.world import World, ask, claim, listed

_GAMES = ("draughts", "nine men's morris", "quoits", "skittles", "fencing")


def tournament(draw: Draw) -> World:
    town, game, (umpire, *players) = draw.one(PLACES), draw.one(_GAMES), draw.some(PEOPLE, 6)
    short = [player.split()[0] for player in players]
    win, tie = draw.one(((3, 1), (5, 2), (4, 1)))
    scores: dict[tuple[str, str], tuple[int, int]] = {}
    for a, b in combinations(short, 2):
        left, right = draw.integer(2, 9), draw.integer(2, 9)
        scores[a, b] = (left, left if draw.integer(0, 3) == 0 else right)
    replayed = draw.one(list(scores))
    reported = dict(scores)
    scores[replayed] = (draw.integer(2, 9), draw.integer(2, 9))
    fined, fine = draw.one(short), draw.integer(1, 2)
    points, goals, wins = dict.fromkeys(short, 0), dict.fromkeys(short, 0), dict.fromkeys(short, 0)
    for (a, b), (left, right) in scores.items():
        points[a] += win if left > right else tie if left == right else 0
        points[b] += win if right > left else tie if left == right else 0
        wins[a] += left > right
        wins[b] += right > left
        goals[a] += left - right
        goals[b] += right - left
    points[fined] -= fine
    table = sorted(short, key=lambda name: (-points[name], -goals[name]))
    ties = sum(left == right for left, right in scores.values())
    tied = [name for name in short if list(points.values()).count(points[name]) > 1]
    differences = {pair: abs(left - right) for pair, (left, right) in scores.items()}
    widest = max(differences, key=lambda pair: differences[pair])
    first_sight = (
        scores[replayed] == reported[replayed] or list(differences.values()).count(differences[widest]) > 1
    )
    if (
        len({(points[name], goals[name]) for name in short}) < 5
        or ties < 1
        or not tied
        or first_sight
        or min(points.values()) < 0
    ):
        raise RedrawError
    if len(set(wins.values())) < 3 or len(set(goals.values())) < 5:
        raise RedrawError
    by_goals = sorted(short, key=lambda name: -goals[name])
    lines = [f"{a} against {b} {left}:{right}" for (a, b), (left, right) in reported.items()]
    (r_a, r_b), (new_left, new_right) = replayed, scores[replayed]
    documents = [
        (f"Players of the {game} tournament of {town}", f"{listed(players)}. Everybody plays everybody once. The results give first names. Umpire: {umpire}."),
        ("Results as they were posted", ". ".join(draw.some(lines, len(lines))) + "."),
        ("Protest", f"The game {r_a} against {r_b} was annulled, since the light had failed, and played again on Sunday. It ended {new_left}:{new_right}. {fined} loses {fine} point{'s' * (fine > 1)} in the table for coming late to it, whether or not {fined} took part."),
        ("Rules", f"A win is worth {win} points, a draw {tie} for each side, a defeat nothing. The table is ordered by points; between equal points by the difference, which is all that a player scored less all that was scored against that player."),
    ]  # fmt: skip
    chosen = draw.one(short)
    total = sum(points.values())
    return World(
        documents,
        claims=(
            lambda is_true: claim(
                f"{table[0] if is_true else table[1]} has won the tournament.",
                "Points of the winner", points[table[0]], is_true=is_true,
            ),
            lambda is_true: claim(
                f"All players together have {'more' if is_true else 'fewer'} than {total - 2 if is_true else total - 1} points in the table.",
                "Points of all", total, is_true=is_true,
            ),
        ),
        comparative=(
            ask(
                "Give first names. Order the five players as the final table has them, the winner first, and state the points of the first and of the last.",
                {"Table": table, "Points of first": points[table[0]], "Points of last": points[table[-1]]},
            ),
            ask(
                "Give first names. Rank the five players by their difference alone, the highest first, and state the highest and the lowest difference, with a minus sign where one is negative.",
                {"Ranking": by_goals, "Highest": goals[by_goals[0]], "Lowest": goals[by_goals[-1]]},
            ),
        ),
        synthesis=(
            ask(
                "Give first names. How many games that count were drawn, which players have the same number of points as another one, and how many points do all five have together?",
                {"Draws": ties, "Equal points": tied, "Points of all": total}, any_order=["Equal points"],
            ),
            ask(
                "How many games did each player win, counting only games that count?",
                {f"Wins of {name}": count for name, count in wins.items()},
            ),
        ),
        deep_dive=(
            ask(
                f"Give first names. Which two players had to play again, who of them had won the annulled game (or nobody), what is the place of {fined} in the final table, and which place would {fined} have without the lost points?",
                {"Played again": list(replayed), "Won the annulled game": "nobody" if reported[replayed][0] == reported[replayed][1] else replayed[reported[replayed][0] < reported[replayed][1]], "Place": table.index(fined) + 1, "Place without the loss": 1 + sum((points[name], goals[name]) > (points[fined] + fine, goals[fined]) for name in short if name != fined)},
                any_order=["Played again"],
            ),
            ask(
                f"Give first names. For {chosen}: wins, points, difference (with a minus sign if negative), place in the final table, and the player who was beaten by the widest margin in any game that counts.",
                {"Wins": wins[chosen], "Points": points[chosen], "Difference": goals[chosen], "Place": table.index(chosen) + 1, "Beaten most widely": widest[scores[widest][0] > scores[widest][1]]},
            ),
        ),
    )  # fmt: skip
