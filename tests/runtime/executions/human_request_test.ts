// Which answers fit which questions.
import assert from "node:assert/strict";
import type { HumanAnswer } from "../../../runtime/executions/human_request.ts";
import { AnswerMisfit, checkAnswer } from "../../../runtime/executions/human_request.ts";
import type { ToolQuestion } from "../../../runtime/tools/tool.ts";

const free = { options: null, multi: false };
const confirm: ToolQuestion = { kind: "confirm", message: "Sure?", ...free };
const input: ToolQuestion = { kind: "input", message: "Who?", ...free };
const one: ToolQuestion = { ...free, kind: "choice", message: "Which?", options: ["x", "y"] };
const several: ToolQuestion = { ...one, multi: true };

Deno.test("checkAnswer() takes an answer of the question's kind or the end of its time, and says what it wants instead", () => {
  const rows: [ToolQuestion, HumanAnswer, misfit?: string][] = [
    [confirm, { approved: true }],
    [confirm, { approved: false, reason: "no" }],
    [input, { text: "" }],
    [one, { selected: ["y"] }],
    [several, { selected: ["y", "x"] }],
    [confirm, { text: "yes" }, "This request wants `approved`: true or false"],
    [input, { approved: true }, "This request wants `text`"],
    [one, { text: "x" }, 'This request wants `selected`: of "x", "y"'],
    [one, { selected: [] }, 'Select at least one of "x", "y"'],
    [one, { selected: ["x", "y"] }, 'Select one of "x", "y", not 2'],
    [several, { selected: ["x", "z"] }, '"z" is not among the options: "x", "y"'],
    [several, { selected: ["x", "y", "x"] }, '"x" is selected twice'],
    [one, { selected: ["y", "y"] }, '"y" is selected twice'],
  ];
  for (const [question, answer, misfit] of rows) {
    checkAnswer(question, { expired: true });
    if (misfit === undefined) checkAnswer(question, answer);
    else assert.throws(() => checkAnswer(question, answer), new AnswerMisfit(misfit));
  }
});
