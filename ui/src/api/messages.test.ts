import { expect, test } from "vitest";
import { turnsOf } from "./messages";

test("messages become turns, in order", () => {
  const prompt = JSON.stringify([
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    },
  ]);
  expect(turnsOf(prompt).map(({ role, text }) => [role, text])).toEqual([
    ["system", "Be brief."],
    ["user", "one\ntwo"],
  ]);
});

test("a tool's answer names the call it belongs to", () => {
  const prompt = JSON.stringify([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", function: { name: "ls", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: "a.txt" },
  ]);
  const [asked, answered] = turnsOf(prompt);
  expect(asked?.toolCalls).toEqual([{ id: "c1", name: "ls", input: "{}" }]);
  expect(answered?.answers).toBe("c1");
});

test.each(["plain text", "[1, 2]", '"quoted"', "{}"])("%s is one turn of the user's", (prompt) => {
  expect(turnsOf(prompt)).toEqual([{ role: "user", text: prompt, toolCalls: [], answers: undefined }]);
});
