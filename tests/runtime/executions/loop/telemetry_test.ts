// Tests the reports of runs to telemetry.
import assert from "node:assert/strict";
import type { Telemetry } from "../../../../runtime/executions/loop/telemetry.ts";
import { createTestWorkspace, runToEnd, toEnd } from "../../../support/test_workspace.ts";
import { until } from "../../../support/until.ts";
import { call } from "../executions_of.ts";

/** Telemetry that records a line for each run's start, and a line for each end of a run, a model call and a tool call. */
class ToldTelemetry implements Telemetry {
  readonly lines: string[] = [];

  async execution(...[{ id }, work]: Parameters<Telemetry["execution"]>): Promise<void> {
    this.lines.push(`execution ${id} begins`);
    this.lines.push(`execution ${id}: ${await work()}`);
  }

  async modelCall(
    ...[{ model }, work]: Parameters<Telemetry["modelCall"]>
  ): ReturnType<Telemetry["modelCall"]> {
    try {
      const reply = await work();
      this.lines.push(`${model.id}: ${reply.stop}`);
      return reply;
    } catch (error) {
      this.lines.push(`${model.id}: ${error instanceof Error ? error.name : error}`);
      throw error;
    }
  }

  async toolCall<T extends object>(
    { call }: Parameters<Telemetry["toolCall"]>[0],
    work: () => Promise<T>,
  ): Promise<T> {
    const result = await work();
    const end = !("isError" in result) ? "waits" : result.isError === true ? "fails" : "done";
    this.lines.push(`${call.name}: ${end}`);
    return result;
  }

  cost(_asked: unknown, usd: number): void {
    this.lines.push(`$${usd}`);
  }

  ended({ id, status }: Parameters<Telemetry["ended"]>[0]): void {
    this.lines.push(`execution ${id} ended: ${status}`);
  }
}

/** Waits for the report `last` and returns all reports. A run's end is visible before its report. */
async function takeUntil(telemetry: ToldTelemetry, last: string): Promise<string[]> {
  await until(() => telemetry.lines.includes(last), last);
  return telemetry.lines.splice(0);
}

Deno.test("a run reports its failure, and each start and end around a question, to telemetry once", async () => {
  await using place = await createTestWorkspace();
  const telemetry = new ToldTelemetry();
  await using runtime = await place.open({ telemetry });
  await place.writeScript("broken", [{ fail: "out of order" }]);
  assert.equal((await runToEnd(runtime, "broken")).status, "error");
  assert.deepEqual(await takeUntil(telemetry, "execution 1: error"), [
    "execution 1 begins",
    "demo/script: ModelError",
    "execution 1 ended: error",
    "execution 1: error",
  ]);

  const steps = [{ call: [call("file_write", { path: "a.txt", content: "a" })] }, { say: "Done." }];
  await place.writeScript("writer", steps);
  const { id } = await runToEnd(runtime, "writer");
  const { requestId } = await runtime.pendingRequest(id);
  const first = await takeUntil(telemetry, "execution 2: waiting");
  await runtime.respond(id, { requestId, answer: { approved: true } });
  await toEnd(runtime, id);
  assert.deepEqual([first, await takeUntil(telemetry, "execution 2: success")], [
    ["execution 2 begins", "demo/script: tool_calls", "execution 2: waiting"],
    [
      ...["execution 2 begins", "file_write: done", "demo/script: end"],
      ...["execution 2 ended: success", "execution 2: success"],
    ],
  ]);

  const leading = [{ call: [call("run_agent", { agent_id: "helper" })] }, { say: "Done." }];
  await place.writeScript("lead", leading, "agents: [helper]");
  await place.writeScript("helper", [{ call: [call("ask_user", { question: "Well?" })] }]);
  const { id: lead } = await runToEnd(runtime, "lead");
  assert.deepEqual(await takeUntil(telemetry, "execution 3: waiting"), [
    ...["execution 3 begins", "demo/script: tool_calls", "execution 4 begins"],
    ...["demo/script: tool_calls", "execution 4: waiting", "run_agent: waits"],
    ...["execution 3: waiting"],
  ]);
  await runtime.cancel(lead);
  await toEnd(runtime, lead);
  const ends = ["execution 3 ended: aborted", "execution 4 ended: aborted"];
  assert.deepEqual((await takeUntil(telemetry, "execution 4 ended: aborted")).toSorted(), ends);
});
