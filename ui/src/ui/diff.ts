export interface DiffPart {
  text: string;
  /** Whether the other text has it too, in the same place. */
  isShared: boolean;
}

const MOST_WORDS = 1_500;

/** The words of `text`, each marked by whether `other` has it too: a longest common subsequence. */
export function differences(text: string, other: string): DiffPart[] {
  const [words, others] = [wordsOf(text), wordsOf(other)];
  if (words.length > MOST_WORDS || others.length > MOST_WORDS) return [{ text, isShared: true }];
  const shared = sharedPlaces(words, others);
  const parts: DiffPart[] = [];
  for (const [place, word] of words.entries()) {
    const isShared = shared.has(place) || word.trim() === "";
    const last = parts.at(-1);
    if (last && last.isShared === isShared) last.text += word;
    else parts.push({ text: word, isShared });
  }
  return parts;
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[^\s]+/g) ?? [];
}

/** Places of the words that are part of the longest common subsequence. */
function sharedPlaces(words: readonly string[], others: readonly string[]): Set<number> {
  const width = others.length + 1;
  const lengths = new Uint16Array((words.length + 1) * width);
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = words.length - 1; i >= 0; i -= 1) {
    for (let j = others.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        words[i] === others[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  const found = new Set<number>();
  let [i, j] = [0, 0];
  while (i < words.length && j < others.length) {
    if (words[i] === others[j]) {
      found.add(i);
      i += 1;
      j += 1;
    } else if (length(i + 1, j) >= length(i, j + 1)) i += 1;
    else j += 1;
  }
  return found;
}
