// `deno task night` as it is; it takes some seconds.
import assert from "node:assert/strict";
import { HAPPENINGS } from "../../proof/night/happenings.ts";
import { compareNight } from "../../proof/night/told.ts";
import { SQLITE } from "../support/test_database.ts";

// Its clock continues while it waits for another machine's store.
Deno.test(
  "night: every irregular event of fifteen agents in nine hours is reported, and nothing else",
  SQLITE,
  async () => {
    const {
      untold,
      invented,
      notInRecap,
      notInWhy,
      notOnPage,
      told,
      executions,
      succeeded,
      costUsd,
    } = await compareNight();
    assert.deepEqual(untold, []);
    assert.deepEqual(invented, []);
    assert.deepEqual(notInRecap, []);
    assert.deepEqual(notInWhy, []);
    // Null without a browser.
    assert.deepEqual(notOnPage ?? [], []);
    assert.equal(told.length, HAPPENINGS.length);
    const failed = HAPPENINGS.filter(({ outcome }) => /error|aborted|waiting/.test(outcome)).length;
    assert.equal(succeeded, executions - failed);
    assert.ok(costUsd > 9 && costUsd < 10);
  },
);
