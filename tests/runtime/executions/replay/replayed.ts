// What tests ask of a replay: that it is identical, to the letter.
import assert from "node:assert/strict";
import type { Difference } from "../../../../runtime/executions/replay/difference.ts";
import { withoutIdsAndTimes } from "../../../../runtime/executions/replay/log_comparison.ts";
import type { Runtime } from "../../../../runtime/runtime.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";

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

/** All that is stored, but for ids that count up: to see that nothing was. */
export async function storedRows(place: TestWorkspace): Promise<unknown> {
  const tables = ["executions", "frames", "messages", "tool_calls", "requests", "call_terms"];
  return await Array.fromAsync(tables, async (table) => {
    const rows = await place.all<object>(`SELECT * FROM ${table} ORDER BY 1, 2`);
    return rows.map((row) => ({ ...row }));
  });
}

export { withoutIdsAndTimes };
