// @ts-types="@types/pg"
import pg from "pg";
import assert from "node:assert/strict";
import { PostgresDatabase } from "../../../runtime/storage/postgres/postgres_database.ts";
import { openWorkspaceBilling } from "../../../runtime/wiring/workspace_billing.ts";
import { CALENDAR_PERIODS } from "../../../runtime/vocabulary/budget_periods.ts";
import { createBarePostgres, withPostgres } from "../../support/postgres.ts";
import { TestClock } from "../../support/test_clock.ts";
import { onSqlite } from "../../support/test_database.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

const log = { write: () => {} };

onSqlite.test("openWorkspaceBilling() opens the workspace's database for a limit in any period and unit", async () => {
  const fields = CALENDAR_PERIODS.map((period) => `per_${period}: 5`);
  for (const limit of [...fields, ...fields.map((one) => `tokens: { ${one} }`)]) {
    await using place = await createTestWorkspace();
    await place.configure(`budget: { ${limit} }\n`);
    const settings = await place.settings();
    await using _opened = await openWorkspaceBilling({ settings, clock: new TestClock(), log });
    assert.ok((await Deno.lstat(settings.directories.databaseFile)).isFile, limit);
  }
});

withPostgres.test("openWorkspaceBilling() does not migrate a shared database, and logs that", async () => {
  await using database = await createBarePostgres();
  const { address } = database;
  await using place = await createTestWorkspace({ shell: { INKLING_DATABASE_URL: address } });
  const settings = await place.settings();
  const open = () => openWorkspaceBilling({ settings, clock: new TestClock(), log });
  const refused = (sentence: RegExp) =>
    assert.rejects(open(), { name: "DatabaseUnusable", message: sentence });
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    await refused(/there is no history yet\. Start a service, which creates it\.$/);
    const { rows: [made] } = await client.query("SELECT to_regnamespace('inkling') AS ours");
    assert.equal(made.ours, null);

    await (await PostgresDatabase.open({ address }))[Symbol.asyncDispose]();
    await (await open())[Symbol.asyncDispose]();

    const newest = "(SELECT max(version) FROM inkling.schema_steps)";
    const { rows: [{ version }] } = await client.query(
      `DELETE FROM inkling.schema_steps WHERE version = ${newest} RETURNING version - 1 AS version`,
    );
    await refused(/an older Inkling\. Start a service of this version, which updates it/);
    const { rows: [left] } = await client.query(`SELECT ${newest} AS version`);
    assert.equal(left.version, version);
  } finally {
    await client.end();
  }
});
