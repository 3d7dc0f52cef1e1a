// Fault: another program locks the database for longer than the service waits for a lock.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Fault, openWorld, refusalOf } from "./fault.ts";
import { sleep } from "../soak/sleep.ts";

export const lockedDatabase: Fault = {
  name:
    "A database that another program holds refuses new runs in one sentence, and a running one ends when it is free",
  async check() {
    await using world = await openWorld({
      async prepare(home) {
        await home.writeScript("quick", [{ say: "Done." }]);
        await home.writeScript("slow", [{ say: "Slow, but done.", delay_ms: 1_500 }]);
      },
    });
    const { client, home } = world;
    const { execution_id: slow } = await client.run("slow");
    const other = new DatabaseSync(join(home.stateDir, "inkling.db"));
    try {
      other.exec("BEGIN IMMEDIATE");
      assert.match(
        await refusalOf(client.run("quick")),
        /another program holds the database.*Stop that program/,
      );
      // Long enough for the slow run to end while the database is locked.
      await sleep(2_000);
      other.exec("COMMIT");
    } finally {
      other.close();
    }
    const ended = await world.end(slow);
    assert.deepEqual([ended.status, ended.output_data], ["success", "Slow, but done."]);
    assert.equal((await world.run("quick")).status, "success");
    await world.stop();
  },
};
