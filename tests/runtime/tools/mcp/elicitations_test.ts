import assert from "node:assert/strict";
import { QuestionRaised } from "../../../../runtime/tools/definition/raised.ts";
import { Elicitations } from "../../../../runtime/tools/mcp/elicitation/elicitations.ts";
import { TestClock } from "../../../support/test_clock.ts";

Deno.test("after a call that was cancelled for a question, the next call gives the server time to end it", async () => {
  const clock = new TestClock();
  const { signal } = new AbortController();
  const elicitations = new Elicitations({ server: "asking", secrets: [], clock, ended: signal });
  const call = { answers: [], mayAsk: true };
  const ask = (message: string) =>
    elicitations.answer({ message, requestedSchema: { type: "object", properties: {} } });
  const cancelled = elicitations.run(call, signal, async (signal) => {
    await ask("First?");
    signal.throwIfAborted();
  });
  await assert.rejects(cancelled, QuestionRaised);
  let hasStarted = false;
  const next = elicitations.run(call, signal, () => {
    hasStarted = true;
    return Promise.resolve("done");
  });
  assert.deepEqual(await ask("Second?"), { action: "cancel" });
  await clock.advance(499);
  assert.equal(hasStarted, false);
  await clock.advance(1);
  assert.equal(await next, "done");
});
