// Conversations, made of the executions that are their turns: the service keeps no list of them.
import type { ListedExecution } from "../../../schemas/execution_schemas.ts";
import type { ExecutionStatus } from "../../../../runtime/executions/states.ts";

/** A conversation as a list shows it. */
export interface ConversationSummary {
  agentId: string;
  sessionId: string;
  /** What was said first, as far as is known; empty where nothing is. */
  title: string;
  /** When its last turn began: a timestamp. */
  lastAt: string;
  /** Of its last turn. */
  status: ExecutionStatus;
}

/** The conversations of these executions, which are the newest first; those talked in last come first. */
export function toConversations(turns: readonly ListedExecution[]): ConversationSummary[] {
  const byPlace = new Map<string, ConversationSummary>();
  for (const { agent_id, session_id, trigger, started_at, status, preview } of turns) {
    if (trigger !== "chat" || session_id === null) continue;
    const place = JSON.stringify([agent_id, session_id]);
    const known = byPlace.get(place);
    const title = preview?.asked ?? known?.title ?? "";
    if (known !== undefined) known.title = title;
    else {
      byPlace.set(place, {
        agentId: agent_id,
        sessionId: session_id,
        title,
        lastAt: started_at,
        status,
      });
    }
  }
  return [...byPlace.values()];
}
