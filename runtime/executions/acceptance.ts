// From a wish to what the store is asked to accept.
import type { Agent } from "../agents/agent.ts";
import type { ExecutionTrigger } from "./execution.ts";
import type { ExecutionRequest } from "./execution_request.ts";
import type { Claim, ExecutionStore } from "./execution_store.ts";
import { createInfoFrame, type JournalPorts } from "./journal.ts";

/** A run that is asked for. */
export interface Wish {
  trigger: ExecutionTrigger;
  request: ExecutionRequest;
  sessionId: string | null;
  idempotencyKey?: string;
  /** What it takes with its acceptance. */
  claim?: Claim;
  /** Whose call it answers. */
  parent?: { executionId: number; position: number; depth: number };
}

/** The arguments of ExecutionStore.acceptExecution for a wish. */
export function toAcceptance(
  agent: Agent,
  wish: Wish,
  { clock, redactor }: JournalPorts,
): Parameters<ExecutionStore["acceptExecution"]> {
  const { parent, claim, idempotencyKey } = wish;
  const startedAt = clock.now();
  return [{
    agentId: agent.id,
    displayName: agent.displayName,
    trigger: wish.trigger,
    parentExecutionId: parent?.executionId ?? null,
    parentPosition: parent?.position ?? null,
    depth: parent?.depth ?? 0,
    sessionId: wish.sessionId,
    request: wish.request,
    model: agent.model === undefined ? "" : `${agent.model.provider}/${agent.model.name}`,
    startedAt,
  }, {
    unlessWaiting: agent.onPending === "skip" && wish.trigger !== "agent",
    frames: (execution) => [createInfoFrame(execution, { redactor, at: startedAt })],
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(claim === undefined ? {} : { claim }),
  }];
}
