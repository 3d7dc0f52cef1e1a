// The dialogs that start an execution: the run of an agent, and the fork of an execution from one of its steps.
import type { VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import type { AgentSummary } from "../../api/schemas/agent_schemas.ts";
import { FormDialog, Option, rowsOf, TextField } from "./forms.tsx";
import { AgentName } from "./parts.tsx";
import { executionHref } from "../state/route.ts";
import { type RunFields, RunKeys, toRunBody } from "../state/run_form.ts";
import { useService } from "../state/service_context.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";

/** Returns a function that runs an agent and opens the execution. Equal runs are sent with equal idempotency keys. */
export function useRun(
  sessionId: string | null,
): (agent: AgentSummary, fields: RunFields) => Promise<void> {
  const { client, announce } = useService();
  const keys = useRef(new RunKeys());
  return async (agent, fields) => {
    const body = { ...toRunBody(fields), ...(sessionId !== null && { session_id: sessionId }) };
    const idempotencyKey = keys.current.keyOf(body);
    const { execution_id: id } = await client.run(agent.id, body, { idempotencyKey });
    announce(`${agent.display_name} runs as ${fields.isDryRun ? "dry run" : "execution"} ${id}.`);
    location.hash = executionHref(id);
  };
}

/** Renders the dialog that runs an agent. */
export function RunDialog(
  { agent, onClose, fields: given, sessionId = null, note }: {
    agent: AgentSummary;
    onClose: () => void;
    /** The initial values of the dialog's fields. */
    fields?: RunFields;
    /** The session id of the run's conversation; null or absent if the run is not a turn of a conversation. */
    sessionId?: string | null;
    note?: string | undefined;
  },
): VNode {
  const [fields, setFields] = useState<RunFields>(given ?? { args: "", message: "", context: "" });
  const run = useRun(sessionId);
  const dryHint = useId();
  const field = (name: "args" | "message" | "context", label: string, hint: string) => (
    <TextField
      kind="lines"
      label={label}
      hint={hint}
      rows={rowsOf(fields[name], { least: 2, most: 8 })}
      value={fields[name]}
      onInput={(text) => setFields({ ...fields, [name]: text })}
    />
  );
  return (
    <FormDialog
      title={
        <>
          Run <AgentName of={agent} />
        </>
      }
      action="Run"
      onSend={() => run(agent, fields)}
      onClose={onClose}
    >
      {note !== undefined && <p class="note">{note}</p>}
      {field("message", "Message", "Replaces the agent's usual task.")}
      {field(
        "args",
        "Arguments",
        fields.areArgsJson
          ? "A JSON list of texts, for $0, $1 and so on in the agent's text."
          : "One per line, for $0, $1 and so on in the agent's text. An empty line is an empty argument.",
      )}
      {field("context", "Context", "Appended to the task.")}
      <Option
        checked={fields.isDryRun === true}
        aria-describedby={dryHint}
        onChange={(isDryRun) => setFields({ ...fields, isDryRun })}
      >
        Dry run
      </Option>
      <p class="hint" id={dryHint}>
        Changes nothing. Calls that would change something or need approval are only listed.
      </p>
    </FormDialog>
  );
}

/** The step from which to fork. Step 0 is the opening. A fork from a final answer needs a message. */
export interface ForkPlace {
  step: number;
  isAnswer: boolean;
}

/** Renders the dialog that forks an execution. */
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
          Fork <AgentName of={agent} /> from {step === 0 ? "the opening" : `step ${step}`}
        </>
      }
      action="Fork"
      onSend={fork}
      onClose={onClose}
    >
      <p>{describe(execution, step)}</p>
      <TextField
        kind="lines"
        label="Message"
        hint={hintOf(step, isAnswer)}
        rows={3}
        required={isAnswer}
        value={message}
        onInput={setMessage}
      />
      <TextField
        kind="name"
        label="Model"
        hint="The model from this step on, as provider/name."
        placeholder={execution.model}
        value={model}
        onInput={setModel}
      />
      <Option checked={startsFollowers} onChange={setStartsFollowers}>
        When it ends, start the agents that run after this one
      </Option>
    </FormDialog>
  );
}

function describe({ id, dry_run: isDry }: ExecutionDetail, step: number): string {
  const steps = step === 1 ? "first step" : `first ${step} steps`;
  const start = step === 0
    ? `Starts a new execution with the opening of execution ${id}.`
    : `Starts a new execution with the ${steps} of execution ${id}, without repeating their calls.`;
  const then = isDry
    ? "It then calls the model, but remains a dry run and changes nothing."
    : "It then calls the model and the tools, and has a cost.";
  return `${start} ${then}`;
}

function hintOf(step: number, isAnswer: boolean): string {
  if (isAnswer) return "The execution ended here. Enter its next task.";
  return step === 0 ? "Replaces the task." : "Added to the conversation after this step.";
}
