// The life of an execution under whatever comes: answers, denials, deadlines, cancels, restarts, in any order.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type ExecutionStatus, isFinal } from "../../runtime/executions/execution.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { TestClock } from "../support/test_clock.ts";
import { createTestWorkspace, payloadsOf } from "../support/test_workspace.ts";
import { until } from "../support/until.ts";
import { defineTarget } from "./target.ts";

const WRITE = {
  call: [{ name: "file_write", arguments: { path: "a", content: "a" } }],
  usage: { input: 7, output: 3 },
};
const STEPS = [WRITE, WRITE, { say: "Done.", usage: { input: 5, output: 2 } }];
/** Tokens after so many replies. */
const TOKENS = [null, 10, 20, 27];

const LEGAL: Readonly<Record<ExecutionStatus, readonly ExecutionStatus[]>> = {
  running: ["waiting", "success", "error", "aborted", "timeout", "orphaned"],
  waiting: ["running", "success", "aborted"],
  success: [],
  error: [],
  aborted: [],
  timeout: [],
  orphaned: [],
};

type Deed = "start" | "approve" | "deny" | "expire" | "cancel" | "restart" | "stale answer";
const DEEDS: readonly Deed[] = [
  "start",
  "approve",
  "deny",
  "expire",
  "cancel",
  "restart",
  "stale answer",
];

export const executionLives = defineTarget({
  name: "execution-lives",
  claim: "an execution makes legal moves only, ends once, and counts every token, whatever comes",
  oneIn: 20,
  cases: () => fc.array(fc.constantFrom(...DEEDS), { maxLength: 12 }),
  async check(deeds) {
    await using place = await createTestWorkspace();
    await place.writeScript("writer", STEPS, "confirm_timeout: 10m\non_pending: parallel");
    const clock = new TestClock();
    let runtime: Runtime = await place.open({ clock });
    const statuses = new Map<number, ExecutionStatus>();
    const answered = new Map<number, string>();

    /** Waits until nothing runs, then checks every move since the last look. */
    const look = async () => {
      await until(async () => (await runtime.countExecutions()).running === 0, "rest");
      for (const { id, status } of await runtime.listExecutions({ limit: 50, offset: 0 })) {
        const before = statuses.get(id) ?? "running";
        assert.ok(
          before === status || LEGAL[before].includes(status) ||
            before === "waiting" && LEGAL.running.includes(status),
          `${id}: ${before} -> ${status}`,
        );
        statuses.set(id, status);
      }
    };
    const waiting = () =>
      [...statuses].filter(([, status]) => status === "waiting").map(([id]) => id);
    const answer = async (id: number, approved: boolean) => {
      const { requestId } = await runtime.pendingRequest(id);
      answered.set(id, requestId);
      await runtime.respond(id, { requestId, answer: { approved } });
    };
    const perform: Record<Deed, () => Promise<unknown>> = {
      start: () => runtime.run("writer", {}),
      approve: () => Promise.all(waiting().slice(0, 1).map((id) => answer(id, true))),
      deny: () => Promise.all(waiting().slice(0, 1).map((id) => answer(id, false))),
      expire: async () => {
        const ids = waiting();
        if (ids.length === 0) return;
        await until(() => clock.sleeping > 0, "the watch over deadlines");
        await clock.advance(601_000);
        const moved = async () => {
          const { requestId, createdAt } = await runtime.pendingRequest(ids[0]!)
            .catch(() => ({ requestId: "", createdAt: 0 }));
          return requestId === "" || createdAt > clock.now() - 600_000;
        };
        await until(moved, "the deadline");
      },
      cancel: () => Promise.all(waiting().slice(-1).map((id) => runtime.cancel(id))),
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
    try {
      for (const deed of deeds) {
        await perform[deed]();
        await look();
      }
      for (const [id, status] of statuses) {
        const frames = await payloadsOf(runtime, id);
        const ends = frames.filter((one) => one["event_type"] === "complete");
        assert.equal(ends.length, isFinal(status) ? 1 : 0, `${id} is ${status}`);
        if (isFinal(status)) assert.equal(frames.at(-1)?.["event_type"], "complete");
        const replies = frames.filter((one) => one["event_type"] === "stats").length;
        assert.equal((await runtime.getExecution(id)).totalTokens, TOKENS[replies]);
      }
    } finally {
      await runtime[Symbol.asyncDispose]();
    }
  },
});
