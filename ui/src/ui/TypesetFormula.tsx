import { render } from "katex";
import "katex/dist/katex.min.css";
import { useLayoutEffect, useRef } from "react";
import styles from "./Markdown.module.css";

interface Props {
  tex: string;
  isDisplay: boolean;
}

/** KaTeX makes elements, no markup; `trust` stays off, so that no formula links or loads anything. */
export default function TypesetFormula({ tex, isDisplay }: Props) {
  const box = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (!box.current) return;
    render(tex, box.current, {
      displayMode: isDisplay,
      throwOnError: false,
      errorColor: "currentColor",
      strict: "ignore",
      maxSize: 20,
      maxExpand: 200,
    });
  }, [tex, isDisplay]);
  return <span ref={box} className={isDisplay ? styles.formula : undefined} />;
}
