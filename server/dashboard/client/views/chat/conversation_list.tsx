// The conversations that there are, those talked in last first.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type AgentsById, labelOf } from "../../state/agents_by_id.ts";
import { toConversations } from "../../state/conversations.ts";
import { AgentName, Empty, Loading, Problem, Status, When } from "../../parts.tsx";
import { toHash } from "../../route.ts";
import { useService } from "../../state/service_context.ts";
import { useResource } from "../../state/use_resource.ts";

/** Turns among which conversations are looked for at once, and the most that the service lists. */
const TURNS_AT_ONCE = 100;
const MOST_TURNS = 500;

/** With one agent, or with all of them where it is null. */
export function ConversationList(
  { agentId, sessionId, agents }: {
    agentId: string | null;
    /** The one that is open. */
    sessionId: string | null;
    agents: AgentsById;
  },
): VNode {
  const { client } = useService();
  const [asked, setAsked] = useState(TURNS_AT_ONCE);
  const { data, problem } = useResource(
    () =>
      client.executions({
        agent: agentId ?? undefined,
        trigger: "chat",
        preview: true,
        limit: asked,
      }),
    { key: agentId ?? "", topics: ["executions"], beat: asked },
  );
  const conversations = toConversations(data ?? []);
  return (
    <nav aria-label="Conversations" class="conversations">
      {agentId !== null && (
        <a
          class="button"
          href={toHash({ view: "chat", agent: agentId, session: null })}
          aria-current={sessionId === null ? "page" : undefined}
        >
          New conversation
        </a>
      )}
      {problem !== null && <Problem text={problem} />}
      {data === undefined && problem === null && <Loading />}
      {data?.length === 0 && <Empty>There are none yet.</Empty>}
      <ul>
        {conversations.map((one) => (
          <li key={`${one.agentId} ${one.sessionId}`}>
            <a
              data-row
              href={toHash({ view: "chat", agent: one.agentId, session: one.sessionId })}
              aria-current={one.sessionId === sessionId && agentId !== null ? "page" : undefined}
            >
              <span class="ellipsis" dir="auto">{one.title || one.sessionId}</span>
              <span class="muted small">
                {agentId === null && <AgentName {...labelOf(agents, one.agentId)} />}
                <When at={one.lastAt} />
                {one.status !== "success" && <Status status={one.status} />}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {data !== undefined && data.length === asked && asked < MOST_TURNS && (
        <button
          type="button"
          class="quiet"
          onClick={() => setAsked(MOST_TURNS)}
        >
          Show older ones
        </button>
      )}
    </nav>
  );
}
