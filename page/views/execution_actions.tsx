// What can be done with an execution: ended while it runs or waits, and run again once it has ended.
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ExecutionDetail, ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { Button } from "../parts.tsx";
import { executionHref } from "../route.ts";
import { RunDialog } from "../run_dialog.tsx";
import { RunKeys, toRunBody, toRunFields } from "../run_form.ts";
import { useAgents, useService } from "../state/service_context.ts";
import { useSending } from "../state/use_resource.ts";

/** Whether it can still be cancelled. */
export function isOpen({ status }: Pick<ExecutionSummary, "status">): boolean {
  return status === "running" || status === "waiting";
}

/** Ends an execution. */
export function CancelButton({ id }: { id: number }): VNode {
  const { client, announce } = useService();
  const { isSending, send } = useSending({
    touches: ["executions"],
    failure: "It cannot be cancelled",
  });
  const cancel = async () => {
    await client.cancel(id);
    announce(`Execution ${id} is being cancelled.`);
  };
  return <Button disabled={isSending} onClick={() => send(cancel)}>Cancel</Button>;
}

/**
 * Starts what an execution was started with: its arguments, message and context, and as a turn of its conversation where it
 * was one. Nothing where its agent is gone.
 */
export function RunAgain({ execution }: { execution: ExecutionDetail }): VNode | null {
  const { client, announce } = useService();
  const agent = useAgents().get(execution.agent_id);
  const { isSending, send } = useSending({ failure: "It cannot be run" });
  const [isChanging, setChanging] = useState(false);
  const keys = useRef(new RunKeys());
  if (agent === undefined) return null;
  const fields = toRunFields(execution);
  const sessionId = execution.trigger === "chat" ? execution.session_id : null;
  const run = async () => {
    const body = { ...toRunBody(fields), ...(sessionId !== null && { session_id: sessionId }) };
    const options = { idempotencyKey: keys.current.keyOf(body) };
    const { execution_id: id } = await client.run(agent.id, body, options);
    announce(`${agent.display_name} runs as execution ${id}.`);
    location.hash = executionHref(id);
  };
  return (
    <>
      {!execution.asked_redacted && (
        <Button disabled={isSending} onClick={() => send(run)}>Run again</Button>
      )}
      <Button onClick={() => setChanging(true)}>Run again with changes</Button>
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
