import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { IS_POSTGRES } from "../../support/test_database.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import { openUntilDeath, serve, untilDead } from "./mortal_process.ts";

interface RunRow {
  id: number;
  status: string;
  trigger: string;
  request: string;
}

const runsOf = async (place: TestWorkspace, trigger: string) =>
  await place.all<RunRow>(
    "SELECT id, status, trigger, request FROM executions WHERE trigger = ? ORDER BY id",
    trigger,
  );

const causeOf = <Cause>({ request }: RunRow) => (JSON.parse(request) as { cause: Cause }).cause;

/**
 * Checks that every due time has one outcome and every run has one due time. No due time between the first and the last may
 * be missing.
 */
async function checkSlots(place: TestWorkspace, everyMs: number): Promise<void> {
  const slots = await place.all<
    { scheduled_for: number; outcome: string; execution_id: number | null; count: number }
  >("SELECT * FROM slots ORDER BY scheduled_for");
  let expected = slots[0]?.scheduled_for;
  for (const { scheduled_for, count } of slots) {
    assert.equal(scheduled_for, expected, "no slot is left out, none is told twice");
    expected = scheduled_for + count * everyMs;
  }
  const ran = slots.filter(({ outcome }) => outcome === "run").map((slot) => slot.execution_id);
  assert.deepEqual(ran, (await runsOf(place, "schedule")).map(({ id }) => id));
}

/** Checks that each file started one run. */
async function checkChanges(place: TestWorkspace, paths: readonly string[]): Promise<void> {
  const runs = await runsOf(place, "watch");
  const told = runs.map((run) => causeOf<{ path: string }>(run).path);
  assert.deepEqual(told.toSorted(), paths.toSorted());
  assert.deepEqual(await place.all("SELECT * FROM watch_queue"), []);
  assert.ok(runs.every(({ status }) => status === "success" || status === "orphaned"));
}

/**
 * Checks that each successful end of a scheduled run has started one follow-up run, or that the follow-up is still stored.
 */
async function checkFollowUps(place: TestWorkspace): Promise<void> {
  const follows = (await runsOf(place, "after"))
    .map((run) => causeOf<{ executionId: number }>(run).executionId);
  assert.deepEqual(follows, [...new Set(follows)], "no end is followed twice");
  const left = await place.all<{ execution_id: number }>("SELECT * FROM follow_ups");
  const known = new Set([...follows, ...left.map((row) => row.execution_id)]);
  const ended = (await runsOf(place, "schedule")).filter(({ status }) => status === "success");
  assert.deepEqual(ended.filter(({ id }) => !known.has(id)), [], "no end is lost");
}

/**
 * The service is killed just after it accepts the first run of each kind, and for `watch` just before and after the fourth
 * run. Nothing is stored before an acceptance, whatever the kind of trigger. Only the services that watch are processes.
 */
const DEATHS = [
  { trigger: "schedule", nth: 1, when: "after" },
  { trigger: "watch", nth: 4, when: "before" },
  { trigger: "watch", nth: 4, when: "after" },
  { trigger: "after", nth: 1, when: "after" },
] as const;

Deno.test("a service killed around the acceptance of a run starts one run per trigger event", async () => {
  await using place = await createTestWorkspace();
  const inbox = join(place.workspace, "inbox");
  await Deno.mkdir(inbox);
  const paths = Array.from({ length: 12 }, (_, i) => join(inbox, `${i}.md`));
  await place.writeScript("tick", [{ say: "tock" }], "trigger: { type: schedule, every: 1s }");
  const watch = "trigger: { type: watch, paths: [inbox], debounce: 100ms, catch_up: once }";
  await place.writeScript("reader", [{ say: "read" }], watch);
  await place.writeScript("echo", [{ say: "heard" }], "after: tick");
  const counts = new Map<string, number>();
  const victims: { id: number; trigger: string }[] = [];
  for (const death of DEATHS) {
    const { trigger, nth, when } = death;
    if (trigger === "watch") {
      const child = await serve(place, death);
      if (when === "before") { for (const path of paths) Deno.writeTextFileSync(path, "x"); }
      await untilDead(child);
    } else await openUntilDeath(place, death);
    const taken = (await runsOf(place, trigger)).length - (counts.get(trigger) ?? 0);
    assert.equal(taken, when === "before" ? nth - 1 : nth, `${when} ${trigger}`);
    if (when === "after") victims.push((await runsOf(place, trigger)).at(-1)!);
    for (const one of ["schedule", "watch", "after"]) {
      counts.set(one, (await runsOf(place, one)).length);
    }
    await checkSlots(place, 1_000);
    await checkFollowUps(place);
  }
  const last = await place.open();
  await until(async () => {
    await delay(50);
    const changes = await runsOf(place, "watch");
    return changes.length >= paths.length && changes.every(({ status }) => status !== "running") &&
      (await runsOf(place, "after")).length > (counts.get("after") ?? 0);
  }, "a run for each");
  await last[Symbol.asyncDispose]();
  await checkSlots(place, 1_000);
  await checkChanges(place, paths);
  await checkFollowUps(place);
  // The execution was accepted but never started. With SQLite it is not run again; with PostgreSQL it waits for another
  // machine.
  const expected = IS_POSTGRES ? "success" : "orphaned";
  for (const { id, trigger } of victims) {
    const run = (await runsOf(place, trigger)).find((one) => one.id === id);
    assert.equal(run?.status, expected, trigger);
  }
});
