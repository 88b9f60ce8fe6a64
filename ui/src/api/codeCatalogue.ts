export const CODE_CATALOGUE = "code_catalogue";

/** Whether a benchmark is the code catalogue, with whatever options. */
export function isCodeCatalogue(benchmark: string): boolean {
  return benchmark.split(":", 1)[0] === CODE_CATALOGUE;
}
