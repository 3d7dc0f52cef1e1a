// Tests of approvals on the page: the lines of a diff, and the conversion of arguments to fields and back.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../base/json.ts";
import { ApiError } from "../../api/client/client.ts";
import { toDiffLines } from "../../page/state/diff_lines.ts";
import {
  readArgumentFields,
  toArgumentFields,
  toFieldProblems,
} from "../../page/state/edited_arguments.ts";

Deno.test("toDiffLines() classifies lines by their first character within hunks", () => {
  const diff = "@@ -1,4 +1,3 @@\n same\n--- dash\n-\n+++ plus\n\n\\ No newline\n[3 lines more]\n";
  assert.deepEqual(toDiffLines(diff), [
    { kind: "place", text: "@@ -1,4 +1,3 @@" },
    { kind: "same", sign: " ", text: "same" },
    { kind: "removed", sign: "−", text: "-- dash" },
    { kind: "removed", sign: "−", text: "" },
    { kind: "added", sign: "+", text: "++ plus" },
    { kind: "same", sign: " ", text: "" },
    { kind: "note", text: "\\ No newline" },
    { kind: "note", text: "[3 lines more]" },
  ]);
  assert.deepEqual(toDiffLines(""), []);
});

Deno.test("readArgumentFields() returns the arguments of toArgumentFields()", () => {
  const value = fc.jsonValue().map((one) => JSON.parse(JSON.stringify(one)));
  const args = fc.dictionary(fc.string(), value, { noNullPrototype: true })
    .filter((one) => !Object.hasOwn(one, "__proto__"));
  fc.assert(fc.property(args, (one: JsonObject) => {
    assert.deepEqual(readArgumentFields(toArgumentFields(one)), { args: one });
  }));
});

Deno.test("readArgumentFields() reports each field with invalid JSON", () => {
  const read = readArgumentFields([
    { name: "text", isJson: false, text: "{" },
    { name: "times", isJson: true, text: "many" },
    { name: "tags", isJson: true, text: "" },
  ]);
  assert.ok("problems" in read);
  assert.deepEqual(Object.keys(read.problems), ["times", "tags"]);
});

Deno.test("toFieldProblems() assigns each line of a refusal to the argument that it names", () => {
  const refusal = (msg: string, status = 422) =>
    new ApiError(status, [{
      type: "invalid",
      loc: ["body", "response", "arguments"],
      msg,
      input: {},
    }]);
  const names = ["path", "options"];
  assert.deepEqual(
    toFieldProblems(
      refusal(
        'The arguments do not fit post:\n- "path": must not be empty\n' +
          '- "options.tags": expected array\n- "path": is odd',
      ),
      names,
    ),
    { path: "must not be empty; is odd", options: "options.tags: expected array" },
  );
  assert.deepEqual(toFieldProblems(refusal('"path" is missing: expected string'), names), {
    path: "is missing: expected string",
  });
  // Problems that name no known argument are general problems.
  const unknown = 'The arguments do not fit post:\n- unknown argument "pth"';
  assert.deepEqual(toFieldProblems(refusal(unknown), names), { "": unknown });
  assert.equal(toFieldProblems(new ApiError(409, "Too late"), names), null);
  assert.equal(toFieldProblems(new Error("lost"), names), null);
});
