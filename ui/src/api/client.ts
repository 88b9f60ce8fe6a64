import createClient from "openapi-fetch";
import type { components, paths } from "./schema";
import { inWordsOfTheUi } from "./wording";

export type Schemas = components["schemas"];
export type Run = Schemas["Run"];
export type RunDetail = Schemas["RunDetail"];
export type RunRequest = Schemas["RunRequest"];
export type RunConfig = Schemas["RunConfig"];
export type RunEstimate = Schemas["RunEstimate"];
export type RunEvent = Schemas["RunEvent"];
export type RunOutlook = Schemas["RunOutlook"];
export type Evaluation = Schemas["Evaluation"];
export type EvaluationDetail = Schemas["EvaluationDetail"];
export type Estimate = Schemas["Estimate"];
export type Interval = Schemas["Interval"];
export type IntervalMethod = Schemas["IntervalMethod"];
export type State = Schemas["State"];
export type Outcome = Schemas["Outcome"];
export type Problem = Schemas["Problem"];
export type Benchmark = Schemas["Benchmark"];
export type ItemResult = Schemas["ItemResult"];
export type AttemptDetail = Schemas["AttemptDetail"];
export type Timing = Schemas["Timing"];

export const api = createClient<paths>({ baseUrl: "/" });

/** One message for a request without a response: browsers word it differently, and none of them helps. */
export class NoAnswerError extends Error {
  constructor() {
    super("The server does not answer.");
    this.name = "NoAnswerError";
  }
}

api.use({
  onError: ({ error }) => (error instanceof TypeError ? new NoAnswerError() : undefined),
});

/** An error response, with the server's message. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: Problem | undefined;

  constructor(message: string, status: number, problem?: Problem) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.problem = problem;
  }

  /** What is wrong with one field of the request, or with a part of it. */
  about(field: string): string | undefined {
    return this.problem?.errors?.find((one) => one.field === field || one.field.startsWith(`${field}.`))
      ?.message;
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
  const message = inWordsOfTheUi(error?.detail ?? `The server answered ${response.status}.`);
  throw new ApiError(message, response.status, error);
}
