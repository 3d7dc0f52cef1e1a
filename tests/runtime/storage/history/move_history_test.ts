// Tests that a history is identical after a move from SQLite to PostgreSQL and back.
import assert from "node:assert/strict";
import type { MovedHistory } from "../../../../runtime/storage/history/move_history.ts";
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import { SqlExecutionReads } from "../../../../runtime/storage/executions/execution_reads.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { fillHistory, readAll, searchAll } from "./filled_history.ts";
import { test } from "./move_world.ts";

test("a history moved to PostgreSQL and back has the same rows and search results", async (world) => {
  const { databaseFile } = world.directories;
  await fillHistory(databaseFile);
  const found = await searchAll(databaseFile);
  const empty = Object.entries(found).filter(([, ids]) => ids.length === 0);
  assert.deepEqual(empty.map(([word]) => word), ["nothing"]);
  const before = readAll(databaseFile);
  assert.ok(Object.values(before).every(({ length }) => length > 0), "every table has rows");
  const bytes = await Deno.readFile(databaseFile);

  const moved = await world.move("to");
  assert.equal(moved.changedTexts, 0);
  assert.equal(moved.from, databaseFile);
  assert.deepEqual(await Deno.readFile(databaseFile), bytes, "the source is unchanged");
  const counts = await world.filled();
  for (const { name, rows } of moved.tables) {
    assert.deepEqual([rows, counts[name]], [before[name]?.length, before[name]?.length], name);
  }
  await using database = await PostgresDatabase.open({ address: world.address });
  const reads = new SqlExecutionReads(database);
  for (const word of ["invoices", "drawer", "stapler"]) {
    const there = await reads.listExecutions({ text: word, limit: 9, offset: 0 });
    assert.deepEqual(there.map(({ id }) => id), found[word], word);
  }

  world.removeFile();
  const back = await world.move("from");
  assert.deepEqual(back.tables, moved.tables);
  assert.deepEqual(readAll(databaseFile), before);
  assert.deepEqual(world.files(), ["inkling.db"]);
  assert.deepEqual(await searchAll(databaseFile), found);
  assert.equal((Deno.statSync(databaseFile).mode ?? 0) & 0o777, 0o600);
  assert.deepEqual(await world.filled(), counts, "the source is unchanged");
});

test("ids continue after the highest assigned id, and ownerless runs get the newest instance", async (world) => {
  const { databaseFile } = world.directories;
  await fillHistory(databaseFile, "large");
  const numbers = (path: string) =>
    Object.fromEntries(
      (readAll(path)["the highest numbers"] as [string, bigint][])
        .map(([name, highest]) => [name, Number(highest)]),
    );
  const { executions = 0, frames = 0, reservations = 0 } = numbers(databaseFile);
  await world.move("to");
  // In PostgreSQL the running execution belongs to no node.
  const running = await world.query<Record<string, unknown>>(
    "SELECT instance_id, epoch::int, job, cancelled FROM inkling.executions WHERE status = 'running'",
  );
  const left = { instance_id: "instance-1", epoch: 0, job: null, cancelled: null };
  assert.deepEqual(running, [left]);
  await world.query("UPDATE inkling.executions SET instance_id = NULL WHERE status = 'running'");
  {
    await using db = await PostgresDatabase.open({ address: world.address });
    await using store = await openTestStore({ db, instanceId: "instance-2" });
    const { id } = await store.accept();
    assert.equal(id, executions + 1);
    const [frame] = await store.all<{ id: number }>(
      "SELECT id FROM frames WHERE execution_id = ?",
      id,
    );
    assert.equal(frame?.id, frames + 1);
    await store.run(
      "INSERT INTO reservations (agent_id, instance_id, at, nanos, tokens) VALUES ('a', 'i', 1, 2, 3)",
    );
    await store.run("DELETE FROM reservations WHERE id = ?", reservations + 1);
    await store.run("INSERT INTO watch_queue VALUES ('w', 'last', 'created', -100)");
    const order = await store.all<{ path: string }>("SELECT path FROM watch_queue ORDER BY rowid");
    assert.deepEqual(order.map(({ path }) => path), ["z", "Z", "é", "\u{1F600}", "\uFFFD", "last"]);
  }
  world.removeFile();
  await world.move("from");
  assert.equal(numbers(databaseFile)["reservations"], reservations + 1);
  {
    using db = SqliteDatabase.open(databaseFile);
    const sql = "SELECT instance_id FROM executions WHERE status = 'running' AND started_at = 2000";
    assert.equal(db.get<{ instance_id: string }>(sql)?.instance_id, "instance-2");
  }
  await using store = await openTestStore({ path: databaseFile, instanceId: "instance-3" });
  assert.equal((await store.accept()).id, executions + 2);
  const order = await store.all<{ path: string }>("SELECT path FROM watch_queue ORDER BY rowid");
  assert.deepEqual(order.map(({ path }) => path), ["z", "Z", "é", "\u{1F600}", "\uFFFD", "last"]);
});

test("NUL in a text becomes U+FFFD in PostgreSQL", async (world) => {
  const { databaseFile } = world.directories;
  {
    using db = SqliteDatabase.open(databaseFile);
    db.run("INSERT INTO settings (key, value) VALUES ('a', ?)", "x\0y\0");
    db.run("INSERT INTO settings (key, value) VALUES ('b', ?)", "\0");
    db.run("INSERT INTO settings (key, value) VALUES ('c', ?)", "x\\u0000y\uFFFD");
  }
  const moved = await world.move("to");
  assert.equal(moved.changedTexts, 2);
  const settings = await world.query<{ value: string }>(
    "SELECT value FROM inkling.settings ORDER BY key",
  );
  const expected = ["x\uFFFDy\uFFFD", "\uFFFD", "x\\u0000y\uFFFD"];
  assert.deepEqual(settings.map(({ value }) => value), expected);
  world.removeFile();
  assert.equal((await world.move("from")).changedTexts, 0);
});

test("many rows are copied in batches", async (world) => {
  const { databaseFile } = world.directories;
  await fillHistory(databaseFile, "large");
  {
    using db = SqliteDatabase.open(databaseFile);
    db.run(
      "INSERT INTO frames (execution_id, event, payload) WITH RECURSIVE n (i) AS " +
        "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) SELECT 4, 'message', i FROM n",
    );
  }
  const before = readAll(databaseFile);
  let moved: MovedHistory | undefined;
  for (const direction of ["to", "from"] as const) {
    const steps = { copying: [0], checking: [0] };
    moved = await world.move(direction, {
      onProgress: ({ table, rows, step }) => void (table === "frames" && steps[step].push(rows)),
    });
    const total = before["frames"]?.length;
    for (const counts of Object.values(steps)) assert.deepEqual(counts, [0, 20, 40, total]);
    if (direction === "to") world.removeFile();
  }
  assert.deepEqual(readAll(databaseFile), before);

  // An abort takes effect even if one database answers synchronously.
  world.removeFile();
  const interrupt = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let compared = "";
  const late = world.move("from", {
    signal: interrupt.signal,
    onProgress({ table, step }) {
      if (step === "copying") return;
      timer ??= setTimeout(() => interrupt.abort(new Error("interrupted")), 0);
      compared = table;
    },
  });
  await assert.rejects(late, /^Error: interrupted$/);
  assert.notEqual(compared, moved?.tables.findLast(({ rows }) => rows > 0)?.name);
  assert.deepEqual(world.files(), []);
});

test("a database with the sort order of a language is read in byte order", async (world) => {
  const { databaseFile } = world.directories;
  await fillHistory(databaseFile, "large");
  const before = readAll(databaseFile);
  const name = `${new URL(world.address).pathname.slice(1)}_sorted`;
  await world.query(
    `CREATE DATABASE ${name} LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C.UTF-8' TEMPLATE template0`,
  );
  try {
    const address = `${world.address}_sorted`;
    await world.move("to", { address });
    world.removeFile();
    await world.move("from", { address });
    assert.deepEqual(readAll(databaseFile), before);
  } finally {
    await world.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
});
