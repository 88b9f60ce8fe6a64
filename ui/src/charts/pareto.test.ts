import { expect, test } from "vitest";
import { frontier } from "./pareto";

const point = (name: string, cost: number, score: number) => ({ name, cost, score });

test("only points that nothing beats are on the line, from cheap to dear", () => {
  const points = [
    point("dear and worse", 9, 0.4),
    point("best", 5, 0.9),
    point("cheap", 1, 0.5),
    point("dominated", 2, 0.5),
  ];
  expect(frontier(points).map(({ name }) => name)).toEqual(["cheap", "best"]);
});

test("of two at the same cost the better one counts", () => {
  expect(frontier([point("a", 1, 0.2), point("b", 1, 0.3)]).map(({ name }) => name)).toEqual(["b"]);
  expect(frontier([])).toEqual([]);
});
