import assert from "node:assert/strict";
import { NotResting } from "../../../runtime/executions/refusals.ts";
import { EXECUTION_STATUSES } from "../../../runtime/executions/states.ts";
import {
  ExecutionDetail,
  ExecutionSummary,
  LogRow,
} from "../../../api/schemas/execution_schemas.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import { createTestApp } from "../../support/test_app.ts";

Deno.test("GET /executions and /executions/{id} return the labels that an execution waits for", async () => {
  const { call, runtime } = createTestApp();
  const lastExecution = runtime.addExecution({ waitsForLabels: ["gpu", "linux"] });
  runtime.addAgent(fakeAgent("writer"), { lastExecution });
  runtime.addAgent(fakeAgent("other"));
  const { body: [listed] } = await call("/executions");
  assert.deepEqual(ExecutionSummary.parse(listed), listed);
  const { body: detail } = await call("/executions/1");
  const { body: [run] } = await call("/agents/writer/runs");
  const { body: [agent, other] } = await call("/agents");
  assert.ok(!("waits_for_labels" in other));
  for (const one of [listed, detail, run, agent]) {
    assert.deepEqual(one.waits_for_labels, ["gpu", "linux"]);
  }
});

Deno.test("GET /executions passes its filters to the runtime", async () => {
  const { call, runtime } = createTestApp();
  const table: [string, object][] = [
    ["", { limit: 50, offset: 0 }],
    ["?limit=500&offset=3", { limit: 500, offset: 3 }],
    ["?agent=a%20b", { agentId: ["a b"], limit: 50, offset: 0 }],
    ["?agent=a,%20b", { agentId: ["a", "b"], limit: 50, offset: 0 }],
    ["?agent=c&agent=a", { agentId: ["c", "a"], limit: 50, offset: 0 }],
    ["?agent=,", { limit: 50, offset: 0 }],
    ["?agent=&status=", { limit: 50, offset: 0 }],
    ["?parent=7", { parentId: 7, limit: 50, offset: 0 }],
    ["?trigger=schedule&q=%20in%22voice&preview=true", {
      trigger: "schedule",
      text: 'in"voice',
      preview: true,
      limit: 50,
      offset: 0,
    }],
    ["?q=voice&results=true", { text: "voice", searchesResults: true, limit: 50, offset: 0 }],
    ["?since=2026-01-01T01:00:00%2B01:00&until=2026-01-01T00:00:00.001Z", {
      since: Date.UTC(2026, 0, 1),
      until: Date.UTC(2026, 0, 1) + 1,
      limit: 50,
      offset: 0,
    }],
    ["?trigger=&q=&since=&until=&preview=false", { limit: 50, offset: 0 }],
    ["?session=%20a%2Cb&agent=writer", {
      agentId: ["writer"],
      sessionId: " a,b",
      limit: 50,
      offset: 0,
    }],
    ["?session=%20", { limit: 50, offset: 0 }],
    ["?status=running", { statuses: ["running"], limit: 50, offset: 0 }],
    ["?status=failed,cancelled", { statuses: ["error", "aborted"], limit: 50, offset: 0 }],
    ["?status=error&status=%20timeout,running", {
      statuses: ["error", "timeout", "running"],
      limit: 50,
      offset: 0,
    }],
    [`?status=${EXECUTION_STATUSES}`, { statuses: [...EXECUTION_STATUSES], limit: 50, offset: 0 }],
  ];
  for (const [query, expected] of table) {
    assert.equal((await call(`/executions${query}`)).status, 200, query);
    assert.deepEqual(runtime.filters.pop(), expected, query);
  }
  const crowd = `agent=${"x,".repeat(1_001)}`;
  for (
    const query of [crowd, "q=ab", "since=yesterday", "until=2026-01-01", "trigger=x", "preview=1"]
  ) {
    assert.equal((await call(`/executions?${query}`)).status, 422, query);
  }
});

Deno.test("GET /executions lists the valid values if a filter is invalid", async () => {
  const { call, runtime } = createTestApp();
  const bad: [string, unknown[]][] = [
    ["limit=0", ["query", "limit"]],
    ["limit=501", ["query", "limit"]],
    ["limit=abc", ["query", "limit"]],
    ["limit=1.5", ["query", "limit"]],
    ["limit=", ["query", "limit"]],
    ["limit=5&limit=6", ["query", "limit"]],
    ["parent=1&parent=2", ["query", "parent"]],
    ["offset=-1", ["query", "offset"]],
    ["offset=9007199254740993", ["query", "offset"]],
    ["status=done", ["query", "status", 0]],
    ["status=running,", ["query", "status", 1]],
    ["status=,", ["query", "status", 0]],
    ["status=running&status=done", ["query", "status", 1]],
  ];
  for (const [query, loc] of bad) {
    const { status, body } = await call(`/executions?${query}`);
    assert.deepEqual([query, status, body.detail[0].loc], [query, 422, loc]);
  }
  const { body } = await call("/executions?status=done");
  for (const status of EXECUTION_STATUSES) {
    assert.match(body.detail[0].msg, new RegExp(status));
  }
  assert.equal(body.detail[0].input, "done");
  assert.equal((await call("/executions?limit=0&offset=-1")).body.detail.length, 2);
  assert.equal(runtime.filters.length, 0);
});

Deno.test("GET /executions/{id} includes the request and the answer", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution({
    message: "Do it",
    context: "Soon",
    isRequestRedacted: true,
    outputData: "The answer",
    isUsageEstimated: true,
    startedAt: Date.UTC(2026, 0, 1),
    finishedAt: Date.UTC(2026, 0, 1) + 2_000,
    durationMs: 2_000,
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 15,
    toolCalls: 2,
  });
  const { status, body } = await call("/executions/1");
  assert.equal(status, 200);
  const detail = ExecutionDetail.parse(body);
  assert.deepEqual(detail, body);
  assert.deepEqual([detail.message, detail.context, detail.asked_redacted], [
    "Do it",
    "Soon",
    true,
  ]);
  assert.deepEqual([detail.output_data, detail.usage_estimated], ["The answer", true]);
  assert.deepEqual([detail.finished_at, detail.duration_ms], ["2026-01-01T00:00:02.000Z", 2_000]);
  const { input_tokens, output_tokens, total_tokens, tool_calls } = detail;
  assert.deepEqual([input_tokens, output_tokens, total_tokens, tool_calls], [10, 5, 15, 2]);
});

Deno.test("an execution's id that is no integer gets 422, an unknown id 404", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution();
  const paths = ["", "/messages", "/stream"];
  for (const path of paths) {
    for (const id of ["abc", "1.5", "0x1", "1e3", "%20"]) {
      const { status, body } = await call(`/executions/${id}${path}`);
      assert.deepEqual([id, path, status, body.detail[0].loc], [id, path, 422, ["path", "id"]]);
    }
    for (const id of ["2", "0", "-1", "9007199254740992", "9007199254740993", "9".repeat(50)]) {
      const { status, body } = await call(`/executions/${id}${path}`);
      assert.deepEqual(
        [id, path, status, body],
        [id, path, 404, { detail: "Execution not found" }],
      );
    }
  }
  assert.equal((await call("/executions/9", { method: "DELETE" })).status, 404);
  assert.equal((await call("/executions/x", { method: "DELETE" })).status, 422);
});

Deno.test("GET /executions/{id}/messages returns all rows, or a page after an id", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution();
  // The content is omitted if it equals the message.
  runtime.append(1, "final_answer", { message: "Done", content: "Done" });
  const more = { content: "text", tool_name: "file_read", is_error: false };
  runtime.append(1, "tool_result", { message: "file_read — text", ...more });
  for (let n = 3; n <= 600; n++) runtime.append(1, "ai");
  const { status, body } = await call("/executions/1/messages");
  assert.equal(status, 200);
  assert.equal(body.length, 600);
  const row = { execution_id: 1, timestamp: "2026-01-01T00:00:00.000Z" };
  assert.deepEqual(body.slice(0, 2).map((one: unknown) => LogRow.parse(one)), [
    { ...row, id: 1, event_type: "final_answer", message: "Done", metadata: null },
    {
      ...{ ...row, id: 2, event_type: "tool_result", message: "file_read — text" },
      metadata: JSON.stringify(more),
    },
  ]);
  const page = await call("/executions/1/messages?after=10&limit=2");
  assert.deepEqual(page.body.map(({ id }: LogRow) => id), [11, 12]);
  for (const query of ["after=-1", "after=x", "limit=0", "limit=501"]) {
    assert.equal((await call(`/executions/1/messages?${query}`)).status, 422, query);
  }
});

Deno.test("GET /executions returns 304 for the client's current ETag, and 200 after a change", async () => {
  const { app, runtime } = createTestApp();
  runtime.addExecution();
  const ask = (tags?: string) =>
    app.request("/executions", tags === undefined ? {} : { headers: { "if-none-match": tags } });
  const first = await ask();
  const tag = first.headers.get("etag") ?? "";
  assert.match(tag, /^"[0-9a-f]{16}"$/);
  assert.equal((await first.json()).length, 1);
  for (const known of [tag, `"other", ${tag}`, `W/${tag}`, "*"]) {
    const same = await ask(known);
    assert.deepEqual([same.status, await same.text()], [304, ""], known);
    assert.equal(same.headers.get("etag"), tag);
  }
  assert.equal((await ask('"other"')).status, 200);
  runtime.addExecution();
  const changed = await ask(tag);
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get("etag"), tag);
  assert.equal((await changed.json()).length, 2);
});

Deno.test("a resting execution has rests_until and rests_for in every list, until its rest ends", async () => {
  const { call, runtime } = createTestApp();
  const rest = { until: Date.UTC(2026, 2, 2, 8), since: 0, reason: "the backup" };
  const lastExecution = runtime.addExecution({ rest });
  runtime.addAgent(fakeAgent("writer"), { lastExecution });
  const read = async () => {
    const { body: [listed] } = await call("/executions");
    const { body: detail } = await call("/executions/1");
    const { body: [agent] } = await call("/agents");
    return [listed, detail, agent].map(({ rests_until, rests_for }) => [rests_until, rests_for]);
  };
  const rests = ["2026-03-02T08:00:00.000Z", "the backup"];
  assert.deepEqual(await read(), [rests, rests, rests]);
  const ended = { ...lastExecution, rest: { ...rest, ended: { at: 1, by: "time" as const } } };
  runtime.executions.set(1, ended);
  runtime.addAgent(fakeAgent("writer"), { lastExecution: ended });
  assert.deepEqual((await read()).flat().filter((one) => one !== undefined), []);
});

Deno.test("POST /executions/{id}/wake ends a rest, and is 409 for another execution", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution({});
  const woken: number[] = [];
  runtime.wake = (id) => Promise.resolve(void woken.push(id));
  const { status, body } = await call("/executions/1/wake", { method: "POST" });
  assert.deepEqual([status, body, woken], [200, { status: "resuming", execution_id: 1 }, [1]]);
  const ended = { id: 1, status: "success" as const, finishedAt: 1_000 };
  runtime.wake = () => Promise.reject(new NotResting(ended, ended.finishedAt + 300_000));
  const refused = await call("/executions/1/wake", { method: "POST" });
  assert.deepEqual([refused.status, refused.body], [409, {
    detail: "Execution 1 ended with success 5m 00s ago; it does not rest",
  }]);
});
