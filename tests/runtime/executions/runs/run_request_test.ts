import assert from "node:assert/strict";
import fc from "fast-check";
import { SessionIdUnusable } from "../../../../runtime/executions/refusals.ts";
import { toRunSpec } from "../../../../runtime/executions/runs/run_request.ts";

Deno.test("toRunSpec() makes a manual run of what names no session, also where its id is blank", () => {
  const manual = { trigger: "manual", sessionId: null, request: { args: [] } };
  assert.deepEqual(toRunSpec({}), manual);
  for (const sessionId of ["", " ", "\t\n", "\u00a0\u2003"]) {
    assert.deepEqual(toRunSpec({ sessionId }), manual, JSON.stringify(sessionId));
  }
});

Deno.test("toRunSpec() makes a chat turn of what names a session, by its id as it was given", () => {
  const { trigger, sessionId } = toRunSpec({ sessionId: " a b " });
  assert.deepEqual([trigger, sessionId], ["chat", " a b "]);
});

Deno.test("toRunSpec() keeps a session id as it is, or refuses it: two never become one", () => {
  for (const sessionId of ["a\0b", "\0", "a\ud800", "\udc00a", "\udc00\ud800"]) {
    assert.throws(() => toRunSpec({ sessionId }), SessionIdUnusable, JSON.stringify(sessionId));
  }
  assert.equal(toRunSpec({ sessionId: "a\uFFFDb \u{1F98A}" }).sessionId, "a\uFFFDb \u{1F98A}");
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  fc.assert(fc.property(fc.string({ unit }), (id) => {
    const isBlank = id.trim() === "";
    if (isBlank) return assert.equal(toRunSpec({ sessionId: id }).sessionId, null);
    if (!id.isWellFormed() || id.includes("\0")) {
      assert.throws(() => toRunSpec({ sessionId: id }), SessionIdUnusable);
    } else {
      assert.equal(toRunSpec({ sessionId: id }).sessionId, id);
    }
  }));
});

Deno.test("toRunSpec() passes on what is asked for, and nothing that is not", () => {
  assert.deepEqual(
    toRunSpec({ args: ["a"], message: "", context: "c", sessionId: "s", idempotencyKey: "k" }),
    {
      trigger: "chat",
      sessionId: "s",
      request: { args: ["a"], message: "", context: "c" },
      idempotencyKey: "k",
    },
  );
});
