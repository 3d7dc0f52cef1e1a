import assert from "node:assert/strict";
import { SystemClock } from "../../../../base/clock.ts";
import { MINUTE_MS } from "../../../../base/time_units.ts";
import { afterCommit, all, announce, fence, get } from "../../../../runtime/database/operation.ts";
import { lock, run, send } from "../../../../runtime/database/operation.ts";
import { describeAddress } from "../../../../runtime/storage/postgres/postgres_errors.ts";
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import type { NewExecution } from "../../../../runtime/executions/record/acceptance_store.ts";
import { SqlAcceptanceStore } from "../../../../runtime/storage/executions/acceptance.ts";
import { SqlFamilyStore } from "../../../../runtime/storage/executions/families.ts";
import { SqlWatchStore } from "../../../../runtime/triggers/watch/watch_store.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { LeaseLost } from "../../../../runtime/database/database.ts";
import { createBarePostgres, createTestPostgres, openClient } from "../../../support/postgres.ts";
import { withPostgres } from "../../../support/postgres.ts";
import { PATIENT_LIMITS } from "../../../support/test_database.ts";
import { NEW_EXECUTION } from "../../../support/test_store.ts";
import { until } from "../../../support/until.ts";
import { lockNumber } from "../../../../runtime/storage/postgres/transaction.ts";
import { openCuttingProxy } from "./cutting_proxy.ts";
import { storeExecution } from "./stored_execution.ts";

const WANTED: NewExecution = { ...NEW_EXECUTION, agentId: "a", trigger: "watch" };

/** SQL: finds connections to this database that wait for a lock. */
const WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() " +
  "AND wait_event_type = 'Lock'";
const NODE = {
  instanceId: "here",
  leases: new Map<number, number>(),
  enqueue: () => Promise.resolve(),
  cancelled: () => {},
};

const keep = (key: string, value: string) =>
  run("INSERT INTO settings (key, value) VALUES (?, ?)", key, value);
const kept = () =>
  all<{ key: string; value: string }>("SELECT key, value FROM settings ORDER BY key");

interface World {
  address: string;
  database: PostgresDatabase;
}

function test(name: string, body: (world: World) => Promise<void>): void {
  withPostgres.test(`PostgresDatabase: ${name}`, async () => {
    await using place = await createTestPostgres();
    await using database = await PostgresDatabase.open({
      address: place.address,
      limits: PATIENT_LIMITS,
    });
    await body({ address: place.address, database });
  });
}

test("change() commits all or nothing, even if an operation hides an error, and then runs the callbacks", async ({ database }) => {
  let done = 0;
  const broken = database.change("power", function* () {
    yield* keep("a", "b");
    yield* afterCommit(() => done++);
    throw new Error("stop");
  });
  await assert.rejects(broken, /stop/);
  assert.deepEqual(await database.read(kept), []);
  await database.change("power", function* () {
    yield* keep("a", "b");
    yield* afterCommit(() => done++);
  });
  assert.deepEqual(await database.read(kept), [{ key: "a", value: "b" }]);
  assert.equal(done, 1);

  let caught: unknown;
  const hiding = database.change("power", function* () {
    yield* keep("hidden", "x");
    try {
      yield* run("INSERT INTO settings (key, value) VALUES (?, ?)", "n", null);
    } catch (error) {
      // The operation hides the error, but the transaction has already failed.
      caught = error;
    }
  });
  await assert.rejects(hiding, TypeError);
  assert.match(String(caught), /null value/);
});

test("values are the same as in SQLite, except those that PostgreSQL cannot store, also in JSON and lists", async ({ database }) => {
  using sqlite = SqliteDatabase.open(":memory:");
  const values = ["", "\u{1F600}", "it's", "a\\b", 0, -1, 2 ** 53 - 1, 0.1 + 0.2, null] as const;
  for (const value of values) {
    const type = typeof value === "string" || value === null
      ? "TEXT"
      : Number.isInteger(value)
      ? "BIGINT"
      : "DOUBLE PRECISION";
    const select = () => get(`SELECT CAST(? AS ${type}) AS theValue, count(*) AS n`, value);
    const [here, there] = [await database.read(select), await sqlite.read(select)];
    assert.deepEqual({ ...here as object }, { ...there as object }, `${value}`);
  }
  const stored = await database.read(() => get("SELECT CAST(? AS TEXT) AS text", "a\0b\uD800c"));
  assert.deepEqual({ ...stored as object }, { text: "a\uFFFDb\uFFFDc" });

  const json = JSON.stringify({
    a: { b: "x\0y" },
    c: "\uD800",
    d: "\u{1F600} \\u0000 \\\\ud83d \\\uD83D",
  });
  const found = await database.read(() =>
    get(
      "SELECT json ->> '$.a.b' AS b, json ->> '$.none' AS none, json ->> '$.d' AS d " +
        "FROM (SELECT CAST(? AS TEXT) AS json) AS one",
      json,
    )
  );
  const d = "\u{1F600} \\u0000 \\\\ud83d \\\uFFFD";
  assert.deepEqual({ ...found as object }, { b: "x\uFFFDy", none: null, d });
  const texts = JSON.stringify(["x\0y", "\\u0000 \\ud83d", "\uD83D", "\u{1F600}"]);
  const listed = await database.read(() =>
    all<{ value: string }>("SELECT value FROM json_each(?)", texts)
  );
  const expected = ["x\uFFFDy", "\\u0000 \\ud83d", "\uFFFD", "\u{1F600}"];
  assert.deepEqual(listed.map(({ value }) => value), expected);
});

test("changes with the same lock run one after the other", async ({ database }) => {
  await database.change("power", () => keep("count", "0"));
  const add = () =>
    database.change("power", function* () {
      yield* lock("count");
      const row = yield* get<{ value: string }>("SELECT value FROM settings WHERE key = 'count'");
      const value = `${Number(row?.value) + 1}`;
      yield* run("UPDATE settings SET value = ? WHERE key = 'count'", value);
    });
  await Promise.all(Array.from({ length: 20 }, add));
  const row = await database.read(() => get("SELECT value FROM settings WHERE key = 'count'"));
  assert.deepEqual({ ...row as object }, { value: "20" });
});

test("one of two deadlocked changes is retried", async ({ database }) => {
  await database.change("power", function* () {
    yield* keep("one", "0");
    yield* keep("two", "0");
  });
  let runs = 0;
  let holding = 0;
  const add = (keys: readonly string[]) =>
    database.change("power", function* () {
      runs++;
      for (const key of keys) {
        yield* run("UPDATE settings SET value = value || '+' WHERE key = ?", key);
        holding++;
        // Each transaction locks its first row before either locks the second.
        while (holding < 2) yield* get("SELECT 1");
      }
    });
  await Promise.all([add(["one", "two"]), add(["two", "one"])]);
  assert.equal(runs, 3);
  const rows = await database.read(() =>
    all("SELECT value FROM settings WHERE key IN ('one', 'two')")
  );
  assert.deepEqual(rows.map((row) => ({ ...row as object })), [{ value: "0++" }, { value: "0++" }]);
});

test("a node that lost an execution cannot write to it", async ({ address }) => {
  const leases = new Map([[1, 1]]);
  const cancelled: string[] = [];
  const node = {
    ...NODE,
    leases,
    cancelled: (id: number, error: string) => cancelled.push(`${id}: ${error}`),
  };
  await using here = await PostgresDatabase.open({ address, node });
  await here.change("power", storeExecution);
  const write = () =>
    here.change("power", function* () {
      yield* fence(1);
      yield* send("INSERT INTO frames (execution_id, event, payload) VALUES (1, 'ai', '{}')");
      yield* announce(1);
    });
  await write();
  // The same node claims the execution again, so that only the epoch differs.
  await here.change("power", () => run("UPDATE executions SET epoch = 2 WHERE id = 1"));
  await assert.rejects(write(), LeaseLost);
  leases.set(1, 2);
  await write();
  assert.deepEqual(cancelled, []);
  // Each write of the run returns a requested cancel.
  await here.change("power", () => run("UPDATE executions SET cancelled = 'enough' WHERE id = 1"));
  await write();
  assert.deepEqual(cancelled, ["1: enough"]);
  await here.change("power", () => run("UPDATE executions SET instance_id = 'there' WHERE id = 1"));
  await assert.rejects(write(), LeaseLost);
  const frames = await here.read(() => all("SELECT 1 FROM frames"));
  assert.equal(frames.length, 3);
  // The other node has already stored the message that this node stores.
  const message =
    "INSERT INTO messages (execution_id, position, role, body) VALUES (1, 0, 'user', '{}')";
  await here.change("power", () => run(message));
  const late = here.change("power", function* () {
    yield* fence(1);
    yield* send(message);
    yield* get("SELECT 1");
  });
  await assert.rejects(late, LeaseLost);
});

test("an execution does not start to wait for a child that just ended", async ({ address, database }) => {
  await database.change("power", () =>
    run(
      "INSERT INTO executions (id, agent_id, display_name, status, trigger, request, model, started_at, parent_execution_id) " +
        "VALUES (11, 'a', 'A', 'running', 'manual', '{}', '', 0, NULL), " +
        "(12, 'a', 'A', 'waiting', 'agent', '{}', '', 0, 11)",
    ));
  await using client = await openClient(address);
  await client.query("BEGIN; UPDATE inkling.executions SET status = 'success' WHERE id = 12");
  let isDone = false;
  const waiting = new SqlFamilyStore(database)
    .waitForChild(11, {
      childId: 12,
      durationMs: 0,
      frames: () => [],
      restFrames: () => [],
    })
    .finally(() => isDone = true);
  const isBlocked = async () => (await database.read(() => all(WAITING))).length > 0;
  await until(async () => isDone || await isBlocked(), "the other is waited for");
  await client.query("COMMIT");
  assert.equal(await waiting, undefined);
});

test("a node that lost the lease of a watch cannot store file changes", async ({ address }) => {
  await using here = await PostgresDatabase.open({ address, node: NODE });
  const store = new SqlWatchStore(here);
  const change = { path: "/x", event: "created" as const, queuedAt: 1 };
  const put = () => store.enqueue("a", [change], { dropped: [], seen: [] });
  await here.change("power", () => run("INSERT INTO leases VALUES ('watch a', 'there', 0)"));
  assert.equal(await put(), false);
  assert.equal(await store.markSeen("a", [{ path: "/x", stamp: "s" }]), false);
  assert.deepEqual([await store.readQueue("a"), await store.readSeen("a")], [[], undefined]);
  await here.change("power", () => run("UPDATE leases SET instance_id = 'here'"));
  assert.equal(await put(), true);
  assert.equal((await store.readQueue("a")).length, 1);
  // A node may be frozen after it has chosen a change, and must not start a second run for it.
  const acceptances = new SqlAcceptanceStore(here, null);
  const accept = () =>
    acceptances.acceptExecution(WANTED, {
      unlessWaiting: true,
      claim: { type: "change", path: "/x" },
      frames: () => [],
    });
  await here.change("power", () => run("UPDATE leases SET instance_id = 'there'"));
  await assert.rejects(accept(), LeaseLost);
  assert.equal((await store.readQueue("a")).length, 1);
  await here.change("power", () => run("UPDATE leases SET instance_id = 'here'"));
  assert.ok("execution" in await accept());
  assert.deepEqual(await store.readQueue("a"), []);
});

withPostgres.test("PostgresDatabase: several nodes may migrate a database, and an unfit one is not changed", async () => {
  await using place = await createBarePostgres();
  const open = (migrates = true) =>
    PostgresDatabase.open({ ...place, migrates, limits: PATIENT_LIMITS });
  await assert.rejects(open(false), /there is no history yet\. Start a service/);
  for (const one of await Promise.all([1, 2, 3].map(() => open()))) {
    assert.deepEqual(await one.read(kept), []);
    await one[Symbol.asyncDispose]();
  }
  await using client = await openClient(place.address);
  const newest = "(SELECT max(version) FROM inkling.schema_steps)";
  const version = async () => (await client.query(`SELECT ${newest} AS version`)).rows[0].version;
  await client.query(`DELETE FROM inkling.schema_steps WHERE version = ${newest}`);
  const left = await version();
  await assert.rejects(open(false), /an older Inkling\. Start a service of this version/);
  assert.equal(await version(), left);
  await client.query("INSERT INTO inkling.schema_steps VALUES (99)");
  const refusal = /written by a newer Inkling \(format 99, this one knows \d+\)\. Update/;
  await assert.rejects(open(), refusal);
  await client.query("DROP TABLE inkling.schema_steps");
  const sentence = /has tables of another program\. Give Inkling a separate database/;
  await assert.rejects(open(), sentence);
  const { rows } = await client.query("SELECT to_regclass('inkling.schema_steps') AS steps");
  assert.equal(rows[0].steps, null);
});

test("a change whose commit got no answer is checked instead of repeated", async ({ address, database }) => {
  const port = Number(new URL(address).port);
  await using proxy = openCuttingProxy(port);
  const through = address.replace(`:${port}`, `:${proxy.port}`);
  const reports: string[] = [];
  await using cut = await PostgresDatabase.open({
    address: through,
    connections: 2,
    node: { ...NODE, changed: (id) => reports.push(`changed ${id}`) },
  });
  cut.stored.add((id) => reports.push(`stored ${id}`));
  const step = () =>
    cut.change("power", function* () {
      yield* keep(`step ${reports.length}`, "once");
      yield* announce(7, { frames: [], state: "open" });
    });
  await step();
  proxy.loseAnswerOf("COMMIT");
  await step();
  const rows = await database.read(() => all("SELECT 1 FROM settings WHERE key = 'step 1'"));
  assert.equal(rows.length, 1);
  // The ids of the frames are unknown, so followers read the log again, as after a change by another node.
  assert.deepEqual(reports, ["stored 7", "changed 7"]);
});

test("a node does not repeat a step of a run with an unknown outcome", async ({ address, database }) => {
  await database.change("power", storeExecution);
  const port = Number(new URL(address).port);
  await using proxy = openCuttingProxy(port);
  const system = new SystemClock();
  await using cut = await PostgresDatabase.open({
    address: address.replace(`:${port}`, `:${proxy.port}`),
    connections: 2,
    // The pauses between attempts are short, but a slow answer does not count as a dead connection.
    limits: { checkAfterMs: MINUTE_MS },
    clock: {
      now: () => system.now(),
      sleep: (ms, signal) => system.sleep(ms < MINUTE_MS ? Math.min(ms, 20) : ms, signal),
    },
    node: { ...NODE, leases: new Map([[1, 1]]) },
  });
  proxy.loseAnswerOf("COMMIT");
  proxy.refuseNew();
  const step = cut.change("power", function* () {
    yield* fence(1);
    yield* keep("step", "once");
  });
  await assert.rejects(step, LeaseLost);
  const stored = await database.read(() => all("SELECT 1 FROM settings WHERE key = 'step'"));
  assert.equal(stored.length, 1);
});

test("the next change of an execution begins after the callbacks of the previous one", async ({ address, database }) => {
  await using client = await openClient(address);
  await database.change("power", storeExecution);
  const node = { ...NODE, leases: new Map([[1, 1]]) };
  await using here = await PostgresDatabase.open({ address, node });
  const begun: string[] = [];
  const change = (name: string) =>
    here.change("power", function* () {
      yield* fence(1);
      yield* get("SELECT 1");
      begun.push(name);
      yield* lock("held");
      yield* get("SELECT 1");
      yield* afterCommit(() => begun.push(`${name} committed`));
    });
  await client.query("SELECT pg_advisory_lock($1)", [lockNumber("held")]);
  const changes = [change("first"), change("second")];
  await until(async () => (await client.query(WAITING)).rowCount === 1, "the first change waits");
  // Without turns, the second change would meanwhile reach the server and wait for the row.
  let waiting = 0;
  for (let query = 0; query < 100; query++) {
    waiting = Math.max(waiting, (await client.query(WAITING)).rowCount ?? 0);
  }
  await client.query("SELECT pg_advisory_unlock_all()");
  await Promise.all(changes);
  assert.equal(waiting, 1);
  assert.deepEqual(begun, ["first", "first committed", "second", "second committed"]);
});

Deno.test("describeAddress() shows neither password nor options", () => {
  assert.equal(
    describeAddress("postgres://me:geheim@db.example:5433/inkling?sslmode=require&password=geheim"),
    "postgres://me@db.example:5433/inkling",
  );
  assert.doesNotMatch(describeAddress("geheim"), /geheim/);
});
