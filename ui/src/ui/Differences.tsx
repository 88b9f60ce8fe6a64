import { differences } from "./diff";

/** A text in which is marked what `other` does not say. */
export function Differences({ text, other }: { text: string; other: string | undefined }) {
  if (other === undefined) return text;
  return differences(text, other).map((part, place) =>
    // oxlint-disable-next-line react/no-array-index-key -- the parts of a text never change places
    part.isShared ? <span key={place}>{part.text}</span> : <mark key={place}>{part.text}</mark>,
  );
}
