// The tests that may take longer than others, each with its reason.

/** A test that takes so long is named at the end of the suite, unless its reason is below. */
export const SLOW_SECONDS = 3;

/** By the name of the test. */
export const REASONS_TO_BE_SLOW: Readonly<Record<string, string>> = {
  "runs of a generated mix, on a service that is killed in between, replay without a difference":
    "It starts a service twice, with an MCP server and custom tools, and replays each run.",
  "forks of runs of the mix at every step: the steps are the record's, and no unsafe call of theirs is made again":
    "It starts a service, and each fork starts the custom tools and the MCP server again.",
};
