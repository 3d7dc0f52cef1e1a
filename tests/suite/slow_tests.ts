// The tests that may take longer than others, each with its reason.

/** A test that takes so long is named at the end of the suite, unless its reason is below. */
export const SLOW_SECONDS = 3;

/** By the name of the test. */
export const REASONS_TO_BE_SLOW: Readonly<Record<string, string>> = {
  "dashboard: chat, and running again: axe finds no fault in the chat, in both themes and widths":
    "axe checks seven views in four looks each.",
  "the documentation shows every operation and requests nothing from other hosts: /redoc":
    "Redoc draws the whole description of the API before it shows the last operation.",
};
