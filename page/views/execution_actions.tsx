// The actions of an execution: cancel it while it is open, end its rest, and run it again after its end.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ExecutionDetail, ExecutionSummary } from "../../api/schemas/execution_schemas.ts";
import { Button } from "../parts/parts.tsx";
import { RunDialog, useRun } from "../parts/run_dialog.tsx";
import { toRunFields } from "../state/run_form.ts";
import { useAgents, useService } from "../state/service_context.ts";
import { useSending } from "../state/use_resource.ts";

/** Returns true if an execution runs or waits, so that it can be canceled. */
export function isOpen({ status }: Pick<ExecutionSummary, "status">): boolean {
  return status === "running" || status === "waiting";
}

const WORDS = {
  cancel: { name: "Cancel", failure: "cancel", done: (id: number) => `Canceling execution ${id}.` },
  wake: {
    name: "Continue now",
    failure: "continue",
    done: (id: number) => `Execution ${id} continues.`,
  },
};

/** Renders the button that cancels an execution, or that ends its rest early. */
export function ExecutionButton({ id, act }: { id: number; act: keyof typeof WORDS }): VNode {
  const { client, announce } = useService();
  const { name, failure, done } = WORDS[act];
  const { isSending, send } = useSending({
    touches: ["executions"],
    failure: `Cannot ${failure} execution ${id}`,
  });
  const change = async () => {
    await client[act](id);
    announce(done(id));
  };
  return <Button disabled={isSending} onClick={() => send(change)}>{name}</Button>;
}

/**
 * Renders the buttons that start a new execution with the same input. If the execution was a turn of a conversation, the
 * new one is a turn of it, too. Renders nothing if the agent no longer exists.
 */
export function RunAgain({ execution }: { execution: ExecutionDetail }): VNode | null {
  const agent = useAgents().get(execution.agent_id);
  const { isSending, send } = useSending({ failure: "Cannot start the run" });
  const [isChanging, setChanging] = useState(false);
  const sessionId = execution.trigger === "chat" ? execution.session_id : null;
  const run = useRun(sessionId);
  if (agent === undefined) return null;
  const fields = toRunFields(execution);
  return (
    <>
      {!execution.asked_redacted && (
        // A touch screen shows only the button with the dialog, because a touch may be a mistake.
        <Button class="at-once" disabled={isSending} onClick={() => send(() => run(agent, fields))}>
          Run again
        </Button>
      )}
      <Button onClick={() => setChanging(true)}>Run again with changes</Button>
      {isChanging && (
        <RunDialog
          agent={agent}
          fields={fields}
          sessionId={sessionId}
          note={execution.asked_redacted
            ? "The original input contained secrets, which are redacted. Enter them again."
            : undefined}
          onClose={() => setChanging(false)}
        />
      )}
    </>
  );
}
