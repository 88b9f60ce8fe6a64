import { expect, test } from "vitest";
import { conversationOf, drawingIn, turnsOf } from "./messages";

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
  expect(turnsOf(prompt)).toEqual([
    { role: "user", text: prompt, toolCalls: [], answers: undefined, pictures: [], sounds: [] },
  ]);
});

test("pictures and sound of a prompt are told from its text, and nothing elsewhere is loaded", () => {
  const far = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
  const content = [
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "input_audio", input_audio: { data: "BBBB", format: "wav" } },
    { type: "image_url", image_url: { url: "data:image/svg+xml;base64,AAAA" } },
    far,
    { type: "text", text: "What is this?" },
  ];
  const [turn] = turnsOf(JSON.stringify([{ role: "user", content }]));
  expect(turn?.pictures).toEqual(["data:image/png;base64,AAAA"]);
  expect(turn?.sounds).toEqual(["data:audio/wav;base64,BBBB"]);
  expect(turn?.text).toContain("https://example.com/a.png");
  expect(turn?.text).toContain("What is this?");
  expect(turn?.text).not.toContain("BBBB");
});

test("an answer in the format of transcripts is a conversation, with its faults and how it ended", () => {
  const messages = [
    { role: "user", content: "Call it." },
    { role: "assistant", content: "", tool_calls: [{ id: "c1", function: { name: "f", arguments: "{" } }] },
    { role: "tool", tool_call_id: "c1", content: "no", fault: "invalid_arguments" },
  ];
  const answer = JSON.stringify({
    format: "assay-transcript/1",
    messages,
    stopped: "after 8 turns",
    more: {},
  });
  const conversation = conversationOf(answer);
  expect(conversation?.turns.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(conversation?.turns[2]?.fault).toBe("invalid_arguments");
  expect(conversation?.facts).toEqual([["stopped", "after 8 turns"]]);
});

test("both sides of a conversation may have a name and call tools", () => {
  const calls = [{ id: "c1", function: { name: "toggle_data", arguments: "{}" } }];
  const messages = [
    { role: "assistant", name: "Agent", content: "Hello" },
    { role: "user", name: "User", content: "", tool_calls: calls },
    { role: "tool", tool_call_id: "c1", content: "Mobile Data is now ON." },
  ];
  const turns = conversationOf(JSON.stringify({ format: "assay-transcript/1", messages }))?.turns;
  expect(turns?.map(({ name }) => name)).toEqual(["Agent", "User", undefined]);
  expect(turns?.[1]?.toolCalls.map(({ name }) => name)).toEqual(["toggle_data"]);
});

test.each([
  "",
  "42",
  "{",
  '{"format": "assay-transcript/2"}',
  '{"format": "assay-transcript/1", "messages": [1]}',
])("%s is no conversation", (answer) => {
  expect(conversationOf(answer)).toBeNull();
});

test("a drawing in a reply becomes an image", () => {
  expect(drawingIn("Here:\n```svg\n<svg viewBox='0 0 1 1'></svg>\n```")).toBe(
    "data:image/svg+xml,%3Csvg%20viewBox%3D'0%200%201%201'%3E%3C%2Fsvg%3E",
  );
  expect(drawingIn("an <svg> element")).toBeNull();
});
