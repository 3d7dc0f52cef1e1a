// A conversation with the unsaved text of an agent, beside its editor.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Option, rowsOf, submitByKeys, TextField } from "../../parts/forms.tsx";
import { Button, Problem } from "../../parts/parts.tsx";
import { createKey } from "../../state/run_form.ts";
import { useService } from "../../state/service_context.ts";
import { useSending } from "../../state/use_resource.ts";
import { ChatTurn } from "../chat/chat_turn.tsx";

/** Renders the turns of the conversation, and a form for the next one. */
export function TryPanel(
  { id, text, obstacle }: {
    id: string;
    text: string;
    /** The reason why the text cannot be tried. Null if there is none. */
    obstacle: string | null;
  },
): VNode {
  const { client } = useService();
  const [message, setMessage] = useState("");
  const [isDry, setDry] = useState(true);
  const [turns, setTurns] = useState<readonly number[]>([]);
  const { isSending, problem, send } = useSending({ touches: ["executions"] });
  const run = async () => {
    const last = turns.at(-1);
    const { execution_id } = await client.run(id, {
      agent_text: text,
      ...(message.trim() !== "" && { message }),
      ...(isDry && { dry_run: true }),
      ...(last !== undefined && { continues: last }),
    }, { idempotencyKey: createKey() });
    setTurns([...turns, execution_id]);
    setMessage("");
  };
  return (
    <section class="try" aria-label="Try">
      <h2>Try</h2>
      <p class="hint">
        Runs the text as it is in the editor, within the budget of the saved file or the default
        one. Keeps no memory, and starts no other agents afterward.
      </p>
      {turns.map((turn) => (
        <ChatTurn key={turn} execution={{ id: turn, agent_id: id, status: "running" }} />
      ))}
      <Problem text={obstacle ?? problem} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send(run);
        }}
        onKeyDown={submitByKeys}
      >
        <TextField
          kind="lines"
          label="Message"
          rows={rowsOf(message, { least: 2, most: 8 })}
          dir="auto"
          value={message}
          onInput={setMessage}
        />
        <Option checked={isDry} onChange={setDry}>Dry run: only list what it would change</Option>
        <div class="actions">
          <button type="submit" class="primary" disabled={isSending || obstacle !== null}>
            Try
          </button>
          {turns.length > 0 && (
            <Button class="quiet" onClick={() => setTurns([])}>New conversation</Button>
          )}
        </div>
      </form>
    </section>
  );
}
