import { expect, test } from "vitest";
import { placedLabels } from "./labels";

test("a name stands on the side that has room, and is cut from its beginning where neither has", () => {
  const [left, right] = placedLabels(
    [
      { label: "vllm/near-the-edge", x: 580, y: 10 },
      { label: "sim/a", x: 20, y: 200 },
    ],
    600,
  );
  expect(left).toMatchObject({ isRight: false, x: 570, text: "vllm/near-the-edge" });
  expect(right).toMatchObject({ isRight: true, x: 30 });
  const [cut] = placedLabels([{ label: "a-very-long-name-of-a-model", x: 60, y: 10 }], 130);
  expect(cut?.text).toMatch(/^….*model$/);
});

test("no name lies on another", () => {
  const points = [100, 102, 101, 180].map((y, place) => ({ label: `model-${place}`, x: 50, y }));
  const lines = placedLabels(points, 600).map(({ y }) => y);
  const sorted = lines.toSorted((a, b) => a - b);
  for (const [place, y] of sorted.slice(1).entries())
    expect(y - (sorted[place] ?? 0)).toBeGreaterThanOrEqual(15);
});

test("a name stands off the line that rises through its point", () => {
  const [right] = placedLabels([{ label: "a", x: 50, y: 100 }], 600);
  const [left] = placedLabels([{ label: "a-long-name", x: 590, y: 100 }], 600);
  expect(right?.y).toBeGreaterThan(105);
  expect(left?.y).toBeLessThan(95);
});
