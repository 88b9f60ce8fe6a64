import { expect, test } from "vitest";
import { doubtful, stagesText } from "./wording";

test("steps and ramps are named with their unit", () => {
  const stages = [
    { first: 1, last: 1 },
    { first: 2, last: 64 },
  ];
  expect(stagesText({ loop: "closed", stages })).toBe("1, 2 to 64 clients");
  expect(stagesText({ loop: "open", stages })).toBe("1, 2 to 64 requests/s");
});

test("of many stages the first are named", () => {
  const stages = Array.from({ length: 20 }, (_, place) => ({ first: place, last: place }));
  expect(stagesText({ loop: "closed", stages })).toBe("0, 1, 2, 3, 4, 5, … clients");
});

test("no doubt is said in a word", () => {
  expect(doubtful(0, 4)).toBe("none");
  expect(doubtful(1, 4)).toBe("1 of 4");
});
