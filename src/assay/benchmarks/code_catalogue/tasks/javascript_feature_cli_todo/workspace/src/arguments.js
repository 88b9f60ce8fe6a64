/** The command and its options; throws UsageError. */
export function parseArguments(argv) {
  throw new Error("parseArguments is not written yet");
}
