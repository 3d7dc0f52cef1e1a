import assert from "node:assert/strict";
import fc from "fast-check";
import { toRunSpec } from "../../runtime/executions/run_request.ts";

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

Deno.test("toRunSpec() gives a session id that the database gives back as it is", () => {
  assert.equal(toRunSpec({ sessionId: "a\0b" }).sessionId, "a\uFFFDb");
  assert.equal(toRunSpec({ sessionId: "a\ud800" }).sessionId, "a\uFFFD");
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  fc.assert(fc.property(fc.string({ unit }), (id) => {
    const { trigger, sessionId } = toRunSpec({ sessionId: id });
    assert.equal(trigger, id.trim() === "" ? "manual" : "chat");
    assert.equal(sessionId === null, trigger === "manual");
    assert.ok(sessionId === null || sessionId.isWellFormed() && !sessionId.includes("\0"));
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
