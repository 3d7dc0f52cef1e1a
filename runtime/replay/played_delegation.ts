// Plays delegations: the child ends as recorded, or waits with the recorded question.
import { ToolFailure } from "../tools/failures/tool_failure.ts";
import type { PlannedCall } from "../executions/record/conversation.ts";
import type { Execution } from "../executions/execution.ts";
import type { AcceptanceStore } from "../executions/record/acceptance_store.ts";
import type { FamilyStore } from "../executions/record/family_store.ts";
import type { RequestStore } from "../executions/record/request_store.ts";
import type { DelegationState } from "../executions/loop/run.ts";
import type { CassetteQuestion } from "./cassette.ts";
import type { Playback } from "./playback.ts";
import { withoutPrefix } from "./played_tools.ts";

interface PlayedFamily {
  execution: Execution;
  stores: {
    acceptances: AcceptanceStore;
    families: Pick<FamilyStore, "findChild">;
    requests: Pick<RequestStore, "openRequest">;
  };
  playback: Playback;
}

/** Returns the recorded state of a call's child. Throws ToolFailure if the delegation was refused. */
export async function playDelegation(
  call: PlannedCall,
  family: PlayedFamily,
): Promise<DelegationState> {
  const { playback } = family;
  const result = await playback.resultOf(call.toolCallId);
  if (result !== undefined) {
    if (result.isError) throw new ToolFailure(withoutPrefix(result.content));
    return { state: "ended", content: result.content };
  }
  const step = playback.script.peek();
  // The parent's own question comes before the child's.
  if (step?.type !== "question" || step.call !== null) return { state: "waiting", childId: 0 };
  // Several calls may wait for the same recorded question.
  const childId = await playback.waitingChildren.getOrInsertComputed(
    step.request.requestId,
    () => waitingChild(call, step, family),
  );
  return { state: "waiting", childId };
}

/** Creates a child that waits with the recorded question. */
async function waitingChild(
  { position }: PlannedCall,
  { request }: CassetteQuestion,
  { execution, stores }: PlayedFamily,
): Promise<number> {
  const child = await stores.families.findChild(execution.id, position) ??
    await acceptChild(execution, position, stores.acceptances);
  await stores.requests.openRequest(child.id, {
    request: { ...request, executionId: child.id, position: 0 },
    durationMs: 0,
    frames: [],
  });
  return child.id;
}

async function acceptChild(
  parent: Execution,
  position: number,
  acceptances: AcceptanceStore,
): Promise<Execution> {
  const accepted = await acceptances.acceptExecution({
    agentId: parent.agentId,
    displayName: parent.displayName,
    trigger: "agent",
    parentExecutionId: parent.id,
    parentPosition: position,
    depth: 1,
    sessionId: null,
    request: { args: [] },
    model: parent.model,
    startedAt: parent.startedAt,
  }, { unlessWaiting: false, frames: () => [] });
  if (!("execution" in accepted)) throw new TypeError("A delegated execution is never refused");
  return accepted.execution;
}
