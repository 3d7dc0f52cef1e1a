// Consumes the trigger events of executions, in the transactions that accept the executions.
import { type Operation, requireLease } from "../../database/operation.ts";
import type { NewExecution } from "../../executions/record/acceptance_store.ts";
import { removeFollowUp } from "../../triggers/after/follow_up_store.ts";
import { replaceCheck } from "../../triggers/firing/check_setting.ts";
import { takeMail } from "../../triggers/mail/mail_store.ts";
import { dequeueChange, watchLease } from "../../triggers/watch/watch_store.ts";
import type { Claim } from "../../vocabulary/run_cause.ts";

/** Consumes a trigger event. Returns false if it was consumed before. */
export function* consumeClaim(
  claim: Claim,
  { agentId, startedAt }: NewExecution,
): Operation<boolean> {
  switch (claim.type) {
    case "slot":
      // acceptance.ts checks the due time, and stores its outcome.
      return true;
    case "check":
      return yield* replaceCheck(agentId, claim.check);
    case "change":
      // A file change needs the watch lease of the agent, because only its holder knows the running runs of the watch.
      yield* requireLease(watchLease(agentId));
      return yield* dequeueChange(agentId, claim.path);
    case "mail":
      return yield* takeMail(agentId, claim.mail, startedAt);
    case "end":
      return yield* removeFollowUp(agentId, claim.executionId);
    default:
      return claim satisfies never;
  }
}
