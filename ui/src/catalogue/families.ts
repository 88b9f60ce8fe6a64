interface Named {
  name: string;
}

export interface Family<Card extends Named> {
  card: Card;
  variants: Card[];
}

const DATASET = "dataset:";

/** The name of the benchmark that `ifeval:loose` is a variant of; a data set is nobody's variant. */
export function originOf(name: string): string {
  return name.startsWith(DATASET) ? name : (name.split(":")[0] ?? name);
}

/** Each benchmark with its variants, in the order of the catalogue. */
export function familiesOf<Card extends Named>(cards: readonly Card[]): Family<Card>[] {
  const known = new Set(cards.map(({ name }) => name));
  const heads = cards.filter(({ name }) => originOf(name) === name || !known.has(originOf(name)));
  return heads.map((card) => ({
    card,
    variants: cards.filter(({ name }) => name !== card.name && originOf(name) === card.name),
  }));
}

interface Listed extends Named {
  display_name: string;
  aliases: readonly string[];
}

/** What a search for a benchmark looks through: other tools' names for it too. */
export function namesOf({ name, display_name, aliases }: Listed): string {
  return [name, display_name, ...aliases].join(" ").toLowerCase();
}

/** The part of a variant's name that tells it from the others. */
export function variantName(name: string): string {
  return name.slice(originOf(name).length + 1);
}
