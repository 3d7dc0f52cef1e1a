// Further tries of a run whose model could not be reached: which failures get one, and the wait before it. The models' own
// retries of a call were used up before. A try is a part of the same execution and continues its stored conversation.
import type { Agent } from "../agents/agent.ts";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import type { Clock } from "../../base/clock.ts";
import { toRetryWords } from "../../base/text/retry_words.ts";
import { DAY_MS, MINUTE_MS } from "../../base/time_units.ts";
import { type RetryPolicy, TRANSIENT_FAILURES } from "../config/agent_settings.ts";
import type { ServiceLog } from "../service_log/service_log.ts";
import { type ExecutionTrigger, TRIGGER_KINDS } from "../trigger_kinds.ts";
import { STOPS } from "./end_reason.ts";
import type { Execution } from "./execution.ts";
import type { Outcome } from "./record/ending_store.ts";
import type { FamilyStore } from "./record/family_store.ts";
import type { Journal } from "./record/journal.ts";
import { RunStopped } from "./runs/run.ts";

/** Before the first try, the second, and each later one, where the agent names no wait. */
const WAITS_MS = [MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS];
/** The most that a provider may ask to wait, where the agent names no retry. */
const LONGEST_DEFAULT_MS = 30 * MINUTE_MS;
/** A machine that was suspended is noticed after this long. */
const LONGEST_SLEEP_MS = MINUTE_MS;

/** The parts that further tries work with. */
interface RetryContext {
  agent: Agent;
  signal: AbortSignal;
  journal: Journal;
  ports: {
    clock: Clock;
    serviceLog: ServiceLog;
    families: Pick<FamilyStore, "countUnsafeCalls">;
    active: { stopping: AbortSignal };
  };
}

/** The policy of an agent's runs with this trigger; undefined: they are not tried again. */
export function retryPolicyOf(
  { retry }: Agent,
  trigger: ExecutionTrigger,
): RetryPolicy | undefined {
  if (retry !== undefined) return retry;
  return TRIGGER_KINDS[trigger].isAutomatic
    ? { times: WAITS_MS.length, wait: undefined, on: [...TRANSIENT_FAILURES] }
    : undefined;
}

/** Stores that a failed run is tried again, and when. False where it ends instead. */
export async function postponeRun(
  { id, trigger, retry }: Execution,
  { transient, error }: Outcome,
  { agent, journal, ports: { clock, families, serviceLog, active } }: RetryContext,
): Promise<boolean> {
  const policy = retryPolicyOf(agent, trigger);
  const attempt = (retry?.attempt ?? 0) + 1;
  if (transient === undefined || policy === undefined || attempt > policy.times) return false;
  if (!policy.on.includes(transient.kind)) return false;
  if (active.stopping.aborted && agent.onRestart === "orphan") return false;
  const planned = policy.wait ?? WAITS_MS[attempt - 1] ?? WAITS_MS.at(-1) ?? 0;
  const waitMs = Math.max(planned, transient.retryAfterMs ?? 0);
  if (waitMs > (agent.retry === undefined ? LONGEST_DEFAULT_MS : DAY_MS)) return false;
  if (await families.countUnsafeCalls(id) > 0) return false;
  const next = { at: clock.now() + waitMs, attempt, of: policy.times, reason: error ?? "" };
  serviceLog.write("warn", `A run ${toRetryWords(next)}`, { execution: id, agent: agent.id });
  await journal.retry(next);
  return true;
}

/**
 * Waits until a postponed run is due. None of that is running time. Throws the signal's reason, and a resumable RunStopped as
 * soon as the service stops, unless another run waits for this one: that one would take it for ended.
 */
export async function untilDue(
  { retry, parentExecutionId }: Execution,
  { signal, journal, ports: { clock, active: { stopping } } }: RetryContext,
): Promise<void> {
  if (retry === undefined || retry.isUnderWay) return;
  const over = parentExecutionId === null ? AbortSignal.any([signal, stopping]) : signal;
  await journal.running.without(async () => {
    for (let ms; (ms = retry.at - clock.now()) > 0;) {
      if (await sleepUnlessAborted(clock, Math.min(ms, LONGEST_SLEEP_MS), over)) continue;
      signal.throwIfAborted();
      throw new RunStopped(STOPS.service_stopped, { resumable: true });
    }
  });
  await journal.retry({ ...retry, isUnderWay: true });
}
