// The order in which what a dead service left continues.
import assert from "node:assert/strict";
import type { Execution } from "../../../../runtime/executions/execution.ts";
import type { RecoveryPorts } from "../../../../runtime/executions/runs/recovery.ts";
import { recoverExecutions } from "../../../../runtime/executions/runs/recovery.ts";
import { createTestAgent } from "../../../support/test_agent.ts";

Deno.test("recoverExecutions() lets what was delegated run before those that will ask for it", async () => {
  const parents = new Map([[1, null], [2, 1], [3, 2], [4, null]]);
  const resumed: number[] = [];
  const ports: Partial<RecoveryPorts> = {
    agents: { find: () => createTestAgent({ onRestart: "resume" }) },
    executions: {
      readExecution: (id) => {
        const execution: Partial<Execution> = {
          id,
          agentId: "a",
          status: "running",
          parentExecutionId: parents.get(id) ?? null,
        };
        const request = { args: [] };
        return Promise.resolve({ execution: execution as Execution, request, output: null });
      },
    },
    recovery: {
      findAbandoned: () => Promise.resolve([...parents.keys()]),
      adoptExecution: () => Promise.resolve(),
      readUncountedMs: () => Promise.resolve(0),
      findForsaken: () => Promise.resolve([]),
      findCancelled: () => Promise.resolve([]),
    },
    runs: {
      end: () => assert.fail("nothing ends here"),
      abortWaiting: () => assert.fail("nothing waits here"),
      resumeAfterRestart: ({ execution }) => Promise.resolve(void resumed.push(execution.id)),
    },
  };
  await recoverExecutions(ports as RecoveryPorts);
  assert.deepEqual(resumed.toSorted(), [1, 2, 3, 4]);
  assert.ok(resumed.indexOf(3) < resumed.indexOf(2) && resumed.indexOf(2) < resumed.indexOf(1));
});
