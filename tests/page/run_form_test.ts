// What the Run dialog sends: its fields as a request, and one key for one run.
import assert from "node:assert/strict";
import fc from "fast-check";
import { RunKeys, toRunBody, toRunFields } from "../../page/run_form.ts";

const body = (fields: Partial<Parameters<typeof toRunBody>[0]>) =>
  toRunBody({ args: "", message: "", context: "", ...fields });

Deno.test("toRunBody() makes each line an argument: an empty one too, but those at the end", () => {
  assert.deepEqual(body({ args: "a dragon\n a tower " }), { args: ["a dragon", "a tower"] });
  assert.deepEqual(body({ args: "\na tower" }), { args: ["", "a tower"] });
  assert.deepEqual(body({ args: "a\n\nc\n\n \n" }), { args: ["a", "", "c"] });
  assert.deepEqual(body({ args: "\n \n", message: " ", context: "\n" }), {});
});

Deno.test("RunKeys: the same wish has one key however often it is sent, another wish another", () => {
  const keys = new RunKeys();
  const first = keys.keyOf(body({ args: "a" }));
  assert.match(first, /^[0-9a-f]{32}$/);
  assert.equal(keys.keyOf(body({ args: "a\n" })), first);
  const other = keys.keyOf(body({ args: "a", message: "b" }));
  assert.notEqual(other, first);
  assert.equal(keys.keyOf(body({ args: "a" })), first);
  assert.notEqual(new RunKeys().keyOf(body({ args: "a" })), first);
});

Deno.test("toRunFields() gives what toRunBody() takes back, whatever the arguments", () => {
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

Deno.test("toRunBody() refuses a list of arguments that is none", () => {
  for (const args of ["[1]", "{}", "a", '"a"']) {
    assert.throws(() => body({ args, areArgsJson: true }), /JSON list of texts/, args);
  }
  assert.deepEqual(body({ args: " ", areArgsJson: true }), {});
});
