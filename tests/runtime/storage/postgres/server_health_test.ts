import assert from "node:assert/strict";
import { DatabaseUnusable } from "../../../../runtime/database/database.ts";
import { run } from "../../../../runtime/database/operation.ts";
import { PostgresDatabase } from "../../../../runtime/storage/postgres/postgres_database.ts";
import { SCHEMA, STEPS } from "../../../../runtime/storage/postgres/schema.ts";
import { examineServer } from "../../../../runtime/storage/postgres/server_health.ts";
import { createBarePostgres, openClient, withPostgres } from "../../../support/postgres.ts";

/** A password that no message may contain. */
const PASSWORD = "s3cret-of-the-database";

withPostgres.test("examineServer() describes a usable server, and refuses others without their password", async (t) => {
  await using database = await createBarePostgres();
  const place = database.address;
  const address = place.replace("inkling@", `inkling:${PASSWORD}@`);
  const name = new URL(place).pathname.slice(1);
  const administer = async (statement: string) => {
    await using client = await openClient(address);
    return (await client.query(statement)).rows;
  };
  const refusal = async (wanted: string) => {
    const refused = await examineServer(wanted).catch((error) => error);
    assert.ok(refused instanceof DatabaseUnusable, String(refused));
    assert.doesNotMatch(refused.message, new RegExp(PASSWORD));
    return refused.message;
  };

  await t.step(
    "returns the version of an unused server, and creates nothing there",
    async () => {
      const { version, ...rest } = await examineServer(address);
      assert.match(version, /^\d+/);
      assert.deepEqual(rest, { place, livingNodes: 0 });
      const made = await administer(`SELECT 1 FROM pg_namespace WHERE nspname = '${SCHEMA}'`);
      assert.deepEqual(made, []);
    },
  );

  await t.step("counts the living nodes", async () => {
    await using database = await PostgresDatabase.open({ address });
    const sight = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
    const rows = [["a", "NULL", 0], ["b", "NULL", 14_000], ["c", "NULL", 16_000], ["d", "1", 0]];
    for (const [id, stopped, silent] of rows) {
      await database.change("process", () =>
        run(
          "INSERT INTO instances (id, pid, started_at, stopped_at, name, last_seen) " +
            `VALUES ('${id}', 1, 0, ${stopped}, 'n', ${sight} - ${silent})`,
        ));
    }
    assert.equal((await examineServer(address)).livingNodes, 2);
  });

  await t.step("refuses a database of a newer version", async () => {
    const newer = STEPS.length + 1;
    await administer(`INSERT INTO ${SCHEMA}.schema_steps (version) VALUES (${newer})`);
    const sentence = await refusal(address);
    assert.match(sentence, /newer Inkling \(format .*\)\. Update Inkling on this machine\.$/);
    await administer(`DELETE FROM ${SCHEMA}.schema_steps WHERE version = ${newer}`);
  });

  await t.step("refuses PostgreSQL that is too old", async () => {
    await administer(
      "CREATE FUNCTION public.current_setting(text) RETURNS text LANGUAGE sql AS " +
        "$$ SELECT CASE $1 WHEN 'server_version' THEN '13.9' ELSE '130009' END $$; " +
        `ALTER DATABASE ${name} SET search_path = public, pg_catalog`,
    );
    const expected = `Cannot use ${place}: it is PostgreSQL 13.9. Update it to 14 or newer.`;
    assert.equal(await refusal(address), expected);
  });

  await t.step("explains an unreachable server and its remedy", async () => {
    assert.match(await refusal(`${address}_nowhere`), /no database of this name/);
    const due = /nothing listens there\. Start PostgreSQL/;
    assert.match(await refusal(`postgres://inkling:${PASSWORD}@127.0.0.1:1/x`), due);
  });
});
