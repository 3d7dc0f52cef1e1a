// The tests that may take longer than others, each with its reason.

/** A test that takes so long is named at the end of the suite, unless its reason is below. */
export const SLOW_SECONDS = 3;

/** By the name of the test. */
export const REASONS_TO_BE_SLOW: Readonly<Record<string, string>> = {
  "doctor finds nothing in a healthy installation, with a service and without, and changes nothing":
    "It starts an MCP server and the process of a custom tool for each of its three checks.",
};
