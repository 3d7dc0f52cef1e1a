import assert from "node:assert/strict";
import { fakeAgent } from "../../support/fake_agent.ts";
import { createTestApp } from "../../support/test_app.ts";

Deno.test("POST /agents/{id}/run hands the request over and answers with the execution", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  const { status, body } = await call("/agents/writer/run", {
    method: "POST",
    json: { args: ["a", "b"], message: "Hi", context: "ctx", session_id: "s 1", other: true },
    headers: { "idempotency-key": "k1" },
  });
  assert.deepEqual([status, body], [200, { execution_id: 1, model: "demo/script" }]);
  assert.deepEqual(runtime.runs, [{
    agentId: "writer",
    request: {
      args: ["a", "b"],
      message: "Hi",
      context: "ctx",
      sessionId: "s 1",
      idempotencyKey: "k1",
    },
  }]);
});

Deno.test("POST /agents/{id}/run takes null and blank for absent", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  const absent = { args: null, message: null, context: null, session_id: null };
  for (
    const json of [
      {},
      absent,
      { message: "" },
      { message: " \n\t" },
      { session_id: "" },
      { session_id: " ".repeat(300) },
    ]
  ) {
    const init = { method: "POST", json, headers: { "idempotency-key": " " } };
    assert.equal((await call("/agents/writer/run", init)).status, 200);
  }
  assert.deepEqual(runtime.runs.map(({ request }) => request), Array(6).fill({}));
});

Deno.test("POST /agents/{id}/run hands a message and a session id over as they are, spaces and case included", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  const given = { message: " Say it\n", session_id: " Chat  A " };
  const { status } = await call("/agents/writer/run", { method: "POST", json: given });
  assert.equal(status, 200);
  assert.deepEqual(runtime.runs.map(({ request }) => request), [
    { message: " Say it\n", sessionId: " Chat  A " },
  ]);
});

Deno.test("POST /agents/{id}/run counts the session id in code points, 200 at most", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  const run = (session_id: string) =>
    call("/agents/writer/run", { method: "POST", json: { session_id } });
  assert.equal((await run("😀".repeat(200))).status, 200);
  const { status, body } = await run("😀".repeat(201));
  assert.equal(status, 422);
  assert.deepEqual(body.detail[0].loc, ["body", "session_id"]);
  assert.equal(body.detail[0].msg, "String should have at most 200 characters");
});

Deno.test("POST /agents/{id}/run refuses a session id that could not be stored as it is", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  for (const session_id of ["chat\0", "chat\ud800", "\udfff"]) {
    const { status, body } = await call("/agents/writer/run", {
      method: "POST",
      json: { session_id },
    });
    const [{ loc, msg }] = body.detail;
    assert.deepEqual([status, body.detail.length, loc], [422, 1, ["body", "session_id"]]);
    assert.equal(msg, "String must not contain NUL characters or lone surrogates");
  }
  assert.deepEqual(runtime.runs, []);
});

Deno.test("POST /agents/{id}/run names every field that does not fit", async () => {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  const json = { args: ["a", 1], message: 5 };
  const { status, body } = await call("/agents/writer/run", { method: "POST", json });
  assert.equal(status, 422);
  assert.deepEqual(
    body.detail.map(({ loc, input }: { loc: unknown; input: unknown }) => [loc, input]),
    [[["body", "args", 1], 1], [["body", "message"], 5]],
  );
  // `null` is a body, not an absent one.
  for (const json of [null, [], "text", 5]) {
    const { status, body } = await call("/agents/writer/run", { method: "POST", json });
    assert.deepEqual([status, body.detail[0].loc], [422, ["body"]]);
  }
  assert.deepEqual(runtime.runs, []);
});
