import assert from "node:assert/strict";
import fc from "fast-check";
import { isWholeJson } from "../../../../base/json.ts";
import { toArgumentsObject } from "../../../../runtime/models/providers/tool_call_arguments.ts";

Deno.test("toArgumentsObject() gives an object as it was written, and none for no text", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
    const text = JSON.stringify(args);
    assert.deepEqual(toArgumentsObject(text), JSON.parse(text));
  }));
  assert.deepEqual(toArgumentsObject(""), {});
  assert.deepEqual(toArgumentsObject(" \n"), {});
});

Deno.test("toArgumentsObject() keeps for the model to see what is no object", () => {
  for (const text of ['{"path": "a', "[1]", '"text"', "null", "7", "nonsense"]) {
    assert.deepEqual(toArgumentsObject(text), { unreadable_arguments: text });
  }
  assert.equal(isWholeJson('{"path": "a'), false);
  assert.equal(isWholeJson('{"path": "a"}'), true);
});
