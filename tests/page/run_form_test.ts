// Tests of the run dialog: the conversion of its fields to a request, and its idempotency keys.
import assert from "node:assert/strict";
import fc from "fast-check";
import { RunKeys, toRunBody, toRunFields } from "../../page/state/run_form.ts";

const body = (fields: Partial<Parameters<typeof toRunBody>[0]>) =>
  toRunBody({ args: "", message: "", context: "", ...fields });

Deno.test("toRunBody() makes each line an argument, except empty lines at the end", () => {
  assert.deepEqual(body({ args: "a dragon\n a tower " }), { args: ["a dragon", "a tower"] });
  assert.deepEqual(body({ args: "\na tower" }), { args: ["", "a tower"] });
  assert.deepEqual(body({ args: "a\n\nc\n\n \n" }), { args: ["a", "", "c"] });
  assert.deepEqual(body({ args: "\n \n", message: " ", context: "\n" }), {});
});

Deno.test("RunKeys returns one key for equal requests, and another key for other requests", () => {
  const keys = new RunKeys();
  const first = keys.keyOf(body({ args: "a" }));
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.equal(keys.keyOf(body({ args: "a\n" })), first);
  const other = keys.keyOf(body({ args: "a", message: "b" }));
  assert.notEqual(other, first);
  assert.equal(keys.keyOf(body({ args: "a" })), first);
  assert.notEqual(new RunKeys().keyOf(body({ args: "a" })), first);
});

Deno.test("toRunFields() returns fields that toRunBody() converts to the same arguments", () => {
  const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom("", " a ", "a\nb", "[]")));
  fc.assert(fc.property(texts, (args) => {
    const { args: again = [] } = toRunBody(toRunFields({ args, message: null, context: null }));
    assert.deepEqual(again, args);
  }));
  assert.deepEqual(toRunFields({ args: ["a", "b"], message: "m", context: null }), {
    args: "a\nb",
    areArgsJson: false,
    message: "m",
    context: "",
  });
});

Deno.test("toRunBody() refuses an invalid list of arguments", () => {
  for (const args of ["[1]", "{}", "a", '"a"']) {
    assert.throws(() => body({ args, areArgsJson: true }), /JSON list of texts/, args);
  }
  assert.deepEqual(body({ args: " ", areArgsJson: true }), {});
});
