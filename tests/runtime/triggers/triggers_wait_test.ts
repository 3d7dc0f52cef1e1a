import assert from "node:assert/strict";
import type { Pause } from "../../../runtime/triggers/pause.ts";
import type { Scheduler } from "../../../runtime/triggers/schedule/scheduler.ts";
import { Triggers } from "../../../runtime/triggers/triggers.ts";
import type { StoppedTriggers } from "../../../runtime/triggers/stopped_triggers.ts";
import type { Watcher } from "../../../runtime/triggers/watch/watcher.ts";
import type { FollowUps } from "../../../runtime/triggers/after/follow_ups.ts";
import type { Webhooks } from "../../../runtime/triggers/webhook/webhooks.ts";
import { LogLines } from "../../support/log_lines.ts";
import { createTestAgent } from "../../support/test_agent.ts";
import { TestClock } from "../../support/test_clock.ts";

const READER = createTestAgent({
  id: "reader",
  trigger: {
    type: "watch",
    paths: ["/"],
    filters: { include: [], exclude: [] },
    debounceMs: 0,
    maxRuns: 200,
    catchUp: "none",
  },
});

Deno.test("Triggers.reconcile() does not wait until all that is watched has been taken in", async () => {
  const clock = new TestClock();
  const taken = Promise.withResolvers<void>();
  const watcher = { reconcile: () => taken.promise, [Symbol.asyncDispose]: async () => {} };
  const scheduler = { reconcile: async () => {}, [Symbol.asyncDispose]: async () => {} };
  await using triggers = new Triggers({
    pause: {} as Pause,
    scheduler: scheduler as unknown as Scheduler,
    stops: {
      follow: async () => {},
      [Symbol.asyncDispose]: async () => {},
    } as unknown as StoppedTriggers,
    followUps: {
      wake: () => {},
      [Symbol.asyncDispose]: async () => {},
    } as unknown as FollowUps,
    webhooks: {} as Webhooks,
    log: new LogLines(),
    heldBecause: () => undefined,
    openWatcher: () => Promise.resolve(watcher as unknown as Watcher),
    hasStoredWatches: () => Promise.resolve(false),
    clock,
  });
  let isDone = false;
  const reconciled = triggers.reconcile([READER], { isUnreadable: () => false })
    .then(() => isDone = true);
  await clock.advance(1_999);
  assert.equal(isDone, false);
  await clock.advance(1);
  await reconciled;
  taken.resolve();
});
