// Running an agent on request: arguments, a message in place of the usual one, further context.
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { AgentSummary } from "../../schemas/agent_schemas.ts";
import { AgentName } from "./parts.tsx";
import { toHash } from "./route.ts";
import { type RunFields, RunKeys, toRunBody } from "./run_form.ts";
import { useService } from "./state/service_context.ts";
import { submitByKeys } from "./submit_by_keys.ts";
import { toSentence } from "./state/resource.ts";

/** A dialog over the page; closes by Escape, by its button, or by running. */
export function RunDialog(
  { agent, onClose, fields: given, sessionId = null, note }: {
    agent: AgentSummary;
    onClose: () => void;
    /** What stands in it at first. */
    fields?: RunFields;
    /** The conversation that it is a turn of. */
    sessionId?: string | null;
    note?: string | undefined;
  },
): VNode {
  const { client, announce } = useService();
  const [fields, setFields] = useState<RunFields>(given ?? { args: "", message: "", context: "" });
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const keys = useRef(new RunKeys());
  const heading = useId();
  const dryHint = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const run = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    try {
      const body = { ...toRunBody(fields), ...(sessionId !== null && { session_id: sessionId }) };
      const idempotencyKey = keys.current.keyOf(body);
      const { execution_id } = await client.run(agent.id, body, { idempotencyKey });
      const kind = fields.isDryRun ? "dry run" : "execution";
      announce(`${agent.display_name} runs as ${kind} ${execution_id}.`);
      onClose();
      location.hash = toHash({ view: "execution", id: execution_id });
    } catch (error) {
      setProblem(toSentence(error));
      setSending(false);
    }
  };
  const field = (name: "args" | "message" | "context", label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      value={fields[name]}
      onInput={(value) => setFields({ ...fields, [name]: value })}
    />
  );
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <form onSubmit={run} onKeyDown={submitByKeys}>
        <h2 id={heading}>
          Run <AgentName icon={agent.icon} name={agent.display_name} />
        </h2>
        {note !== undefined && <p class="note">{note}</p>}
        {field(
          "args",
          "Arguments",
          fields.areArgsJson
            ? "A JSON list of texts, for $0, $1 and so on in the agent's text."
            : "One per line, for $0, $1 and so on in the agent's text. Empty lines count.",
        )}
        {field("message", "Message", "Sent to the agent instead of its usual task.")}
        {field("context", "Context", "Added below the task.")}
        <label class="option">
          <input
            type="checkbox"
            checked={fields.isDryRun === true}
            aria-describedby={dryHint}
            onChange={({ currentTarget }) =>
              setFields({ ...fields, isDryRun: currentTarget.checked })}
          />
          Dry run
        </label>
        <p class="hint" id={dryHint}>
          Changes nothing: calls that would, or that would ask you, are listed at the end instead.
        </p>
        {problem !== null && <p class="problem" role="alert">{problem}</p>}
        <div class="actions">
          <button type="submit" class="primary" disabled={isSending}>Run</button>
          <button type="button" onClick={() => dialog.current?.close()}>Cancel</button>
          <span class="hint with-keys">Ctrl+Enter also runs it.</span>
        </div>
      </form>
    </dialog>
  );
}

function TextField(
  props: { label: string; hint: string; value: string; onInput: (value: string) => void },
): VNode {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <textarea
        id={id}
        rows={Math.min(8, Math.max(2, props.value.split("\n").length))}
        value={props.value}
        aria-describedby={`${id}-hint`}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>{props.hint}</p>
    </div>
  );
}
