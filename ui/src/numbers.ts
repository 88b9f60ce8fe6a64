/** Which numbers a field takes. */
export interface NumberRule {
  isWhole: boolean;
  from: number;
  to: number;
}

/** What is wrong with a number as it was typed; an empty field is right. */
export function numberProblem(typed: string | undefined, rule: NumberRule | undefined): string | undefined {
  if (typed === undefined || !rule) return undefined;
  const value = Number(typed);
  const range = `from ${rule.from.toLocaleString("en-US")} to ${rule.to.toLocaleString("en-US")}`;
  if (Number.isNaN(value) || value < rule.from || value > rule.to) return `A number ${range}`;
  return rule.isWhole && !Number.isInteger(value) ? `A whole number ${range}` : undefined;
}
