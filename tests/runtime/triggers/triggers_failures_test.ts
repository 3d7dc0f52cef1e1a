import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { LiveTriggers } from "./live_triggers.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FAIL = [{ fail: "The key is wrong" }];

const pausedBy = async (runtime: Runtime, id: string) => (await runtime.getAgent(id)).triggerPaused;

Deno.test("a schedule stopped by max_failures is retried after an hour, then daily, until success", async () => {
  await using live = await LiveTriggers.create();
  const clock = new TestClock("2026-03-01T00:00:00.000Z");
  // The runs fail as long as the schema is missing.
  const settings = "trigger: { type: schedule, every: 10m, max_failures: 3 }\n" +
    "output: { schema: schema.json }";
  await live.place.writeScript("tick", [{ say: "1" }], settings);
  let runtime = await live.open({ clock });
  const next = async () => ((await runtime.getAgent("tick")).nextRun ?? 0) - clock.now();
  const advance = async (minutes: number, runs: number) => {
    for (let at = 0; at < minutes; at += 10) {
      // A jump of the clock, instead of waking the timers at each second.
      clock.jump(10 * MINUTE - 1_000);
      await clock.advance(1_000);
      const isSettled = async () => {
        const slots = await runtime.listSlots("tick", { limit: 500, offset: 0 });
        const due = slots.reduce((sum, { count }) => sum + count, 0);
        return due === (clock.now() - Date.parse("2026-03-01T00:00:00.000Z")) / (10 * MINUTE) &&
          await live.runningCount("tick") === 0;
      };
      await until(isSettled, "the slot has its outcome");
    }
    assert.equal((await live.runs("tick")).length, runs);
  };
  await advance(20, 2);
  assert.equal(await pausedBy(runtime, "tick"), null);
  await advance(10, 3);
  const reason = await pausedBy(runtime, "tick");
  assert.match(
    reason ?? "",
    /^3 runs in a row failed, the last one \(execution 3\) with error: .*schema\.json/,
  );
  assert.equal(await next(), HOUR);
  await advance(20, 3);
  runtime = await live.restart({ clock });
  await runtime.reloadAgents();
  assert.equal(await pausedBy(runtime, "tick"), reason);
  await advance(30, 3);
  const [skipped] = await runtime.listSlots("tick", { limit: 1, offset: 0 });
  assert.equal(skipped?.reason, `its trigger is stopped: ${reason}`);
  const stopped = (await runtime.recap({ since: 0, until: clock.now() })).stopped;
  assert.deepEqual(stopped, [{ agentId: "tick", reason }]);
  await advance(10, 4);
  assert.equal(await pausedBy(runtime, "tick"), reason);
  assert.equal(await next(), 24 * HOUR);
  await Deno.writeTextFile(join(live.place.workspace, "schema.json"), "{}");
  clock.jump(24 * HOUR - 10 * MINUTE);
  await advance(10, 5);
  assert.equal(await pausedBy(runtime, "tick"), null);
  await advance(10, 6);
});

Deno.test("a watch, webhook and follow-up stop after failures, and fire again after a resume", async () => {
  await using live = await LiveTriggers.create("inbox/old.md");
  live.place.shell["HOOK"] = "secret";
  await live.watching("reader", ["inbox"], {
    steps: FAIL,
    trigger: "max_failures: 1, debounce: 0",
  });
  await live.watching("witness", ["inbox"]);
  const hook = "trigger: { type: webhook, scheme: token, secret: HOOK, max_failures: 1 }";
  await live.place.writeScript("hook", FAIL, hook);
  const follows = "after: { agent: reader, on: failure }\ntrigger: { max_failures: 1 }";
  await live.place.writeScript("follower", FAIL, follows);
  const runtime = await live.open();
  const isPaused = (id: string) =>
    until(async () => await pausedBy(runtime, id) !== null, `${id} is paused`);
  const deliver = async (body: string) => {
    const headers = new Headers({
      authorization: "Bearer secret",
      "content-type": "application/json",
    });
    return await runtime.webhooks?.receive("hook", {
      headers,
      body: new TextEncoder().encode(body),
    });
  };
  live.write("inbox/1.md");
  await deliver("{}");
  for (const id of ["reader", "hook", "follower"]) await isPaused(id);
  const later = { outcome: "later", reason: "The webhook is stopped: its runs fail" };
  assert.deepEqual(await deliver("[]"), later);
  live.write("inbox/2.md");
  live.write("inbox/3.md");
  await live.untilFired("witness", "created 1.md", "created 2.md", "created 3.md");
  await until(
    async () => (await live.place.all("SELECT 1 FROM watch_queue")).length === 2,
    "the changes are stored",
  );
  const expected = { isResumed: true, reason: null, droppedChanges: 2 };
  assert.deepEqual(await runtime.resumeAgent("reader"), expected);
  assert.deepEqual(await runtime.resumeAgent("reader"), {
    ...expected,
    isResumed: false,
    droppedChanges: 0,
  });
  live.write("inbox/4.md");
  await isPaused("reader");
  assert.deepEqual(await live.fired("reader"), ["created 1.md", "created 4.md"]);
  assert.equal(await runtime.resumeScheduler(), 0);
  assert.equal((await deliver("[]"))?.outcome, "accepted");
  // The follow-up of the reader's second run was waiting, and starts now.
  await until(async () => (await live.runs("follower")).length === 2, "the follower");
});
