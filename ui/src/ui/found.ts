/** ASCII letters alone are alike in either case, as for the server's search. */
function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Where the part begins in the text, without overlaps. */
export function placesOf(text: string, part: string): number[] {
  if (part === "") return [];
  const [whole, wanted] = [lowered(text), lowered(part)];
  const places: number[] = [];
  for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + wanted.length)) {
    places.push(at);
  }
  return places;
}

export interface FoundPart {
  text: string;
  isFound: boolean;
}

/** The text, cut where the part begins and ends. */
export function cutAt(text: string, part: string | undefined): FoundPart[] {
  const parts: FoundPart[] = [];
  let last = 0;
  for (const at of placesOf(text, part ?? "")) {
    const end = at + (part ?? "").length;
    parts.push({ text: text.slice(last, at), isFound: false }, { text: text.slice(at, end), isFound: true });
    last = end;
  }
  return [...parts, { text: text.slice(last), isFound: false }].filter(({ text: one }) => one !== "");
}
