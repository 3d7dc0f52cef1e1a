import assert from "node:assert/strict";
import type { PreparedCall } from "../../../../runtime/executions/loop/prepare_call.ts";
import { ReplyOrder, type Turn } from "../../../../runtime/executions/loop/reply_order.ts";
import type { ActionTool, Effect } from "../../../../runtime/tools/tool.ts";

/** A call that may begin. */
function step(worksOn: ActionTool["worksOn"], effect: Effect): PreparedCall {
  const tool = { ...(worksOn !== undefined && { worksOn }) } as ActionTool;
  return { kind: "run", ready: { tool, args: {}, effect, answers: [] } };
}

/** The turns of a reply's calls, and which of them have come. */
class Turns {
  readonly #turns: (Turn | undefined)[];
  readonly #come = new Set<number>();

  constructor(steps: readonly PreparedCall[]) {
    const order = new ReplyOrder();
    this.#turns = steps.map((one) => order.take(one));
    this.#turns.forEach((turn, i) => void turn?.come.then(() => this.#come.add(i)));
  }

  /** Once all has been told that can be: the places of the calls that may begin. */
  async begun(): Promise<number[]> {
    await new Promise((resolve) => setTimeout(resolve));
    return this.#turns.flatMap((turn, i) => turn === undefined || this.#come.has(i) ? [i] : []);
  }

  end(...places: number[]): void {
    for (const place of places) this.#turns[place]?.end();
  }
}

Deno.test("ReplyOrder lets a change wait for all before it, and a read for the changes before it", async () => {
  const turns = new Turns([
    step("files", "read"),
    step("files", "read"),
    step("files", "idempotent"),
    step("files", "read"),
    step("files", "read"),
    step("files", "unsafe"),
    step("files", "unsafe"),
  ]);
  assert.deepEqual(await turns.begun(), [0, 1]);
  turns.end(1);
  assert.deepEqual(await turns.begun(), [0, 1]);
  turns.end(0);
  assert.deepEqual(await turns.begun(), [0, 1, 2]);
  turns.end(2);
  assert.deepEqual(await turns.begun(), [0, 1, 2, 3, 4]);
  turns.end(3, 4);
  assert.deepEqual(await turns.begun(), [0, 1, 2, 3, 4, 5]);
  turns.end(5);
  assert.deepEqual(await turns.begun(), [0, 1, 2, 3, 4, 5, 6]);
});

Deno.test("ReplyOrder lets calls on different things, on nothing shared, or that do not run yet, wait for none", async () => {
  const ask: PreparedCall = {
    kind: "ask",
    question: { kind: "confirm", message: "Allow?", options: null, multi: false },
    args: {},
    isGuard: true,
  };
  const turns = new Turns([
    step("files", "unsafe"),
    ask,
    step("memory", "unsafe"),
    step(undefined, "unsafe"),
    step("files", "unsafe"),
    step(undefined, "unsafe"),
  ]);
  assert.deepEqual(await turns.begun(), [0, 1, 2, 3, 5]);
});
