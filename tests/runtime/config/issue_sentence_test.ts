import assert from "node:assert/strict";
import { z } from "zod";
import { describeIssue, hintForIssue } from "../../../runtime/config/issue_sentence.ts";

/** What is said of a value that the schema refuses: the sentence, and the hint if there is one. */
function said(schema: z.ZodType, value: unknown): (string | undefined)[] {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  assert.ok(issue, "the schema takes it");
  return [describeIssue(issue, schema), hintForIssue(issue, value)];
}

Deno.test("describeIssue() names kinds of values in a person's words", () => {
  assert.deepEqual(said(z.string(), [])[0], "must be text");
  assert.deepEqual(said(z.array(z.string()), {})[0], "must be a list");
  assert.deepEqual(
    said(z.record(z.string(), z.string()), 1)[0],
    "must be a map of keys and values",
  );
  assert.deepEqual(said(z.number(), "x")[0], "must be a number");
  assert.deepEqual(said(z.number().int(), "x")[0], "must be a whole number");
  assert.deepEqual(said(z.number().int(), 1.5)[0], "must be a whole number");
});

Deno.test("describeIssue() tells both ends of a range, or the one there is", () => {
  assert.equal(said(z.number().min(0).max(1), 2)[0], "must be between 0 and 1");
  assert.equal(said(z.number().min(2), 1)[0], "must be at least 2");
  assert.equal(said(z.number().max(2), 3)[0], "must be at most 2");
  assert.equal(said(z.number().min(0), -1)[0], "must not be negative");
  const largest = Number.MAX_SAFE_INTEGER;
  assert.equal(said(z.int().min(1), 0)[0], "must be at least 1");
  assert.equal(said(z.int().min(1), largest + 1)[0], `must be between 1 and ${largest}`);
  assert.equal(said(z.int(), largest + 1)[0], `must be at most ${largest}`);
  assert.equal(said(z.int(), -largest - 1)[0], `must be at least ${-largest}`);
  assert.equal(said(z.number().gt(0), 0)[0], "must be more than 0");
  assert.equal(said(z.string().min(1), "")[0], "must not be empty");
  assert.equal(said(z.string().max(3), "long")[0], "is longer than 3");
});

Deno.test("describeIssue() lists the words to choose from; hintForIssue() names the nearest", () => {
  const level = z.enum(["low", "medium", "high"]);
  assert.deepEqual(said(level, "hihg"), ["must be low, medium or high", 'did you mean "high"?']);
  assert.deepEqual(said(level, 7), ["must be low, medium or high", undefined]);
});

Deno.test("describeIssue() leaves a schema's own sentence as it is", () => {
  assert.deepEqual(said(z.string().refine(() => false, "must rhyme"), "x"), [
    "must rhyme",
    undefined,
  ]);
});

Deno.test("hintForIssue() knows what YAML takes for something else", () => {
  assert.equal(said(z.string(), 12)[1], 'put it in quotes: "12"');
  assert.equal(said(z.string(), true)[1], 'put it in quotes: "true"');
  assert.equal(said(z.boolean(), "yes")[1], "write true or false, without quotes");
  assert.equal(said(z.boolean(), "maybe")[1], undefined);
  assert.equal(said(z.number(), "yes")[1], undefined);
});
