// Tests an open database during real failures of its server and connections.
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import {
  DatabaseUnreachable,
  LeaseLost,
  StorageUnavailable,
} from "../../../../runtime/database/database.ts";
import { all, enqueue, fenceEnding, get, run } from "../../../../runtime/database/operation.ts";
import { CONNECTION_LIMITS } from "../../../../runtime/storage/postgres/connection.ts";
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import { createBarePostgres, createTestPostgres, withPostgres } from "../../../support/postgres.ts";
import { openClient, startPostgres } from "../../../support/postgres.ts";
import { settle } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { openCuttingProxy } from "./cutting_proxy.ts";
import { saying } from "./sentences.ts";
import { storeExecution } from "./stored_execution.ts";

/** Short limits for tests. Tests for which `silentMs` matters set it themselves. */
const LIMITS = { connectMs: 5_000, checkAfterMs: 500 };

const keep = (key: string) => run("INSERT INTO settings (key, value) VALUES (?, '')", key);
const keys = async (database: PostgresDatabase) => {
  const rows = await database.read(() =>
    all<{ key: string }>("SELECT key FROM settings ORDER BY key")
  );
  return rows.map(({ key }) => key);
};
const unavailable = (sentence: RegExp) => saying(sentence, StorageUnavailable);

/** Runs many changes and reads during the event `happen`. Returns the stored keys and the errors of refused changes. */
async function load(database: PostgresDatabase, happen: () => Promise<void>) {
  const stored: string[] = [];
  const refusals: unknown[] = [];
  let isOver = false;
  const work = async (worker: number) => {
    for (let n = 0; !isOver; n++) {
      const key = `${worker} ${n}`;
      try {
        await database.change("power", () => keep(key));
        stored.push(key);
        await database.read(() => all("SELECT 1 FROM settings"));
      } catch (error) {
        refusals.push(error);
        await delay(20);
      }
    }
  };
  const working = [1, 2, 3, 4].map(work);
  await until(() => stored.length > 20, "changes are stored");
  await happen();
  const before = stored.length;
  await until(() => stored.length > before + 20, "the database continues by itself");
  isOver = true;
  await Promise.all(working);
  return { stored, refusals };
}

withPostgres.test("PostgresDatabase survives restarts of its server", async (t) => {
  // The setting makes each commit wait for the write. A killed server process does not lose writes that the system has
  // buffered.
  await using server = await startPostgres({ settings: ["synchronous_commit=on"] });
  const address = `${server.address}/postgres`;
  const limits = { ...LIMITS, silentMs: 1_000 };
  await using database = await PostgresDatabase.open({ address, connections: 4, limits });

  await t.step(
    "a death: changes are refused, none is lost, and none is applied twice",
    async () => {
      const { stored, refusals } = await load(database, async () => {
        await server.stop("SIGKILL");
        await assert.rejects(database.read(() => all("SELECT 1")), unavailable(/./));
        await server.start();
      });
      for (const error of refusals) unavailable(/./)(error);
      // If a change had been applied twice, the insertion of its key would have failed.
      assert.deepEqual(await keys(database), stored.sort());
    },
  );

  await t.step("a change that a crash has undone is not reported as committed", async () => {
    await database.change("power", () => run("DELETE FROM settings"));
    await using proxy = openCuttingProxy(server.port);
    const through = address.replace(`:${server.port}`, `:${proxy.port}`);
    // These limits are so long that the database does not notice the outage by itself, even if the server restarts slowly.
    const limits = { checkAfterMs: 120_000, silentMs: 120_000 };
    await using cut = await PostgresDatabase.open({ address: through, limits });
    proxy.swallowAt("COMMIT");
    let runs = 0;
    const changing = cut.change("power", function* () {
      runs++;
      yield* keep("mine");
    });
    await until(() => proxy.hasSwallowed, "its end is on the way, and the change is open");
    await server.stop("SIGQUIT");
    await server.start();
    // These transactions reuse the id of the lost transaction.
    for (let n = 0; n < 3; n++) {
      await server.administer(`INSERT INTO inkling.settings VALUES ('${n}', '')`);
    }
    proxy.closeSwallowed();
    await changing;
    assert.equal(runs, 2);
    assert.deepEqual(await keys(database), ["0", "1", "2", "mine"]);
  });
});

/** A database of its own on the shared server, with functions to cause failures. */
interface World {
  address: string;
  database: PostgresDatabase;
  /** Runs a statement on another connection as administrator. */
  administer: (statement: string) => Promise<unknown>;
  endConnections: () => Promise<unknown>;
}

function test(name: string, body: (world: World) => Promise<void>): void {
  withPostgres.test(`PostgresDatabase: ${name}`, async () => {
    await using place = await createTestPostgres();
    const { address } = place;
    const limits = { ...LIMITS, silentMs: 1_000 };
    await using database = await PostgresDatabase.open({ address, connections: 4, limits });
    await using client = await openClient(address);
    const administer = (statement: string) => client.query(statement);
    const endConnections = () => administer(END_CONNECTIONS);
    await body({ address, database, administer, endConnections });
  });
}

/** SQL: closes all connections, so that new ones get changed settings. */
const END_CONNECTIONS =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'inkling' " +
  "AND datname = current_database()";

test("pg_terminate_backend: work continues on new connections", async ({ database, endConnections }) => {
  const { stored, refusals } = await load(database, async () => {
    for (let n = 0; n < 5; n++) await endConnections();
  });
  for (const error of refusals) unavailable(/./)(error);
  assert.deepEqual(await keys(database), stored.sort());
});

test("a cancelled statement and a full disk are reported, and change nothing", async ({ database, administer }) => {
  const changing = database.change("power", function* () {
    yield* keep("cancelled");
    yield* get("SELECT pg_sleep(60)");
  });
  const cancel =
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' " +
    "AND pid <> pg_backend_pid() AND datname = current_database()";
  let isOver = false;
  const cancelling = until(async () => {
    await administer(cancel);
    return isOver;
  }, "it is cancelled");
  const refusal = /: a statement was cancelled there, by a person or by its statement_timeout\./;
  await assert.rejects(changing.finally(() => isOver = true), unavailable(refusal));
  await cancelling;
  assert.deepEqual(await keys(database), []);

  await administer(
    "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS " +
      "'BEGIN RAISE ''No space left on device'' USING ERRCODE = ''disk_full''; END'; " +
      "CREATE TRIGGER full_disk BEFORE INSERT ON inkling.settings EXECUTE FUNCTION refuse()",
  );
  const full = unavailable(/: its disk is full\. Free some space there\.$/);
  await assert.rejects(database.change("power", () => keep("x")), full);
  assert.deepEqual(await keys(database), []);
  await administer("DROP TRIGGER full_disk ON inkling.settings");
  await database.change("power", () => keep("x"));
  assert.deepEqual(await keys(database), ["x"]);
});

withPostgres.test("PostgresDatabase survives a change of a table by another node", async () => {
  // A bare database, because the test changes the tables, which other tests reuse.
  await using place = await createBarePostgres();
  await using database = await PostgresDatabase.open(place);
  await using machine = await PostgresDatabase.open(place);
  const read = () => database.read(() => all("SELECT * FROM settings"));
  await read();
  await machine.change("power", () => run("ALTER TABLE settings ADD COLUMN more TEXT"));
  assert.deepEqual(await read(), []);
});

test("a wait for a free connection ends with an error that names the setting", async ({ address }) => {
  const limits = { connectMs: 300, checkAfterMs: 100 };
  await using narrow = await PostgresDatabase.open({ address, connections: 1, limits });
  const slow = narrow.read(() => get("SELECT pg_sleep(1.5)"));
  const refusal =
    /: its 1 connections are all in use, and none came free in 0\.3 s\. Raise database_connections/;
  await assert.rejects(narrow.read(() => all("SELECT 1")), unavailable(refusal));
  // The server works on this statement for longer than the limit for silent clients.
  await slow;
});

withPostgres.test("PostgresDatabase does not wait for a dead connection", async (t) => {
  await using place = await createTestPostgres();
  const port = Number(new URL(place.address).port);
  await using proxy = openCuttingProxy(port);
  const address = place.address.replace(`:${port}`, `:${proxy.port}`);
  const limits = { connectMs: 1_500, checkAfterMs: 300 };
  await using database = await PostgresDatabase.open({ address, limits });
  await using direct = await PostgresDatabase.open(place);

  await t.step("during work: changes are refused, then work continues", async () => {
    proxy.swallow();
    const sentence = unavailable(/: it does not answer\. Check the network/);
    await Promise.all([
      assert.rejects(database.change("power", () => keep("swallowed")), sentence),
      assert.rejects(database.read(() => all("SELECT 1")), sentence),
      assert.rejects(database.readBytes(), sentence),
    ]);
    proxy.passNew();
    await database.change("power", () => keep("passed"));
    assert.deepEqual(await keys(direct), ["passed"]);
  });

  await t.step("a stop does not wait", async () => {
    const leaving = await PostgresDatabase.open({ address });
    await leaving.read(() => all("SELECT 1"));
    proxy.swallow();
    const asked = assert.rejects(
      leaving.change("power", () => keep("too late")),
      DatabaseUnreachable,
    );
    // The statement has been sent. abortAll() must reject it at once, without waiting for an answer.
    await settle();
    leaving.abortAll("Cannot use it: it does not answer.");
    await asked;
    await assert.rejects(leaving.read(() => all("SELECT 1")), DatabaseUnreachable);
    await leaving[Symbol.asyncDispose]();
    proxy.passNew();
  });

  await t.step("one dead connection: the change is made once on another connection", async () => {
    for (const statement of ["BEGIN", "INSERT INTO settings", "COMMIT"]) {
      proxy.swallowAt(statement);
      await database.change("power", () => keep(`at ${statement}`));
    }
    const expected = ["at BEGIN", "at COMMIT", "at INSERT INTO settings", "passed"];
    assert.deepEqual(await keys(direct), expected);
  });

  await t.step("a slow statement is awaited while the server works on it", async () => {
    await database.read(() => get("SELECT pg_sleep(0.6)"));
  });
});

withPostgres.test("a frozen or vanished process does not keep an execution's row locked", async (t) => {
  assert.ok(CONNECTION_LIMITS.silentMs <= 10_000, "longer than a lease");
  await using place = await createTestPostgres();
  const { address } = place;
  const port = Number(new URL(address).port);
  await using proxy = openCuttingProxy(port);
  // These limits ensure that only the server's limits release the row: a frozen process does not check its connection.
  const limits = { connectMs: 3_000, checkAfterMs: 60_000, silentMs: 1_000 };
  const leases = new Map([[1, 1]]);
  const standing = Promise.withResolvers<void>();
  const thaw = Promise.withResolvers<void>();
  const standStill = async () => {
    standing.resolve();
    await thaw.promise;
  };
  await using here = await PostgresDatabase.open({
    address: address.replace(`:${port}`, `:${proxy.port}`),
    node: { instanceId: "here", leases, enqueue: standStill, cancelled: () => {} },
    limits,
  });
  await using there = await PostgresDatabase.open({ address });
  await there.change("power", storeExecution);
  const take = () =>
    there.change("power", function* () {
      yield* get("SELECT set_config('lock_timeout', '60s', true)");
      yield* run("UPDATE executions SET instance_id = 'there', epoch = epoch + 1 WHERE id = 1");
    });
  const giveBack = () =>
    there.change("power", () => run("UPDATE executions SET instance_id = 'here', epoch = 1"));

  await t.step("a process freezes between two statements", async () => {
    const changing = here.change("power", function* () {
      yield* fenceEnding(1);
      yield* enqueue({ id: 1, agentId: "a", parentExecutionId: null });
      yield* run("INSERT INTO frames (execution_id, event, payload) VALUES (1, 'ai', '{}')");
    });
    const refused = assert.rejects(changing, LeaseLost);
    await standing.promise;
    await take();
    thaw.resolve();
    await refused;
    assert.deepEqual(await there.read(() => all("SELECT 1 FROM frames")), []);
  });

  await t.step("a process vanishes from the network", async () => {
    await giveBack();
    const holding = Promise.withResolvers<void>();
    const changing = here.change("power", function* () {
      yield* fenceEnding(1);
      holding.resolve();
      proxy.swallow();
      yield* run("INSERT INTO frames (execution_id, event, payload) VALUES (1, 'ai', '{}')");
    });
    const refused = assert.rejects(changing, unavailable(/./));
    await holding.promise;
    await take();
    proxy.closeSwallowed();
    await refused;
    proxy.passNew();
    assert.deepEqual(await there.read(() => all("SELECT 1 FROM frames")), []);
  });

  await t.step("a process stops reading the server's answers", async () => {
    await giveBack();
    const holding = Promise.withResolvers<void>();
    const changing = here.change("power", function* () {
      yield* fenceEnding(1);
      holding.resolve();
      proxy.stopReading();
      yield* all("SELECT repeat('x', 8000) FROM generate_series(1, 4000)");
    });
    const refused = assert.rejects(changing, LeaseLost);
    await holding.promise;
    await take();
    proxy.readAgain();
    await refused;
  });
});
