// Fault: the state directory is read-only.
import assert from "node:assert/strict";
import { createRealHome } from "../../tests/e2e/real_process.ts";
import { programCommand } from "../../tests/support/program.ts";
import { assertNoTrace, type Fault } from "./fault.ts";
import { mount, unlessMountable, unmount } from "../../tests/support/machine/mount.ts";

export const readOnlyState: Fault = {
  name:
    "A read-only state directory ends a start with one sentence and what to do, and is left as it is",
  unavailable: unlessMountable,
  async check() {
    await using home = await createRealHome({ command: programCommand() });
    await home.writeScript("quick", [{ say: "Done." }]);
    await Deno.mkdir(home.stateDir, { mode: 0o700 });
    assert.ok(mount(home.stateDir, "ro"), "a read-only file system");
    try {
      for (const args of [["start"], ["start", "--daemon"], ["run", "quick"]]) {
        const { code, stdout, stderr } = await home.inkling(...args);
        assert.notEqual(code, 0, args.join(" "));
        assert.equal(stdout, "", args.join(" "));
        assert.ok(stderr.includes(home.stateDir), `${args.join(" ")} names the folder: ${stderr}`);
        assert.match(stderr, /INKLING_STATE_DIR|permission|writable|written/i);
        assertNoTrace(stderr);
      }
      assert.deepEqual([...Deno.readDirSync(home.stateDir)], []);
    } finally {
      unmount(home.stateDir);
    }
  },
};
