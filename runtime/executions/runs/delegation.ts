// Runs a delegation: starts a child execution for a call, waits until it ends, rests or waits for a person, and returns
// its result.
import { CalledTooDeep } from "../refusals.ts";
import { NO_LONGER_NEEDED } from "../../../base/clock.ts";
import type { Agent } from "../../agents/agent.ts";
import { beginningOf } from "../../../base/text/cut_text.ts";
import type { Delegation } from "../../tools/definition/tool.ts";
import type { DescribedCall } from "../record/call_preview.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import type { AcceptanceRefusal } from "../record/acceptance_store.ts";
import type { PlannedCall } from "../record/conversation.ts";
import { STOPS } from "../../vocabulary/end_reason.ts";
import { type Execution, isPaused } from "../execution.ts";
import { isFinal } from "../states.ts";
import type { ExecutionReads } from "../record/execution_reads.ts";
import type { RunSpec } from "./acceptance.ts";
import type { ActiveRuns } from "./active_runs.ts";
import { type DelegationState, isLeftForRestart, RunStopped } from "../loop/run.ts";
import type { RunnerPorts } from "./runner_ports.ts";

/**
 * The maximum size of a child's answer and error in the result, in bytes of JSON. The whole result stays below the limit of
 * a tool result. The child's own record has the complete texts.
 */
const OUTPUT_BYTES = 60_000;
const ERROR_BYTES = 4_000;
/** The maximum total length in characters of the diffs that a parent copies from a dry-run child. */
const PASSED_DIFFS = 256 * 1024;

/** The call to delegate, and the objects that the delegation needs. */
export interface DelegationContext {
  delegation: Delegation | undefined;
  signal: AbortSignal;
  ports: RunnerPorts & {
    active: ActiveRuns;
    runs: {
      begin(agent: Agent, spec: RunSpec): Promise<Execution | { refused: AcceptanceRefusal }>;
      cancel(id: number, error: string): Promise<unknown>;
    };
  };
}

/**
 * Starts the child execution of a call, unless it exists, and waits until it ends, rests or waits for a person.
 * Without `delegation`, the child must exist. Throws ToolFailure if the child may not be started. If the signal aborts, ends the
 * child and throws the signal's reason.
 */
export async function delegate(
  parent: Execution,
  call: PlannedCall,
  context: DelegationContext,
): Promise<DelegationState> {
  const { signal, ports: { families, runs } } = context;
  signal.throwIfAborted();
  const child = await families.findChild(parent.id, call.position) ??
    await begin(parent, call, context);
  let ending: Promise<unknown> | undefined;
  const onAbort = () => {
    // A stopping service stops the child itself, or leaves it to be resumed.
    if (isLeftForRestart(signal)) return;
    // If this cancel fails, the end of the parent cancels the child again and logs a failure.
    ending = Promise.allSettled([runs.cancel(child.id, errorOf(signal))]);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  let stored: Awaited<ReturnType<typeof untilRest>>;
  try {
    if (signal.aborted) onAbort();
    stored = await untilRest(child.id, context);
  } finally {
    signal.removeEventListener("abort", onAbort);
    await ending;
  }
  signal.throwIfAborted();
  if (stored !== undefined && isPaused(stored.execution)) {
    return { state: "waiting", childId: child.id };
  }
  if (stored === undefined || !isFinal(stored.execution.status)) {
    throw new ToolFailure(
      `Execution ${child.id} of agent "${child.agentId}" could not be followed to its end`,
    );
  }
  const content = describeEnd(stored.execution, stored.output);
  if (!stored.execution.isDryRun) return { state: "ended", content };
  const described = await context.ports.conversations.readDescribed(child.id);
  return { state: "ended", content, described: withinDiffs(described) };
}

/** Removes the diffs beyond PASSED_DIFFS, because each ancestor stores a copy of them. */
function withinDiffs(described: readonly DescribedCall[]): DescribedCall[] {
  let left = PASSED_DIFFS;
  return described.map((call) => {
    const { preview, executionId } = call;
    if (preview === null || (left -= preview.diff.length) >= 0) return call;
    const problem = `Not shown here: execution ${executionId} has the diff`;
    return { ...call, preview: { ...preview, diff: "", problem } };
  });
}

/** Waits until an execution neither runs nor is about to run, on this or another machine. Returns its record. */
async function untilRest(
  id: number,
  { signal, ports: { active, executions, shared } }: DelegationContext,
): ReturnType<ExecutionReads["readExecution"]> {
  for (;;) {
    await active.untilRest(id);
    const settled = new AbortController();
    // Subscribes before the read, so that no change is missed.
    const changed = shared?.whenChanged(id, settled.signal);
    try {
      const stored = await executions.readExecution(id);
      // A stored answer may be about to start the execution.
      if (stored === undefined || isPaused(stored.execution)) return stored;
      if (isFinal(stored.execution.status)) return stored;
      if (changed === undefined) {
        if (!active.mayRun(id)) return stored;
        continue;
      }
      // The child runs on another machine. The parent does not wait for it while its own service stops.
      if (isLeftForRestart(signal)) return stored;
      await changed;
    } finally {
      settled.abort(NO_LONGER_NEEDED);
      await changed;
    }
  }
}

async function begin(
  parent: Execution,
  { position }: PlannedCall,
  { delegation, ports }: DelegationContext,
): Promise<Execution> {
  if (delegation === undefined) throw new TypeError("There is nobody to delegate to");
  const { agentId, args } = delegation;
  const agent = await ports.currentAgent(agentId);
  if (agent === undefined) {
    throw new ToolFailure(
      `Agent "${agentId}" cannot be run now: its file is missing or cannot be read`,
    );
  }
  if (!agent.enabled) throw new ToolFailure(`Cannot run agent "${agentId}": it is disabled`);
  const maxAgentDepth = ports.settings.config.maxAgentDepth;
  const depth = (parent.depth ?? 0) + 1;
  if (depth > maxAgentDepth) {
    const { message } = new CalledTooDeep(agentId, maxAgentDepth);
    throw new ToolFailure(`${message}. Do the task without it.`);
  }
  const { id: executionId, displayName } = parent;
  const cause = { type: "agent" as const, agentId: parent.agentId, displayName, executionId };
  // A delegation is started even while the service shuts down, because the running parent needs its result.
  const begun = await ports.active.track(ports.runs.begin(agent, {
    trigger: "agent",
    sessionId: null,
    request: {
      args,
      cause,
      ...(parent.isDryRun && { dryRun: true }),
      ...(parent.isTrial && { trial: {} }),
    },
    parent: { executionId, position },
    depth,
  }));
  if ("refused" in begun) throw new TypeError("A delegated execution is never refused");
  return begun;
}

function errorOf({ reason }: AbortSignal): string {
  return reason instanceof RunStopped ? reason.message : STOPS.caller_ended;
}

/** Returns the end of a child as JSON for the parent's model. */
function describeEnd(execution: Execution, output: string | null): string {
  return JSON.stringify({
    status: execution.status,
    output: output === null ? null : bound(output, OUTPUT_BYTES),
    ...(execution.error !== null && { error: bound(execution.error, ERROR_BYTES) }),
    execution_id: execution.id,
    duration_ms: execution.durationMs,
    total_tokens: execution.totalTokens,
    cost_usd: execution.costUsd,
  });
}

/** Returns the text, cut to `maxBytes` bytes of JSON. A last line reports the cut. */
function bound(text: string, maxBytes: number): string {
  let end = Math.min(text.length, maxBytes);
  // Each iteration estimates the length from the average size of a character so far.
  for (let bytes; (bytes = jsonBytes(text.slice(0, end))) > maxBytes;) {
    end = Math.min(end - 1, Math.floor(end * maxBytes / bytes));
  }
  if (end === text.length) return text;
  return `${beginningOf(text, end)}\n[This was cut here: it has ${text.length} characters.]`;
}

function jsonBytes(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}
