// Fault: the disk is full while agents run, and has space again later.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Fault, openWorld, refusalOf } from "./fault.ts";
import { mount, unlessMountable, unmount } from "../../tests/support/machine/mount.ts";
import { sleep } from "../soak/sleep.ts";

const DISK = "size=16m";
const CHUNK = new Uint8Array(64 * 1_024);

export const fullDisk: Fault = {
  name:
    "A full disk refuses new runs in one sentence, keeps the end of a running one, and needs no restart",
  unavailable: unlessMountable,
  async check() {
    await using world = await openWorld({
      async prepare(home) {
        await Deno.mkdir(home.stateDir, { mode: 0o700 });
        assert.ok(mount(home.stateDir, DISK), "the small file system");
        await home.writeScript("quick", [{ say: "Done." }]);
        await home.writeScript("slow", [{ say: "Slow, but done.", delay_ms: 3_000 }]);
      },
    });
    const { client, home: { stateDir } } = world;
    try {
      const before = await world.run("quick");
      const { execution_id: slow } = await client.run("slow");
      const filler = join(stateDir, "filler");
      await fill(filler);
      const refusal = await refusalOf(client.run("quick"));
      assert.match(refusal, /disk that holds the state directory is full/);
      assert.equal((await client.execution(before.id)).status, "success");
      // Long enough for the run to end while the disk is full.
      await sleep(4_000);
      assert.equal((await client.execution(slow)).status, "running");
      await Deno.remove(filler);
      const ended = await world.end(slow);
      assert.deepEqual([ended.status, ended.output_data], ["success", "Slow, but done."]);
      assert.equal((await world.run("quick")).status, "success");
      await world.stop();
    } finally {
      unmount(stateDir);
    }
  },
};

async function fill(path: string): Promise<void> {
  using file = await Deno.open(path, { create: true, append: true });
  for (let size = CHUNK.length; size >= 1;) {
    try {
      await file.write(CHUNK.subarray(0, size));
    } catch {
      size = Math.floor(size / 2);
    }
  }
}
