import assert from "node:assert/strict";
import { ActiveRuns } from "../../../../runtime/executions/runs/active_runs.ts";
import { Deliveries } from "../../../../runtime/executions/runs/deliveries.ts";
import type { Runs } from "../../../../runtime/executions/runs/runs.ts";
import type { Delivery, SharedRuns } from "../../../../runtime/executions/runs/shared_runs.ts";
import type { ClaimedExecution } from "../../../../runtime/executions/runs/shared_runs.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { settle, TestClock } from "../../../support/test_clock.ts";

const DELIVERY: Delivery = { jobId: "job", executionId: 1, attempt: 0, isDelegated: false };

Deno.test("Deliveries run an execution once at a time, even if it is delivered again", async () => {
  const active = new ActiveRuns(new TestClock());
  let running = 0;
  let mostAtOnce = 0;
  const ends: (() => void)[] = [];
  const shared = {
    claim: () => settle().then(() => ({}) as ClaimedExecution),
    release: () => settle(),
    wake: () => {},
  } as unknown as SharedRuns;
  const runs: Pick<Runs, "runClaimed"> = {
    runClaimed: () => {
      active.launch(1, async ({ signal }) => {
        mostAtOnce = Math.max(mostAtOnce, ++running);
        await new Promise<void>((resolve) => {
          ends.push(resolve);
          signal.addEventListener("abort", () => resolve());
        });
        // Gives the run time to notice the abort.
        await settle();
        running--;
      });
      return Promise.resolve();
    },
  };
  const log = new LogLines();
  const deliveries = new Deliveries({ shared, active, runs, log, places: 9 });
  const deliver = () => ({ ...DELIVERY });
  deliveries.accept(deliver());
  while (running === 0) await settle();
  deliveries.accept(deliver());
  deliveries.accept(deliver());
  const settled = deliveries.settled();
  while (ends.length < 3) {
    await settle();
    ends.at(-1)?.();
  }
  await settled;
  assert.equal(mostAtOnce, 1);
});

Deno.test("Deliveries release a run when it pauses, even after a later failure", async () => {
  const active = new ActiveRuns(new TestClock());
  const happened: string[] = [];
  const { promise: end, resolve: endIt } = Promise.withResolvers<void>();
  const shared = {
    claim: () => Promise.resolve({} as ClaimedExecution),
    release: () => Promise.resolve(void happened.push("let go of")),
    wake: () => {},
  } as unknown as SharedRuns;
  const runs: Pick<Runs, "runClaimed"> = {
    runClaimed: () => {
      active.launch(1, async () => {
        await end;
        happened.push("ended");
      });
      return Promise.reject(new Error("The database is away"));
    },
  };
  const log = new LogLines();
  const deliveries = new Deliveries({ shared, active, runs, log, places: 9 });
  deliveries.accept(DELIVERY);
  for (let n = 0; n < 5; n++) await settle();
  endIt();
  await deliveries.settled();
  assert.deepEqual(happened, ["ended", "let go of"]);
});
