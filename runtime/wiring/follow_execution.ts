// Follows one execution: yields its log, streamed text and open question.
import { toTimestamp } from "../../base/clock.ts";
import { identityFields } from "../events/frame.ts";
import { requireExecution } from "../executions/record/execution_reads.ts";
import { type HumanRequest, requestFields } from "../executions/human_request.ts";
import type { FollowItem, FollowOptions } from "../interface/runtime.ts";
import type { RuntimeParts } from "./parts/runtime_parts.ts";

/** Yields stored and then new items, each once. Ends after a `complete` frame or a `waiting` item. */
export async function* followExecution(
  id: number,
  options: FollowOptions & { ports: RuntimeParts },
): AsyncGenerator<FollowItem> {
  const { signal, deltas = false, ports } = options;
  for (let after = options.after;;) {
    let isWaiting = false;
    for await (const item of ports.executionLog.follow(id, { after, deltas, signal })) {
      if (item.type === "frame") after = item.frame.id;
      if (item.type === "waiting") isWaiting = true;
      else yield item;
    }
    if (!isWaiting) return;
    const request = await ports.requests.readOpenRequest(id);
    if (request !== undefined) {
      yield { type: "waiting", payload: await waitingPayload(id, { request, ports }) };
      return;
    }
    // The question has just been answered, so more items follow.
  }
}

async function waitingPayload(
  id: number,
  { request, ports }: { request: HumanRequest; ports: RuntimeParts },
): Promise<string> {
  const stored = await requireExecution(ports.executions, id);
  const { agentId, displayName } = stored.execution;
  const shown = ports.redactor.redactValue(request);
  return JSON.stringify({
    event_type: "waiting",
    ...identityFields({ executionId: id, agentId, displayName }),
    timestamp: toTimestamp(ports.clock.now()),
    message: shown.message,
    ...requestFields(shown),
  });
}
