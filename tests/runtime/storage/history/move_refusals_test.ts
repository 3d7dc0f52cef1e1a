// Tests of refused and failed moves of a history. They change nothing, and the same command succeeds after a repair.
import assert from "node:assert/strict";
import { MoveRefused } from "../../../../runtime/storage/history/move_history.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { openTestStore } from "../../../support/test_store.ts";
import { openCuttingProxy } from "../postgres/cutting_proxy.ts";
import { createBarePostgres, openClient } from "../../../support/postgres.ts";
import { openMoveWorld, test } from "./move_world.ts";

/** Creates a database file with one execution. */
async function fillLittle(path: string): Promise<void> {
  await using store = await openTestStore({ path });
  await store.accept();
}

test("a move into a database or a state directory with a history is refused", async (world) => {
  const { databaseFile } = world.directories;
  await fillLittle(databaseFile);
  await world.move("to");
  const counts = await world.filled();
  await assert.rejects(world.move("to"), {
    name: "MoveRefused",
    message: /has a history already: rows in executions and 2 more tables\. Use an empty database/,
  });
  assert.deepEqual(await world.filled(), counts);

  const bytes = await Deno.readFile(databaseFile);
  const message = /inkling\.db has a history already: rows in .+ Move it away first/;
  await assert.rejects(world.move("from"), { name: "MoveRefused", message });
  assert.deepEqual(await Deno.readFile(databaseFile), bytes);
  // An empty database and its write-ahead log do not prevent a move.
  world.removeFile();
  using _open = SqliteDatabase.open(databaseFile);
  _open[Symbol.dispose]();
  const found = (await world.move("from")).tables.find(({ name }) => name === "executions")?.rows;
  assert.equal(found, 1);
});

test(
  "a move is refused without a history, and while the service of the workspace runs",
  async (world) => {
    const refusal = /There is no history in .+: nothing ran in this workspace yet/;
    await assert.rejects(world.move("to"), refusal);
    const expected = /There is no history in postgres:\/\/.+: nothing to copy/;
    await assert.rejects(world.move("from"), expected);
    assert.deepEqual(await world.filled(), {});
    assert.deepEqual(world.files(), []);
    {
      await using _runtime = await world.place.open();
      for (const direction of ["to", "from"] as const) {
        const refusal = { name: "AlreadyRunning", message: /"inkling stop"/ };
        await assert.rejects(world.move(direction), refusal);
      }
    }
    assert.deepEqual(await world.filled(), {});
    await world.move("to");
  },
  createBarePostgres,
);

test("a move out of PostgreSQL is refused only while nodes are alive", async (world) => {
  await fillLittle(world.directories.databaseFile);
  await world.move("to");
  world.removeFile();
  const now = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
  await world.query(
    "INSERT INTO inkling.instances (id, pid, started_at, stopped_at, name, last_seen) VALUES " +
      `('lives', 71, 0, NULL, 'gpu-1', ${now}), ('ended', 72, 0, 5, 'gpu-2', ${now}), ` +
      `('silent', 73, 0, NULL, 'gpu-3', ${now} - 31000)`,
  );
  await assert.rejects(world.move("from"), (error: Error) => {
    assert.ok(error instanceof MoveRefused);
    const expected = /Services run on postgres:.+: gpu-1 \(PID 71\)\. Stop each of them/;
    assert.match(error.message, expected);
    assert.doesNotMatch(error.message, /gpu-[23]/);
    return true;
  });
  assert.deepEqual(world.files(), []);
  await world.query("UPDATE inkling.instances SET last_seen = 0");
  await world.move("from");
});

test("the second of two simultaneous moves into one database is refused", async (world) => {
  await fillLittle(world.directories.databaseFile);
  await using other = await openMoveWorld();
  await fillLittle(other.directories.databaseFile);
  let second: Promise<void> | undefined;
  await world.move("to", {
    onProgress: () =>
      void (second ??= assert.rejects(
        other.move("to", { address: world.address }),
        /Another Inkling is writing into|has a history already/,
      )),
  });
  await second;
  assert.equal((await world.filled())["executions"], 1);
});

test("a copy that differs from its source is an error and is removed", async (world) => {
  await fillLittle(world.directories.databaseFile);
  const changed = "BEGIN NEW.payload := NEW.payload || ' '; RETURN NEW; END";
  const faults = { changed, lost: "BEGIN RETURN NULL; END" };
  for (const [name, body] of Object.entries(faults)) {
    await world.query(
      `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS '${
        body.replaceAll("'", "''")
      }'`,
    );
    await world.query(
      `CREATE TRIGGER ${name} BEFORE INSERT ON inkling.frames FOR EACH ROW EXECUTE FUNCTION ${name}()`,
    );
    const message = /differs from its source: of 1 rows of frames/;
    await assert.rejects(world.move("to"), { name: "DatabaseUnusable", message });
    await world.query(`DROP TRIGGER ${name} ON inkling.frames`);
    assert.deepEqual(await world.filled(), {}, name);
  }
  await world.move("to");
});

test("an aborted move leaves nothing behind and can be repeated", async (world) => {
  await fillLittle(world.directories.databaseFile);
  const source = await Deno.readFile(world.directories.databaseFile);
  for (const direction of ["to", "from"] as const) {
    // The abort happens in each phase of the move. Another test kills the command itself.
    for (let last = 1, isDone = false; !isDone; last *= 2) {
      const interrupt = new AbortController();
      let steps = 0;
      const onProgress = () => void (++steps === last && interrupt.abort(new Error("interrupted")));
      const moving = world.move(direction, { signal: interrupt.signal, onProgress });
      isDone = await moving.then(() => true, (error) => {
        assert.equal(error.message, "interrupted");
        return false;
      });
      if (isDone) assert.ok(last > 6, "every table was copied and compared");
      else if (direction === "to") assert.deepEqual(await world.filled(), {});
      else assert.deepEqual(world.files(), []);
    }
    if (direction === "to") {
      assert.deepEqual(await Deno.readFile(world.directories.databaseFile), source);
      // The counters show that the repeated move copied the rows.
      world.removeFile();
    }
  }
});

test("a lost connection is reported in one sentence, and the move leaves nothing behind", async (world) => {
  await fillLittle(world.directories.databaseFile);
  for (const direction of ["to", "from"] as const) {
    let cut: Promise<unknown> | undefined;
    const moving = world.move(direction, {
      onProgress: () =>
        void (cut ??= world.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'inkling move-history'",
        )),
    });
    await assert.rejects(moving, {
      name: "StorageUnavailable",
      message:
        /^Cannot use postgres:\/\/inkling@127\.0\.0\.1:\d+\/test_\w+: [a-z ]+( or started)?$/,
    });
    await cut;
    if (direction === "to") {
      assert.deepEqual(await world.filled(), {});
      await world.move("to");
      world.removeFile();
    } else {
      assert.deepEqual(world.files(), []);
      await world.move("from");
    }
  }
});

test("a lost answer to the commit is reported, and the next attempt shows the outcome", async (world) => {
  await fillLittle(world.directories.databaseFile);
  const url = new URL(world.address);
  await using proxy = openCuttingProxy(Number(url.port));
  url.port = `${proxy.port}`;
  const onProgress = () => proxy.loseAnswerOf("COMMIT");
  const moving = world.move("to", { address: url.href, onProgress });
  const refusal = /broke off at the very end: whether the history is there is not known/;
  await assert.rejects(moving, refusal);
  await assert.rejects(world.move("to"), /has a history already/);
});

test("errors about servers, databases and addresses do not contain the password", async (world) => {
  const url = new URL(world.address);
  const at = (rest: string) => `postgres://inkling:secret@${rest}`;
  // The tests of PostgresDatabase.open() cover the other invalid addresses.
  const wrong = [
    [at(`${url.host}/missing`), /there is no database of this name/],
    [`${at(url.host)}/x?password=secret`, /password stands before the \?/],
    ["secret", /must be an address such as/],
  ] as const;
  for (const [address, sentence] of wrong) {
    for (const direction of ["to", "from"] as const) {
      world.removeFile();
      if (direction === "to") await fillLittle(world.directories.databaseFile);
      await assert.rejects(world.move(direction, { address }), (error: Error) => {
        assert.match(error.message, sentence);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
      assert.ok(!world.files().includes("inkling.db.new"));
    }
  }
  await fillLittle(world.directories.databaseFile);
  const address = world.address.replace("inkling@", "inkling:secret@") + "?application_name=x";
  const moved = await world.move("to", { address });
  assert.doesNotMatch(JSON.stringify(moved), /secret/);
  assert.equal(moved.setting, `${world.address}?application_name=x`);
});

test("histories of other versions are refused with the remedy", async (world) => {
  const { databaseFile } = world.directories;
  await fillLittle(databaseFile);
  await world.move("to");
  const newest = "(SELECT max(version) FROM inkling.schema_steps)";
  const step = await world.query(
    `DELETE FROM inkling.schema_steps WHERE version = ${newest} RETURNING version`,
  );
  // The refused move must not change the database, which a service of the older version may use.
  await assert.rejects(world.move("to"), /has a history already/);
  assert.notDeepEqual(await world.query(`SELECT ${newest} AS version`), step);
  {
    using db = SqliteDatabase.open(databaseFile);
    db.run("PRAGMA user_version = 1");
  }
  const refusal = /inkling\.db: it was written by an older Inkling\. Start the service once/;
  await assert.rejects(world.move("to"), refusal);
  world.removeFile();
  await world.query("INSERT INTO inkling.schema_steps (version) VALUES (1000)");
  await assert.rejects(world.move("from"), /it was written by a newer Inkling\. Update/);
  await world.query("DELETE FROM inkling.schema_steps WHERE version > 1");
  await assert.rejects(world.move("from"), /it was written by an older Inkling/);
}, createBarePostgres);

test("a database whose encoding lacks characters is refused", async (world) => {
  await fillLittle(world.directories.databaseFile);
  const name = `${new URL(world.address).pathname.slice(1)}_latin`;
  await world.query(`CREATE DATABASE ${name} ENCODING LATIN1 LOCALE 'C' TEMPLATE template0`);
  try {
    const address = `${world.address}_latin`;
    const refusal = /its encoding is LATIN1.+createdb --encoding=UTF8/;
    await assert.rejects(world.move("to", { address }), refusal);
    await using client = await openClient(address);
    const { rows } = await client.query("SELECT to_regnamespace('inkling') AS made");
    assert.deepEqual(rows, [{ made: null }]);
  } finally {
    await world.query(`DROP DATABASE ${name} WITH (FORCE)`);
  }
});
