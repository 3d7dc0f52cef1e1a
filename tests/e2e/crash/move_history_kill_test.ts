// Tests of kill -9 and Ctrl+C during `inkling move-history`: no partial copy remains, and the next try succeeds.
// @ts-types="@types/pg"
import pg from "pg";
import assert from "node:assert/strict";
import { join } from "node:path";
import { PostgresDatabase } from "../../../runtime/storage/postgres/postgres_database.ts";
import { fillHistory, readAll } from "../../runtime/storage/history/filled_history.ts";
import { createBarePostgres, HAS_POSTGRES, sharePostgres } from "../../support/postgres.ts";
import { createRealHome, untilFound } from "../real_process.ts";

sharePostgres();

/** A table that is copied late and contains a row. */
const LATE = "outbox";

const COMMAND = "datname = current_database() AND application_name = 'inkling move-history'";

Deno.test({
  name: "SIGKILL and SIGINT during move-history change neither database",
  ignore: !HAS_POSTGRES,
  async fn() {
    await using place = await createBarePostgres();
    const { address } = place;
    {
      await using _shaped = await PostgresDatabase.open({ address });
    }
    await using home = await createRealHome();
    const path = join(home.stateDir, "inkling.db");
    await Deno.mkdir(home.stateDir);
    await fillHistory(path);
    const before = readAll(path);
    const filesOfIt = () =>
      [...Deno.readDirSync(home.stateDir)].map(({ name }) => name)
        .filter((name) => name.startsWith("inkling.db"));
    // One connection locks the table, and the other one reads the states of all connections.
    const holder = new pg.Client({ connectionString: address });
    const database = new pg.Client({ connectionString: address });
    await holder.connect();
    await database.connect();
    const count = async (where: string) =>
      (await database.query(`SELECT 1 FROM pg_stat_activity WHERE ${where}`)).rows.length;
    /** Makes the command wait at the late table, and sends it the signal. */
    const endInTheMiddle = async (
      signal: "SIGKILL" | "SIGINT",
      { args, hold, release }: { args: string[]; hold: string; release: string },
    ) => {
      await holder.query(hold);
      const command = await home.spawn(["move-history", ...args]);
      await untilFound(
        "the command at the late table",
        async () => await count(`${COMMAND} AND wait_event_type = 'Lock'`) > 0,
      );
      command.kill(signal);
      const { code, signal: by, stdout, stderr } = await command.output();
      // After SIGINT the command exits with 130 and prints nothing.
      assert.deepEqual([code, by], signal === "SIGINT" ? [130, null] : [137, signal]);
      assert.deepEqual([stdout.length, stderr.length], [0, 0]);
      await holder.query(release);
      await untilFound("the end of its transaction", async () => await count(COMMAND) === 0);
    };
    try {
      await database.query(
        "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END'; " +
          `CREATE TRIGGER hold BEFORE INSERT ON inkling.${LATE} FOR EACH ROW EXECUTE FUNCTION hold()`,
      );
      await endInTheMiddle("SIGKILL", {
        args: ["--to", address],
        hold: "SELECT pg_advisory_lock(7)",
        release: "SELECT pg_advisory_unlock(7)",
      });
      const tables = Object.keys(before).filter((name) => !name.includes(" "));
      for (const name of tables) {
        const { rows } = await database.query(`SELECT 1 FROM inkling."${name}" LIMIT 1`);
        assert.deepEqual(rows, [], name);
      }
      assert.deepEqual(readAll(path), before);
      const into = await home.succeed("move-history", "--to", address);
      assert.ok(into.stdout.endsWith(`\ndatabase: ${address}\n`), into.stdout);

      for (const name of filesOfIt()) await Deno.remove(join(home.stateDir, name));
      for (const signal of ["SIGINT", "SIGKILL"] as const) {
        // REINDEX in an open transaction blocks the command, which reads the table through this index.
        await endInTheMiddle(signal, {
          args: ["--from", address],
          hold: `BEGIN; REINDEX INDEX inkling.${LATE}_pkey`,
          release: "ROLLBACK",
        });
        const left = filesOfIt();
        if (signal === "SIGINT") assert.deepEqual(left, []);
        else assert.ok(!left.includes("inkling.db"), `${left}`);
      }
      const out = await home.succeed("move-history", "--from", address, "--json");
      assert.equal(JSON.parse(out.stdout).to, path);
      assert.deepEqual(readAll(path), before);
      const left = filesOfIt();
      assert.ok(!left.some((name) => name.startsWith("inkling.db.new")), `${left}`);
    } finally {
      await holder.end();
      await database.end();
    }
  },
});
