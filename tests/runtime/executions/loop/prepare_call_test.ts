import assert from "node:assert/strict";
import { z } from "zod";
import type { StoredCall } from "../../../../runtime/executions/record/conversation_store.ts";
import type { GivenAnswer, HumanAnswer } from "../../../../runtime/executions/human_request.ts";
import {
  type CallCircumstances,
  prepareCall,
  type PreparedCall,
} from "../../../../runtime/executions/loop/prepare_call.ts";
import {
  defineDelegation,
  defineQuestion,
  defineTool,
} from "../../../../runtime/tools/define_tool.ts";
import { Toolbox } from "../../../../runtime/tools/toolbox.ts";
import { ToolFailure } from "../../../../runtime/tools/tool_failure.ts";
import { createTestAgent } from "../../../support/test_agent.ts";

const schema = z.object({ what: z.string() });
const pay = defineTool({
  name: "pay",
  description: "Pays",
  schema,
  timeoutMs: 1_000,
  effect: ({ what }) => what === "nothing" ? "read" : "unsafe",
  run: () => Promise.reject(new Error("prepareCall() runs nothing")),
});
const ask = defineQuestion({
  name: "ask",
  description: "Asks",
  schema,
  question: ({ what }) => ({ kind: "input", message: what, options: null, multi: false }),
});
const send = defineDelegation({
  name: "send",
  description: "Sends",
  schema,
  delegation({ what }) {
    if (what === "nobody") throw new ToolFailure("There is no nobody");
    return { agentId: what, args: [] };
  },
});

const GUARD: GivenAnswer["request"] = {
  kind: "confirm",
  message: "Allow pay?",
  options: null,
  multi: false,
  isGuard: true,
};
const OWN: GivenAnswer["request"] = {
  kind: "input",
  message: "Who?",
  options: null,
  multi: false,
  answersBefore: 2,
};

/** What becomes of a call of `name` at place 3. */
function prepared(
  name: string,
  {
    written = '{"what": "rent"}',
    answers = [],
    guarded = false,
    every = false,
    autoApprove = [],
    isDelegated = false,
    startedAt,
  }: {
    written?: string;
    answers?: [GivenAnswer["request"], HumanAnswer][];
    guarded?: boolean;
    /** Whether all tools are guarded. */
    every?: boolean;
    autoApprove?: string[];
    isDelegated?: boolean;
    /** Of a call that an earlier process left. */
    startedAt?: number | null;
  } = {},
): PreparedCall {
  const call = { position: 3, toolCallId: "1", name, arguments: written };
  const left: StoredCall | undefined = startedAt === undefined
    ? undefined
    : { ...call, effect: null, startedAt, result: null, logged: false };
  const run: CallCircumstances = {
    execution: {},
    agent: createTestAgent({
      confirmTools: [...(guarded ? [name] : []), ...(every ? ["*"] : [])],
      autoApprove,
    }),
    toolbox: new Toolbox([pay, ask, send]),
    answers: new Map([[3, answers.map(([request, answer]) => ({ request, answer }))]]),
    leftCalls: new Map(left === undefined ? [] : [[3, left]]),
    delegated: new Set(isDelegated ? [3] : []),
  };
  return prepareCall(run, call);
}

/** The result of a call that is settled before anything happened. */
function resultOf(step: PreparedCall): string {
  assert.ok(step.kind === "settled", step.kind);
  assert.equal(step.result.effect, "read");
  return `${step.result.isError ? "error" : "done"}: ${step.result.content}`;
}

Deno.test("prepareCall() has a guarded call wait for its permission, and for nothing else", () => {
  const asked = prepared("pay", { guarded: true });
  assert.ok(asked.kind === "ask" && asked.isGuard === true);
  assert.equal(asked.question.message, "Allow pay?");
  const own = prepared("pay", { guarded: true, answers: [[OWN, { text: "yes" }]] });
  assert.ok(own.kind === "ask" && own.isGuard === true, "its own answer is no permission");
  const allowed = prepared("pay", {
    guarded: true,
    answers: [[GUARD, { approved: true }], [OWN, { text: "me" }]],
  });
  assert.ok(allowed.kind === "run");
  const { isGuard: _, ...question } = OWN;
  assert.deepEqual(
    allowed.ready.answers,
    [{ question, answer: { text: "me" } }],
    "the permission answers nothing else",
  );
});

Deno.test("prepareCall() guards a tool by each of its names, and frees it by the one that it has", () => {
  const tool = { ...pay, name: "bank_pay", otherNames: ["pay", "bank_pay"] };
  const step = (confirmTools: string[], autoApprove: string[] = []) =>
    prepareCall({
      execution: {},
      agent: createTestAgent({ confirmTools, autoApprove }),
      toolbox: new Toolbox([tool]),
      answers: new Map(),
      leftCalls: new Map(),
      delegated: new Set(),
    }, { position: 3, toolCallId: "1", name: "bank_pay", arguments: '{"what": "rent"}' });
  for (const name of ["pay", "bank_pay"]) {
    const asked = step([name]);
    assert.ok(asked.kind === "ask" && asked.isGuard === true, name);
    assert.equal(asked.question.message, "Allow bank_pay?");
  }
  assert.equal(step(["pay"], ["bank_pay"]).kind, "run");
  assert.equal(step(["shop_pay"]).kind, "run");
});

Deno.test("prepareCall() holds a denial although the agent is guarded no more", () => {
  const denials: HumanAnswer[] = [{ approved: false }, { expired: true }, { text: "yes" }];
  for (const denial of denials) {
    for (const guarded of [true, false]) {
      const step = prepared("pay", { guarded, answers: [[GUARD, denial]] });
      assert.match(resultOf(step), /^error: Action denied by user/);
    }
  }
  const reason = { approved: false, reason: "too dear" };
  const step = prepared("pay", { guarded: true, answers: [[GUARD, reason]] });
  assert.equal(resultOf(step), "error: Action denied by user: too dear");
});

Deno.test("prepareCall() does not repeat an unsafe call of unknown outcome, even with permission", () => {
  for (
    const answers of [[], [[GUARD, { approved: true }]]] as [
      GivenAnswer["request"],
      HumanAnswer,
    ][][]
  ) {
    assert.match(resultOf(prepared("pay", { startedAt: 0, answers })), /its outcome is unknown/);
  }
  assert.equal(prepared("pay", { startedAt: null }).kind, "run");
  assert.equal(prepared("pay", { startedAt: 5, written: '{"what": "nothing"}' }).kind, "run");
});

Deno.test("prepareCall() asks for every tool where all are guarded, but for those that are freed by name", () => {
  for (const name of ["pay", "send"]) {
    const step = prepared(name, { every: true });
    assert.ok(step.kind === "ask" && step.isGuard, name);
  }
  assert.equal(prepared("pay", { every: true, autoApprove: ["send"] }).kind, "ask");
  assert.equal(prepared("pay", { every: true, autoApprove: ["pay"] }).kind, "run");
  const own = prepared("ask", { every: true });
  assert.ok(own.kind === "ask" && own.isGuard === undefined, "a question is asked once");
});
