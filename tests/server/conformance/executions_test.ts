// API conformance: executions, their log, and canceling them.
import assert from "node:assert/strict";
import {
  ExecutionDetail,
  ExecutionSummary,
  LogRow,
} from "../../../api/schemas/execution_schemas.ts";
import { until } from "../../support/until.ts";
import { overTcp as test, type Reached, TIMESTAMP } from "./both_transports.ts";

/** Starts an agent that runs until it is canceled. Returns the execution's id. */
async function startEndless({ workspace, client, runtime }: Reached): Promise<number> {
  await workspace.writeScript("endless", [{ delay_ms: 600_000, say: "Never." }]);
  await client.reload();
  const { execution_id: id } = await client.run("endless");
  const hasBegun = async () => (await runtime.readFrames(id, { after: 0 })).length > 1;
  await until(hasBegun, "it runs");
  return id;
}

test("GET /executions/{id} adds the answer to the row, and /messages returns the frames", async ({ call, runToEnd, framesOf }) => {
  const { id } = await runToEnd("writer");
  const { body } = await call(`/executions/${id}`);
  assert.deepEqual(ExecutionDetail.parse(body), body);
  assert.deepEqual(
    [body.agent_id, body.status, body.trigger, body.parent_execution_id, body.session_id],
    ["writer", "success", "manual", null, null],
  );
  assert.match(body.started_at, TIMESTAMP);
  assert.match(body.finished_at, TIMESTAMP);
  assert.ok(Number.isInteger(body.duration_ms) && Number.isInteger(body.total_tokens));
  assert.deepEqual([body.error, body.output_data], [null, "Done."]);
  const [listed] = (await call("/executions")).body;
  assert.deepEqual(ExecutionSummary.parse(listed), listed);
  const {
    output_data: _output,
    forked_from: forkedFrom,
    usage_estimated: isEstimated,
    total_cost_usd: _total,
    children: _children,
    message,
    context,
    asked_redacted: isRequestRedacted,
    ...rest
  } = body;
  assert.deepEqual(listed, rest);
  assert.equal(isEstimated, false);
  assert.equal(forkedFrom, null);
  assert.deepEqual([message, context, isRequestRedacted], [null, null, false]);

  const messages = await call(`/executions/${id}/messages`);
  assert.equal(messages.status, 200);
  for (const row of messages.body) assert.deepEqual(LogRow.parse(row), row);
  const frames = await framesOf(id);
  assert.deepEqual(
    messages.body.map((row: LogRow) => [row.id, row.event_type, row.message, row.execution_id]),
    frames.map((frame) => [frame.id, frame.payload["event_type"], frame.payload["message"], id]),
  );
  const page = await call(`/executions/${id}/messages?after=${messages.body[0].id}&limit=2`);
  assert.deepEqual(page.body, messages.body.slice(1, 3));
});

test("DELETE /executions/{id} cancels a running execution", async (on) => {
  const id = await startEndless(on);
  const { status, body } = await on.call(`/executions/${id}`, { method: "DELETE" });
  assert.deepEqual([status, body], [200, { status: "cancelling", execution_id: id }]);
  const frames = await on.framesOf(id);
  assert.equal(frames.at(-1)?.event, "complete");
  assert.equal(frames.at(-1)?.payload["status"], "aborted");
  const ended = await on.client.execution(id);
  assert.deepEqual([ended.status, ended.error], ["aborted", "Cancelled by user"]);
  const again = await on.call(`/executions/${id}`, { method: "DELETE" });
  assert.deepEqual(again.body, { status: "aborted", execution_id: id });
});

test("an answer of more than 1,000,000 characters is truncated", async (on) => {
  for (const [id, times] of [["whole", 100_000], ["cut", 110_000]] as const) {
    await on.workspace.writeScript(id, [{ say_repeat: { text: "abcdefghij", times } }]);
  }
  await on.client.reload();
  for (const agent of ["whole", "cut"]) {
    const { id, output_data } = await on.runToEnd(agent);
    const final = (await on.framesOf(id)).find(({ event }) => event === "final_answer");
    assert.equal(final?.payload["content"], output_data);
    const text = output_data ?? "";
    if (agent === "whole") {
      assert.equal(text, "abcdefghij".repeat(100_000));
      continue;
    }
    assert.ok(text.startsWith("abcdefghij"));
    assert.ok(text.length <= 1_000_500 && text.length >= 999_000, `${text.length}`);
    assert.match(text.split("\n").at(-1) ?? "", /cut|shortened|characters/i);
  }
});
