// From a spec to what the store is asked to accept, and whether what was accepted before is the same run.
import type { Agent } from "../../agents/agent.ts";
import type { Clock } from "../../../base/clock.ts";
import { type Diagnostic, formatDiagnostic } from "../../../base/diagnostics.ts";
import type { Budget } from "../budget/budget.ts";
import { copyFrame, createFrame, type Frame, type FrameDraft } from "../../events/frame.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { AcceptanceStore, Claim, TakenSteps } from "../record/acceptance_store.ts";
import type { Execution } from "../execution.ts";
import { type ExecutionTrigger, TRIGGER_KINDS } from "../../trigger_kinds.ts";
import type { StoredExecution } from "../record/execution_reads.ts";
import type { ExecutionRequest } from "../execution_request.ts";
import {
  identityOf,
  toInfoFrame,
  toNoticeFrame,
  toOpeningFrame,
} from "../record/frame_contents.ts";

/** A run that is asked for. */
export interface RunSpec {
  trigger: ExecutionTrigger;
  request: ExecutionRequest;
  sessionId: string | null;
  idempotencyKey?: string;
  /** Further keys that stand for the same run. */
  otherKeys?: readonly string[];
  /** What it takes with its acceptance. */
  claim?: Claim;
  /** The steps of another execution that it has from its beginning, and what its log says of them. */
  taken?: TakenSteps & { frames: readonly Frame[] };
  /** What it is to say of files that keep changing, such as config.yaml. */
  notices?: readonly string[];
  /** Whose call it answers. */
  parent?: { executionId: number; position: number; depth: number };
}

/** What a run says of the files that it cannot use as they are now; `whyStale`: see AgentRegistry. */
export function noticesOf(
  { id }: Agent,
  { notices = [], request }: RunSpec,
  { whyStale }: { whyStale?: (id: string) => Diagnostic | undefined },
): string[] {
  const stale = request.fork?.agentText === undefined ? whyStale?.(id) : undefined;
  if (stale === undefined) return [...notices];
  return [
    ...notices,
    `This run uses the agent's last good definition: ${formatDiagnostic(stale)}`,
  ];
}

/** The arguments of AcceptanceStore.acceptExecution for a spec; its log begins with the notices. */
export function toAcceptance(
  agent: Agent,
  { notices = [], ...spec }: RunSpec,
  { clock, redactor, budgetsOf }: {
    clock: Clock;
    redactor: Redactor;
    budgetsOf: (agent: Agent) => Budget[];
  },
): Parameters<AcceptanceStore["acceptExecution"]> {
  const { parent, claim, idempotencyKey, otherKeys, taken } = spec;
  return [{
    agentId: agent.id,
    displayName: agent.displayName,
    trigger: spec.trigger,
    parentExecutionId: parent?.executionId ?? null,
    parentPosition: parent?.position ?? null,
    depth: parent?.depth ?? 0,
    sessionId: spec.sessionId,
    request: spec.request,
    model: agent.model === undefined ? "" : `${agent.model.provider}/${agent.model.name}`,
    startedAt: clock.now(),
  }, {
    startsAt: () => clock.now(),
    // A dry run is seeded from what is over and changes nothing: no run has to wait for another because of it.
    unlessWaiting: agent.onPending === "skip" && !spec.request.dryRun &&
      TRIGGER_KINDS[spec.trigger].bucket !== "delegated",
    // What a person or another agent asks for begins anyway: its first call finds out what is used up.
    frames: (execution) => [
      createInfoFrame(execution, { redactor, at: execution.startedAt }),
      ...notices.map((text) =>
        createFrame(identityOf(execution), toNoticeFrame("warn", text), {
          redactor,
          at: execution.startedAt,
        })
      ),
      ...(taken === undefined ? [] : createTakenFrames(execution, taken, {
        redactor,
        at: execution.startedAt,
      })),
    ],
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(otherKeys === undefined ? {} : { otherKeys }),
    ...(claim === undefined ? {} : { claim }),
    ...(TRIGGER_KINDS[spec.trigger].isAutomatic && { budgets: budgetsOf(agent) }),
    ...(taken === undefined ? {} : { taken }),
  }];
}

/** The first frame of every execution; stored with its acceptance. */
export function createInfoFrame(
  execution: Execution,
  options: { redactor: Redactor; at: number },
): FrameDraft {
  return createFrame(identityOf(execution), toInfoFrame(execution), options);
}

/** What the log of another execution says of the steps, and what is said behind them now. */
function createTakenFrames(
  execution: Execution,
  { frames, message }: NonNullable<RunSpec["taken"]>,
  options: { redactor: Redactor; at: number },
): FrameDraft[] {
  const identity = identityOf(execution);
  return [
    ...frames.map((frame) => copyFrame(identity, frame, options)),
    ...(message === undefined
      ? []
      : [createFrame(identity, toOpeningFrame(message.message), options)]),
  ];
}

/**
 * Whether an execution is the very run that is wished for now, of this agent: an idempotency key stands for one. The key of a
 * delivery is what it is known by: what its sender adds to it each time makes no other one of it.
 */
export function isSameRun(
  { execution, request }: Pick<StoredExecution, "execution" | "request">,
  { agent, spec }: { agent: Pick<Agent, "id">; spec: RunSpec },
): boolean {
  if (execution.agentId !== agent.id) return false;
  if (execution.trigger === "webhook" && spec.trigger === "webhook") return true;
  return execution.sessionId === spec.sessionId &&
    JSON.stringify(request) === JSON.stringify(spec.request);
}
