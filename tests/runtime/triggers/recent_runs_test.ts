import assert from "node:assert/strict";
import { RecentRuns } from "../../../runtime/triggers/firing/recent_runs.ts";
import { TestClock } from "../../support/test_clock.ts";

Deno.test("RecentRuns refuses a run beyond the limit of its kind within ten minutes", () => {
  const clock = new TestClock();
  const runs = new RecentRuns(clock);
  const refusal = (agent = "a", kind: "watch" | "after" = "watch") =>
    runs.refusal(agent, { kind, maxRuns: 3, cause: "changed files" });
  for (const id of [1, 1, 2]) runs.started("a", id, "watch");
  assert.equal(refusal(), undefined, "one run counts once");
  runs.started("a", 3, "watch");
  const reason = "changed files started it 3 times within ten minutes, as often as may be";
  assert.equal(refusal(), reason);
  assert.equal(refusal("b"), undefined, "another agent");
  assert.equal(refusal("a", "after"), undefined, "another kind of event");
  clock.jump(599_999);
  assert.equal(refusal(), reason);
  clock.jump(1);
  assert.equal(refusal(), undefined, "ten minutes later");
  for (const id of [4, 5, 6]) runs.started("a", id, "watch");
  assert.equal(refusal(), reason);
  clock.jump(-3_600_000);
  assert.equal(refusal(), undefined, "the clock was set back");
});
