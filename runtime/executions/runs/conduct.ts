// Runs one execution in this process: prepares it and runs its loop until it ends, rests or waits for a person.
import { LeaseLost } from "../../database/database.ts";
import type { Agent } from "../../agents/agent.ts";
import type { AgentPlaces } from "./agent_places.ts";
import { delegate, type DelegationContext } from "./delegation.ts";
import { LIMITS } from "../../vocabulary/end_reason.ts";
import type { Execution, RunRest } from "../execution.ts";
import { requireExecution, type StoredRun } from "../record/execution_reads.ts";
import { toFailure } from "../loop/failure.ts";
import type { HumanRequest } from "../human_request.ts";
import type { Outcome } from "../record/ending_store.ts";
import { Journal } from "../record/journal.ts";
import { createRetryingStores, retryUntilStored } from "../record/patient_stores.ts";
import { approvalRuleOf, withStandIns } from "../../vocabulary/approval_rule.ts";
import type { RunnerPorts } from "./runner_ports.ts";
import { isLeftForRestart, isLost, RunStopped } from "../loop/run.ts";
import type { ServiceLog } from "../../service_log/service_log.ts";
import type { FinalStatus } from "../states.ts";
import type { OpenQuestion } from "../loop/tool_calls.ts";
import { withinTime } from "../../../base/bounded_wait.ts";
import { writeDuration } from "../../../base/durations.ts";
import { SECOND_MS } from "../../../base/time_units.ts";
import { RuntimeError } from "../../../base/errors.ts";
import { SignInRequired } from "../../tools/failures/sign_in_required.ts";
import { lazyModule } from "../../../base/lazy_module.ts";

// Loaded with the first run, which makes the start of a service faster.
const loadPrepare = lazyModule(() => import("../loop/prepare.ts"));
const loadLoop = lazyModule(() => import("../loop/loop.ts"));
/** Loaded with the first run that needs a sign-in. */
const loadSignIn = lazyModule(() => import("../loop/sign_in_question.ts"));
/** Loaded with the first failure that may be retried. */
const loadRetry = lazyModule(() => import("./run_retry.ts"));

/** A waiting execution and its question. */
export interface Paused {
  execution: Execution;
  request: HumanRequest;
}

/** The rest of an execution. */
export interface Resting {
  rest: RunRest;
}

/** The reason why a run stopped running: it ended, waits or rests, or a later start or another machine continues it. */
export type RunResult =
  /** The run ended. The caller stores the end. */
  | { status: FinalStatus; outcome: Outcome; journal: Journal; family: Family }
  | { status: "waiting" } & Paused
  | { status: "running" } & Resting
  /** The run did not end: the next start of the service or another machine continues it. */
  | { status: "running" };

/** The known children of a run. */
interface Family {
  /** True if the run has never started a child. */
  isChildless: boolean;
}

/** The objects that a run needs. */
interface Conduct {
  agent: Agent;
  signal: AbortSignal;
  ports: DelegationContext["ports"] & { agentPlaces: AgentPlaces };
}

/** Runs an execution until it ends, rests or waits for a person. Never rejects: a failure is an outcome. */
export async function conductRun(subject: StoredRun, conduct: Conduct): Promise<RunResult> {
  const { execution } = subject;
  const { signal, ports } = conduct;
  const { clock, log, active } = ports;
  const patience = { clock, log, signal: active.stopping, execution: execution.id };
  const journal = new Journal(execution, { ...ports, ...createRetryingStores(ports, patience) });
  const family = { isChildless: subject.isFresh === true };
  let { agent } = conduct;
  let outcome: Outcome;
  let failure: unknown;
  try {
    agent = await ports.variantOf?.(agent, subject.request) ?? agent;
    const context = { ...conduct, agent, journal, family };
    // The first attempt uses the given record. Later attempts continue from the stored record.
    let known: StoredRun | undefined = subject;
    const reached = await retryUntilStored(async () => {
      const current = known ?? await requireExecution(ports.executions, execution.id);
      known = undefined;
      const { retry } = current.execution;
      if (retry !== undefined && !retry.isUnderWay) {
        await journal.pause({ retry: { ...retry, isUnderWay: true } });
      }
      const reached = await untilPause(current, context);
      if (!("transient" in reached)) return reached;
      const { postponeRun } = await loadRetry();
      return await postponeRun(current.execution, reached, context) ?? reached;
    }, patience);
    if ("request" in reached) return { status: "waiting", ...reached };
    if ("rest" in reached) return { status: "running", ...reached };
    outcome = reached;
  } catch (error) {
    if (error instanceof LeaseLost) return { status: "running" };
    const isStorage = error instanceof RuntimeError && error.code === "storage";
    // This machine gives the run up while the database is unavailable. Another machine continues from the stored state.
    if (isStorage && ports.shared !== undefined) return { status: "running" };
    failure = error;
    outcome = toFailure(error, { execution, log });
  }
  if (isLost(signal)) return { status: "running" };
  if (agent.onRestart === "resume" && [signal, { reason: failure }].some(isLeftForRestart)) {
    await leave(execution, { journal, log });
    return { status: "running" };
  }
  return { status: outcome.status, outcome, journal, family };
}

/** Runs the loop until the run ends, rests or waits. `max_duration` limits the run. */
async function untilPause(
  subject: StoredRun,
  context: Conduct & { journal: Journal; family: Family },
): Promise<Outcome | Paused | Resting> {
  const { agent, signal, journal, ports: { clock, agentPlaces } } = context;
  const { execution } = subject;
  using _place = await journal.running.exclude(() =>
    agentPlaces.enter(agent, { execution, journal, signal })
  );
  const { maxDuration } = agent.settings;
  if (maxDuration === null) return await runStretch(subject, context);
  const limitMs = maxDuration * SECOND_MS;
  const ms = Math.max(0, limitMs - (execution.durationMs ?? 0) - journal.running.elapsedMs);
  const reason = new RunStopped(LIMITS.max_duration(writeDuration(limitMs)));
  return await withinTime(
    { clock, ms, reason, signal },
    (signal) => runStretch(subject, { ...context, signal }),
  );
}

async function runStretch(
  subject: StoredRun,
  context: Conduct & { journal: Journal; family: Family },
): Promise<Outcome | Paused | Resting> {
  const { agent, signal, journal, ports } = context;
  const { execution } = subject;
  const [{ prepareRun }, { runLoop }] = [await loadPrepare(), await loadLoop()];
  for (let current = subject;; current = await requireExecution(ports.executions, execution.id)) {
    const prepared = prepareRun({ ...current, agent }, {
      ports,
      journal,
      signal,
      delegate(call, delegation) {
        context.family.isChildless = false;
        return delegate(execution, call, { delegation, signal, ports });
      },
    });
    const outcome = await prepared.then(runLoop, async (error) => {
      if (!(error instanceof SignInRequired)) throw error;
      return await (await loadSignIn()).pauseForSignIn(error, current, ports);
    });
    if ("status" in outcome) return outcome;
    const paused = "question" in outcome
      ? await ask(outcome, { agent, journal, ports })
      : "rest" in outcome
      ? { rest: await journal.rest(outcome.rest) }
      : await journal.waitForChild(outcome.childId);
    if (paused !== undefined) return paused;
    // If the child was answered or its rest has ended meanwhile, it runs again, so the loop continues to wait for it.
  }
}

async function ask(
  { call, question, args, isGuard, raise }: OpenQuestion,
  { agent, journal, ports }: {
    agent: Agent;
    journal: Journal;
    ports: Pick<RunnerPorts, "clock" | "settings">;
  },
): Promise<Paused> {
  const now = ports.clock.now();
  const { confirmTimeout } = agent;
  const rule = approvalRuleOf(agent);
  return await journal.ask({
    ...question,
    requestId: crypto.randomUUID(),
    position: call.position,
    toolName: call.name,
    toolArgs: args,
    createdAt: now,
    expiresAt: confirmTimeout === null ? null : now + confirmTimeout,
    ...(isGuard && { isGuard }),
    ...(raise && { raise }),
    ...(isGuard && rule &&
      { rule: withStandIns(rule, { people: ports.settings.config.people, now }) }),
  });
}

/**
 * Stores the running time of a run that the next start will continue. Never rejects, because the run can be continued even
 * if storing fails.
 */
async function leave(
  { id }: Execution,
  { journal, log }: { journal: Journal; log: ServiceLog },
): Promise<void> {
  try {
    await journal.pause();
  } catch (error) {
    if (error instanceof LeaseLost) return;
    log.write("error", "The running time of an execution could not be stored", {
      execution: id,
      error,
    });
  }
}
