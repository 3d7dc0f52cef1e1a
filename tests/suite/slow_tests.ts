// The tests that may take longer than others, each with its reason.

/** A test that takes so long is named at the end of the suite, unless its reason is below. */
export const SLOW_SECONDS = 3;

/** By the name of the test. */
export const REASONS_TO_BE_SLOW: Readonly<Record<string, string>> = {
  "docs/tools.md: its example of a custom tool fits CustomTool, copied beside it":
    "It runs Deno's type check on a folder that no cache knows.",
  "McpServers: a program that sends messages without end is cut off":
    "It sends as many messages as a server may send within a minute, three times.",
};
