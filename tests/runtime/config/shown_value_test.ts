import assert from "node:assert/strict";
import { formatPath, listWords, showValue } from "../../../runtime/config/shown_value.ts";

Deno.test("formatPath() writes keys with dots, indexes in brackets, and odd keys in quotes", () => {
  assert.equal(formatPath(["settings", "temperature"]), "settings.temperature");
  assert.equal(formatPath(["skills", 0]), "skills[0]");
  assert.equal(formatPath(["paths", "my data", 2, "path"]), 'paths."my data"[2].path');
});

Deno.test("showValue() shows JSON, cut to a readable length", () => {
  assert.equal(showValue("a"), '"a"');
  assert.equal(showValue({ a: [1] }), '{"a":[1]}');
  assert.equal(showValue(NaN), "NaN");
  assert.equal(showValue(undefined), "undefined");
  assert.match(showValue("x".repeat(100)), /^"x{56}\.\.\.$/);
});

Deno.test("listWords() joins words as a sentence does", () => {
  assert.deepEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(listWords), [
    "",
    "a",
    "a or b",
    "a, b or c",
  ]);
});
