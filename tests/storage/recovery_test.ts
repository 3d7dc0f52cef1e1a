import assert from "node:assert/strict";
import { Journal } from "../../runtime/executions/journal.ts";
import { TestClock } from "../support/test_clock.ts";
import { openTestStore } from "../support/test_store.ts";

Deno.test("SqliteRecoveryStore.findAbandoned() names only what another instance left running", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const path = `${dir}/inkling.db`;
    let left: number;
    {
      using store = openTestStore({ path, instanceId: "one" });
      left = (await store.accept()).id;
      const ended = await store.accept();
      await new Journal(ended, { ...store, clock: new TestClock() })
        .finish({ status: "success", error: null, output: "x" });
      assert.deepEqual(await store.recovery.findAbandoned(), []);
    }
    using store = openTestStore({ path, instanceId: "two" });
    await store.accept();
    assert.deepEqual(await store.recovery.findAbandoned(), [left]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
