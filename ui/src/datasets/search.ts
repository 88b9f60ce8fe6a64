import { lean, wholeNumber } from "../api/searchParams";

export interface DatasetSearch {
  /** The first line that is shown, from 0. */
  from?: number;
}

export function datasetSearch(raw: Record<string, unknown>): DatasetSearch {
  return lean({ from: wholeNumber(raw["from"], { from: 1 }) });
}
