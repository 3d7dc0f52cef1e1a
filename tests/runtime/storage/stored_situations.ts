// Creates stored states for tests: waiting executions, replies with a tool call, and ends.
import assert from "node:assert/strict";
import type { Ending } from "../../../runtime/executions/record/ending_store.ts";
import type { HumanRequest } from "../../../runtime/executions/human_request.ts";
import type { Effect } from "../../../runtime/tools/definition/tool.ts";
import type { TestStore } from "../../support/test_store.ts";

/** A frame without content. */
export const FRAME = { event: "message", payload: "{}" } as const;

/** Returns an end for an execution in this state. */
export function ending(from: Ending["from"]): Ending {
  return {
    from,
    status: "aborted",
    error: "late",
    output: null,
    finishedAt: 9_000,
    durationMs: 1,
    frames: () => [FRAME],
  };
}

/** Stores a question of an execution, which then waits. */
export function ask(
  { requests }: Pick<TestStore, "requests">,
  executionId: number,
  requestId = `of ${executionId}`,
): Promise<unknown> {
  const request = {
    executionId,
    requestId,
    kind: "input",
    position: 1,
    toolName: "ask_user",
    toolArgs: {},
    options: null,
    multi: false,
    message: "Which?",
    createdAt: 2_000,
    expiresAt: null,
  } as HumanRequest;
  return requests.openRequest(executionId, { request, durationMs: 1, frames: [FRAME] });
}

/** Creates a running execution and a running child that it delegated to. */
export async function family(store: TestStore): Promise<{ parent: number; child: number }> {
  const parent = (await store.accept()).id;
  const place = { trigger: "agent", parentExecutionId: parent, parentPosition: 1 } as const;
  return { parent, child: (await store.accept({ ...place, depth: 1 })).id };
}

/** Creates a child that waits for an answer and a parent that waits for the child. */
export async function waitingFamily(store: TestStore): Promise<{ parent: number; child: number }> {
  const { parent, child } = await family(store);
  await ask(store, child);
  await waitFor(store, parent, child);
  return { parent, child };
}

/** Makes a parent wait for its waiting child. */
export async function waitFor(
  { families }: TestStore,
  parent: number,
  childId: number,
): Promise<void> {
  const waiting = {
    childId,
    durationMs: 1,
    frames: () => [FRAME],
    restFrames: () => [FRAME],
  };
  assert.ok(await families.waitForChild(parent, waiting) !== undefined);
}

/** Stores a reply with one tool call at position 1. */
export function reply({ conversations }: TestStore, id: number): Promise<unknown> {
  const call = { toolCallId: "c", name: "file_write", arguments: "{}" };
  return conversations.recordReply(id, {
    message: {
      position: 0,
      message: { role: "assistant", content: "", toolCalls: [{ id: "c", ...call }] },
    },
    calls: [{ position: 1, ...call }],
    usage: null,
    costUsd: null,
    durationMs: 1,
    frames: () => [FRAME],
  });
}

/** Stores the start of the tool call at position 1. */
export function start({ conversations }: TestStore, id: number, effect: Effect): Promise<void> {
  return conversations.startCall(id, { position: 1, effect, startedAt: 1_500 });
}
