import { createLowlight } from "lowlight";
import { type ReactNode, use } from "react";
import { grammarsOf } from "./grammars";
import "./highlight.css";

const lowlight = createLowlight();
/** By language, so that each is asked for once. */
const registrations = new Map<string, Promise<void>>();

type Root = ReturnType<typeof lowlight.highlight>;
type Part = Root["children"][number];

/** Its parts are elements of ours: nothing of the code becomes markup. */
export default function HighlightedCode({ language, children }: { language: string; children: string }) {
  const name = language.toLowerCase();
  use(registered(name));
  if (!lowlight.registered(name)) return children;
  return lowlight.highlight(name, children).children.map(shown);
}

function registered(name: string): Promise<void> {
  const under = registrations.get(name);
  if (under) return under;
  const begun = grammarsOf(name).then((grammars) => lowlight.register(grammars));
  registrations.set(name, begun);
  return begun;
}

function shown(part: Part, place: number): ReactNode {
  if (part.type === "text") return part.value;
  if (part.type !== "element") return null;
  const names = part.properties["className"];
  return (
    <span key={place} className={Array.isArray(names) ? names.join(" ") : undefined}>
      {part.children.map(shown)}
    </span>
  );
}
