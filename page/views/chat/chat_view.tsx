// The chat with agents: the list of conversations, and the turns of one with a field for the next message.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import { useAgents } from "../../state/service_context.ts";
import {
  Agent,
  Button,
  Collapsible,
  Empty,
  Loading,
  Problem,
  ViewHead,
} from "../../parts/parts.tsx";
import { agentHref, chatHref } from "../../state/route.ts";
import { useFollowEnd } from "../../parts/follow_end.ts";
import { NoAgents } from "../agents_view.tsx";
import { useResource } from "../../state/use_resource.ts";
import { isOpen } from "../execution_actions.tsx";
import { ChatTurn } from "./chat_turn.tsx";
import { Composer } from "./composer.tsx";
import { ConversationList } from "./conversation_list.tsx";

/** The number of turns shown at first, the latest ones. */
const TURNS_AT_ONCE = 20;

/** The chat: the start page, or the conversations with one agent. */
export function ChatView(
  { agentId, sessionId }: { agentId: string | null; sessionId: string | null },
): VNode {
  if (agentId === null) return <ChatStart />;
  const list = <ConversationList agentId={agentId} sessionId={sessionId} />;
  return (
    <div class="chat">
      <ViewHead
        crumb={<a href={chatHref(null)}>Chat</a>}
        title={
          <a href={agentHref(agentId)}>
            <Agent id={agentId} />
          </a>
        }
      />
      <div class="beside">{list}</div>
      <div class="above">
        <Collapsible summary="Conversations">{() => list}</Collapsible>
      </div>
      <Conversation agentId={agentId} sessionId={sessionId} />
    </div>
  );
}

/** The start page of the chat, before an agent is chosen. */
function ChatStart(): VNode {
  const agents = useAgents();
  return (
    <>
      <div class="view-head">
        <h1>Chat</h1>
      </div>
      <section aria-labelledby="begin">
        <h2 id="begin">Start a conversation</h2>
        {agents.size === 0 && <NoAgents />}
        <ul class="partners">
          {[...agents.keys()].map((id) => (
            <li key={id}>
              <a data-row class="button" href={chatHref(id)}>
                <Agent id={id} />
              </a>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="recent">
        <h2 id="recent">Conversations</h2>
        <ConversationList agentId={null} sessionId={null} />
      </section>
    </>
  );
}

function Conversation(
  { agentId, sessionId }: { agentId: string; sessionId: string | null },
): VNode {
  const [shown, setShown] = useState(TURNS_AT_ONCE);
  const { data, problem, isStale } = useResource(
    (client) =>
      sessionId === null ? Promise.resolve<ListedExecution[]>([]) : client.executions({
        agent: agentId,
        session: sessionId,
        trigger: "chat",
        limit: shown + 1,
      }),
    { key: `${agentId} ${sessionId}`, topics: ["executions"], reloadKey: shown },
  );
  const agent = useResource((client) => client.agent(agentId), {
    key: agentId,
    topics: ["agents"],
  });
  const turns = isStale || data === undefined ? [] : data.slice(0, shown).toReversed();
  const open = turns.findLast(isOpen);
  const talk = useFollowEnd<HTMLElement>(sessionId);
  return (
    <section class="talk" aria-label="Conversation" ref={talk}>
      <Problem text={problem} />
      <Problem text={agent.problem} />
      {agent.data?.history === "off" && (
        <p class="note">
          This agent has <code>history: off</code>, so it does not remember earlier turns.
        </p>
      )}
      {data !== undefined && data.length > shown && (
        <Button onClick={() => setShown(shown + TURNS_AT_ONCE)}>Show earlier turns</Button>
      )}
      {sessionId !== null && (data === undefined || isStale) && problem === null && <Loading />}
      {turns.length === 0 && data !== undefined && !isStale && <Empty>No messages yet.</Empty>}
      <ol class="turns">
        {turns.map((execution) => (
          <li key={execution.id}>
            <ChatTurn execution={execution} />
          </li>
        ))}
      </ol>
      <Composer agentId={agentId} sessionId={sessionId} open={open} />
    </section>
  );
}
