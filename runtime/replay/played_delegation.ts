// Plays delegations: the child ends as recorded, or waits with the recorded question.
import type { Agent } from "../agents/agent.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { ToolFailure } from "../tools/failures/tool_failure.ts";
import type { PlannedCall } from "../executions/record/conversation.ts";
import type { Execution } from "../executions/execution.ts";
import type { DelegationState } from "../executions/loop/run.ts";
import type { CassetteQuestion } from "./cassette.ts";
import type { Playback } from "./playback.ts";
import { acceptPlayed, type PlayStores } from "./played_stores.ts";
import { withoutPrefix } from "./played_tools.ts";

interface PlayedFamily {
  execution: Execution;
  agent: Agent;
  stores: Pick<PlayStores, "acceptances" | "families" | "requests">;
  playback: Playback;
  redactor: Redactor;
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
  { execution, agent, stores, playback: { clock }, redactor }: PlayedFamily,
): Promise<number> {
  const child = await stores.families.findChild(execution.id, position) ??
    await acceptPlayed(agent, {
      trigger: "agent",
      sessionId: null,
      request: { args: [] },
      parent: { executionId: execution.id, position },
      depth: 1,
    }, { stores, clock, redactor });
  await stores.requests.openRequest(child.id, {
    request: { ...request, executionId: child.id, position: 0 },
    durationMs: 0,
    frames: [],
  });
  return child.id;
}
