// Tests the figures of runs that continue after a restart.
import assert from "node:assert/strict";
import { toTimestamp } from "../../../../base/clock.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { createTestWorkspace, payloadsOf, toEnd } from "../../../support/test_workspace.ts";
import { IS_POSTGRES } from "../../../support/test_database.ts";
import { until } from "../../../support/until.ts";
import { leaveRunning } from "../executions_of.ts";
import type { Execution } from "../../../../runtime/executions/execution.ts";
import type { RecoveryContext } from "../../../../runtime/executions/runs/recovery.ts";
import { recoverExecutions } from "../../../../runtime/executions/runs/recovery.ts";
import { createTestAgent } from "../../../support/test_agent.ts";

Deno.test("a resumed run's duration is its running time before and after the restart", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ say: "Slow but sure.", delay_ms: 5_000 }];
  await place.writeScript("slow", steps, "on_restart: resume");
  const clock = new TestClock();
  let id: number;
  {
    await using runtime = await place.open({ clock });
    ({ id } = await runtime.run("slow", {}));
    await until(() => clock.awaits(5_000), "its model");
    await clock.advance(3_000);
    await runtime.stop({ graceMs: 0 });
    assert.equal((await runtime.getExecution(id)).durationMs, 3_000);
  }
  await clock.advance(3_600_000);
  await using runtime = await place.open({ clock });
  await until(() => clock.awaits(5_000), "its model again");
  await clock.advance(5_000);
  const { status, durationMs } = await toEnd(runtime, id);
  assert.deepEqual([status, durationMs], ["success", 8_000]);
});

Deno.test("an orphaned run has the duration of its log, even if no reply was stored", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("slow", [{ say: "Late.", delay_ms: 600_000 }]);
  const clock = new TestClock();
  let id: number;
  {
    await using runtime = await place.open({ clock });
    ({ id } = await runtime.run("slow", {}));
    await until(() => clock.awaits(600_000), "its model");
    await runtime.cancel(id);
  }
  // Leaves the state after a kill: no end, no figures, and another instance as owner.
  await leaveRunning(place);
  const since = IS_POSTGRES ? ", started_at = 0, last_seen = 0" : "";
  await place.run(`UPDATE instances SET stopped_at = NULL${since}`);
  const newest = "id = (SELECT max(id) FROM frames)";
  const [last] = await place.all<{ payload: string }>(`SELECT payload FROM frames WHERE ${newest}`);
  const payload = JSON.parse(last?.payload ?? "");
  payload.timestamp = toTimestamp(clock.now() + 4_000);
  await place.run(`UPDATE frames SET payload = ? WHERE ${newest}`, JSON.stringify(payload));
  await clock.advance(3_600_000);
  await using runtime = await place.open({ clock });
  const { status, durationMs } = await toEnd(runtime, id);
  assert.deepEqual([status, durationMs], ["orphaned", 4_000]);
  const completes = (await payloadsOf(runtime, id)).filter((one) =>
    one["event_type"] === "complete"
  );
  assert.deepEqual(completes.map((one) => one["status"]), ["orphaned"]);
});

Deno.test("recoverExecutions() resumes children before their parents", async () => {
  const parents = new Map([[1, null], [2, 1], [3, 2], [4, null]]);
  const resumed: number[] = [];
  const ports: Partial<RecoveryContext> = {
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
      findWithEndedParent: () => Promise.resolve([]),
      findCancelled: () => Promise.resolve([]),
    },
    runs: {
      end: () => assert.fail("nothing ends here"),
      abortWaiting: () => assert.fail("nothing waits here"),
      resumeAfterRestart: ({ execution }) => Promise.resolve(void resumed.push(execution.id)),
    },
  };
  await recoverExecutions(ports as RecoveryContext);
  assert.deepEqual(resumed.toSorted(), [1, 2, 3, 4]);
  assert.ok(resumed.indexOf(3) < resumed.indexOf(2) && resumed.indexOf(2) < resumed.indexOf(1));
});
