// The note about a stopped trigger, with the button that resumes it.
import type { VNode } from "preact";
import { Button } from "../parts/parts.tsx";
import { useService } from "../state/service_context.ts";
import { useSending } from "../state/use_resource.ts";

/** Renders the note; nothing if the trigger is not stopped. */
export function StoppedTrigger(
  { agentId, reason }: { agentId: string; reason: string | null },
): VNode | null {
  const { client, announce } = useService();
  const { isSending, send } = useSending({
    touches: ["scheduler", "agents"],
    failure: "Cannot resume the trigger",
  });
  if (reason === null) return null;
  const resume = async () => {
    const { trigger_paused: still, dropped_changes: dropped } = await client.resumeAgent(agentId);
    const changes = dropped === 0 ? "" : ` File changes dropped: ${dropped}.`;
    announce(
      still === null
        ? `The trigger is resumed.${changes}`
        : `The trigger remains stopped: ${still}`,
    );
  };
  return (
    <p class="problem">
      Stopped: {reason}{" "}
      <Button disabled={isSending} onClick={() => send(resume)} aria-label={`Resume ${agentId}`}>
        Resume
      </Button>
    </p>
  );
}
