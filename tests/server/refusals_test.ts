// Where a refusal says the fault is; and answers without a body.
import assert from "node:assert/strict";
import { AnswerMisfit } from "../../runtime/executions/human_request.ts";
import { createTestApp } from "../support/test_app.ts";

Deno.test("An answer of the wrong kind is told with its place and what was sent", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution();
  runtime.respond = () => Promise.reject(new AnswerMisfit("Expected one of the options"));
  const { status, body } = await call("/executions/1/respond", {
    method: "POST",
    json: { request_id: "r1", response: { text: "blue" } },
  });
  assert.equal(status, 422);
  assert.deepEqual(body.detail, [{
    type: "invalid",
    loc: ["body", "response", "text"],
    msg: "Expected one of the options",
    input: "blue",
  }]);
});

Deno.test("A reader that has had `complete` is told by 204 that nothing comes any more", async () => {
  const { app, runtime } = createTestApp();
  runtime.addExecution();
  runtime.append(1, "ai");
  runtime.setStatus(1, "success");
  const last = runtime.frames.at(-1)?.id ?? 0;
  const ways = [
    (id: number) => app.request("/executions/1/stream", { headers: { "last-event-id": `${id}` } }),
    (id: number) => app.request(`/executions/1/stream?after=${id}`),
  ];
  for (const follow of ways) {
    const ended = await follow(last);
    assert.deepEqual([ended.status, await ended.text()], [204, ""]);
    const before = await follow(last - 1);
    assert.equal(before.status, 200);
    assert.match(await before.text(), /^event: complete/);
  }
});
