import assert from "node:assert/strict";
import { createUserTurn, type UserTurnOptions } from "../../runtime/prompt/user_turn.ts";

const MANUAL = { type: "manual" } as const;

const CASES: [options: Partial<UserTurnOptions>, turn: string][] = [
  [{}, "Execute your task."],
  [{ message: "Do this." }, "Do this."],
  [{ args: ["a", "b"] }, "Execute your task.\n\nArguments:\na\nb"],
  [{ args: ["a"], argumentsUsed: true }, "Execute your task."],
  [{ context: "It rains." }, "Execute your task.\n\nContext:\nIt rains."],
  [{ message: "M", args: ["a"], context: "C" }, "M\n\nArguments:\na\n\nContext:\nC"],
  [{ trigger: { ...MANUAL, input: "Check." }, context: "C" }, "Check.\n\nContext:\nC"],
  [{ trigger: { ...MANUAL, input: "Check {context}!" }, context: "$& C" }, "Check $& C!"],
  [{ trigger: { ...MANUAL, input: "Check {context}!" } }, "Check !"],
  [{ trigger: { ...MANUAL, input: "Check." }, message: "M" }, "M"],
];

Deno.test("createUserTurn() puts message, template, arguments and context together", () => {
  for (const [options, turn] of CASES) {
    const full = { trigger: MANUAL, args: [], argumentsUsed: false, ...options };
    assert.equal(createUserTurn(full), turn, JSON.stringify(options));
  }
});
