export const LINE_PX = 22;
export const GAP_PX = 3;

export interface Cell {
  row: number;
  column: number;
}

export interface Extent {
  rows: number;
  columns: number;
  width: number;
}

/** The cell below a point of the matrix: rows go from left to right, columns from top to bottom. */
export function cellAt(x: number, y: number, { rows, columns, width }: Extent): Cell | undefined {
  const row = Math.floor((x / width) * rows);
  const column = Math.floor(y / (LINE_PX + GAP_PX));
  const isInside = row >= 0 && row < rows && column >= 0 && column < columns;
  return isInside ? { row, column } : undefined;
}

const STEPS: Record<string, readonly [row: number, column: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The cell that an arrow leads to; the first one where none was chosen. */
export function cellAfter(key: string, from: Cell | undefined, { rows, columns }: Extent): Cell | undefined {
  const step = STEPS[key];
  if (!step || rows === 0 || columns === 0) return undefined;
  if (!from) return { row: 0, column: 0 };
  return {
    row: Math.min(rows - 1, Math.max(0, from.row + step[0])),
    column: Math.min(columns - 1, Math.max(0, from.column + step[1])),
  };
}

/** What a score in the matrix means. */
export function cellText(score: number | null | undefined): string {
  if (score === null || score === undefined) return "no score";
  if (score >= 1) return "solved";
  return score > 0 ? `partly solved, ${Math.round(score * 100)} %` : "not solved";
}
