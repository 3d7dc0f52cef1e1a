import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PERMISSION_FLAGS } from "../../../cli/self_command.ts";
import { REPOSITORY } from "../../support/repository.ts";
import { IS_POSTGRES } from "../../support/test_database.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";
import type { MortalOrder } from "./mortal_service.ts";

const PROGRAM = fileURLToPath(new URL("./mortal_service.ts", import.meta.url));

/** Starts the service; resolves when it is ready. */
async function serve(
  place: TestWorkspace,
  death: MortalOrder["death"] = null,
): Promise<Deno.ChildProcess> {
  const order: MortalOrder = { shell: place.shell, home: place.root, death };
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--config", join(REPOSITORY, "tests/deno.json"), "--no-check"],
      ...PERMISSION_FLAGS,
      PROGRAM,
      JSON.stringify(order),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  // Without a word it died first.
  if (value !== undefined) assert.equal(new TextDecoder().decode(value).trim(), "ready");
  return child;
}

async function untilDead(child: Deno.ChildProcess): Promise<void> {
  await child.stdout.cancel();
  assert.equal((await child.status).signal, "SIGKILL");
}

async function kill(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await untilDead(child);
}

interface RunRow {
  id: number;
  status: string;
  request: string;
}

const runsOf = (place: TestWorkspace) =>
  place.all<RunRow>("SELECT id, status, request FROM executions ORDER BY id");

interface SlotRow {
  scheduled_for: number;
  outcome: string;
  execution_id: number | null;
  count: number;
}

/** Every slot has one outcome, every run one slot, and no beat between the first and the last is left out. */
async function checkSlots(place: TestWorkspace, everyMs: number): Promise<SlotRow[]> {
  const slots = await place.all<SlotRow>("SELECT * FROM slots ORDER BY scheduled_for");
  let expected = slots[0]?.scheduled_for;
  for (const { scheduled_for, count } of slots) {
    assert.equal(scheduled_for, expected, "no slot is left out, none is told twice");
    expected = scheduled_for + count * everyMs;
  }
  const ran = slots.filter(({ outcome }) => outcome === "run").map((slot) => slot.execution_id);
  assert.deepEqual(ran, (await runsOf(place)).map(({ id }) => id));
  return slots;
}

for (const when of ["before", "after"] as const) {
  Deno.test(`a service that is killed right ${when} a slot is taken starts one run for it`, async () => {
    await using place = await createTestWorkspace();
    await place.writeScript("tick", [{ say: "tock" }], "trigger: { type: schedule, every: 1s }");
    await untilDead(await serve(place, { when, nth: 1, trigger: "schedule" }));
    assert.equal((await runsOf(place)).length, when === "before" ? 0 : 1);
    const child = await serve(place);
    const hasMore = async () => {
      const [first, ...more] = await runsOf(place);
      return more.length > 0 && first?.status !== "running";
    };
    await until(hasMore, "runs after the restart");
    await kill(child);
    await checkSlots(place, 1_000);
    // Accepted and never started: not run again, but on PostgreSQL it waits for any machine.
    const expected = when === "before" || IS_POSTGRES ? "success" : "orphaned";
    assert.equal((await runsOf(place))[0]?.status, expected);
  });

  Deno.test(`a service that is killed right ${when} a change is taken runs once for each change`, async () => {
    await using place = await createTestWorkspace();
    const inbox = join(place.workspace, "inbox");
    await Deno.mkdir(inbox);
    const lines = "trigger: { type: watch, paths: [inbox], debounce: 100ms, catch_up: once }";
    await place.writeScript("reader", [{ say: "read" }], lines);
    const child = await serve(place, { when, nth: 7, trigger: "watch" });
    const paths = Array.from({ length: 12 }, (_, i) => join(inbox, `${i}.md`));
    for (const path of paths) Deno.writeTextFileSync(path, "x");
    await untilDead(child);
    assert.equal((await runsOf(place)).length, when === "before" ? 6 : 7);
    const again = await serve(place);
    const isDone = async () => {
      const runs = await runsOf(place);
      return runs.length >= paths.length && runs.every(({ status }) => status !== "running");
    };
    await until(isDone, "a run for each");
    await kill(again);
    const told = (await runsOf(place)).map(({ request }) =>
      (JSON.parse(request) as { cause: { path: string } }).cause.path
    );
    assert.deepEqual(told.toSorted(), paths.toSorted());
    assert.deepEqual(await place.all("SELECT * FROM watch_queue"), []);
    const statuses = (await runsOf(place)).map(({ status }) => status);
    assert.ok(statuses.every((status) => status === "success" || status === "orphaned"));
    if (when === "after") assert.equal(statuses[6], IS_POSTGRES ? "success" : "orphaned");
  });

  Deno.test(`a service that is killed right ${when} an agent follows another runs once for each end`, async () => {
    await using place = await createTestWorkspace();
    await place.writeScript("tick", [{ say: "tock" }], "trigger: { type: schedule, every: 1s }");
    await place.writeScript("echo", [{ say: "heard" }], "after: tick");
    await untilDead(await serve(place, { when, nth: 1, trigger: "after" }));
    const follow = async () =>
      (await runsOf(place)).flatMap((run) => {
        const { cause } = JSON.parse(run.request) as {
          cause: { type: string; executionId: number };
        };
        return cause.type === "after" ? [{ ...run, follows: cause.executionId }] : [];
      });
    assert.equal((await follow()).length, when === "before" ? 0 : 1);
    const isStored =
      (await place.all("SELECT * FROM follow_ups WHERE execution_id = 1")).length > 0;
    assert.equal(isStored, when === "before");
    const again = await serve(place);
    await until(async () => (await follow()).length >= 3, "runs after the restart");
    await kill(again);
    const follows = (await follow()).map((run) => run.follows);
    assert.equal(follows[0], 1, "the end before the kill is followed");
    assert.deepEqual(follows, [...new Set(follows)], "no end is followed twice");
    const left = await place.all<{ execution_id: number }>("SELECT * FROM follow_ups");
    const known = new Set([...follows, ...left.map((row) => row.execution_id)]);
    const ended = (await runsOf(place)).filter(({ status, request }) =>
      status === "success" && !request.includes('"after"')
    );
    assert.deepEqual(ended.filter(({ id }) => !known.has(id)), [], "no end is lost");
  });
}

Deno.test("a service that is killed again and again in the middle of beats tells each slot once", async () => {
  await using place = await createTestWorkspace();
  const lines = "trigger: { type: schedule, every: 1s }";
  await place.writeScript("tick", [{ say: "tock", delay_ms: 100 }], lines);
  for (let round = 0; round < 3; round++) {
    const child = await serve(place);
    const { length } = await place.all("SELECT * FROM slots");
    const isDone = async () => (await place.all("SELECT * FROM slots")).length > length;
    await until(isDone, "one more slot");
    await kill(child);
    await checkSlots(place, 1_000);
  }
});
