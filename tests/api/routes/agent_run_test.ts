import assert from "node:assert/strict";
import { fakeAgent } from "../../support/fake_agent.ts";
import { createTestApp } from "../../support/test_app.ts";

function open() {
  const { call, runtime } = createTestApp();
  runtime.addAgent(fakeAgent("writer"));
  return {
    runtime,
    run: (json: unknown, headers: Record<string, string> = {}) =>
      call("/agents/writer/run", { method: "POST", json, headers }),
  };
}

Deno.test("POST /agents/{id}/run passes the request unchanged to the runtime", async () => {
  const { run, runtime } = open();
  const { status, body } = await run(
    { args: ["a", "b"], message: " Say it\n", context: "ctx", session_id: " S  1 ", other: true },
    { "idempotency-key": "k1" },
  );
  assert.deepEqual([status, body], [200, { execution_id: 1, model: "demo/script" }]);
  assert.deepEqual(runtime.runs, [{
    agentId: "writer",
    request: {
      args: ["a", "b"],
      message: " Say it\n",
      context: "ctx",
      sessionId: " S  1 ",
      idempotencyKey: "k1",
      by: { via: "api" },
    },
  }]);
});

Deno.test("POST /agents/{id}/run treats null and blank values as absent", async () => {
  const { run, runtime } = open();
  const blank = [
    {},
    { args: null, message: null, context: null, session_id: null },
    { message: "" },
    { message: " \n\t" },
    { session_id: "" },
    { session_id: " ".repeat(300) },
  ];
  for (const json of blank) {
    assert.equal((await run(json, { "idempotency-key": " " })).status, 200);
  }
  assert.deepEqual(
    runtime.runs.map(({ request }) => request),
    blank.map(() => ({ by: { via: "api" } })),
  );
});

Deno.test("POST /agents/{id}/run names every invalid field", async () => {
  const { run, runtime } = open();
  const unstorable = "String must not contain NUL characters or lone surrogates";
  const table: [json: unknown, issues: [loc: unknown[], msg?: string][]][] = [
    [{ args: ["a", 1], message: 5 }, [[["body", "args", 1]], [["body", "message"]]]],
    // The JSON value `null` is a body, not a missing one.
    ...[null, [], "text", 5].map((json): typeof table[number] => [json, [[["body"]]]]),
    // The limit counts code points, so an emoji counts once.
    [{ session_id: "😀".repeat(201) }, [
      [["body", "session_id"], "String should have at most 200 characters"],
    ]],
    ...["chat\0", "chat\ud800", "\udfff"].map((session_id): typeof table[number] => [
      { session_id },
      [[["body", "session_id"], unstorable]],
    ]),
  ];
  for (const [json, issues] of table) {
    const { status, body } = await run(json);
    const found = body.detail.map(({ loc, msg }: { loc: unknown; msg: string }) => [loc, msg]);
    assert.equal(status, 422, JSON.stringify(json));
    assert.equal(found.length, issues.length, JSON.stringify(json));
    for (const [index, [loc, msg]] of issues.entries()) {
      assert.deepEqual(found[index], [loc, msg ?? found[index][1]]);
    }
  }
  assert.deepEqual(runtime.runs, []);
  assert.equal((await run({ session_id: "😀".repeat(200) })).status, 200);
});
