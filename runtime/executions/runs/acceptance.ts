// Converts run specs to the arguments of the acceptance store, and compares run specs with accepted executions.
import type { Agent } from "../../agents/agent.ts";
import { normalizeId } from "../../agents/agent_id.ts";
import type { Clock } from "../../../base/clock.ts";
import { type Diagnostic, formatDiagnostic } from "../../../base/diagnostics.ts";
import type { Budget } from "../budget.ts";
import { copyFrame, createFrame, type Frame, type FrameDraft } from "../../events/frame.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { AcceptanceStore, AcceptanceTerms, CopiedSteps } from "../record/acceptance_store.ts";
import type { Execution } from "../execution.ts";
import { type ExecutionTrigger, TRIGGER_KINDS } from "../../vocabulary/trigger_kinds.ts";
import type { ExecutionReads, StoredExecution } from "../record/execution_reads.ts";
import { IdempotencyKeyReused } from "../refusals.ts";
import type { BroughtMessages, ExecutionRequest } from "../execution_request.ts";
import type { Message } from "../../models/message.ts";
import {
  identityOf,
  toInfoFrame,
  toNoticeFrame,
  toOpeningFrame,
} from "../record/frame_contents.ts";

/** The description of a run to accept: agent, trigger, request and relations. */
export interface RunSpec
  extends Pick<AcceptanceTerms, "idempotencyKey" | "otherKeys" | "claim" | "audit"> {
  trigger: ExecutionTrigger;
  request: ExecutionRequest;
  sessionId: string | null;
  /** The steps that a fork copies from another execution, with their frames. */
  taken?: CopiedSteps & { frames: readonly Frame[] };
  /** The messages that the request brings. They are read when the run is accepted. */
  brought?: BroughtMessages;
  /** The conversation before the run's system message: the history, and a user turn that holds only pictures. */
  given?: readonly Message[];
  /** Notices for the run's log about files that keep changing, such as config.yaml. */
  notices?: readonly string[];
  /** The parent execution and the position of the call that this execution answers. */
  parent?: { executionId: number; position: number };
  /** The number of executions above this one. Default: 0. */
  depth?: number;
}

/** Returns notices about files that the run cannot use in their current form. `whyStale` is the method of AgentRegistry. */
export function noticesOf(
  { id }: Agent,
  { notices = [], request }: RunSpec,
  { whyStale }: { whyStale?: (id: string) => Diagnostic | undefined },
): string[] {
  const text = request.fork?.agentText ?? request.trial?.agentText;
  const stale = text === undefined ? whyStale?.(id) : undefined;
  if (stale === undefined) return [...notices];
  return [
    ...notices,
    `This run uses the agent's last good definition: ${formatDiagnostic(stale)}`,
  ];
}

/** Returns the arguments of AcceptanceStore.acceptExecution for a run spec. The execution's log begins with the notices. */
export function toAcceptance(
  agent: Agent,
  { notices = [], ...spec }: RunSpec,
  { clock, redactor, budgetsOf }: {
    clock: Clock;
    redactor: Redactor;
    budgetsOf: (agent: Agent) => Budget[];
  },
): Parameters<AcceptanceStore["acceptExecution"]> {
  const { parent, trigger, request, sessionId, depth = 0, brought: _, given, ...terms } = spec;
  const { taken } = terms;
  return [{
    agentId: agent.id,
    displayName: agent.displayName,
    trigger,
    parentExecutionId: parent?.executionId ?? null,
    parentPosition: parent?.position ?? null,
    depth,
    sessionId,
    request,
    model: agent.model === undefined ? "" : `${agent.model.provider}/${agent.model.name}`,
    startedAt: clock.now(),
  }, {
    ...terms,
    startsAt: () => clock.now(),
    // A dry run changes nothing, so it may start while another run of the agent waits for a person.
    unlessWaiting: agent.onPending === "skip" && !request.dryRun &&
      !request.brought?.isHistory &&
      TRIGGER_KINDS[trigger].bucket !== "delegated",
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
    // Runs that people or agents request start even with a used-up budget. Their first model call fails instead.
    ...(TRIGGER_KINDS[trigger].isAutomatic && { budgets: budgetsOf(agent) }),
    ...(given && { given: placeGiven(given) }),
  }];
}

/** Returns brought messages with their positions: the history, and the turn with pictures. Position 0 is the system message's. */
export function placeGiven(given: readonly Message[]): NonNullable<AcceptanceTerms["given"]> {
  return given.map((message, index) => ({
    position: index + 1,
    message,
    seeded: index < given.length - 1,
  }));
}

/** Creates the first frame of an execution. It is stored in the transaction that accepts the execution. */
export function createInfoFrame(
  execution: Execution,
  options: { redactor: Redactor; at: number },
): FrameDraft {
  return createFrame(identityOf(execution), toInfoFrame(execution), options);
}

/** Creates the frames of a fork's copied steps, and of the message that follows them. */
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
 * Returns true if an execution with the same idempotency key comes from an equal request. Deliveries of a webhook with
 * equal keys count as equal, because a sender may change other parts in each attempt.
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

/**
 * Handles a repeated request whose agent no longer exists. Returns the execution that an earlier request with this idempotency key created, or undefined. Throws
 * IdempotencyKeyReused if the requests differ.
 */
export async function findRepeatedRun(
  agentId: string,
  spec: RunSpec,
  { executions, clock }: { executions: Pick<ExecutionReads, "readByKey">; clock: Clock },
): Promise<Execution | undefined> {
  const { idempotencyKey: key } = spec;
  const first = key === undefined ? undefined : await executions.readByKey(key, clock.now());
  if (first === undefined) return undefined;
  if (!isSameRun(first, { agent: { id: normalizeId(agentId) }, spec })) {
    throw new IdempotencyKeyReused();
  }
  return first.execution;
}
