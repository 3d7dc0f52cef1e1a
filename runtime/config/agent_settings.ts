// The settings that agent files and `defaults` in config.yaml share: one table with the range, default and meaning of
// each field. The parsers of both files, their types and the tables in docs/ are derived from it.
import { z } from "zod";
import { type CamelKeys, camelKeys, snakeKeys } from "../../base/text/key_case.ts";
import {
  costLimit,
  countLimit,
  durationOrNone,
  field,
  oneOrMore,
  optional,
  secondsOrNone,
  waitDuration,
  zoneName,
} from "./fields.ts";

/** The levels of `history`. */
export const HISTORY_LEVELS = ["low", "medium", "high", "off"] as const;
/** The amount of earlier conversations that is sent with a run; executions/history.ts has the numbers. */
export type HistoryLevel = typeof HISTORY_LEVELS[number];

/** The choices for a new run while another one of its conversation waits for a person: skip it, or run it in parallel. */
export const ON_PENDING = ["skip", "parallel"] as const;

/** The MCP tools that require approval: tools without `readOnlyHint`, all, none. */
export const MCP_CONFIRM = ["writes", "all", "none"] as const;
/** A value of MCP_CONFIRM. */
export type McpConfirm = typeof MCP_CONFIRM[number];

/** `settings` of an agent file: the limits of a run. `null` switches a limit off. */
export const RUN_SETTINGS = {
  temperature: field(z.number().min(0).max(1), 0.7, "The model's sampling temperature"),
  max_tokens: field(z.int().min(1).max(128_000), 4_096, "Maximum tokens per reply"),
  // A week at most, which every timer can hold.
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
    "Maximum running time of a run, in whole seconds or as a duration; waits for people and for `retry` do not count",
  ).meta({ synonym: "timeout" }),
  loop_detection: field(z.boolean(), true, "End a run that repeats itself"),
};

/** The limits of a run. */
export type RunSettings = FieldValues<typeof RUN_SETTINGS>;

/** The causes of an unreachable model that may pass. */
export const TRANSIENT_FAILURES = ["network", "provider", "rate_limit"] as const;
export type TransientFailure = typeof TRANSIENT_FAILURES[number];

/** `retry` of an agent file, as a map. */
export const RETRY = {
  times: field(
    z.int().min(0).max(100),
    3,
    "Further tries of a run whose model cannot be reached (short: `retry: 3`); default: 3 for runs of a trigger",
  ),
  wait: optional(waitDuration).meta({
    values: "duration",
    description: "Time before each further try; a longer `Retry-After` of the provider wins",
    default: "`1m`, `5m`, then `20m`",
  }),
  on: field(
    oneOrMore(z.enum(TRANSIENT_FAILURES)).refine(
      (list) => list.length > 0,
      "must name at least one (or leave the key out)",
    ),
    [...TRANSIENT_FAILURES],
    "Failures that are tried again: no connection, an error of the provider, a rate limit",
  ),
};

/** The policy for retrying a run after an unreachable model. `wait` is in milliseconds. */
export type RetryPolicy = z.output<z.ZodObject<typeof RETRY>>;

/** The choices for a run that exceeds a budget with its next call: ask a person, or end. */
export const ON_BUDGET = ["pause", "abort"] as const;

/** The choices for models without a known price under a dollar budget. */
export const UNPRICED = ["refuse", "allow"] as const;

/** The scopes of a budget. */
export const BUDGET_PERIODS = ["day", "month", "tree"] as const;
export const BUDGET_UNITS = ["usd", "tokens"] as const;
export type BudgetPeriod = typeof BUDGET_PERIODS[number];
export type BudgetUnit = typeof BUDGET_UNITS[number];

/** Limits in dollars for all runs of an agent or of the workspace. */
const DOLLARS = {
  per_day: field(costLimit, "none", "Maximum spending per day in US dollars"),
  per_month: field(costLimit, "none", "Maximum spending per calendar month in US dollars"),
};
/** Limits in tokens, input and output together. */
const TOKENS = {
  per_day: field(countLimit, "none", "Maximum tokens per day"),
  per_month: field(countLimit, "none", "Maximum tokens per calendar month"),
};

/** The time zone of the days and months; absent: the machine's. */
const timezone = optional(zoneName).meta({
  description: "IANA name of the time zone in which days and months begin",
  default: "the machine's",
});

/** `budget.tokens` of an agent. */
export const TOKEN_BUDGET = {
  ...TOKENS,
  tree: field(countLimit, "none", "Maximum tokens per run and all that it delegates to"),
};

/** `budget` of an agent, without `tokens`. */
export const DOLLAR_BUDGET = {
  ...DOLLARS,
  tree: field(
    costLimit,
    "none",
    "Maximum spending of a run and all that it delegates to in US dollars",
  ),
  timezone,
};

/** The budget of an agent. */
export type AgentBudget = FieldValues<typeof DOLLAR_BUDGET> & {
  tokens: FieldValues<typeof TOKEN_BUDGET>;
};

/** `budget` of config.yaml, without `tokens`. It covers every model call in the workspace. */
export const WORKSPACE_DOLLARS = { ...DOLLARS, timezone };
/** `budget.tokens` of config.yaml. */
export const WORKSPACE_TOKENS = TOKENS;

/** The budget of the workspace. */
export type WorkspaceBudget = FieldValues<typeof WORKSPACE_DOLLARS> & {
  tokens: FieldValues<typeof WORKSPACE_TOKENS>;
};

/** Fields of an agent file outside its sections. */
export const AGENT_POLICY = {
  history: field(
    z.enum(HISTORY_LEVELS),
    "low",
    "How many earlier messages are sent to the model: 10, 50, 200 or none",
  ),
  on_pending: field(
    z.enum(ON_PENDING),
    "skip",
    "What happens to a new run while the conversation waits for an answer",
  ),
  /** Milliseconds; null waits forever. */
  confirm_timeout: field(
    durationOrNone,
    "none",
    "Time after which an unanswered question counts as denied",
  ),
  on_restart: field(
    z.enum(["orphan", "resume"]),
    "orphan",
    "What happens to a run that a crash interrupts; `resume` also continues one that a stop interrupts",
  ),
  on_budget: field(
    z.enum(ON_BUDGET),
    "pause",
    "When a call does not fit into a budget: ask whether to continue with more, or end the run",
  ),
  unpriced: field(
    z.enum(UNPRICED),
    "refuse",
    "Whether a budget in dollars lets models be called whose price is not known",
  ),
};
/** An agent's rules for a restart, a waiting approval and a used-up budget. */
export type AgentPolicy = FieldValues<typeof AGENT_POLICY> & {
  /** Absent: the policy of runs that a trigger started. */
  retry?: RetryPolicy;
};

/** The values of a table's fields, under the names used in code. */
export type FieldValues<Table extends z.ZodRawShape> = CamelKeys<z.output<z.ZodObject<Table>>>;

/** Returns the fields of a table with the values of config.yaml as defaults. */
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
