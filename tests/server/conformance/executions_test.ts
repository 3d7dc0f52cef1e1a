// Conformance: executions, their log, cancelling.
import assert from "node:assert/strict";
import {
  ExecutionDetail,
  ExecutionSummary,
  LogRow,
} from "../../../server/schemas/execution_schemas.ts";
import { until } from "../../support/until.ts";
import { overBoth, type Reached, TIMESTAMP } from "./both_transports.ts";

/** An agent that runs until it is cancelled. */
async function startEndless({ workspace, client, runtime }: Reached): Promise<number> {
  await workspace.writeScript("endless", [{ delay_ms: 600_000, say: "Never." }]);
  await client.reload();
  const { execution_id: id } = await client.run("endless");
  const hasBegun = async () => (await runtime.readFrames(id, { after: 0 })).length > 1;
  await until(hasBegun, "it runs");
  return id;
}

overBoth(
  "an execution has the fields of the table, output_data on the detail only",
  async ({ call, runToEnd }) => {
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
      asked_redacted: isAskedRedacted,
      ...rest
    } = body;
    assert.deepEqual(listed, rest);
    assert.equal(isEstimated, false);
    assert.equal(forkedFrom, null);
    assert.deepEqual([message, context, isAskedRedacted], [null, null, false]);
  },
);

overBoth(
  "a failed execution carries its message in error",
  async ({ workspace, client, runToEnd }) => {
    await workspace.writeScript("failing", [{ fail: "the provider said no" }]);
    await client.reload();
    const { status, error, output_data } = await runToEnd("failing");
    assert.deepEqual([status, output_data], ["error", null]);
    assert.match(error ?? "", /the provider said no/);
  },
);

overBoth("GET /executions filters by status and agent and pages", async (on) => {
  await on.workspace.writeScript("failing", [{ fail: "no" }]);
  await on.client.reload();
  const ids: Record<string, number> = {};
  for (const agent of ["writer", "failing"]) ids[agent] = (await on.runToEnd(agent)).id;
  const list = async (query: string) =>
    (await on.call(`/executions${query}`)).body.map(({ agent_id }: ExecutionSummary) => agent_id);
  assert.deepEqual(await list(""), ["failing", "writer"]);
  assert.deepEqual(await list("?status=success"), ["writer"]);
  assert.deepEqual(await list("?status=success,error"), ["failing", "writer"]);
  assert.deepEqual(await list("?status=failed"), ["failing"]);
  assert.deepEqual(await list("?status=cancelled"), []);
  assert.deepEqual(await list("?agent=writer"), ["writer"]);
  assert.deepEqual(await list("?limit=1"), ["failing"]);
  assert.deepEqual(await list("?limit=1&offset=1"), ["writer"]);
});

overBoth("limit is 1 to 500, offset 0 or more, status one of a list", async ({ call }) => {
  for (const bad of ["limit=0", "limit=501", "limit=x", "offset=-1", "offset=1.5", "status=done"]) {
    const { status, body } = await call(`/executions?${bad}`);
    assert.deepEqual([bad, status], [bad, 422]);
    assert.deepEqual(body.detail[0].loc.slice(0, 2), ["query", bad.split("=")[0]]);
  }
  for (const good of ["limit=1", "limit=500", "offset=0"]) {
    assert.equal((await call(`/executions?${good}`)).status, 200);
  }
});

overBoth(
  "an unknown execution is 404 everywhere, ids beyond 2^53 too, other text 422",
  async ({ call }) => {
    for (const id of ["999999", "9007199254740993", "1".repeat(30)]) {
      for (const path of ["", "/messages", "/stream"]) {
        const { status, body } = await call(`/executions/${id}${path}`);
        assert.deepEqual([path, status, body], [path, 404, { detail: "Execution not found" }]);
      }
      assert.equal((await call(`/executions/${id}`, { method: "DELETE" })).status, 404);
    }
    for (const id of ["x", "1.5", "%20", "1%2F2", "NaN"]) {
      assert.equal((await call(`/executions/${id}`)).status, 422, id);
    }
  },
);

overBoth(
  "GET /executions/{id}/messages gives the whole log in order, or a page",
  async ({ call, runToEnd, framesOf }) => {
    const { id } = await runToEnd("writer");
    const { status, body } = await call(`/executions/${id}/messages`);
    assert.equal(status, 200);
    for (const row of body) assert.deepEqual(LogRow.parse(row), row);
    const frames = await framesOf(id);
    assert.deepEqual(
      body.map((row: LogRow) => [row.id, row.event_type, row.message, row.execution_id]),
      frames.map((frame) => [frame.id, frame.payload["event_type"], frame.payload["message"], id]),
    );
    const page = await call(`/executions/${id}/messages?after=${body[0].id}&limit=2`);
    assert.deepEqual(page.body, body.slice(1, 3));
  },
);

overBoth("DELETE /executions/{id} cancels a running execution", async (on) => {
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

overBoth(
  "an answer of 1,100,000 characters is cut at 1,000,000, the same everywhere",
  async (on) => {
    await on.workspace.writeScript("long", [{
      say_repeat: { text: "abcdefghij", times: 110_000 },
    }]);
    await on.client.reload();
    const { id, output_data } = await on.runToEnd("long");
    const final = (await on.framesOf(id)).find(({ event }) => event === "final_answer");
    assert.ok(output_data !== null && output_data.startsWith("abcdefghij"));
    assert.ok(
      output_data.length <= 1_000_500 && output_data.length >= 999_000,
      `${output_data.length}`,
    );
    assert.equal(final?.payload["content"], output_data);
    assert.match(output_data.split("\n").at(-1) ?? "", /cut|shortened|characters/i);
  },
);

overBoth("an answer of 1,000,000 characters is never abridged", async (on) => {
  await on.workspace.writeScript("long", [{ say_repeat: { text: "abcdefghij", times: 100_000 } }]);
  await on.client.reload();
  const { id, output_data } = await on.runToEnd("long");
  assert.equal(output_data, "abcdefghij".repeat(100_000));
  const final = (await on.framesOf(id)).find(({ event }) => event === "final_answer");
  assert.equal(final?.payload["content"], output_data);
});
