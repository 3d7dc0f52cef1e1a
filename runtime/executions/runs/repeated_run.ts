// Handles repeated requests whose agent no longer exists: their idempotency key still returns the accepted execution.
import { normalizeId } from "../../agents/agent_id.ts";
import type { Clock } from "../../../base/clock.ts";
import { isSameRun, type RunSpec } from "./acceptance.ts";
import type { Execution } from "../execution.ts";
import type { ExecutionReads } from "../record/execution_reads.ts";
import { IdempotencyKeyReused } from "../refusals.ts";

/**
 * Returns the execution that an earlier request with this idempotency key created, or undefined. Throws
 * IdempotencyKeyReused if the requests differ.
 */
export async function findRepeatedRun(
  agentId: string,
  spec: RunSpec,
  { executions, clock }: { executions: Pick<ExecutionReads, "readByKey">; clock: Clock },
): Promise<Execution | undefined> {
  const { idempotencyKey: key } = spec;
  const first = key === undefined ? undefined : await executions.readByKey(key, clock.now());
  if (first === undefined) return undefined;
  if (!isSameRun(first, { agent: { id: normalizeId(agentId) }, spec })) {
    throw new IdempotencyKeyReused();
  }
  return first.execution;
}
