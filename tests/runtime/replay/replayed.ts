// Asserts that replays are identical, or returns their first difference.
import assert from "node:assert/strict";
import type { Difference } from "../../../runtime/replay/difference.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";

/** Asserts that a replay with the current agent is identical. */
export async function assertIdentical(runtime: Runtime, id: number): Promise<void> {
  const { differences } = await runtime.replays.replay(id, { withAllTools: false });
  assert.deepEqual(differences, [], `execution ${id}`);
}

/** Returns the first difference of a replay with the current agent. */
export async function firstDifference(
  runtime: Runtime,
  id: number,
): Promise<Difference | undefined> {
  return (await runtime.replays.replay(id, { withAllTools: false })).differences[0];
}
