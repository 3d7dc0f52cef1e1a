// Going on from a step of an execution, for real, as an execution of its own: what it takes over, and what is different then.
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { AgentSummary } from "../../schemas/agent_schemas.ts";
import type { ExecutionDetail } from "../../schemas/execution_schemas.ts";
import type { ForkBody } from "../../schemas/replay_schemas.ts";
import { AgentName } from "./parts.tsx";
import { toHash } from "./route.ts";
import { RunKeys } from "./run_form.ts";
import { useService } from "./state/service_context.ts";
import { toSentence } from "./state/resource.ts";
import { submitByKeys } from "./submit_by_keys.ts";

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
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const dialog = useRef<HTMLDialogElement>(null);
  const keys = useRef(new RunKeys());
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const fork = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    setProblem(null);
    const body: ForkBody = {
      step,
      ...(message.trim() !== "" && { message }),
      ...(model.trim() !== "" && { model: model.trim() }),
      ...(startsFollowers && { start_followers: true }),
    };
    try {
      const idempotencyKey = keys.current.keyOf(body);
      const { execution_id } = await client.fork(execution.id, body, { idempotencyKey });
      announce(`${agent.display_name} runs as execution ${execution_id}.`);
      onClose();
      location.hash = toHash({ view: "execution", id: execution_id });
    } catch (error) {
      setProblem(toSentence(error));
      setSending(false);
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={fork} onKeyDown={submitByKeys}>
        <h2 id={id}>
          Fork <AgentName icon={agent.icon} name={agent.display_name} /> from{" "}
          {step === 0 ? "the beginning" : `step ${step}`}
        </h2>
        <p>{describe(execution, step)}</p>
        <div class="field">
          <label for={`${id}-message`}>Message</label>
          <textarea
            id={`${id}-message`}
            rows={3}
            required={isAnswer}
            value={message}
            aria-describedby={`${id}-message-hint`}
            onInput={({ currentTarget }) => setMessage(currentTarget.value)}
          />
          <p class="hint" id={`${id}-message-hint`}>{hintOf(step, isAnswer)}</p>
        </div>
        <div class="field">
          <label for={`${id}-model`}>Model</label>
          <input
            id={`${id}-model`}
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder={execution.model}
            value={model}
            aria-describedby={`${id}-model-hint`}
            onInput={({ currentTarget }) => setModel(currentTarget.value)}
          />
          <p class="hint" id={`${id}-model-hint`}>
            Another one that answers from here on, as provider/name.
          </p>
        </div>
        <label class="option">
          <input
            type="checkbox"
            checked={startsFollowers}
            onChange={({ currentTarget }) => setStartsFollowers(currentTarget.checked)}
          />
          When it ends, start the agents that run after this one
        </label>
        {problem !== null && <p class="problem" role="alert">{problem}</p>}
        <div class="actions">
          <button type="submit" class="primary" disabled={isSending}>Fork</button>
          <button type="button" onClick={() => dialog.current?.close()}>Cancel</button>
          <span class="hint with-keys">Ctrl+Enter also forks it.</span>
        </div>
      </form>
    </dialog>
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
