import assert from "node:assert/strict";
import { z } from "zod";
import type { GivenAnswer } from "../../../../runtime/executions/human_request.ts";
import { prepareCall } from "../../../../runtime/executions/loop/prepare_call.ts";
import { defineTool } from "../../../../runtime/tools/define_tool.ts";
import { Toolbox } from "../../../../runtime/tools/toolbox.ts";
import { createTestAgent } from "../../../support/test_agent.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays",
  schema: z.object({ what: z.string() }),
  timeoutMs: 1_000,
  effect: ({ what }) => what === "nothing" ? "read" : "unsafe",
  run: () => Promise.reject(new Error("prepareCall() runs nothing")),
});

/** Prepares a call that an earlier process left. */
function prepareLeft(what: string, startedAt: number | null, answers: GivenAnswer[] = []) {
  const call = { position: 3, toolCallId: "1", name: "pay", arguments: JSON.stringify({ what }) };
  const left = { ...call, effect: null, startedAt, result: null, logged: false };
  return prepareCall({
    execution: {},
    agent: createTestAgent(),
    toolbox: new Toolbox([pay]),
    answers: new Map([[3, answers]]),
    leftCalls: new Map([[3, left]]),
    delegated: new Set(),
  }, call);
}

Deno.test("prepareCall() does not repeat an unsafe call of unknown outcome, even with permission", () => {
  const free = { options: null, multi: false };
  const request = { kind: "confirm", message: "Allow pay?", ...free, isGuard: true } as const;
  for (const answers of [[], [{ request, answer: { approved: true } }]]) {
    const step = prepareLeft("rent", 0, answers);
    assert.ok(step.kind === "settled" && step.result.isError);
    assert.match(step.result.content, /its outcome is unknown/);
  }
  assert.equal(prepareLeft("rent", null).kind, "run");
  assert.equal(prepareLeft("nothing", 5).kind, "run");
});
