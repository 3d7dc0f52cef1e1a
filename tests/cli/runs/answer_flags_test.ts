import assert from "node:assert/strict";
import {
  type AnswerFlags,
  answerOf,
  checkFlags,
  describeNeed,
} from "../../../cli/runs/answer_flags.ts";
import { CommandFailure } from "../../../cli/exit.ts";
import type { PendingBody } from "../../../server/schemas/request_schemas.ts";

function pendingOf(changes: Partial<PendingBody>): PendingBody {
  return {
    execution_id: 7,
    request_id: "r1",
    kind: "confirm",
    message: "Allow file_write?",
    tool_name: "file_write",
    tool_args: {},
    options: null,
    multi: false,
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at: null,
    asked_by: "writer",
    is_guard: true,
    preview: null,
    ...changes,
  };
}

const CONFIRM = pendingOf({});
const INPUT = pendingOf({ kind: "input" });
const CHOICE = pendingOf({ kind: "choice", options: ["red", "3", "blue"] });
const MULTI = pendingOf({ kind: "choice", options: ["red", "3", "blue"], multi: true });

Deno.test("answerOf() gives the answer of the flags, choices by value or else by number", () => {
  const table: [AnswerFlags, PendingBody, unknown][] = [
    [{ yes: true }, CONFIRM, { approved: true }],
    [{ no: true }, CONFIRM, { approved: false }],
    [{ no: true, reason: "Not now" }, CONFIRM, { approved: false, reason: "Not now" }],
    [{ text: "" }, INPUT, { text: "" }],
    [{ text: "Zoë" }, INPUT, { text: "Zoë" }],
    [{ choice: ["blue"] }, CHOICE, { selected: ["blue"] }],
    [{ choice: ["1"] }, CHOICE, { selected: ["red"] }],
    // An option that is a number counts before the place with that number.
    [{ choice: ["3"] }, CHOICE, { selected: ["3"] }],
    [{ choice: ["1", "red"] }, CHOICE, { selected: ["red"] }],
    [{ choice: ["2", "blue"] }, MULTI, { selected: ["3", "blue"] }],
    [{}, CONFIRM, undefined],
  ];
  for (const [flags, pending, answer] of table) {
    checkFlags(flags);
    assert.deepEqual(answerOf(flags, pending), answer, JSON.stringify(flags));
  }
});

Deno.test("answerOf() refuses flags that do not answer the question, and names those that do", () => {
  const table: [AnswerFlags, PendingBody, RegExp][] = [
    [{ text: "x" }, CONFIRM, /^Execution 7 is answered with --yes or --no, not with --text$/],
    [{ yes: true }, INPUT, /^Execution 7 is answered with --text TEXT, not with --yes$/],
    [
      { no: true },
      CHOICE,
      /is answered with --choice VALUE \(1 red, 2 3, 3 blue\), not with --no$/,
    ],
    [{ choice: ["green"] }, CHOICE, /^"green" is not among the choices: 1 red, 2 3, 3 blue$/],
    [{ choice: ["0"] }, CHOICE, /^"0" is not among/],
    [{ choice: ["4"] }, CHOICE, /^"4" is not among/],
    [{ choice: ["-1"] }, CHOICE, /^"-1" is not among/],
    [{ choice: ["1", "3", "blue"] }, CHOICE, /^Execution 7 takes one choice: 1 red/],
  ];
  for (const [flags, pending, message] of table) {
    assert.throws(() => answerOf(flags, pending), (error) => {
      assert.ok(error instanceof CommandFailure);
      assert.equal(error.exitCode, 2);
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("checkFlags() refuses flags that contradict each other", () => {
  const table: [AnswerFlags, RegExp][] = [
    [{ yes: true, no: true }, /^--yes and --no contradict each other$/],
    [{ yes: true, text: "x" }, /^--yes and --text contradict/],
    [{ no: true, text: "x", choice: ["1"] }, /^--no, --text and --choice contradict/],
    [{ reason: "x" }, /^--reason is told to the agent along with --yes or --no/],
    [{ text: "y", reason: "x" }, /^--reason is told/],
  ];
  for (const [flags, message] of table) {
    assert.throws(() => checkFlags(flags), { name: "CommandFailure", exitCode: 2, message });
  }
});

Deno.test("describeNeed() shows the options of a model with all that is in them", () => {
  const pending = pendingOf({ kind: "choice", options: ["a\u001b[2Jb", "c\nd"] });
  assert.equal(describeNeed(pending), "is answered with --choice VALUE (1 a\\u001b[2Jb, 2 c d)");
});
