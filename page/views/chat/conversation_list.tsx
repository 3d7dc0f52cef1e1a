// The conversations that there are, those talked in last first. They are made of the executions that are their turns: the
// service keeps no list of them.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Agent, Button, Empty, LoadState, Status, When } from "../../parts.tsx";
import { chatHref } from "../../route.ts";
import { useResource } from "../../state/use_resource.ts";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import type { ExecutionStatus } from "../../../runtime/executions/states.ts";

/** Turns among which conversations are looked for at once, and the most that the service lists. */
const TURNS_AT_ONCE = 100;
const MOST_TURNS = 500;

/** With one agent, or with all of them where it is null. */
export function ConversationList(
  { agentId, sessionId }: {
    agentId: string | null;
    /** The one that is open. */
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
    { key: agentId ?? "", topics: ["executions"], beat: asked },
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
      {turns.data?.length === 0 && <Empty>There are none yet.</Empty>}
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
                <When at={one.lastAt} />
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
          Show older ones
        </Button>
      )}
    </nav>
  );
}

/** A conversation as a list shows it. */
interface ConversationSummary {
  agentId: string;
  sessionId: string;
  /** The first message, if it is known; else empty. */
  title: string;
  /** When its last turn began: a timestamp. */
  lastAt: string;
  /** The status of its last turn. */
  status: ExecutionStatus;
}

/** The conversations of these executions, which are the newest first; those talked in last come first. */
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
