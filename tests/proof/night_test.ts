// Runs the whole `deno task night`, which takes some seconds.
import assert from "node:assert/strict";
import { PLANNED_EVENTS } from "../../proof/night/planned_events.ts";
import { compareNight } from "../../proof/night/reported_events.ts";
import { SQLITE } from "../support/test_database.ts";

// Ignored on PostgreSQL: the simulated clock advances while a store on a server works.
Deno.test(
  "night: every irregular event of fifteen agents in nine hours is reported, and nothing else",
  SQLITE,
  async () => {
    const {
      unreported,
      unplanned,
      notInRecap,
      notInWhy,
      notOnPage,
      reported,
      executions,
      succeeded,
      costUsd,
    } = await compareNight();
    assert.deepEqual(unreported, []);
    assert.deepEqual(unplanned, []);
    assert.deepEqual(notInRecap, []);
    assert.deepEqual(notInWhy, []);
    // The value is null if the machine has no browser.
    assert.deepEqual(notOnPage ?? [], []);
    assert.equal(reported.length, PLANNED_EVENTS.length);
    const failed =
      PLANNED_EVENTS.filter(({ outcome }) => /error|aborted|waiting/.test(outcome)).length;
    assert.equal(succeeded, executions - failed);
    assert.ok(costUsd > 9 && costUsd < 10);
  },
);
