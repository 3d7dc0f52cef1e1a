// What a restart leaves as it was: figures of a run that goes on.
import assert from "node:assert/strict";
import { TestClock } from "../support/test_clock.ts";
import { createTestWorkspace, toEnd } from "../support/test_workspace.ts";
import { until } from "../support/until.ts";

Deno.test("the duration of a run that is kept over a restart is the time it ran, before and after, and no other", async () => {
  await using place = await createTestWorkspace();
  const steps = [{ say: "Slow but sure.", delay_ms: 5_000 }];
  await place.writeScript("slow", steps, "on_restart: resume");
  const clock = new TestClock();
  let id: number;
  {
    await using runtime = await place.open({ clock });
    ({ id } = await runtime.run("slow", {}));
    await until(() => clock.awaits(5_000), "its model");
    await clock.advance(3_000);
    await runtime.stop({ graceMs: 0 });
    assert.equal((await runtime.getExecution(id)).durationMs, 3_000);
  }
  await clock.advance(3_600_000);
  await using runtime = await place.open({ clock });
  await until(() => clock.awaits(5_000), "its model again");
  await clock.advance(5_000);
  const { status, durationMs } = await toEnd(runtime, id);
  assert.deepEqual([status, durationMs], ["success", 8_000]);
});
