// Tests which questions of a repeated call get the answers that people gave before.
import assert from "node:assert/strict";
import { EarlierAnswers } from "../../../../runtime/tools/definition/earlier_answers.ts";
import type { HumanAnswer, ToolQuestion } from "../../../../runtime/tools/definition/tool.ts";

const sure: ToolQuestion = { kind: "confirm", message: "Sure?", options: null, multi: false };
const which: ToolQuestion = {
  kind: "choice",
  message: "Which?",
  options: ["a", "b"],
  multi: false,
};

Deno.test("EarlierAnswers.take() gives an answer only to the same question", () => {
  const cases: [asked: ToolQuestion, before: ToolQuestion, HumanAnswer][] = [
    [{ ...sure, message: "Delete 500 files?" }, sure, { approved: true }],
    [{ ...sure, kind: "input" }, sure, { approved: true }],
    [{ ...which, options: ["b", "a"] }, which, { selected: ["b"] }],
    [{ ...which, options: ["a"] }, which, { selected: ["a"] }],
    [{ ...which, multi: true }, which, { selected: ["b"] }],
  ];
  for (const [asked, question, answer] of cases) {
    const answers = new EarlierAnswers([{ question, answer }]);
    assert.deepEqual(answers.take(asked), { question: { ...asked, answersBefore: 0 } });
    assert.deepEqual(answers.take(question), { answer });
    assert.deepEqual(answers.take(question), { question: { ...question, answersBefore: 1 } });
  }
});

Deno.test("EarlierAnswers.take() fails a tool that keeps changing its question", () => {
  const answered = [1, 2, 3, 4].map((n) => ({
    question: { ...sure, message: `Sure ${n}?`, answersBefore: 0 },
    answer: { approved: true },
  }));
  assert.ok("question" in new EarlierAnswers(answered.slice(1)).take(sure));
  assert.throws(() => new EarlierAnswers(answered).take(sure), /asked something else than before/);
});
