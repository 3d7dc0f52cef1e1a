// Follows an execution: the items of its log, and its open question.
import { toTimestamp } from "../../../base/clock.ts";
import { type FrameIdentity, identityFields } from "../../events/frame.ts";
import type { OpenLog } from "../../events/log.ts";
import { type HumanRequest, requestFields } from "../../executions/human_request.ts";
import type { FollowItem, FollowOptions } from "../../interface/runtime.ts";
import type { RuntimeParts } from "../open_parts.ts";

/** Yields the items of an opened log, and the open question in the item `waiting`. */
export async function* followExecution(
  opened: OpenLog,
  { signal, deltas = false, ports }: FollowOptions & { ports: RuntimeParts },
): AsyncGenerator<FollowItem> {
  const { identity, identity: { executionId } } = opened;
  let { after } = opened;
  for (let log: OpenLog | undefined = opened; log !== undefined;) {
    let isWaiting = false;
    for await (const item of log.items) {
      if (item.type === "frame") after = item.frame.id;
      if (item.type === "waiting") isWaiting = true;
      else yield item;
    }
    if (!isWaiting) return;
    const request = await ports.requests.readOpenRequest(executionId);
    if (request !== undefined) {
      yield { type: "waiting", payload: waitingPayload(request, { identity, ports }) };
      return;
    }
    // The question has just been answered, so more items follow.
    log = await ports.executionLog.open(executionId, { after, deltas, signal });
  }
}

function waitingPayload(
  request: HumanRequest,
  { identity, ports }: { identity: FrameIdentity; ports: RuntimeParts },
): string {
  const shown = ports.redactor.redactValue(request);
  return JSON.stringify({
    event_type: "waiting",
    ...identityFields(identity),
    timestamp: toTimestamp(ports.clock.now()),
    message: shown.message,
    ...requestFields(shown),
  });
}
