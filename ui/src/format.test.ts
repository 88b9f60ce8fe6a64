import { expect, test } from "vitest";
import { age, count, decimal, duration, percent, points, secondsRange, usd } from "./format";

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, " ");

test.each([
  [null, "unknown"],
  [0, "$0"],
  [0.00001, "< $0.0001"],
  [0.0123, "$0.0123"],
  [0.1, "$0.10"],
  [1234.5, "$1,234.50"],
])("a cost of %s reads %s", (amount, expected) => {
  expect(plain(usd(amount))).toBe(expected);
});

test.each([
  [812, "812 ms"],
  [9_400, "9.4 s"],
  [59_400, "59 s"],
  [59_600, "1 min 00 s"],
  [200_000, "3 min 20 s"],
  [3_840_000, "1 h 04 min"],
])("%s ms last %s", (ms, expected) => {
  expect(plain(duration(ms))).toBe(expected);
});

test.each([
  [0, "just now"],
  [42_000, "42 s ago"],
  [180_000, "3 min ago"],
  [7_200_000, "2 h ago"],
  [172_800_000, "2 d ago"],
  [40 * 86_400_000, "1 Jan 2026"],
])("%s ms ago is shown as %s", (ms, expected) => {
  const then = Date.parse("2026-01-01T12:00:00Z");
  expect(plain(age("2026-01-01T12:00:00Z", then + ms))).toBe(expected);
});

test("there is one minus sign", () => {
  const shown = [count(-1200), decimal(-0.5, 2), points(-0.076)];
  expect(shown).toEqual(["\u22121,200", "\u22120.50", "\u22127.6"]);
});

test("a figure stays on one line with its unit", () => {
  const shown = [
    percent(0.5),
    duration(812),
    duration(200_000),
    secondsRange({ low: 12, high: 14 }),
    usd(1e-9),
  ];
  expect(shown.filter((text) => text.includes(" "))).toEqual([]);
});

test("shares are percents with one decimal, counts have separators", () => {
  expect(plain(percent(0.8416))).toBe("84.2 %");
  expect(count(12_032)).toBe("12,032");
});

test.each([
  [0, 0.4, "under a second"],
  [0.2, 7.5, "up to 8 s"],
  [12, 14, "12 – 14 s"],
  [5, 5, "about 5 s"],
  [290, 400, "4 – 7 min"],
  [3600, 9000, "1 – 2.5 h"],
])("from %s to %s seconds is %s", (low, high, expected) => {
  expect(plain(secondsRange({ low, high }))).toBe(expected);
});
