// The tables of errors with the next step for each, from the codes of the product.
import { EXECUTION_STATUSES, type ExecutionStatus } from "../../runtime/executions/states.ts";
import {
  type EndCode,
  type LimitCode,
  LIMITS,
  NO_ANSWERS,
  STOPS,
} from "../../runtime/vocabulary/end_reason.ts";
import { code, tableOf } from "./markdown_table.ts";

const STATUS_MEANINGS: Readonly<Record<ExecutionStatus, readonly [string, string]>> = {
  running: ["the run is under way, or waits for its next try", "`inkling watch <id>`"],
  waiting: ["the run waits for a person", "`inkling pending`, `inkling respond <id>`"],
  success: ["the run ended with an answer", ""],
  error: ["the run failed", "read its error: `inkling logs -e <id>`"],
  aborted: ["a person, a limit or a stop of the service ended the run", "the table below"],
  timeout: ["the model took longer than `timeout`", "raise `settings.timeout`, or try later"],
  orphaned: [
    "the service was killed during the run",
    "run it again; `on_restart: resume` continues such runs",
  ],
};

/** Example messages of the limits. The table shows an ellipsis in place of their numbers. */
const EXAMPLES: { readonly [Code in LimitCode]: string } = {
  max_tool_calls: LIMITS.max_tool_calls(0, 0),
  max_execution_tokens: LIMITS.max_execution_tokens(0, 0),
  max_cost_usd: LIMITS.max_cost_usd(0, 0),
  max_tokens: LIMITS.max_tokens(0),
  max_duration: LIMITS.max_duration("0"),
  loop_detected: LIMITS.loop_detected("0"),
  budget: LIMITS.budget("0"),
};

const REMEDIES: Readonly<Record<EndCode, string>> = {
  cancelled: "nothing: a person ended the run",
  service_stopped: "run it again; `on_restart: resume` continues such runs",
  caller_ended: "see the run that called it",
  parent_ended: "see the run that called it",
  conversation_purged: "nothing: a purge with `--force` removes waiting conversations",
  awaited_purged: "run it again",
  max_tool_calls: "narrow the task, or raise `settings.max_tool_calls`",
  max_execution_tokens: "read less at once, or raise `settings.max_execution_tokens`",
  max_cost_usd: "choose a cheaper model, or raise `settings.max_cost_usd`",
  max_tokens: "ask for a shorter answer, or raise `settings.max_tokens`",
  max_duration: "narrow the task, or raise `settings.max_duration`",
  loop_detected: "make the task clearer: the model repeated the same calls",
  budget: "`inkling budget`; `inkling budget <agent> --raise 1.00` allows more",
  content_filter: "change the task, or name another model in `model.fallback`",
  refusal: "change the task, or name another model in `model.fallback`",
  empty_reply: "run it again; if it stays, try another model",
  unclosed_thought:
    "read the reasoning in the log; raise `settings.max_tokens` or try another model",
};

const NUMBERS = /\$?0(\.0+)?/g;

/** Returns the table of an execution's statuses. */
export function statusTable(): string {
  const rows = EXECUTION_STATUSES.map((status) => [code(status), ...STATUS_MEANINGS[status]]);
  return tableOf(["Status", "Meaning", "What to do"], rows);
}

/** Returns the table of the errors with which a run ends. */
export function endTable(): string {
  const texts: Readonly<Record<EndCode, string>> = { ...STOPS, ...EXAMPLES, ...NO_ANSWERS };
  const rows = Object.entries(texts).map(([end, text]) => [
    code(text.replaceAll(NUMBERS, "…")),
    REMEDIES[end as EndCode],
  ]);
  return tableOf(["Error of a run", "What to do"], rows);
}
