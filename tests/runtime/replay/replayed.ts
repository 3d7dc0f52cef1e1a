// What tests ask of a replay: that it is identical, to the letter.
import assert from "node:assert/strict";
import type { Difference } from "../../../runtime/replay/difference.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";

/** Asserts that a run, played with its agent as it is now, is the recorded one. */
export async function assertIdentical(runtime: Runtime, id: number): Promise<void> {
  const { differences } = await runtime.replays.replay(id, { withAllTools: false });
  assert.deepEqual(differences, [], `execution ${id}`);
}

/** The first difference of a run, played with its agent as it is now. */
export async function firstDifference(
  runtime: Runtime,
  id: number,
): Promise<Difference | undefined> {
  return (await runtime.replays.replay(id, { withAllTools: false })).differences[0];
}
