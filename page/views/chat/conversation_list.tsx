// Renders the list of conversations, latest first. The list is built from executions, because the service stores no
// conversations.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Agent, Button, Empty, LoadState, RelativeTime, Status } from "../../parts/parts.tsx";
import { chatHref } from "../../state/route.ts";
import { useResource } from "../../state/use_resource.ts";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import type { ExecutionStatus } from "../../../runtime/executions/states.ts";

/** The number of turns loaded at first, which is the maximum of one request to the service. */
const TURNS_AT_ONCE = 100;
const MOST_TURNS = 500;

/** Renders the conversations with one agent, or with all agents if `agentId` is null. */
export function ConversationList(
  { agentId, sessionId }: {
    agentId: string | null;
    /** The session id of the open conversation; null for a new one. */
    sessionId: string | null;
  },
): VNode {
  const [asked, setAsked] = useState(TURNS_AT_ONCE);
  const turns = useResource(
    (client) =>
      client.executions({
        agent: agentId ?? undefined,
        trigger: "chat",
        preview: true,
        limit: asked,
      }),
    { key: agentId ?? "", topics: ["executions"], reloadKey: asked },
  );
  const { data = [] } = turns;
  return (
    <nav aria-label="Conversations" class="conversations">
      {agentId !== null && (
        <a
          class="button"
          href={chatHref(agentId)}
          aria-current={sessionId === null ? "page" : undefined}
        >
          New conversation
        </a>
      )}
      <LoadState of={turns} />
      {turns.data?.length === 0 && <Empty>No conversations yet.</Empty>}
      <ul>
        {toConversations(data).map((one) => (
          <li key={`${one.agentId} ${one.sessionId}`}>
            <a
              data-row
              href={chatHref(one.agentId, one.sessionId)}
              aria-current={one.sessionId === sessionId && agentId !== null ? "page" : undefined}
            >
              <span class="ellipsis" dir="auto">{one.title || one.sessionId}</span>
              <span class="muted small">
                {agentId === null && <Agent id={one.agentId} />}
                <RelativeTime at={one.lastAt} />
                {one.status !== "success" && <Status status={one.status} />}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {data.length === asked && asked < MOST_TURNS && (
        <Button
          class="quiet"
          onClick={() => setAsked(MOST_TURNS)}
        >
          Show older conversations
        </Button>
      )}
    </nav>
  );
}

/** A conversation in the list. */
interface ConversationSummary {
  agentId: string;
  sessionId: string;
  /** The first message of the conversation; empty if it was not loaded. */
  title: string;
  /** The start of the latest turn, as a timestamp. */
  lastAt: string;
  /** The status of the latest turn. */
  status: ExecutionStatus;
}

/** Returns the conversations to which these turns belong, latest first. `turns` are in the order newest first. */
function toConversations(turns: readonly ListedExecution[]): ConversationSummary[] {
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
