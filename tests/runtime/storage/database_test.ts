import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { DatabaseUnusable } from "../../../runtime/database/database.ts";
import { SqliteDatabase } from "../../../runtime/storage/sqlite/sqlite_database.ts";
import { run } from "../../../runtime/database/operation.ts";
import { SqlExecutionReads } from "../../../runtime/storage/executions/execution_reads.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { SqlRecoveryStore } from "../../../runtime/storage/executions/recovery.ts";
import { SqlRestStore } from "../../../runtime/storage/executions/rests.ts";
import { MIGRATIONS, RUN_RESTS } from "../../../runtime/storage/sqlite/migrations.ts";

const withFile = (body: (path: string) => Promise<void> | void) =>
  withTempDir((dir) => body(`${dir}/inkling.db`));
const pragma = (db: SqliteDatabase, name: string) =>
  Object.values(db.get<object>(`PRAGMA ${name}`) ?? {})[0];
const modeOf = (name: string) => (Deno.statSync(name).mode ?? 0) & 0o777;
/** Runs SQL on a database file without Inkling. */
function execute(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

Deno.test("SqliteDatabase.open() creates a private file in WAL mode that can shrink", () =>
  withFile((path) => {
    {
      using db = SqliteDatabase.open(path);
      const names = ["journal_mode", "auto_vacuum", "foreign_keys", "user_version"];
      assert.deepEqual(names.map((name) => pragma(db, name)), ["wal", 2, 1, MIGRATIONS.length]);
      db.transaction("process", () => db.run("INSERT INTO settings VALUES ('a', 'b')"));
      assert.deepEqual([modeOf(path), modeOf(`${path}-wal`)], [0o600, 0o600]);
    }
    using again = SqliteDatabase.open(path);
    assert.equal(again.get<{ value: string }>("SELECT value FROM settings")?.value, "b");
  }));

Deno.test("SqliteDatabase.open() makes its file private, but not a file of another program", () =>
  withFile((path) => {
    {
      using first = SqliteDatabase.open(path);
      // A second connection keeps the -wal and -shm files after the first connection closes.
      const second = new DatabaseSync(path);
      second.exec("SELECT 1");
      for (const end of ["", "-wal", "-shm"]) Deno.chmodSync(`${path}${end}`, 0o666);
      using again = SqliteDatabase.open(path);
      for (const end of ["", "-wal", "-shm"]) assert.equal(modeOf(`${path}${end}`), 0o600, end);
      assert.ok(first && again);
      second.close();
    }
    Deno.chmodSync(path, 0o644);
    {
      using db = SqliteDatabase.open(path, { readOnly: true });
      assert.throws(() => db.run("INSERT INTO settings VALUES ('a', 'b')"), /readonly/);
    }
    assert.equal(modeOf(path), 0o644);
    const foreign = `${path}.foreign`;
    execute(foreign, "CREATE TABLE t (a)");
    Deno.chmodSync(foreign, 0o644);
    assert.throws(() => SqliteDatabase.open(foreign), /database of another program/);
    assert.equal(modeOf(foreign), 0o644);
  }));

Deno.test("SqliteDatabase.open() refuses a database of a newer version without changing it", () =>
  withFile((path) => {
    SqliteDatabase.open(path)[Symbol.dispose]();
    execute(path, `PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    const before = Deno.readFileSync(path);
    assert.throws(
      () => SqliteDatabase.open(path),
      (error: unknown) =>
        error instanceof DatabaseUnusable && /written by a newer Inkling/.test(error.message) &&
        error.message.includes(path),
    );
    assert.deepEqual(Deno.readFileSync(path), before);
  }));

Deno.test("SqliteDatabase.open() reports foreign and damaged files without changing them", () =>
  withFile((path) => {
    Deno.writeTextFileSync(path, "not a database at all ".repeat(500));
    const text = Deno.readFileSync(path);
    const expected = /the database is damaged\. Inkling did not change it/;
    assert.throws(() => SqliteDatabase.open(path), expected);
    assert.deepEqual(Deno.readFileSync(path), text);
    Deno.removeSync(path);

    {
      using db = SqliteDatabase.open(path);
      db.transaction("process", () => {
        for (let i = 0; i < 500; i++) {
          db.run("INSERT INTO settings VALUES (?, ?)", `key ${i}`, "x".repeat(200));
        }
      });
    }
    const bytes = Deno.readFileSync(path);
    for (let page = 2; page < bytes.length / 4096 - 1; page++) {
      bytes.fill(0x5a, page * 4096, page * 4096 + 4000);
    }
    Deno.writeFileSync(path, bytes);
    assert.throws(() => SqliteDatabase.open(path), /is damaged/);
    assert.deepEqual(Deno.readFileSync(path), bytes);
  }));

Deno.test("SqliteDatabase.open() reports a wrong bit that SQLite reads without an error", () =>
  withFile((path) => {
    {
      using db = SqliteDatabase.open(path);
      db.run("INSERT INTO watch_queue VALUES ('reader', 'inbox/1.md', 'created', 0)");
    }
    const bytes = Deno.readFileSync(path);
    const row = "readerinbox/1.mdcreated";
    // In latin1 each byte is one character, so the index is a byte offset.
    const last = new TextDecoder("latin1").decode(bytes).indexOf(row) + row.length - 1;
    bytes[last] = (bytes[last] ?? 0) ^ 1;
    Deno.writeFileSync(path, bytes);
    const damaged = new DatabaseSync(path, { readOnly: true });
    const stored = damaged.prepare("SELECT event FROM watch_queue").get();
    damaged.close();
    assert.deepEqual({ ...stored }, { event: "createe" });
    const sentence = { name: "DatabaseUnusable", message: /is damaged/ };
    assert.throws(() => SqliteDatabase.open(path), sentence);
    assert.deepEqual(Deno.readFileSync(path), bytes);
  }));

Deno.test("SqliteDatabase.open() refuses a named pipe and a device immediately", () =>
  withFile(async (path) => {
    const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
    assert.ok(success);
    const message = /it is not a file but a pipe or a device/;
    const refusal = { name: "DatabaseUnusable", message };
    // The device comes first, because opening it fails, while opening a pipe could block.
    for (const place of ["/dev/zero", path]) {
      assert.throws(() => SqliteDatabase.open(place), refusal);
      assert.throws(() => SqliteDatabase.open(place, { readOnly: true }), refusal);
    }
  }));

Deno.test("SqliteDatabase.change() runs a synchronous transaction and rejects if it fails", async () => {
  using db = SqliteDatabase.open(":memory:");
  const rows = () => db.all("SELECT * FROM settings").length;
  const insert = () => run("INSERT INTO settings VALUES ('a', 'b')");
  const broken = db.change("power", function* () {
    yield* insert();
    throw new Error("stop");
  });
  await assert.rejects(broken, /stop/);
  assert.equal(rows(), 0);
  const stored = db.change("process", insert);
  assert.equal(rows(), 1, "before anything else has a turn");
  await stored;
  // If the failed transaction were open, no other transaction could start.
  assert.equal(db.transaction("power", () => "next"), "next");
});

Deno.test("SqliteDatabase.transaction() reports a full disk and changes nothing", () => {
  using db = SqliteDatabase.open(":memory:");
  const write = (text: string) =>
    db.transaction("process", () => db.run("INSERT INTO settings VALUES (?, ?)", text, text));
  write("before");
  const pages = db.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  db.get(`PRAGMA max_page_count = ${pages}`);
  const message = /the disk that holds the state directory is full. Make room/;
  assert.throws(() => write("x".repeat(1_000_000)), { name: "StorageUnavailable", message });
  assert.deepEqual(db.all<{ key: string }>("SELECT key FROM settings").map(({ key }) => key), [
    "before",
  ]);
});

Deno.test("SqliteDatabase.open() migrates a database of the first version and keeps its content", () =>
  withFile(async (path) => {
    execute(
      path,
      `PRAGMA auto_vacuum = INCREMENTAL; ${MIGRATIONS[0]};` +
        "PRAGMA application_id = 1229867852; PRAGMA user_version = 1;" +
        "INSERT INTO instances (id, pid, started_at) VALUES ('i', 1, 0);" +
        "INSERT INTO executions (id, agent_id, display_name, status, trigger, instance_id, request, model, started_at) " +
        "VALUES (7, 'old', 'Old', 'success', 'manual', 'i', '{\"args\":[]}', 'demo/echo', 5)",
    );
    const newest = (db: SqliteDatabase) => new SqlExecutionReads(db).newestByAgent(["old"]);
    {
      // A read-only open does not migrate the file.
      using db = SqliteDatabase.open(path, { readOnly: true });
      assert.equal((await newest(db)).get("old")?.id, 7);
    }
    using db = SqliteDatabase.open(path);
    assert.equal(pragma(db, "user_version"), MIGRATIONS.length);
    assert.equal((await newest(db)).get("old")?.id, 7);
    assert.deepEqual(db.all("SELECT * FROM watch_queue"), []);
    // An unknown state or trigger can be stored without a migration. Invalid JSON is refused.
    db.run("UPDATE executions SET status = 'resting', trigger = 'post' WHERE id = 7");
    assert.throws(() => db.run("UPDATE executions SET request = '{' WHERE id = 7"), /CHECK/);
    assert.deepEqual(pragma(db, "integrity_check"), "ok");
    const shapes = db.all<{ sql: string | null }>("SELECT sql FROM sqlite_schema");
    assert.ok(shapes.every(({ sql }) => !/CHECK \((status|trigger) IN/.test(sql ?? "")));
    // Direct writes to the schema are refused.
    assert.throws(() => db.run("DELETE FROM sqlite_schema"), /may not be modified/);
  }));

Deno.test("SqliteDatabase.open() migrates a run that waits for its retry to a rest, and reads older files unchanged", () =>
  withFile(async (path) => {
    const version = MIGRATIONS.indexOf(RUN_RESTS);
    SqliteDatabase.open(path)[Symbol.dispose]();
    const application = new DatabaseSync(path, { readOnly: true });
    const [id = 0] = Object.values(application.prepare("PRAGMA application_id").get() ?? {});
    application.close();
    for (const end of ["", "-wal", "-shm"]) Deno.removeSync(`${path}${end}`);
    {
      const db = new DatabaseSync(path);
      db.exec(`PRAGMA application_id = ${id}`);
      for (const step of MIGRATIONS.slice(0, version)) {
        if (typeof step === "string") db.exec(step);
        else step(db);
      }
      db.exec("INSERT INTO instances (id, pid, started_at) VALUES ('i', 1, 0)");
      const retry = '{"at":5000,"attempt":1,"of":3,"reason":"It said \\"no\\""}';
      const started = retry.replace("{", '{"isUnderWay":true,');
      for (const [id, one] of [[1, retry], [2, started], [3, null]] as const) {
        db.prepare(
          "INSERT INTO executions (id, agent_id, display_name, status, trigger, request, model, started_at, instance_id, retry) " +
            "VALUES (?, 'a', 'A', 'running', 'manual', '{\"args\":[]}', '', 0, 'i', ?)",
        ).run(id, one);
      }
      db.exec(`PRAGMA user_version = ${version}`);
      db.close();
    }
    const restsOf = async (db: SqliteDatabase) => {
      const reads = new SqlExecutionReads(db);
      return await Promise.all([1, 2, 3].map(async (id) => {
        const rest = (await reads.readExecution(id))?.execution.rest;
        return rest && [rest.until, rest.since, rest.reason];
      }));
    };
    const before = Deno.readFileSync(path);
    {
      using db = SqliteDatabase.open(path, { readOnly: true });
      assert.deepEqual(await restsOf(db), [undefined, undefined, undefined]);
    }
    assert.deepEqual(Deno.readFileSync(path), before);
    using db = SqliteDatabase.open(path);
    assert.deepEqual(await restsOf(db), [[5_000, 5_000, 'It said "no"'], undefined, undefined]);
    assert.deepEqual(await new SqlRestStore(db, "j").readNextRest(), { id: 1, until: 5_000 });
    assert.deepEqual(await new SqlRecoveryStore(db, "j").findAbandoned(), [2, 3]);
  }));
