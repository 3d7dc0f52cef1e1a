// What a worker says that a tool may speak for: nothing gets through but the shapes that are known, within their sizes.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readWorkerMessage } from "../../../../../runtime/tools/custom/host/worker_message.ts";

/** An object as messages are: with the prototype of all others. */
const record = <T>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) =>
  fc.record(model, { noNullPrototype: true });
const text = fc.string({ maxLength: 50 });
const request = fc.oneof(
  record({ kind: fc.constant("path"), text, access: fc.constantFrom("read", "write") }),
  record({ kind: fc.constantFrom("confirm", "ask"), message: text }),
  record({
    kind: fc.constant("choose"),
    message: text,
    options: fc.array(text, { maxLength: 100 }),
    multi: fc.boolean(),
  }),
);
const message = fc.oneof(
  record({ type: fc.constant("described"), tools: text }),
  record({ type: fc.constant("done"), result: text }),
  record({ type: fc.constant("failed"), message: text, stack: text }),
  record({ type: fc.constant("log"), text }),
  record({ type: fc.constant("request"), id: fc.maxSafeInteger(), request }),
);

Deno.test("readWorkerMessage() makes every message anew, without what else stood in it", () => {
  fc.assert(fc.property(message, (said) => {
    const read = readWorkerMessage({ ...said, surplus: () => {} });
    assert.deepEqual(read, said);
    assert.notEqual(read, said);
  }));
});

Deno.test("readWorkerMessage() refuses a message of which any part is missing or something else", () => {
  fc.assert(
    fc.property(message, fc.nat(), fc.constantFrom(undefined, null, {}, []), (said, at, wrong) => {
      const keys = Object.keys(said);
      const key = keys[at % keys.length] ?? "";
      assert.equal(readWorkerMessage({ ...said, [key]: wrong }), undefined);
    }),
  );
});

Deno.test("readWorkerMessage() survives anything, and bounds what it lets through", () => {
  fc.assert(fc.property(fc.anything(), (data) => void readWorkerMessage(data)));
  const ask = (message: string) => ({ type: "request", id: 1, request: { kind: "ask", message } });
  assert.notEqual(readWorkerMessage(ask("x".repeat(10_000))), undefined);
  assert.equal(readWorkerMessage(ask("x".repeat(10_001))), undefined);
  const choose = (count: number) => ({
    type: "request",
    id: 1,
    request: { kind: "choose", message: "?", options: Array(count).fill("x"), multi: false },
  });
  assert.notEqual(readWorkerMessage(choose(100)), undefined);
  assert.equal(readWorkerMessage(choose(101)), undefined);
  assert.equal(readWorkerMessage({ type: "done", result: "x".repeat(2_000_001) }), undefined);
  assert.equal(readWorkerMessage({ ...ask("x"), id: 0.5 }), undefined);
});
