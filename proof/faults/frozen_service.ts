// Fault: the system suspends the service for eight seconds.
import assert from "node:assert/strict";
import { type Fault, openWorld } from "./fault.ts";
import { sleep } from "../soak/sleep.ts";

const FROZEN_MS = 8_000;

export const frozenService: Fault = {
  name:
    "A frozen service is reported as silent and then continues: its run ends, no schedule runs twice",
  async check() {
    await using world = await openWorld({
      async prepare(home) {
        await home.writeScript("slow", [{ say: "Slow, but done.", delay_ms: 2_000 }]);
        await home.writeScript(
          "often",
          [{ say: "Tick." }],
          "trigger: { type: schedule, every: 2s }",
        );
      },
    });
    const { client, home, pid } = world;
    const { execution_id: slow } = await client.run("slow");
    Deno.kill(pid, "SIGSTOP");
    try {
      const asked = performance.now();
      const { code, stdout, stderr } = await home.inkling("status");
      assert.equal(code, 3, `${stdout}${stderr}`);
      assert.match(`${stdout}${stderr}`, /does not answer/);
      const left = FROZEN_MS - (performance.now() - asked);
      await sleep(Math.max(0, left));
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    assert.equal((await world.end(slow)).status, "success");
    assert.equal((await home.inkling("status")).code, 0);
    const slots = await client.slots("often", { limit: 100 });
    const times = slots.map(({ scheduled_for }) => scheduled_for);
    assert.equal(new Set(times).size, times.length);
    await world.stop();
  },
};
