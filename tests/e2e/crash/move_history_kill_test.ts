// kill -9 and Ctrl+C in the middle of "inkling move-history": nothing is half there, and the same command does it then.
// @ts-types="@types/pg"
import pg from "pg";
import assert from "node:assert/strict";
import { join } from "node:path";
import { PostgresDatabase } from "../../../runtime/storage/postgres/postgres_database.ts";
import { fillHistory, readAll } from "../../runtime/storage/history/filled_history.ts";
import { createBarePostgres, HAS_POSTGRES, sharePostgres } from "../../support/postgres.ts";
import { createRealHome, untilFound } from "../real_process.ts";

sharePostgres();

/** A table that comes late, and has a row. */
const LATE = "outbox";

for (const signal of ["SIGKILL", "SIGINT"] as const) {
  Deno.test({
    name:
      `${signal} while a history is moved: the target is as it was, the source too, and the next try is whole`,
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
      // One that holds what the command waits for, and one that looks.
      const holder = new pg.Client({ connectionString: address });
      const database = new pg.Client({ connectionString: address });
      await holder.connect();
      await database.connect();
      try {
        /** Holds the command where it comes to the late table, and ends it there. */
        const endInTheMiddle = async (direction: "to" | "from", hold: string, release: string) => {
          await holder.query(hold);
          const command = await home.spawn(["move-history", `--${direction}`, address]);
          await untilFound("the command at the late table", async () => {
            const { rows } = await database.query(
              "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'inkling move-history' AND wait_event_type = 'Lock'",
            );
            return rows[0];
          });
          command.kill(signal);
          const ended = await command.output();
          // Ctrl+C ends it in order, and says nothing.
          const how = signal === "SIGINT" ? { code: 130, signal: null } : { code: 137, signal };
          assert.deepEqual({ code: ended.code, signal: ended.signal }, how);
          assert.deepEqual([ended.stdout.length, ended.stderr.length], [0, 0]);
          await holder.query(release);
          await untilFound("the end of its transaction", async () => {
            const { rows } = await database.query(
              "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'inkling move-history'",
            );
            return rows.length === 0;
          });
        };
        await database.query(
          "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END'; " +
            `CREATE TRIGGER hold BEFORE INSERT ON inkling.${LATE} FOR EACH ROW EXECUTE FUNCTION hold()`,
        );
        await endInTheMiddle("to", "SELECT pg_advisory_lock(7)", "SELECT pg_advisory_unlock(7)");
        const tables = Object.keys(before).filter((name) => !name.includes(" "));
        for (const name of tables) {
          const { rows } = await database.query(`SELECT 1 FROM inkling."${name}" LIMIT 1`);
          assert.deepEqual(rows, [], name);
        }
        assert.deepEqual(readAll(path), before);
        const into = await home.succeed("move-history", "--to", address);
        assert.ok(into.stdout.endsWith(`\ndatabase: ${address}\n`), into.stdout);

        for (const name of ["inkling.db", "inkling.db-wal", "inkling.db-shm"]) {
          await Deno.remove(join(home.stateDir, name)).catch(() => {});
        }
        // Who reads the table needs its index, who locks it does not.
        await endInTheMiddle("from", `BEGIN; REINDEX INDEX inkling.${LATE}_pkey`, "ROLLBACK");
        const files = [...Deno.readDirSync(home.stateDir)].map(({ name }) => name);
        assert.ok(!files.includes("inkling.db"), `${files}`);
        if (signal === "SIGINT") {
          assert.deepEqual(files.filter((name) => name.startsWith("inkling.db")), []);
        }
        const out = await home.succeed("move-history", "--from", address, "--json");
        assert.equal(JSON.parse(out.stdout).to, path);
        assert.deepEqual(readAll(path), before);
        const left = [...Deno.readDirSync(home.stateDir)].map(({ name }) => name);
        assert.ok(!left.some((name) => name.startsWith("inkling.db.new")), `${left}`);
      } finally {
        await holder.end();
        await database.end();
      }
    },
  });
}
