import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../api/client";
import { sampleSizeQuery } from "../api/start";
import { count, percent } from "../format";
import { Button } from "../ui/Button";
import { useDebounced } from "../ui/debounced";
import { inputClass } from "../ui/Field";
import type { Draft } from "./draft";
import styles from "./SampleSize.module.css";

interface Props {
  draft: Draft;
  change: (part: Draft) => void;
}

const TYPING_MS = 350;
const MOST_POINTS = 50;

/** How many items it takes to tell two models apart, before anything is spent. */
export function SampleSize({ draft, change }: Props) {
  const [typed, setTyped] = useState("3");
  const points = Number(useDebounced(typed, TYPING_MS));
  const isUsable = points > 0 && points <= MOST_POINTS;
  const found = useQueries({
    queries: (isUsable ? (draft.benchmark ?? []) : []).map((benchmark) =>
      sampleSizeQuery({ benchmark, difference: points / 100, data: draft.data ?? "official" }),
    ),
    combine: (answers) => answers.flatMap(({ data }) => (data ? [data] : [])),
  });
  if (!draft.benchmark?.length) return null;
  return (
    <div className={styles.sizes}>
      <p>
        <label>
          To tell two models apart by{" "}
          <input
            className={inputClass}
            inputMode="decimal"
            aria-invalid={isUsable ? undefined : true}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />{" "}
          points, 9 times in 10:
        </label>
      </p>
      {isUsable ? (
        <ul>
          {found.map((one) => (
            <li key={one.benchmark}>
              <span>
                <b>{one.benchmark}</b>: {sentence(one)}
              </span>
              {one.paired <= one.benchmark_size ? (
                <Button isSmall onClick={() => change({ count: String(one.paired), pct: "" })}>
                  Ask {count(one.paired)}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.problem}>Give a number above 0 and at most {MOST_POINTS}.</p>
      )}
    </div>
  );
}

function sentence({ paired, benchmark_size: size, score, spread }: Schemas["SampleSizes"]): string {
  const basis = spread.models.length
    ? `from ${spread.models.length === 1 ? "a stored run" : `stored runs of ${spread.models.length} models`}`
    : "at worst: no stored run tells how models differ";
  const where = `for scores near ${percent(score)}, ${basis}`;
  if (paired > size) return `its ${count(size)} items are too few (${where})`;
  return `${count(paired)} of ${count(size)} items, the same for both (${where})`;
}
