// Renders the list of conversations, latest first. The list is built from executions, because the service stores no
// conversations.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Agent, Button, Empty, LoadState, RelativeTime, Status } from "../../parts/parts.tsx";
import { chatHref } from "../../state/route.ts";
import { useResource } from "../../state/use_resource.ts";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";

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
        {toConversations(data).map(({ sessionId: id, title, latest }) => (
          <li key={`${latest.agent_id} ${id}`}>
            <a
              data-row
              href={chatHref(latest.agent_id, id)}
              aria-current={id === sessionId && agentId !== null ? "page" : undefined}
            >
              <span class="ellipsis" dir="auto">{title || id}</span>
              <span class="muted small">
                {agentId === null && <Agent id={latest.agent_id} />}
                <RelativeTime at={latest.started_at} />
                {latest.status !== "success" && <Status status={latest.status} />}
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

/**
 * Returns the conversations to which these turns belong, latest first. The title is the first message, empty if it was not
 * loaded. `turns` are in the order newest first.
 */
function toConversations(turns: readonly ListedExecution[]) {
  const byPlace = new Map<string, { sessionId: string; title: string; latest: ListedExecution }>();
  for (const turn of turns) {
    const { agent_id, session_id: sessionId, trigger, preview } = turn;
    if (trigger !== "chat" || sessionId === null) continue;
    const place = JSON.stringify([agent_id, sessionId]);
    const { latest = turn, title = "" } = byPlace.get(place) ?? {};
    byPlace.set(place, { sessionId, title: preview?.asked ?? title, latest });
  }
  return [...byPlace.values()];
}
