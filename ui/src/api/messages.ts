export interface ToolCall {
  id: string | undefined;
  name: string;
  input: string;
}

/** One turn of a conversation as it was sent. */
export interface Turn {
  role: string;
  text: string;
  toolCalls: ToolCall[];
  /** The call that a tool's turn answers. */
  answers: string | undefined;
}

/** A prompt is stored as JSON of its messages; anything else is one turn of the user's. */
export function turnsOf(prompt: string): Turn[] {
  const parsed = parsedJson(prompt);
  if (!Array.isArray(parsed) || !parsed.every(isRecord)) {
    return prompt ? [{ role: "user", text: prompt, toolCalls: [], answers: undefined }] : [];
  }
  return parsed.map((message) => ({
    role: asText(message["role"]) || "user",
    text: contentText(message["content"]),
    toolCalls: Array.isArray(message["tool_calls"])
      ? message["tool_calls"].filter(isRecord).map(toolCallOf)
      : [],
    answers: asText(message["tool_call_id"]) || undefined,
  }));
}

function toolCallOf(call: Record<string, unknown>): ToolCall {
  const made = isRecord(call["function"]) ? call["function"] : call;
  return {
    id: asText(call["id"]) || undefined,
    name: asText(made["name"]) || "tool",
    input: asText(made["arguments"] ?? made["input"]),
  };
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === null || content === undefined ? "" : asText(content);
  return content
    .map((part) => (isRecord(part) && "text" in part ? asText(part["text"]) : asText(part)))
    .join("\n");
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
