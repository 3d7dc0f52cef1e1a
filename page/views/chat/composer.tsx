// The field for the next message of a conversation, with the button that cancels the turn under way.
import type { VNode } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import { rowsOf, submitByKeys } from "../../parts/forms.tsx";
import { Problem } from "../../parts/parts.tsx";
import { chatHref } from "../../state/route.ts";
import { createKey, RunKeys } from "../../state/run_form.ts";
import { useService } from "../../state/service_context.ts";
import { useSending } from "../../state/use_resource.ts";
import { CancelButton } from "../execution_actions.tsx";

/** Sends a message as the next turn. The first turn starts a conversation with its own address. */
export function Composer(
  { agentId, sessionId, open }: {
    agentId: string;
    sessionId: string | null;
    /** The turn that is under way. */
    open: ListedExecution | undefined;
  },
): VNode {
  const { client, link } = useService();
  const [text, setText] = useState("");
  const { isSending, problem, send } = useSending();
  // The keys of one message, for repeated attempts to send it. An equal later message is another turn.
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
        {open !== undefined && <CancelButton key={open.id} id={open.id} />}
        <span class="hint" role="status">
          {open === undefined
            ? ""
            : open.status === "waiting"
            ? "Waiting for your answer above."
            : "Answering."}
        </span>
        {open === undefined && <span class="hint with-keys">Or press Ctrl+Enter.</span>}
      </div>
    </form>
  );
}
