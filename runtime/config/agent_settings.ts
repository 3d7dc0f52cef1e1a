// Defines the settings that agent files and `defaults` in config.yaml share: one table with the range, default and meaning
// of each field. The parsers of both files, their types and the tables in docs/ are derived from it.
import { z } from "zod";
import { writeDuration } from "../../base/durations.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import { type CamelKeys, camelKeys, snakeKeys } from "../../base/text/key_case.ts";
import {
  costLimit,
  countLimit,
  durationOrNone,
  field,
  filledText,
  nodeLabel,
  oneOrMore,
  optional,
  secondsOrNone,
  waitDuration,
  zoneName,
} from "./fields.ts";

/** The values of `history`, the amount of earlier conversation that is sent with a run. */
const HISTORY_LEVELS = ["low", "medium", "high", "off"] as const;
/** The amount of earlier conversation that is sent with a run. executions/loop/history.ts has the numbers. */
export type HistoryLevel = typeof HISTORY_LEVELS[number];

/** The values of `mcp_confirm`: the MCP tools that require approval are those without `readOnlyHint`, all, or none. */
export const MCP_CONFIRM = ["writes", "all", "none"] as const;
/** A value of MCP_CONFIRM. */
export type McpConfirm = typeof MCP_CONFIRM[number];

/** Returns the schema of a list that is not empty, which may also be written as a single item. */
const atLeastOne = <Item extends z.ZodType>(item: Item, words = "one") =>
  oneOrMore(item).refine(
    (list) => list.length > 0,
    `must name at least ${words} (or leave the key out)`,
  );

/** The fields of `settings` in an agent file: the limits of a run. `null` switches a limit off. */
export const RUN_SETTINGS = {
  temperature: field(z.number().min(0).max(1), 0.7, "The model's sampling temperature"),
  max_tokens: field(z.int().min(1).max(128_000), 4_096, "Maximum tokens per reply"),
  // The maximum is a week, which every timer supports.
  timeout: field(
    z.int().min(1).max(604_800),
    300,
    "Seconds to wait for one model reply, retries included",
  ),
  max_tool_calls: field(countLimit, 50, "Maximum tool calls per run; `none` for no limit"),
  max_execution_tokens: field(countLimit, 500_000, "Maximum tokens per run; `none` for no limit"),
  max_cost_usd: field(
    costLimit,
    "none",
    "Maximum cost per run in US dollars; requires a known price",
  ),
  max_duration: field(
    secondsOrNone,
    "none",
    "Maximum running time of a run, in whole seconds or as a duration; waits for people and rests do not count",
  ).meta({ synonym: "timeout" }),
  loop_detection: field(z.boolean(), true, "Ends a run that repeats itself"),
};

/** The parsed limits of a run. */
export type RunSettings = FieldValues<typeof RUN_SETTINGS>;

/** The temporary reasons why a model cannot be reached, for which a run may be retried. */
export const TRANSIENT_FAILURES = ["network", "provider", "rate_limit"] as const;
export type TransientFailure = typeof TRANSIENT_FAILURES[number];

/** The delays in milliseconds before the first, the second and each later retry, unless the agent's file sets a delay. */
export const RETRY_WAITS_MS = [MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS];

/** The fields of `retry` in an agent file. */
export const RETRY = {
  times: field(
    z.int().min(0).max(100),
    RETRY_WAITS_MS.length,
    "Further tries of a run whose model cannot be reached (short: `retry: 3`); by default only runs of a trigger",
  ),
  wait: optional(waitDuration).meta({
    values: "duration",
    description:
      "Time before each further try; a longer `Retry-After` of the provider takes precedence",
    default: RETRY_WAITS_MS.map((ms) => `\`${writeDuration(ms)}\``).join(", then "),
  }),
  on: field(
    atLeastOne(z.enum(TRANSIENT_FAILURES)),
    [...TRANSIENT_FAILURES],
    "Failures that are tried again: no connection, an error of the provider, a rate limit",
  ),
};

/** The parsed policy for retrying a run whose model cannot be reached. `wait` is in milliseconds. */
export type RetryPolicy = z.output<z.ZodObject<typeof RETRY>>;

/** The units of a budget. */
export const BUDGET_UNITS = ["usd", "tokens"] as const;
export type BudgetUnit = typeof BUDGET_UNITS[number];

/** The fields with limits in dollars. */
const DOLLARS = {
  per_day: field(costLimit, "none", "Maximum spending per day in US dollars"),
  per_month: field(costLimit, "none", "Maximum spending per calendar month in US dollars"),
};
/** The fields with limits in tokens. Input and output are added. */
const TOKENS = {
  per_day: field(countLimit, "none", "Maximum tokens per day"),
  per_month: field(countLimit, "none", "Maximum tokens per calendar month"),
};

/** Returns true if a limit in dollars of a budget is set, or a limit of its part `tokens`. */
export function hasLimit(limits: FieldValues<typeof TOKENS>): boolean {
  return Object.values(limits).some((value) => typeof value === "number");
}

/** The field with the time zone of days and months. If absent, the machine's time zone is used. */
const timezone = optional(zoneName).meta({
  description: "IANA name of the time zone in which days and months begin",
  default: "the machine's",
});

/** The fields of `budget.tokens` in an agent file. */
export const TOKEN_BUDGET = {
  ...TOKENS,
  tree: field(countLimit, "none", "Maximum tokens of a run with its delegated runs"),
};

/** The fields of `budget` in an agent file, except `tokens`. */
export const DOLLAR_BUDGET = {
  ...DOLLARS,
  tree: field(
    costLimit,
    "none",
    "Maximum spending in US dollars of a run with its delegated runs",
  ),
  timezone,
};

/** The parsed budget of an agent. */
export type AgentBudget = FieldValues<typeof DOLLAR_BUDGET> & {
  tokens: FieldValues<typeof TOKEN_BUDGET>;
};

/** The fields of `budget` in config.yaml, except `tokens`. This budget includes every model call in the workspace. */
export const WORKSPACE_DOLLARS = { ...DOLLARS, timezone };
/** The fields of `budget.tokens` in config.yaml. */
export const WORKSPACE_TOKENS = TOKENS;

/** The parsed budget of the workspace. */
export type WorkspaceBudget = FieldValues<typeof WORKSPACE_DOLLARS> & {
  tokens: FieldValues<typeof WORKSPACE_TOKENS>;
};

/** The durations among the rules of an agent, parsed to milliseconds; null is the value `none`. */
export const AGENT_DURATIONS = {
  /** The time to wait for an approval; null waits forever. */
  confirm_timeout: field(
    durationOrNone,
    "none",
    "Time after which an unanswered question counts as denied",
  ),
  /** The maximum rest of a call of `wait`; null for no maximum. */
  max_wait: field(durationOrNone, "30d", "Maximum time that a call of `wait` rests"),
};

/** The fields of an agent file that are in no section, and whose defaults config.yaml may set. */
export const AGENT_POLICY = {
  history: field(
    z.enum(HISTORY_LEVELS),
    "low",
    "Number of earlier messages that are sent to the model: 10, 50, 200 or none",
  ),
  on_pending: field(
    z.enum(["skip", "parallel"]),
    "skip",
    "While a run of the conversation waits for an answer, a new run is skipped, or runs in parallel",
  ),
  ...AGENT_DURATIONS,
  on_restart: field(
    z.enum(["orphan", "resume"]),
    "orphan",
    "A run that a crash interrupts ends as `orphaned`, or is resumed; `resume` also continues it after a stop",
  ),
  on_budget: field(
    z.enum(["pause", "abort"]),
    "pause",
    "If a call does not fit into a budget: ask for a higher budget, or end the run",
  ),
  unpriced: field(
    z.enum(["refuse", "allow"]),
    "refuse",
    "Calls of models without a known price, if a budget in dollars applies",
  ),
};

const MAX_NODE_LABELS = 8;

/** The fields of an agent file that are in no section, and that config.yaml has no defaults for. */
export const OWN_POLICY = {
  approvers: optional(atLeastOne(filledText)).meta({
    values: "text or list",
    description:
      "The people who may approve calls: names of keys and people, or roles; without it everybody",
  }),
  approvals: field(
    z.int().min(1).max(5),
    1,
    "The number of different people who must approve a call",
  ),
  exclude_starter: field(
    z.boolean(),
    false,
    "`true`: the person who started the run may not approve its calls",
  ),
  max_concurrent_runs: field(
    countLimit,
    "none",
    "Maximum simultaneous runs of this agent on each node; further runs wait; delegated runs neither wait nor count",
  ),
  nodes: field(
    oneOrMore(nodeLabel).refine(
      (labels) => labels.length <= MAX_NODE_LABELS,
      `must name at most ${MAX_NODE_LABELS} labels`,
    ).meta({ values: "text or list" }),
    [],
    "Labels that a node must have, all of them, to run the agent; no effect without a database",
  ),
  only_on: optional(atLeastOne(filledText, "one host")).meta({
    values: "text or list",
    description:
      "The hosts on which the agent's trigger and `after` fire; runs on request work on every host",
  }),
};

/** The values of OWN_POLICY. Lists contain no entry twice. */
export type OwnPolicy = CamelKeys<Required<z.output<z.ZodObject<typeof OWN_POLICY>>>>;

/** The parsed rules of an agent for approvals, restarts, used-up budgets and the place of its runs. */
export type AgentPolicy = FieldValues<typeof AGENT_POLICY> & OwnPolicy & {
  /** The policy for retries; absent for the default of runs that a trigger started. */
  retry?: RetryPolicy;
};

type Durations = FieldValues<typeof AGENT_DURATIONS>;

/** Returns the durations among the rules of an agent as they are written in a file. */
export function writeDurations(policy: Durations): Record<keyof Durations, string> {
  const names = Object.keys(camelKeys(AGENT_DURATIONS)) as (keyof Durations)[];
  const write = (ms: number | null) => ms === null ? "none" : writeDuration(ms);
  return Object.fromEntries(names.map((name) => [name, write(policy[name])])) as Record<
    keyof Durations,
    string
  >;
}

/** The parsed values of a table of fields, with names in camel case. */
export type FieldValues<Table extends z.ZodRawShape> = CamelKeys<z.output<z.ZodObject<Table>>>;

/** Returns a table of fields with the values of config.yaml as defaults. */
export function withConfigDefaults<Table extends z.ZodRawShape>(
  table: Table,
  written: { readonly [Name in keyof Table]: z.output<Table[Name]> | undefined },
  defaults: FieldValues<Table>,
): FieldValues<Table> {
  const inherited: Readonly<Record<string, unknown>> = snakeKeys(defaults);
  const pairs = Object.keys(table).map((name) => {
    const own = written[name];
    return [name, own === undefined ? inherited[name] : own];
  });
  return camelKeys(Object.fromEntries(pairs)) as FieldValues<Table>;
}
