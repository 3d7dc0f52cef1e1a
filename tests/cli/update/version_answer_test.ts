// Tests of the check that a program prints its version.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../../cli/context/processes.ts";
import { requireVersion } from "../../../cli/update/version_answer.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { standIn } from "./release_server.ts";

/** A shell script that writes its PID to a file and never answers. */
const SILENT = 'echo $$ > "$0.new"; mv "$0.new" "$0"; exec sleep 600';

for (const isInterrupted of [false, true]) {
  const when = isInterrupted ? "when it is interrupted" : "that does not answer within a minute";
  Deno.test(`requireVersion() ends a program ${when}`, async () => {
    await withTempDir(async (dir) => {
      const clock = new TestClock();
      const interruption = new AbortController();
      const pidFile = join(dir, "pid");
      let end: { reason: unknown } | undefined;
      requireVersion(["sh", "-c", SILENT, pidFile], {
        ...{ version: "1.3.0", clock, signal: interruption.signal },
      }).then(() => end = { reason: undefined }, (reason) => end = { reason });
      const readPid = () => Deno.readTextFile(pidFile).catch(() => "");
      await until(async () => await readPid() !== "", "the program runs");
      const pid = Number(await readPid());
      if (isInterrupted) interruption.abort("Ctrl+C");
      else {
        await clock.advance(59_999);
        assert.ok(await systemProcesses.isAlive(pid));
        await clock.advance(1);
      }
      await until(() => end !== undefined, "the question is over");
      assert.match(
        String(end?.reason),
        isInterrupted ? /^Ctrl\+C$/ : /Inkling 1\.3\.0 does not start here: No answer within 60 s/,
      );
      assert.equal(await systemProcesses.isAlive(pid), false);
      assert.equal(clock.sleeping, 0);
    });
  });
}

Deno.test("requireVersion() waits until nobody writes to the program file", async () => {
  await withTempDir(async (dir) => {
    const clock = new TestClock();
    const { signal } = new AbortController();
    const program = join(dir, "program");
    await Deno.writeTextFile(program, standIn("1.3.0"));
    await Deno.chmod(program, 0o755);
    const writer = await Deno.open(program, { write: true });
    let isOver = false;
    const answered = requireVersion([program], { version: "1.3.0", clock, signal })
      .then(() => undefined, (error) => error).finally(() => isOver = true);
    try {
      // Some systems start a program while it is written; then there is no wait.
      await until(() => isOver || clock.awaits(50), "the program is busy, or has answered");
    } finally {
      writer.close();
    }
    // A process that another test forks at this moment also has the file open for writing until its program starts.
    await until(async () => {
      if (clock.awaits(50)) await clock.advance(50);
      return isOver;
    }, "the program has answered");
    assert.equal(await answered, undefined);
  });
});
