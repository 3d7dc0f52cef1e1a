// Running an agent on request, with arguments, a message in place of the usual one, further context; and going on from a step
// of an execution, for real, as an execution of its own.
import type { VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import type { AgentSummary } from "../api/schemas/agent_schemas.ts";
import { Field, FormDialog, Option, rowsOf } from "./forms.tsx";
import { AgentName } from "./parts.tsx";
import { executionHref } from "./route.ts";
import { type RunFields, RunKeys, toRunBody } from "./run_form.ts";
import { useService } from "./state/service_context.ts";
import type { ExecutionDetail } from "../api/schemas/execution_schemas.ts";

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

/** A step to fork from; 0: the opening. Behind an answer there is nothing to do, unless something is said. */
export interface ForkPlace {
  step: number;
  isAnswer: boolean;
}

/** A dialog over the page; closes by Escape, by its button, or by forking. */
export function ForkDialog(
  { execution, agent, from: { step, isAnswer }, onClose }: {
    execution: ExecutionDetail;
    agent: AgentSummary;
    from: ForkPlace;
    onClose: () => void;
  },
): VNode {
  const { client, announce } = useService();
  const [message, setMessage] = useState("");
  const [model, setModel] = useState("");
  const [startsFollowers, setStartsFollowers] = useState(false);
  const keys = useRef(new RunKeys());
  const fork = async () => {
    const body = {
      step,
      ...(message.trim() !== "" && { message }),
      ...(model.trim() !== "" && { model: model.trim() }),
      ...(startsFollowers && { start_followers: true as const }),
    };
    const idempotencyKey = keys.current.keyOf(body);
    const { execution_id: id } = await client.fork(execution.id, body, { idempotencyKey });
    announce(`${agent.display_name} runs as execution ${id}.`);
    location.hash = executionHref(id);
  };
  return (
    <FormDialog
      title={
        <>
          Fork <AgentName icon={agent.icon} name={agent.display_name} /> from{" "}
          {step === 0 ? "the beginning" : `step ${step}`}
        </>
      }
      action="Fork"
      does="forks it"
      onSend={fork}
      onClose={onClose}
    >
      <p>{describe(execution, step)}</p>
      <Field label="Message" hint={hintOf(step, isAnswer)}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            required={isAnswer}
            value={message}
            onInput={({ currentTarget }) => setMessage(currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Model" hint="Another one that answers from here on, as provider/name.">
        {(control) => (
          <input
            {...control}
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder={execution.model}
            value={model}
            onInput={({ currentTarget }) => setModel(currentTarget.value)}
          />
        )}
      </Field>
      <Option checked={startsFollowers} onChange={setStartsFollowers}>
        When it ends, start the agents that run after this one
      </Option>
    </FormDialog>
  );
}

function describe({ id, dry_run: isDry }: ExecutionDetail, step: number): string {
  const taken = step === 0
    ? `begins as execution ${id} began`
    : step === 1
    ? `takes over the first step of execution ${id}: its calls are not made again, nor paid for`
    : `takes over the first ${step} steps of execution ${id}: their calls are not made again, ` +
      "nor paid for";
  const then = isDry
    ? "From there on it asks its model, and stays a dry run: it changes nothing."
    : "From there on it runs for real: it asks its model, makes its calls, and costs what they cost.";
  return `A new execution ${taken}. ${then}`;
}

function hintOf(step: number, isAnswer: boolean): string {
  if (isAnswer) return "The run was at its end here: say what it is to do next.";
  return step === 0 ? "Sent instead of its task." : "Said to it at this point.";
}
