// Tests of questions and answers in the API: refused answers, edited calls, and tools added to auto_approve.
import assert from "node:assert/strict";
import { ApiError } from "../../../api/client/client.ts";
import { AnswerMisfit, type HumanRequest } from "../../../runtime/executions/human_request.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import { FakeRefusal } from "../../support/fake_runtime.ts";
import { createTestApp } from "../../support/test_app.ts";

const SHAPES = "response: Invalid input: expected an answer as " +
  '{"approved": true or false, "reason": optional text, "arguments": optional object}, {"text": text} or {"selected": [texts]}';

Deno.test("POST /executions/{id}/respond lists the valid forms of an answer", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution();
  const answers: [unknown, string[]][] = [
    [{ approved: "true" }, [
      SHAPES,
      "response.approved: Invalid input: expected boolean, received string",
    ]],
    [{ approved: true, reason: 5 }, [
      SHAPES,
      "response.reason: Invalid input: expected string, received number",
    ]],
    [{ text: 5 }, [SHAPES, "response.text: Invalid input: expected string, received number"]],
    [{ selected: "red" }, [
      SHAPES,
      "response.selected: Invalid input: expected array, received string",
    ]],
    [{ selected: ["red", 5] }, [
      SHAPES,
      "response.selected.1: Invalid input: expected string, received number",
    ]],
    [{ text: "x", note: "y" }, ['response: Unrecognized key: "note"']],
    [{ approved: true, text: "x" }, [SHAPES]],
    ["yes", [SHAPES]],
    [null, [SHAPES]],
    [["red"], [SHAPES]],
    [{}, [SHAPES]],
    [undefined, [SHAPES]],
  ];
  for (const [response, sentences] of answers) {
    const json = { request_id: "x", response };
    const { status, body } = await call("/executions/1/respond", { method: "POST", json });
    assert.equal(status, 422);
    assert.equal(new ApiError(status, body.detail).message, sentences.join("; "));
    assert.deepEqual(body.detail[0].loc, ["body", "response"]);
  }
});

const REQUEST: HumanRequest = {
  requestId: "r1",
  executionId: 1,
  position: 3,
  kind: "confirm",
  message: "Allow file_write?",
  toolName: "file_write",
  toolArgs: { path: "a.txt", content: "x" },
  options: null,
  multi: false,
  createdAt: 0,
  expiresAt: null,
  isGuard: true,
};
const PREVIEW = {
  path: "a.txt",
  diff: "@@ -0,0 +1,1 @@\n+x\n",
  added: 1,
  removed: 0,
  isNewFile: true,
  problem: null,
};

Deno.test("GET /executions/{id}/pending returns the asking agent, the guard flag and the preview", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution();
  runtime.requests.set(1, REQUEST);
  const plain = (await call("/executions/1/pending")).body;
  assert.deepEqual([plain.asked_by, plain.is_guard, plain.preview], ["writer", true, null]);
  assert.equal("open_to_programs" in plain, false);
  const { isGuard: _, ...asked } = { ...REQUEST, toolName: "ask_user" };
  runtime.requests.set(1, asked);
  assert.equal((await call("/executions/1/pending")).body.open_to_programs, true);
  runtime.requests.set(1, REQUEST);
  runtime.previews.set(1, PREVIEW);
  const { isNewFile, ...rest } = PREVIEW;
  assert.deepEqual((await call("/executions/1/pending")).body.preview, {
    ...rest,
    is_new_file: isNewFile,
  });
});

Deno.test("POST /executions/{id}/respond accepts edited arguments with an approval", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution();
  runtime.requests.set(1, REQUEST);
  const args = { path: "b.txt", content: "y" };
  const preview = { request_id: "r1", arguments: args };
  const post = (path: string, json: unknown) => call(path, { method: "POST", json });
  assert.deepEqual((await post("/executions/1/pending", preview)).body, { preview: null });
  assert.equal((await post("/executions/9/pending", preview)).status, 404);
  runtime.editFailure = new FakeRefusal("invalid", "They do not fit");
  const refused = await post("/executions/1/pending", preview);
  assert.equal(refused.status, 422);
  assert.deepEqual(
    [refused.body.detail[0].loc, refused.body.detail[0].msg],
    [["body", "arguments"], "They do not fit"],
  );
  const response = { approved: true, reason: null, arguments: args };
  const body = { request_id: "r1", response, via: "page" };
  for (const via of ["moon", "chat", "link"]) {
    assert.equal((await post("/executions/1/respond", { ...body, via })).status, 422);
  }
  assert.equal((await post("/executions/1/respond", body)).status, 200);
  assert.deepEqual(runtime.responses.map(({ answer, by }) => [answer, by]), [
    [{ approved: true, arguments: args }, { via: "page" }],
  ]);
});

Deno.test("POST /agents/{id}/auto-approve requires a tool and the write flag", async () => {
  const { call, runtime } = createTestApp();
  runtime.canKeyEdit = true;
  runtime.addAgent(fakeAgent("writer"));
  const post = (id: string, json: unknown) =>
    call(`/agents/${id}/auto-approve`, { method: "POST", json });
  const { status, body } = await post("writer", { tool: "file_write", write: false });
  assert.deepEqual([status, body.written, body.already], [200, false, false]);
  assert.match(body.diff, /^@@[^]*\+auto_approve/);
  assert.equal((await post("writer", { tool: "", write: true })).status, 422);
  assert.equal((await post("writer", { tool: "file_write" })).status, 422);
  assert.equal((await post("nobody", { tool: "file_write", write: true })).status, 404);
});

Deno.test("POST /executions/{id}/respond names the field of a wrong answer", async () => {
  const { call, runtime } = createTestApp();
  runtime.addExecution();
  runtime.respond = () => Promise.reject(new AnswerMisfit("Expected one of the options"));
  const json = { request_id: "r1", response: { text: "blue" } };
  const { status, body } = await call("/executions/1/respond", { method: "POST", json });
  const loc = ["body", "response", "text"];
  const msg = "Expected one of the options";
  assert.deepEqual([status, body.detail], [422, [{ type: "invalid", loc, msg, input: "blue" }]]);
});
