import { cutAt } from "./found";

/** A text in which what was searched for is marked. */
export function FoundText({ text, part }: { text: string; part: string | undefined }) {
  return cutAt(text, part).map(({ text: one, isFound }, place) =>
    // oxlint-disable-next-line react/no-array-index-key -- the parts of a text never change places
    isFound ? <mark key={place}>{one}</mark> : <span key={place}>{one}</span>,
  );
}
