// Running an agent on request: arguments, a message in place of the usual one, further context.
import type { VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import type { AgentSummary } from "../../schemas/agent_schemas.ts";
import { Field, FormDialog, Option, rowsOf } from "./forms.tsx";
import { AgentName } from "./parts.tsx";
import { executionHref } from "./route.ts";
import { type RunFields, RunKeys, toRunBody } from "./run_form.ts";
import { useService } from "./state/service_context.ts";

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
  const keys = useRef(new RunKeys());
  const dryHint = useId();
  const run = async () => {
    const body = { ...toRunBody(fields), ...(sessionId !== null && { session_id: sessionId }) };
    const idempotencyKey = keys.current.keyOf(body);
    const { execution_id: id } = await client.run(agent.id, body, { idempotencyKey });
    announce(`${agent.display_name} runs as ${fields.isDryRun ? "dry run" : "execution"} ${id}.`);
    location.hash = executionHref(id);
  };
  const field = (name: "args" | "message" | "context", label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(control) => (
        <textarea
          {...control}
          rows={rowsOf(fields[name], { least: 2, most: 8 })}
          value={fields[name]}
          onInput={({ currentTarget }) => setFields({ ...fields, [name]: currentTarget.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      title={
        <>
          Run <AgentName icon={agent.icon} name={agent.display_name} />
        </>
      }
      action="Run"
      does="runs it"
      onSend={run}
      onClose={onClose}
    >
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
      <Option
        checked={fields.isDryRun === true}
        aria-describedby={dryHint}
        onChange={(isDryRun) => setFields({ ...fields, isDryRun })}
      >
        Dry run
      </Option>
      <p class="hint" id={dryHint}>
        Changes nothing: calls that would, or that would ask you, are listed at the end instead.
      </p>
    </FormDialog>
  );
}
