// The planned events of the night: each agent's outcome at each time, with the reason. Everything else succeeded.

/** An event that a person wants to know about. */
export interface PlannedEvent {
  agent: string;
  /** Its due time as `02:30`, UTC; null for a state in the morning. */
  time: string | null;
  /** The outcome. */
  outcome:
    | "error"
    | "aborted"
    | "waiting"
    | "skipped"
    | "missed"
    | "disabled"
    | "stopped"
    | "broken";
  /** The reason that must be reported. */
  reason: RegExp;
  /** The reason that `why` must report, if it is more. */
  why?: RegExp;
  /** The remedy that `why` must report; absent: any. */
  remedy?: RegExp;
}

const OUTAGE = /503/;
const STOPPED = /the service was not running/;
const PAUSED = /paused/;
/** The text of `why` for a period without a service: its beginning and its end. */
const DOWN = /the service was not running from [-\d]+ \d\d:10 to [-\d]+ \d\d:10/;
const ANSWER = /inkling respond \d+/;

const at = (
  outcome: PlannedEvent["outcome"],
  reason: RegExp | Pick<PlannedEvent, "reason" | "why" | "remedy">,
  ...moments: [agent: string, ...times: string[]][]
): PlannedEvent[] =>
  moments.flatMap(([agent, ...times]) =>
    times.map((time) => ({
      agent,
      time,
      outcome,
      ...(reason instanceof RegExp ? { reason } : reason),
    }))
  );

/** Every event. */
export const PLANNED_EVENTS: readonly PlannedEvent[] = [
  ...at("error", /the disk is full/, ["report", "02:30"]),
  ...at(
    "error",
    /no luck today/,
    ["flaky", "22:15", "23:15", "00:15", "01:15", "02:15", "03:15", "05:15"],
  ),
  ...at("aborted", /max_cost_usd/, ["spender", "23:40"]),
  ...at("error", {
    reason: /OPENAI_API_KEY is not set/,
    remedy: /^Add the line OPENAI_API_KEY=<your key> to \S+\.env/,
  }, ["keyless", "03:25"]),
  ...at("error", OUTAGE, ["remote", "03:20"]),
  ...at(
    "waiting",
    { reason: /file_delete/, why: /waits for your answer: ".*file_delete/, remedy: ANSWER },
    ["cleaner", "01:05"],
    ["keeper", "06:45"],
  ),
  ...at("skipped", {
    reason: /waiting for an answer/,
    why: /execution \d+ waits for your answer: ".*file_delete/,
    remedy: ANSWER,
  }, ["cleaner", "02:05"]),
  ...at("skipped", /still running/, ["slow", "01:10", "01:20", "01:40", "01:50"]),
  ...at(
    "missed",
    { reason: STOPPED, why: DOWN, remedy: /Keep the service running/ },
    ["flaky", "04:15"],
    ["mailbox", "04:30", "05:00"],
    ["remote", "04:20"],
    ["digest", "05:00"],
  ),
  ...at("skipped", PAUSED, ["remote", "06:20"], ["flaky", "06:15"], ["mailbox", "06:30"]),
  { agent: "off", time: null, outcome: "disabled", reason: /enabled: false/ },
  {
    agent: "looper",
    time: null,
    outcome: "stopped",
    reason: /as often as trigger\.max_runs allows/,
    remedy: /inkling resume looper/,
  },
  {
    agent: "edited",
    time: null,
    outcome: "broken",
    reason: /Broken YAML/,
    why: /never runs: .*Broken YAML/,
    remedy: /edited\.md/,
  },
  {
    agent: "revised",
    time: null,
    outcome: "broken",
    reason: /Broken YAML/,
    why: /last good definition is in use: .*Broken YAML/,
    remedy: /revised\.md/,
  },
];

/** Reasons that only `why` reports, for times without a record. */
export const QUESTIONS: readonly (Pick<PlannedEvent, "agent" | "reason" | "remedy"> & {
  time: string;
})[] = [
  // The second change, while the first one's run waits.
  {
    agent: "keeper",
    time: "06:50",
    reason: /queued: execution \d+ waits.*file_delete/,
    remedy: ANSWER,
  },
  { agent: "off", time: "23:00", reason: /disabled/, remedy: /Remove that line/ },
  { agent: "archive", time: "04:40", reason: /not running from .* to /, remedy: /inkling setup/ },
  // While its file was broken, and its last good definition in use.
  { agent: "edited", time: "02:45", reason: /ran at .* and succeeded/, remedy: /^$/ },
];
