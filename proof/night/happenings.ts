// What happened in the night, as whoever made it up knows it: for each agent at each time, and why. Everything else went well.

/** Something that a person wants to hear of. */
export interface Happening {
  agent: string;
  /** `02:30`, UTC: when it was due; null for what holds in the morning. */
  time: string | null;
  /** How it came out. */
  outcome: "error" | "aborted" | "waiting" | "skipped" | "missed" | "disabled" | "broken";
  /** What must be said of it. */
  reason: RegExp;
}

const OUTAGE = /503/;
const STOPPED = /the service was not running/;
const PAUSED = /paused/;

const at = (
  outcome: Happening["outcome"],
  reason: RegExp,
  ...moments: [agent: string, ...times: string[]][]
): Happening[] =>
  moments.flatMap(([agent, ...times]) => times.map((time) => ({ agent, time, outcome, reason })));

/** All of it. */
export const HAPPENINGS: readonly Happening[] = [
  ...at("error", /the disk is full/, ["report", "02:30"]),
  ...at(
    "error",
    /no luck today/,
    ["flaky", "22:15", "23:15", "00:15", "01:15", "02:15", "03:15", "05:15"],
  ),
  ...at("aborted", /max_cost_usd/, ["spender", "23:40"]),
  ...at("error", /OPENAI_API_KEY is not set/, ["keyless", "03:25"]),
  ...at("error", OUTAGE, ["remote", "03:10", "03:50"]),
  ...at("waiting", /file_delete/, ["cleaner", "01:05"]),
  ...at("skipped", /waiting for an answer/, ["cleaner", "02:05"]),
  ...at("skipped", /still running/, ["slow", "01:10", "01:20", "01:40", "01:50"]),
  ...at(
    "missed",
    STOPPED,
    ["flaky", "04:15"],
    ["mailbox", "04:30", "05:00"],
    ["remote", "04:50"],
    ["digest", "05:00"],
  ),
  ...at("skipped", PAUSED, ["remote", "06:10"], ["flaky", "06:15"], ["mailbox", "06:30"]),
  { agent: "off", time: null, outcome: "disabled", reason: /enabled: false/ },
  { agent: "edited", time: null, outcome: "broken", reason: /Broken YAML/ },
];
