// What can be done with an execution: ended while it runs or waits, and run again once it has ended.
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { AgentSummary } from "../../../schemas/agent_schemas.ts";
import type { ExecutionDetail, ExecutionSummary } from "../../../schemas/execution_schemas.ts";
import { toHash } from "../route.ts";
import { RunDialog } from "../run_dialog.tsx";
import { RunKeys, toRunBody, toRunFields } from "../run_form.ts";
import { useService } from "../state/service_context.ts";
import { toSentence } from "../state/resource.ts";

/** Whether it can still be cancelled. */
export function isOpen({ status }: Pick<ExecutionSummary, "status">): boolean {
  return status === "running" || status === "waiting";
}

/** Ends an execution. */
export function CancelButton({ id }: { id: number }): VNode {
  const { client, link, announce } = useService();
  const [isSending, setSending] = useState(false);
  const cancel = async () => {
    setSending(true);
    try {
      await client.cancel(id);
      announce(`Execution ${id} is being cancelled.`);
    } catch (error) {
      announce(`It cannot be cancelled: ${toSentence(error)}`);
    } finally {
      setSending(false);
      link.touch("executions");
    }
  };
  return <button type="button" disabled={isSending} onClick={cancel}>Cancel</button>;
}

/**
 * Starts what an execution was started with: its arguments, message and context, and as a turn of its conversation where it
 * was one. Nothing where its agent is gone.
 */
export function RunAgain(
  { execution, agent }: { execution: ExecutionDetail; agent: AgentSummary | undefined },
): VNode | null {
  const { client, announce } = useService();
  const [isSending, setSending] = useState(false);
  const [isChanging, setChanging] = useState(false);
  const keys = useRef(new RunKeys());
  if (agent === undefined) return null;
  const fields = toRunFields(execution);
  const sessionId = execution.trigger === "chat" ? execution.session_id : null;
  const run = async () => {
    setSending(true);
    const body = { ...toRunBody(fields), ...(sessionId !== null && { session_id: sessionId }) };
    try {
      const options = { idempotencyKey: keys.current.keyOf(body) };
      const { execution_id } = await client.run(agent.id, body, options);
      announce(`${agent.display_name} runs as execution ${execution_id}.`);
      location.hash = toHash({ view: "execution", id: execution_id });
    } catch (error) {
      announce(`It cannot be run: ${toSentence(error)}`);
      setSending(false);
    }
  };
  return (
    <>
      {!execution.asked_redacted && (
        <button type="button" disabled={isSending} onClick={run}>Run again</button>
      )}
      <button type="button" onClick={() => setChanging(true)}>Run again with changes</button>
      {isChanging && (
        <RunDialog
          agent={agent}
          fields={fields}
          sessionId={sessionId}
          note={execution.asked_redacted
            ? "What it was asked held secrets, which are not shown: write them again."
            : undefined}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  );
}
