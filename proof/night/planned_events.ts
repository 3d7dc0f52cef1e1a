// Lists the planned events of the night: the outcome of each agent at each time, with the reason. All other runs succeed.

/** An event that a person wants to know about. */
export interface PlannedEvent {
  agent: string;
  /** The due time of the event in UTC, for example `02:30`; null for a state that lasts until the morning. */
  time: string | null;
  /** The outcome that must be reported. */
  outcome:
    | "error"
    | "aborted"
    | "waiting"
    | "skipped"
    | "missed"
    | "disabled"
    | "stopped"
    | "broken";
  /** A pattern for the reason that the API must report. */
  reason: RegExp;
  /** A pattern for the reason that `inkling why` must report, if it says more than `reason`. */
  why?: RegExp;
  /** A pattern for the remedy that `inkling why` must report; absent if any remedy is right. */
  remedy?: RegExp;
}

const OUTAGE = /503/;
const STOPPED = /the service was not running/;
const PAUSED = /paused/;
/** The reason that `inkling why` reports for a time without a service, with the beginning and the end of this time. */
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

/** All planned events. */
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

/** The reasons that only `inkling why` reports, for times at which nothing was stored. */
export const QUESTIONS: readonly (Pick<PlannedEvent, "agent" | "reason" | "remedy"> & {
  time: string;
})[] = [
  // The file changed a second time while the run of the first change waited.
  {
    agent: "keeper",
    time: "06:50",
    reason: /queued: execution \d+ waits.*file_delete/,
    remedy: ANSWER,
  },
  { agent: "off", time: "23:00", reason: /disabled/, remedy: /Remove that line/ },
  { agent: "archive", time: "04:40", reason: /not running from .* to /, remedy: /inkling setup/ },
  // The agent's file was invalid at this time, so the last valid definition was used.
  { agent: "edited", time: "02:45", reason: /ran at .* and succeeded/, remedy: /^$/ },
];
