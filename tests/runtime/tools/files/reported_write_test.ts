import assert from "node:assert/strict";
import { type FileWrite, reportWrite } from "../../../../runtime/tools/files/reported_write.ts";

const WRITTEN = { version: "1:2:3:4", size: 3, sha256: null };

/** Makes a change, and returns what was told: in order, and of each what came of it. */
async function told(
  outcome: typeof WRITTEN | "removed",
  change: () => Promise<void>,
): Promise<{ order: string[]; outcomes: unknown[]; error: unknown }> {
  const order: string[] = [];
  const writes: FileWrite[] = [];
  const to = {
    report(write: FileWrite) {
      order.push(`told of ${write.path}`);
      writes.push(write);
    },
  };
  const error = await reportWrite(to, { path: "/work/a", outcome }, () => {
    order.push("changed");
    return change();
  }).then(() => undefined, (error) => error);
  return { order, outcomes: await Promise.all(writes.map((write) => write.outcome)), error };
}

Deno.test("reportWrite() tells of a change before it is made, and then what came of it", async () => {
  const { order, outcomes } = await told(WRITTEN, () => Promise.resolve());
  assert.deepEqual(order, ["told of /work/a", "changed"]);
  assert.deepEqual(outcomes, [WRITTEN]);
  assert.deepEqual((await told("removed", () => Promise.resolve())).outcomes, ["removed"]);
});

Deno.test("reportWrite() claims a file that may be there nevertheless, and no removal that failed", async () => {
  const failure = new Error("The disk is gone");
  const written = await told(WRITTEN, () => Promise.reject(failure));
  assert.deepEqual([written.outcomes, written.error], [[WRITTEN], failure]);
  const removed = await told("removed", () => Promise.reject(failure));
  assert.deepEqual([removed.outcomes, removed.error], [["unchanged"], failure]);
});
