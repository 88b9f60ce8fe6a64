/** A command line that cannot be carried out. */
export class UsageError extends Error {
  constructor(problem, argument) {
    super(argument === null ? problem : `${problem}: ${argument}`);
    this.name = "UsageError";
    this.problem = problem;
    this.argument = argument;
  }
}
