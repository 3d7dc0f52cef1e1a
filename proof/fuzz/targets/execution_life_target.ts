// Fuzzes the life of an execution with random events in any order: answers, denials, deadlines, cancels and restarts.
import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { isFinal } from "../../../runtime/executions/states.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { TestClock } from "../../../tests/support/test_clock.ts";
import { createTestWorkspace, payloadsOf } from "../../../tests/support/test_workspace.ts";
import { until } from "../../../tests/support/until.ts";
import { type Move, StatusMoves } from "../status_moves.ts";
import { defineTarget } from "../target.ts";

const WRITE = {
  call: [{ name: "file_write", arguments: { path: "a", content: "a" } }],
  usage: { input: 7, output: 3 },
};
const END = { say: "Done.", usage: { input: 5, output: 2 } };
/** The total tokens of a run, indexed by the number of its replies. */
const TOKENS = [null, 10, 20, 27];
/** The duration of the slow agents' first reply in milliseconds. */
const THOUGHT_MS = 2_000;

const ACTIONS = [
  "start",
  "start slow",
  "start steady",
  "approve",
  "deny",
  "expire",
  "time",
  "cancel",
  "restart",
  "stale answer",
] as const;

export const executionLives = defineTarget({
  name: "execution-lives",
  claim: "an execution makes only legal moves, ends once, and counts every token, under any events",
  oneIn: 20,
  cases: () =>
    fc.array(fc.constantFrom(...ACTIONS, "restart", "restart"), { minLength: 4, maxLength: 12 }),
  async check(actions) {
    await using place = await createTestWorkspace();
    const asks = "confirm_timeout: 10m\non_pending: parallel";
    const thoughtful = [{ ...WRITE, delay_ms: THOUGHT_MS }, WRITE, END];
    await place.writeScript("writer", [WRITE, WRITE, END], asks);
    await place.writeScript("slow", thoughtful, asks);
    await place.writeScript("steady", thoughtful, `${asks}\non_restart: resume`);
    const clock = new TestClock();
    let runtime: Runtime = await place.open({ clock });
    using moves = new StatusMoves(join(place.stateDir, "inkling.db"));
    const answered = new Map<number, string>();

    const all = () => runtime.listExecutions({ limit: 50, offset: 0 });
    const waiting = async () =>
      (await all()).filter(({ status }) => status === "waiting").map(({ id }) => id);
    /** Waits until every running execution is waiting for its first reply. */
    const rest = () =>
      until(
        async () =>
          (await all()).every(({ status, agentId, totalTokens }) =>
            status !== "running" || agentId !== "writer" && totalTokens === null
          ),
        "rest",
      );
    const answer = async (approved: boolean) => {
      const id = (await waiting())[0];
      if (id === undefined) return;
      const { requestId } = await runtime.pendingRequest(id);
      answered.set(id, requestId);
      await runtime.respond(id, { requestId, answer: { approved } });
    };
    const think = () =>
      until(async () => {
        await clock.advance(THOUGHT_MS);
        return (await runtime.countExecutions()).running === 0;
      }, "the end of all thought");
    const perform: Record<typeof ACTIONS[number], () => Promise<unknown>> = {
      start: () => runtime.run("writer", {}),
      "start slow": () => runtime.run("slow", {}),
      "start steady": () => runtime.run("steady", {}),
      approve: () => answer(true),
      deny: () => answer(false),
      time: think,
      expire: async () => {
        const ids = await waiting();
        if (ids.length === 0) return;
        await until(() => clock.sleeping > 0, "the watch over deadlines");
        // Jump over the time at once, because the periodic checks of each second would take most of the test's time.
        clock.jump(600_000);
        await clock.advance(1_000);
        for (const id of ids) {
          const moved = async () => {
            const { requestId, createdAt } = await runtime.pendingRequest(id)
              .catch(() => ({ requestId: "", createdAt: 0 }));
            return requestId === "" || createdAt > clock.now() - 600_000;
          };
          await until(moved, "the deadline");
        }
      },
      cancel: async () => {
        const last = (await all()).findLast(({ status }) => !isFinal(status));
        if (last !== undefined) await runtime.cancel(last.id);
      },
      restart: async () => {
        await runtime[Symbol.asyncDispose]();
        runtime = await place.open({ clock });
      },
      "stale answer": async () => {
        for (const [id, requestId] of answered) {
          await assert.rejects(runtime.respond(id, { requestId, answer: { approved: true } }));
        }
      },
    };
    /** Checks that a restart ended only runs that were running, and no run of the agent that is resumed. */
    const checkRestart = async (made: readonly Move[]) => {
      assert.deepEqual(made.filter(({ from }) => from === "waiting"), []);
      for (const { id } of made.filter(({ to }) => to === "orphaned")) {
        assert.notEqual((await runtime.getExecution(id)).agentId, "steady", `${id} was to resume`);
      }
    };
    try {
      // Three executions start before the random actions, so that the actions have a target.
      for (const action of ["start", "start slow", "start steady", ...actions] as const) {
        await perform[action]();
        await rest();
        const made = moves.check();
        if (action === "restart") await checkRestart(made);
        else assert.deepEqual(made.filter(({ to }) => to === "orphaned"), []);
      }
      await think();
      moves.check();
      for (const { id, status, totalTokens } of await all()) {
        const frames = await payloadsOf(runtime, id);
        const ends = frames.filter((one) => one["event_type"] === "complete");
        assert.equal(ends.length, isFinal(status) ? 1 : 0, `${id} is ${status}`);
        if (isFinal(status)) assert.equal(frames.at(-1)?.["event_type"], "complete");
        const replies = frames.filter((one) => one["event_type"] === "stats").length;
        assert.equal(totalTokens, TOKENS[replies]);
      }
    } finally {
      await runtime[Symbol.asyncDispose]();
    }
  },
});
