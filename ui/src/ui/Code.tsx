import { lazy, Suspense } from "react";
import { Boundary } from "./Boundary";

const HighlightedCode = lazy(() => import("./HighlightedCode"));

/** Beyond this, colours cost more than they help. */
const LONGEST = 40_000;

/** Code in the colours of its language, once what colours it is there. */
export function Code({ language, children }: { language: string; children: string }) {
  if (!language || children.length > LONGEST) return children;
  return (
    <Boundary instead={children}>
      <Suspense fallback={children}>
        <HighlightedCode language={language}>{children}</HighlightedCode>
      </Suspense>
    </Boundary>
  );
}
