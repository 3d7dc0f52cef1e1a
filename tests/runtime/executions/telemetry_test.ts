// What runs tell to telemetry, and when.
import assert from "node:assert/strict";
import { createTestWorkspace, runToEnd, toEnd } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { ToldTelemetry } from "./told_telemetry.ts";
import { call } from "./executions_of.ts";

/** Takes what was told once this was told, too: a run is seen to end a moment before it has returned. */
async function takeUntil(telemetry: ToldTelemetry, last: string): Promise<string[]> {
  await until(() => telemetry.lines.includes(last), last);
  return telemetry.lines.splice(0);
}

Deno.test("a run tells its model calls, its tools' work and its end; calls that no tool took on are told of nowhere", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("busy", [
    {
      call: [
        call("file_glob", { pattern: "*" }),
        call("no_such_tool", {}),
        call("file_read", { wrong: true }),
      ],
      cost_usd: 0.5,
    },
    { call: [call("file_read", { path: "missing.md" })] },
    { say: "Done." },
  ]);
  const telemetry = new ToldTelemetry();
  await using runtime = await place.open({ telemetry });
  assert.equal((await runToEnd(runtime, "busy")).status, "success");
  assert.deepEqual(await takeUntil(telemetry, "execution 1: success"), [
    ...["execution 1 begins", "demo/script: tool_calls", "$0.5"],
    ...["file_glob: done", "demo/script: tool_calls", "file_read: fails"],
    ...["demo/script: end", "execution 1 ended: success", "execution 1: success"],
  ]);
});

Deno.test("a run that waits tells a stretch up to its question and another one after the answer", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ call: [call("file_write", { path: "a.txt", content: "a" })] }, { say: "Done." }];
  await place.writeScript("writer", steps);
  const telemetry = new ToldTelemetry();
  await using runtime = await place.open({ telemetry });
  const { id } = await runToEnd(runtime, "writer");
  const { requestId } = await runtime.pendingRequest(id);
  const first = await takeUntil(telemetry, "execution 1: waiting");
  await runtime.respond(id, { requestId, answer: { approved: true } });
  await toEnd(runtime, id);
  assert.deepEqual([first, await takeUntil(telemetry, "execution 1: success")], [
    ["execution 1 begins", "demo/script: tool_calls", "execution 1: waiting"],
    [
      ...["execution 1 begins", "file_write: done", "demo/script: end"],
      ...["execution 1 ended: success", "execution 1: success"],
    ],
  ]);
});

Deno.test("a call of another agent waits and goes on with it; each execution's end is told once, also of one that nobody runs", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ call: [call("run_agent", { agent_id: "helper" })] }, { say: "Done." }];
  await place.writeScript("lead", steps, "agents: [helper]");
  await place.writeScript("helper", [{ call: [call("ask_user", { question: "Well?" })] }]);
  const telemetry = new ToldTelemetry();
  await using runtime = await place.open({ telemetry });
  const { id } = await runToEnd(runtime, "lead");
  assert.deepEqual(await takeUntil(telemetry, "execution 1: waiting"), [
    ...["execution 1 begins", "demo/script: tool_calls", "execution 2 begins"],
    ...["demo/script: tool_calls", "execution 2: waiting", "run_agent: waits"],
    ...["execution 1: waiting"],
  ]);
  await runtime.cancel(id);
  await toEnd(runtime, id);
  const expected = ["execution 1 ended: aborted", "execution 2 ended: aborted"];
  assert.deepEqual((await takeUntil(telemetry, "execution 2 ended: aborted")).toSorted(), expected);
});

Deno.test("a run whose model fails tells the failure", async () => {
  await using place = await createTestWorkspace();
  await place.writeScript("broken", [{ fail: "out of order" }]);
  const telemetry = new ToldTelemetry();
  await using runtime = await place.open({ telemetry });
  assert.equal((await runToEnd(runtime, "broken")).status, "error");
  assert.deepEqual(await takeUntil(telemetry, "execution 1: error"), [
    "execution 1 begins",
    "demo/script: ModelError",
    "execution 1 ended: error",
    "execution 1: error",
  ]);
});
