// Tests the questions of ask_user, and its invalid arguments.
import assert from "node:assert/strict";
import type { JsonObject } from "../../../../base/json.ts";
import { askUser } from "../../../../runtime/tools/builtin/ask_user.ts";
import type { ToolQuestion } from "../../../../runtime/tools/definition/tool.ts";
import { ToolFailure } from "../../../../runtime/tools/failures/tool_failure.ts";

function questionOf(args: JsonObject): ToolQuestion {
  return askUser.question(askUser.check(args));
}

function complaint(args: JsonObject): string {
  try {
    askUser.check(args);
  } catch (error) {
    if (error instanceof ToolFailure) return error.message;
  }
  return assert.fail("no complaint");
}

Deno.test("askUser asks for a text, or for a choice if it gets options", () => {
  const expected = { kind: "input", message: "Which town?", options: null, multi: false };
  assert.deepEqual(questionOf({ question: " Which town? " }), expected);
  assert.deepEqual(questionOf({ question: "Which?", options: ["Rome", "Oslo"], multi: true }), {
    kind: "choice",
    message: "Which?",
    options: ["Rome", "Oslo"],
    multi: true,
  });
});

Deno.test("askUser uses the kind in the arguments, and offers each trimmed option once", () => {
  assert.equal(questionOf({ question: "Name?", kind: "input", multi: false }).kind, "input");
  assert.equal(questionOf({ question: "?", kind: "choice", options: ["a", "b"] }).kind, "choice");
  // Null and an empty list are no options.
  for (const options of [undefined, null, []]) {
    const expected = { kind: "confirm", message: "Go on?", options: null, multi: false };
    const args = { question: "Go on?", kind: "confirm", ...(options !== undefined && { options }) };
    assert.deepEqual(questionOf(args), expected);
  }
  const found = questionOf({ question: "Which?", options: ["b", " a", "b ", "a", "c"] }).options;
  assert.deepEqual(found, ["b", "a", "c"]);
});

const TWO = '"options": a choice needs at least two different options';
const only = (kind: string) =>
  `"options": only a choice has options; leave them out, or leave out kind "${kind}"`;
const MANY = Array.from({ length: 51 }, (_, n) => `${n}`);
const LINE = "must be one line without control characters";

/** The invalid arguments, each with its error message. */
const REFUSED: [args: JsonObject, message: string][] = [
  [{}, '"question" is missing: expected string'],
  [{ question: " \n" }, '"question": must not be empty'],
  [{ question: "?", kind: "yesno" }, '"kind": '],
  [{ question: "?", kind: "choice" }, TWO.replace(":", " is missing:")],
  [{ question: "?", options: ["a"] }, TWO],
  [{ question: "?", options: ["a", " a "] }, TWO],
  [{ question: "?", kind: "confirm", options: ["yes", "no"] }, only("confirm")],
  [{ question: "?", kind: "input", options: ["a", "b"] }, only("input")],
  [{ question: "?", multi: true }, '"multi": only a choice has it; kind is "input"'],
  [{ question: "?", options: ["a", " "] }, '"options.1": must not be empty'],
  [{ question: "?", options: ["a", "b\nc"] }, `"options.1": ${LINE}`],
  [{ question: "?", options: ["a", "b".repeat(201)] }, '"options.1": must have at most 200'],
  [{ question: "?", options: MANY }, '"options": at most 50 can be offered'],
];

Deno.test("askUser refuses arguments without a question, with the reason", () => {
  for (const [args, message] of REFUSED) {
    const text = complaint(args);
    assert.ok(text.startsWith("The arguments do not fit ask_user:\n"), text);
    assert.ok(text.includes(`- ${message}`), text);
  }
});
