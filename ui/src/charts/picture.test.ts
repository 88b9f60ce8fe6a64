import { expect, test } from "vitest";
import { fileName } from "./picture";

test("a file is named after its chart", () => {
  expect(fileName("Score against cost", "svg")).toBe("score-against-cost.svg");
  expect(fileName("../“Über” % 1/2", "png")).toBe("ber-1-2.png");
  expect(fileName("…", "png")).toBe("chart.png");
});
