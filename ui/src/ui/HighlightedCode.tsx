import { common, createLowlight } from "lowlight";
import type { ReactNode } from "react";
import "./highlight.css";

const lowlight = createLowlight(common);

type Root = ReturnType<typeof lowlight.highlight>;
type Part = Root["children"][number];

/** Its parts are elements of ours: nothing of the code becomes markup. */
export default function HighlightedCode({ language, children }: { language: string; children: string }) {
  const name = language.toLowerCase();
  if (!lowlight.registered(name)) return children;
  return lowlight.highlight(name, children).children.map(shown);
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
