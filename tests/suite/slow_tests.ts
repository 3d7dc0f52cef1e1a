// The tests that may take longer than others, each with its reason.

/** A test that takes so long is named at the end of the suite, unless its reason is below. */
export const SLOW_SECONDS = 3;

/** By the name of the test. */
export const REASONS_TO_BE_SLOW: Readonly<Record<string, string>> = {
  "PostgresDatabase lives through restarts of its server":
    "It stops and starts a PostgreSQL server of its own four times.",
};
