import { lazy, Suspense } from "react";
import { Boundary } from "./Boundary";

interface Props {
  tex: string;
  isDisplay: boolean;
}

const TypesetFormula = lazy(() => import("./TypesetFormula"));

/** A formula, set in type once what sets it is there; until then, and where it cannot be read, its source. */
export function Formula({ tex, isDisplay }: Props) {
  const source = <code>{tex}</code>;
  return (
    <Boundary instead={source}>
      <Suspense fallback={source}>
        <TypesetFormula tex={tex} isDisplay={isDisplay} />
      </Suspense>
    </Boundary>
  );
}
