// What an agent file may say for itself and `defaults` in config.yaml for all agents: one table with every field's range,
// default and meaning. The parsers of both files, their types and the tables in docs/ come from it.
import { z } from "zod";
import type { CamelKeys } from "../../base/text/key_case.ts";
import { costLimit, countLimit, durationOrNone, field } from "./fields.ts";

/** The levels of `history`. */
export const HISTORY_LEVELS = ["low", "medium", "high", "off"] as const;
/** How much of earlier conversations a run is sent; executions/history.ts has the numbers. */
export type HistoryLevel = typeof HISTORY_LEVELS[number];

/** What becomes of a new run while another one of its conversation waits for a person: refused, or run beside it. */
export const ON_PENDING = ["skip", "parallel"] as const;

/** Which tools of MCP servers wait for a person: those that do not say `readOnlyHint`, all, none. */
export const MCP_CONFIRM = ["writes", "all", "none"] as const;
/** One of them. */
export type McpConfirm = typeof MCP_CONFIRM[number];

/** `settings` of an agent file: numbers that bound a run. `null` switches the limit off. */
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
  loop_detection: field(z.boolean(), true, "End a run that repeats itself"),
};

/** Numbers that bound a run. */
export type RunSettings = Settled<typeof RUN_SETTINGS>;

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
  /** Milliseconds; null waits for ever. */
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
};
/** What becomes of a run in certain cases. */
export type AgentPolicy = Settled<typeof AGENT_POLICY>;

/** The values of a table's fields, named as in code. */
export type Settled<Table extends z.ZodRawShape> = CamelKeys<z.output<z.ZodObject<Table>>>;
