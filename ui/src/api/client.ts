import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
export type Run = Schemas["Run"];
export type RunDetail = Schemas["RunDetail"];
export type Evaluation = Schemas["Evaluation"];
export type EvaluationDetail = Schemas["EvaluationDetail"];
export type Estimate = Schemas["Estimate"];
export type IntervalMethod = Schemas["IntervalMethod"];
export type State = Schemas["State"];
export type Outcome = Schemas["Outcome"];
export type Problem = Schemas["Problem"];

export const api = createClient<paths>({ baseUrl: "/" });

/** An answer of the server that is not the one asked for, in its own words. */
export class ApiError extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

interface Answer<T> {
  data?: T;
  error?: Problem;
  response: Response;
}

/** What the server sent, or an `ApiError` that says why not. */
export function unwrap<T>({ data, error, response }: Answer<T>): T {
  if (data !== undefined) return data;
  throw new ApiError(error?.detail ?? `The server answered ${response.status}.`, response.status);
}
