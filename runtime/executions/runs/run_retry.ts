// Retries a run whose model could not be reached, after the model client's own retries of a call have failed. The run stays
// the same execution and continues its stored conversation.
import type { Agent } from "../../agents/agent.ts";
import { toRetryWords } from "../../../base/text/retry_words.ts";
import { DAY_MS, MINUTE_MS } from "../../../base/time_units.ts";
import {
  RETRY_WAITS_MS,
  type RetryPolicy,
  TRANSIENT_FAILURES,
} from "../../config/agent_settings.ts";
import { type ExecutionTrigger, TRIGGER_KINDS } from "../../vocabulary/trigger_kinds.ts";
import type { Execution, RunRest } from "../execution.ts";
import type { Outcome } from "../record/ending_store.ts";
import type { Journal } from "../record/journal.ts";
import type { RunnerPorts } from "./runner_ports.ts";

/** The maximum delay in milliseconds that a provider may request, unless the agent's file configures retries. */
const LONGEST_DEFAULT_MS = 30 * MINUTE_MS;

/** Returns the retry policy of an agent's runs with this trigger, or undefined if they are not retried. */
export function retryPolicyOf(
  { retry }: Agent,
  trigger: ExecutionTrigger,
): RetryPolicy | undefined {
  if (retry !== undefined) return retry;
  return TRIGGER_KINDS[trigger].isAutomatic
    ? { times: RETRY_WAITS_MS.length, wait: undefined, on: [...TRANSIENT_FAILURES] }
    : undefined;
}

/** Schedules a retry of a failed run, before which the run rests. Returns undefined if the run is not retried and ends. */
export async function postponeRun(
  { id, trigger, retry }: Execution,
  { transient, error }: Outcome,
  { agent, journal, ports: { clock, families, log } }: {
    agent: Agent;
    journal: Journal;
    ports: Pick<RunnerPorts, "clock" | "log" | "families">;
  },
): Promise<{ rest: RunRest } | undefined> {
  const policy = retryPolicyOf(agent, trigger);
  const attempt = (retry?.attempt ?? 0) + 1;
  if (transient === undefined || policy === undefined || attempt > policy.times) return undefined;
  if (!policy.on.includes(transient.kind)) return undefined;
  const planned = policy.wait ?? RETRY_WAITS_MS[attempt - 1] ?? RETRY_WAITS_MS.at(-1) ?? 0;
  const waitMs = Math.max(planned, transient.retryAfterMs ?? 0);
  if (waitMs > (agent.retry === undefined ? LONGEST_DEFAULT_MS : DAY_MS)) return undefined;
  if (await families.countUnsafeCalls(id) > 0) return undefined;
  const next = { at: clock.now() + waitMs, attempt, of: policy.times, reason: error ?? "" };
  log.write("warn", `A run ${toRetryWords(next)}`, { execution: id, agent: agent.id });
  return {
    rest: await journal.rest({ until: next.at, since: clock.now(), reason: next.reason }, next),
  };
}
