import assert from "node:assert/strict";
import { z } from "zod";
import { DatabaseUnreachable } from "../../runtime/database/database.ts";
import { loadOperations } from "../../api/routes/operations.ts";
import { MAX_BODY_BYTES } from "../../api/operations/request_body.ts";
import { fakeAgent } from "../support/fake_agent.ts";
import { FakeRefusal } from "../support/fake_runtime.ts";
import { createTestApp } from "../support/test_app.ts";

const OPERATIONS = await loadOperations();

const JSON_TYPE = { "content-type": "application/json" };

Deno.test("createApp() returns 404 for an unknown route and 405 for a wrong method", async () => {
  const { call } = createTestApp();
  for (const path of ["/", "/nothing", "/agents/a/b/c", "/health/", "/executions//stream"]) {
    const { status, body } = await call(path);
    assert.deepEqual([path, status, body], [path, 404, { detail: "Not Found" }]);
  }
  const table = [
    ["POST", "/health", "GET, HEAD"],
    ["GET", "/shutdown", "POST"],
    ["DELETE", "/agents/reload", "POST, GET, HEAD"],
    ["PATCH", "/executions/1", "GET, HEAD, DELETE"],
    ["OPTIONS", "/executions", "GET, HEAD"],
  ] as const;
  for (const [method, path, allow] of table) {
    const { status, body, headers } = await call(path, { method });
    assert.deepEqual(
      [method, path, status, body, headers.get("allow")],
      [method, path, 405, { detail: "Method Not Allowed" }, allow],
    );
  }
});

Deno.test("createApp() answers HEAD like GET, without a body and without an open stream", async () => {
  const { app, runtime, lifecycle } = createTestApp();
  runtime.addExecution();
  for (const path of ["/health", "/executions", "/executions/1/stream", "/events/stream", "/ui"]) {
    const response = await app.request(path, { method: "HEAD" });
    assert.deepEqual([response.status, await response.text()], [200, ""], path);
    if (path.endsWith("stream")) continue;
    const { byteLength } = await (await app.request(path)).arrayBuffer();
    assert.equal(response.headers.get("content-length"), String(byteLength), path);
  }
  assert.deepEqual([lifecycle.activeStreams, runtime.followers], [0, 0]);
  const refused = await app.request("/shutdown", { method: "HEAD" });
  assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "POST"]);
  for (const path of ["/nothing", "/*"]) {
    assert.equal((await app.request(path, { method: "HEAD" })).status, 404, path);
  }
});

Deno.test("createApp() accepts a body of 1 MiB, and refuses an announced larger body", async () => {
  const { app, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  const response = await app.request("/agents/writer/run", {
    method: "POST",
    headers: { "content-length": String(MAX_BODY_BYTES + 1), "content-type": "text/plain" },
    body: "x",
  });
  assert.equal(response.status, 413);
  assert.deepEqual(await response.json(), { detail: "The request body is larger than 1 MiB" });
  const message = "x".repeat(MAX_BODY_BYTES - JSON.stringify({ message: "" }).length);
  const init = { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ message }) };
  assert.equal((await app.request("/agents/writer/run", init)).status, 200);
  assert.equal(runtime.runs[0]?.request.message?.length, message.length);
});

Deno.test("createApp() stops reading a body of unknown length at the limit", async () => {
  const { app, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  let sent = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(32));
    },
    cancel() {
      cancelled = true;
    },
  });
  const response = await app.request("/agents/writer/run", { method: "POST", body });
  assert.equal(response.status, 413);
  assert.ok(cancelled);
  assert.ok(sent <= MAX_BODY_BYTES + 4 * 65_536, `${sent} bytes were read`);
});

Deno.test("createApp() refuses a body of another media type with 415", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
    const { status, body } = await call("/agents/writer/run", {
      method: "POST",
      body: "{}",
      headers: { "content-type": type },
    });
    assert.deepEqual([type, status], [type, 415]);
    assert.deepEqual(body, { detail: "Content-Type must be application/json" });
  }
  for (
    const type of ["application/json", "Application/JSON; charset=utf-8", "application/x+json"]
  ) {
    const init = { method: "POST", body: "{}", headers: { "content-type": type } };
    assert.deepEqual([type, (await call("/agents/writer/run", init)).status], [type, 200]);
  }
  // Without a body, the media type is ignored.
  for (const headers of [{}, { "content-type": "text/plain" }]) {
    assert.equal((await call("/agents/writer/run", { method: "POST", headers })).status, 200);
    assert.deepEqual(runtime.runs.pop(), { agentId: "writer", request: { by: { via: "api" } } });
  }
});

Deno.test("createApp() refuses invalid JSON with 422 json_invalid", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  for (const body of ["{", "{'a':1}", new Uint8Array([34, 0xff, 34])]) {
    const answer = await call("/agents/writer/run", { method: "POST", headers: JSON_TYPE, body });
    assert.equal(answer.status, 422);
    const [issue] = answer.body.detail;
    assert.equal(issue.type, "json_invalid");
    assert.deepEqual(issue.loc, ["body"]);
    assert.match(issue.msg, /^The body is not valid JSON: ./);
    assert.equal(issue.input, null);
  }
  assert.equal(runtime.runs.length, 0);
});

Deno.test("createApp() checks in order: route, resource, size, media type, JSON, schema", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("x"));
  const big = new Uint8Array(MAX_BODY_BYTES + 1);
  const plain = { "content-type": "text/plain" };
  const post = (path: string, body: BodyInit, headers: HeadersInit) =>
    call(path, { method: "POST", body, headers }).then(({ status }) => status);
  assert.equal(await post("/nothing", big, plain), 404);
  assert.equal(await post("/agents", big, plain), 405);
  assert.equal(await post("/agents/x/run", big, plain), 413);
  assert.equal(await post("/agents/x/run", "{", plain), 415);
  assert.equal(await post("/agents/x/run", "{", JSON_TYPE), 422);
  assert.equal(await post("/agents/x/run", '{"args":1}', JSON_TYPE), 422);
  assert.equal(await post("/agents/y/run", big, plain), 404);
  assert.equal(await post("/agents/y/run", "{", plain), 404);
  assert.equal(await post("/agents/y/run", '{"message":7}', JSON_TYPE), 404);
  assert.equal(await post("/executions/9/respond", "x", plain), 404);
  assert.equal(await post("/executions/9/respond", '{"message":7}', JSON_TYPE), 404);
  for (const path of ["/executions/9/messages", "/executions/9/stream", "/agents/y/runs"]) {
    assert.equal((await call(`${path}?limit=no&after=no`)).status, 404, path);
  }
  assert.deepEqual(runtime.runs, []);
});

Deno.test("createApp() lists at most twenty problems and truncates long inputs", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  const args = [["y".repeat(10_000)], ...Array.from({ length: 1_000 }, (_, n) => n)];
  const { status, body } = await call("/agents/writer/run", { method: "POST", json: { args } });
  assert.equal(status, 422);
  assert.equal(body.detail.length, 20);
  assert.deepEqual(body.detail[0].loc, ["body", "args", 0]);
  assert.ok(body.detail[0].input.length < 600);
  assert.deepEqual([body.detail[1].loc, body.detail[1].input], [["body", "args", 1], 0]);
});

Deno.test("createApp() maps the runtime's errors to statuses and hides unexpected ones", async () => {
  const { call, runtime } = createTestApp();
  const cause = new Error("disk");
  const table = [
    ["not_found", 404],
    ["conflict", 409],
    ["invalid", 422],
    ["unavailable", 503],
    ["storage", 500],
  ] as const;
  for (const [code, expected] of table) {
    runtime.runFailure = new FakeRefusal(code, "A sentence", { cause });
    const { status, body } = await call("/agents/writer/run", { method: "POST" });
    const detail = expected === 422
      ? [{ type: "invalid", loc: ["body"], msg: "A sentence", input: null }]
      : "A sentence";
    assert.deepEqual([code, status, body], [code, expected, { detail }]);
  }
  runtime.runFailure = new TypeError("secret detail");
  const { status, body } = await call("/agents/writer/run", { method: "POST" });
  assert.deepEqual([status, body], [500, { detail: "Internal error" }]);
  const logged = runtime.log.lines.filter(({ level }) => level === "error");
  assert.deepEqual(logged.map(({ fields }) => fields.cause ?? fields.error), [
    ...[cause, runtime.runFailure],
  ]);
});

Deno.test("createApp() sends Retry-After while the database does not answer", async () => {
  const { call, runtime } = createTestApp();
  const detail = "Cannot use postgres://db.example/inkling: it is away.";
  runtime.runFailure = new DatabaseUnreachable(detail);
  const { status, body, headers } = await call("/agents/writer/run", { method: "POST" });
  assert.deepEqual([status, body, headers.get("retry-after")], [503, { detail }, "5"]);
  assert.deepEqual((await call("/health")).body, { status: "ok" });
  runtime.storage = { ...runtime.storage, problem: detail };
  // /health needs no key and reports only the status.
  assert.deepEqual((await call("/health")).body, { status: "degraded" });
});

Deno.test("createApp() logs one line per request, without the query", async () => {
  const { call, runtime } = createTestApp();
  await call("/health");
  await call("/executions?agent=secret");
  await call("/nothing");
  assert.deepEqual(
    runtime.log.lines,
    [
      ["GET", "/health", 200],
      ["GET", "/executions", 200],
      ["GET", "/nothing", 404],
    ].map(([method, path, status]) => ({
      level: "debug" as const,
      message: "request",
      fields: { method, path, status, ms: 0, via: "unix" },
    })),
  );
});

Deno.test("every operation declares the parameters of its path and has a JSON schema", () => {
  for (const { path, params, query, headers, body, response } of OPERATIONS) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    assert.deepEqual(Object.keys(params?.shape ?? {}), inPath, path);
    for (const schema of [params, query, headers, response]) {
      if (schema === undefined || typeof schema === "string") continue;
      assert.ok(z.toJSONSchema(schema, { io: "output" }), path);
    }
    if (body !== undefined) {
      assert.ok(z.toJSONSchema(body, { io: "input" }), path);
    }
  }
});
