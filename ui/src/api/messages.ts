export interface ToolCall {
  id: string | undefined;
  name: string;
  input: string;
}

/** One turn of a conversation as it was sent. */
export interface Turn {
  role: string;
  /** Who speaks, where several have the same part. */
  name?: string | undefined;
  text: string;
  toolCalls: ToolCall[];
  /** The call that a tool's turn answers. */
  answers: string | undefined;
  /** Why a tool's turn is an error. */
  fault?: string | undefined;
  /** Data URLs; pictures elsewhere are shown by their address alone. */
  pictures: string[];
  sounds: string[];
}

/** A conversation with tools, as the answer of an attempt. */
export interface Conversation {
  turns: Turn[];
  /** What is said about the whole, such as why it ended. */
  facts: [name: string, value: string][];
}

const FORMAT = "assay-transcript/1";
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const SOUND_FORMAT = /^[a-z0-9]{2,5}$/;
const BASE64 = /^[A-Za-z0-9+/=]+$/;
const DRAWING = /<svg[\s>][\s\S]*<\/svg\s*>/i;
const LONGEST_DRAWING = 100_000;

/** A prompt is stored as JSON of its messages; anything else is one turn of the user's. */
export function turnsOf(prompt: string): Turn[] {
  const parsed = parsedJson(prompt);
  if (!Array.isArray(parsed) || !parsed.every(isRecord)) {
    return prompt
      ? [{ role: "user", text: prompt, toolCalls: [], answers: undefined, pictures: [], sounds: [] }]
      : [];
  }
  return parsed.map(turnOf);
}

/** The conversation that an answer is, or null. */
export function conversationOf(answer: string): Conversation | null {
  const parsed = answer.startsWith("{") ? parsedJson(answer) : undefined;
  if (!isRecord(parsed) || parsed["format"] !== FORMAT) return null;
  const { format: _, messages, ...facts } = parsed;
  if (!Array.isArray(messages) || !messages.every(isRecord)) return null;
  const told = Object.entries(facts).filter(([, value]) => typeof value !== "object");
  return { turns: messages.map(turnOf), facts: told.map(([name, value]) => [name, asText(value)]) };
}

/** What a reply draws, as an address for an image, which runs no script and fetches nothing; or null. */
export function drawingIn(reply: string): string | null {
  const found = reply.length <= LONGEST_DRAWING ? DRAWING.exec(reply) : null;
  return found ? `data:image/svg+xml,${encodeURIComponent(found[0].replaceAll("\uFFFD", ""))}` : null;
}

function turnOf(message: Record<string, unknown>): Turn {
  const parts = Array.isArray(message["content"]) ? message["content"].filter(isRecord) : [];
  return {
    role: asText(message["role"]) || "user",
    name: asText(message["name"]) || undefined,
    text: contentText(message["content"]),
    toolCalls: Array.isArray(message["tool_calls"])
      ? message["tool_calls"].filter(isRecord).map(toolCallOf)
      : [],
    answers: asText(message["tool_call_id"]) || undefined,
    fault: asText(message["fault"]) || undefined,
    pictures: parts.map(pictureOf).filter((url) => url !== null),
    sounds: parts.map(soundOf).filter((url) => url !== null),
  };
}

function pictureOf(part: Record<string, unknown>): string | null {
  const image = part["image_url"];
  const url = isRecord(image) ? image["url"] : image;
  return typeof url === "string" && PICTURE.test(url) ? url : null;
}

function soundOf(part: Record<string, unknown>): string | null {
  const audio = part["input_audio"];
  if (!isRecord(audio)) return null;
  const { data, format } = audio;
  const isSound =
    typeof data === "string" && typeof format === "string" && BASE64.test(data) && SOUND_FORMAT.test(format);
  return isSound ? `data:audio/${format};base64,${data}` : null;
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
    .filter((part) => !isRecord(part) || (pictureOf(part) === null && soundOf(part) === null))
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
