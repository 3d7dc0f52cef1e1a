// A delegation to an execution that changes while it is asked for.
import assert from "node:assert/strict";
import type { Execution } from "../../../../runtime/executions/execution.ts";
import type { PlannedCall } from "../../../../runtime/executions/record/conversation.ts";
import { ActiveRuns } from "../../../../runtime/executions/runs/active_runs.ts";
import { delegate, type DelegationPorts } from "../../../../runtime/executions/runs/delegation.ts";
import { TestClock } from "../../../support/test_clock.ts";

Deno.test("delegate() follows a child that is answered in the very moment in which it asks whether it runs", async () => {
  const active = new ActiveRuns(new TestClock());
  const child = { id: 2, agentId: "child", status: "waiting", error: null } as Execution;
  const ports: Partial<DelegationPorts> = {
    active,
    executions: {
      readExecution: () =>
        Promise.resolve({ execution: { ...child }, request: { args: [] }, output: "done" }),
    },
    families: { findChild: () => Promise.resolve(child), readLineage: () => Promise.resolve([]) },
  };
  const other = Promise.withResolvers<void>();
  void active.track(other.promise);
  const delegated = delegate({ id: 1 } as Execution, { position: 2 } as PlannedCall, {
    delegation: undefined,
    signal: new AbortController().signal,
    ports: ports as DelegationPorts,
  });
  // It waits for what was about to run. Meanwhile the answer is stored, and the child not yet launched.
  await new Promise((resolve) => setTimeout(resolve));
  const answer = Promise.withResolvers<void>();
  void active.track(answer.promise);
  child.status = "running";
  other.resolve();
  await new Promise((resolve) => setTimeout(resolve));
  active.launch(child.id, () => Promise.resolve(void (child.status = "success")));
  answer.resolve();
  const { state } = await delegated;
  assert.equal(state, "ended");
});
