// Why an agent's trigger is stopped, and the button that resumes it.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { toSentence } from "../state/resource.ts";
import { useService } from "../state/service_context.ts";

/** Nothing where the trigger is not stopped. */
export function StoppedTrigger(
  { agentId, reason }: { agentId: string; reason: string | null },
): VNode | null {
  const { client, link, announce } = useService();
  const [isSending, setSending] = useState(false);
  if (reason === null) return null;
  const resume = async () => {
    setSending(true);
    try {
      const { trigger_paused: still, dropped_changes: dropped } = await client.resumeAgent(agentId);
      const changes = dropped === 0 ? "" : ` File changes dropped: ${dropped}.`;
      announce(
        still === null ? `The trigger fires again.${changes}` : `It stays stopped: ${still}`,
      );
    } catch (error) {
      announce(`That did not work: ${toSentence(error)}`);
    } finally {
      setSending(false);
      link.touch("scheduler");
      link.touch("agents");
    }
  };
  return (
    <p class="problem">
      Stopped: {reason}{" "}
      <button type="button" disabled={isSending} onClick={resume} aria-label={`Resume ${agentId}`}>
        Resume
      </button>
    </p>
  );
}
