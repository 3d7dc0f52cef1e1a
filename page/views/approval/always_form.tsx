// The form that adds a tool to `auto_approve` in the agent's file. It shows the change before it writes the file.
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { leaveOrSubmit } from "../../parts/forms.tsx";
import { Button, LoadState, Problem } from "../../parts/parts.tsx";
import { useService } from "../../state/service_context.ts";
import { useResource, useSending } from "../../state/use_resource.ts";
import { Diff } from "./diff_view.tsx";

/** Renders the change of the agent's file, with the button that writes it. `onWritten` approves the waiting call. */
export function AlwaysForm(
  { agentId, tool, command, isSending, onWritten, onBack }: {
    agentId: string;
    tool: string;
    /** The command of the tool `shell`, of which only similar ones are approved. */
    command: string | undefined;
    isSending: boolean;
    onWritten: () => Promise<void>;
    onBack: () => void;
  },
): VNode {
  const { client, link, announce } = useService();
  const { isSending: isWriting, problem: failure, send } = useSending();
  const form = useRef<HTMLDivElement>(null);
  const asked = useResource(
    (client) => client.autoApprove(agentId, { tool, command, write: false }),
    { key: `${agentId} ${tool} ${command}`, topics: ["agents"] },
  );
  const { data: change } = asked;
  useEffect(() => form.current?.focus(), []);
  const write = async () => {
    const { written, path } = await client.autoApprove(agentId, { tool, command, write: true });
    if (written) announce(`Updated ${path}: ${agentId} calls ${tool} without approval.`);
    link.markChanged("agents");
    await onWritten();
  };
  return (
    <div
      class="answer always"
      ref={form}
      tabIndex={-1}
      role="group"
      aria-label="Always approve"
      onKeyDown={leaveOrSubmit(onBack)}
    >
      <LoadState of={asked} />
      {change?.already === true && (
        <p>
          Calls of <code>{tool}</code>{" "}
          no longer need approval. This question is from before the change.
        </p>
      )}
      {change?.already === false && (
        <>
          <p>
            <bdi>{agentId}</bdi> will call <code>{tool}</code> without approval,{" "}
            {command === undefined ? "with any arguments" : "with such commands"}. This changes{" "}
            <code class="path">{change.path}</code>:
          </p>
          <Diff diff={change.diff} label={`Change of ${change.path}`} />
        </>
      )}
      <Problem text={failure} />
      <div class="actions">
        <Button
          class="primary"
          disabled={change === undefined || isWriting || isSending}
          onClick={() => send(write)}
        >
          {change?.already ? "Approve" : "Save and approve"}
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </div>
  );
}
