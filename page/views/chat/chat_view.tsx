// Renders the chat with agents: the list of conversations, and the turns of the open conversation with a field for the next
// message.
import type { VNode } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import { useAgents, useService } from "../../state/service_context.ts";
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
import { useResource, useSending } from "../../state/use_resource.ts";
import { ExecutionButton, isOpen } from "../execution_actions.tsx";
import { ChatTurn } from "./chat_turn.tsx";
import { ConversationList } from "./conversation_list.tsx";
import { rowsOf, submitByKeys } from "../../parts/forms.tsx";
import { createKey, RunKeys } from "../../state/run_form.ts";

/** The number of latest turns that are shown at first. */
const TURNS_AT_ONCE = 20;

/** Renders the chat: the start page, or the conversations with one agent. */
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

/** Renders the start page of the chat, before an agent is chosen. */
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

/** Sends a message as the next turn. The first turn starts a conversation with its own address. */
function Composer(
  { agentId, sessionId, open }: {
    agentId: string;
    sessionId: string | null;
    /** The turn that is running or waiting; undefined for none. */
    open: ListedExecution | undefined;
  },
): VNode {
  const { client, link } = useService();
  const [text, setText] = useState("");
  const { isSending, problem, send } = useSending();
  // The idempotency keys of one message, which are reused if the person sends the message again after a failure. An equal
  // text in a later turn gets other keys.
  const sent = useRef({ keys: new RunKeys(), sessionId: createKey() });
  const field = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => box.current?.focus({ preventScroll: true }), [sessionId]);
  const isReady = text.trim() !== "" && open === undefined && !isSending;
  const say = async () => {
    const { keys, sessionId: fresh } = sent.current;
    const session = sessionId ?? fresh;
    const body = { message: text, session_id: session };
    await client.run(agentId, body, { idempotencyKey: keys.keyOf(body) });
    sent.current = { keys: new RunKeys(), sessionId: createKey() };
    setText("");
    if (sessionId === null) location.hash = chatHref(agentId, session);
    link.markChanged("executions");
  };
  const onSubmit = async (event: Event) => {
    event.preventDefault();
    await send(say);
    box.current?.focus({ preventScroll: true });
  };
  return (
    <form class="composer" onSubmit={onSubmit} onKeyDown={submitByKeys}>
      <Problem text={problem} />
      <label for={field} class="unseen">Message</label>
      <textarea
        id={field}
        ref={box}
        data-message
        rows={rowsOf(text, { least: 2, most: 10 })}
        placeholder={sessionId === null ? "Start a conversation" : "Write a message"}
        dir="auto"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={!isReady}>Send</button>
        {open !== undefined && <ExecutionButton key={open.id} id={open.id} act="cancel" />}
        <span class="hint" role="status">
          {open === undefined
            ? ""
            : open.status === "waiting"
            ? "Waiting for your answer above."
            : "Answering."}
        </span>
        {open === undefined && (
          <span class="hint with-keys">Enter sends, Shift+Enter inserts a line break.</span>
        )}
      </div>
    </form>
  );
}
