import assert from "node:assert/strict";
import { EventBus } from "../../../runtime/events/bus.ts";
import { Redactor } from "../../../runtime/secrets/redactor.ts";
import { StoppedTriggers } from "../../../runtime/triggers/firing/stopped_triggers.ts";
import { SqlTriggerStateStore } from "../../../runtime/triggers/firing/trigger_state_store.ts";
import { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { fakeAgent } from "../../support/fake_agent.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";

Deno.test("StoppedTriggers refuses a run beyond the limit of its kind within ten minutes", async () => {
  using db = SqliteDatabase.open(":memory:");
  const [clock, log] = [new TestClock(), new LogLines()];
  await using stops = new StoppedTriggers({
    store: new SqlTriggerStateStore(db),
    events: new EventBus(log),
    redactor: new Redactor(() => []),
    ...{ clock, log },
  });
  let runs = 0;
  const start = async (agent: string, count: number) => {
    for (let i = 0; i < count; i++) await stops.started(agent, ++runs, "watch");
  };
  const admits = (agent: string, kind: "watch" | "after" = "watch") =>
    stops.admitsRun(fakeAgent(agent, {}), { kind, maxRuns: 3, cause: "changed files" });
  await start("a", 2);
  await stops.started("a", runs, "watch");
  assert.ok(admits("a"), "one run counts once");
  await start("a", 1);
  assert.ok(admits("b"), "another agent");
  assert.ok(admits("a", "after"), "another kind of event");
  await start("late", 3);
  await start("back", 3);
  clock.jump(599_999);
  const reason = "changed files started it 3 times within ten minutes, as often as may be";
  assert.deepEqual([admits("a"), stops.reasonOf("a")], [false, reason]);
  clock.jump(1);
  assert.ok(admits("late"), "ten minutes later");
  await start("late", 3);
  await start("back", 3);
  clock.jump(-3_600_000);
  assert.ok(admits("back"), "the clock was set back");
  assert.ok(admits("late"), "the clock was set back");
});
