// Programs that are asked for their version.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { requireVersion } from "../../../cli/update/version_answer.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";
import { standIn } from "./release_server.ts";

/** Writes its process id to a file beside it and never answers. */
const SILENT = '#!/bin/sh\necho $$ > "${0%/*}/pid.new"\nmv "${0%/*}/pid.new" "${0%/*}/pid"\n' +
  "exec sleep 600\n";

/** A command that runs this script. */
async function writeProgram(dir: string, text: string): Promise<string[]> {
  const path = join(dir, "program");
  await Deno.writeTextFile(path, text);
  return ["sh", path];
}

/** The silent program, once it runs; disposing ends it where it still does. */
class RunningProgram implements Disposable {
  readonly #pid: number;

  private constructor(pid: number) {
    this.#pid = pid;
  }

  static async start(dir: string): Promise<RunningProgram> {
    const file = join(dir, "pid");
    await until(() => existsSync(file), "the program is started");
    return new RunningProgram(Number(await Deno.readTextFile(file)));
  }

  get isRunning(): boolean {
    return this.#signal("SIGCONT");
  }

  [Symbol.dispose](): void {
    this.#signal("SIGKILL");
  }

  #signal(signal: Deno.Signal): boolean {
    try {
      Deno.kill(this.#pid, signal);
      return true;
    } catch {
      // There is no such process any more.
      return false;
    }
  }
}

/** Starts to ask; `end` waits until that is over, and fails where it never is. */
function startAsking(
  program: readonly string[],
  options: { clock: TestClock; signal: AbortSignal },
): { end: () => Promise<unknown> } {
  let end: { reason: unknown } | undefined;
  requireVersion(program, { version: "1.3.0", ...options })
    .then(() => end = { reason: undefined }, (reason) => end = { reason });
  return {
    async end() {
      await until(() => end !== undefined, "the question is over");
      return end?.reason;
    },
  };
}

Deno.test("requireVersion() ends a program that does not answer within a minute", async () => {
  await withTempDir(async (dir) => {
    const clock = new TestClock();
    const { signal } = new AbortController();
    const asking = startAsking(await writeProgram(dir, SILENT), { clock, signal });
    using program = await RunningProgram.start(dir);
    await clock.advance(59_999);
    assert.ok(program.isRunning);
    await clock.advance(1);
    assert.match(
      String(await asking.end()),
      /Inkling 1\.3\.0 does not start here: No answer within 60 s/,
    );
    assert.ok(!program.isRunning);
    assert.equal(clock.sleeping, 0);
  });
});

Deno.test("requireVersion() ends the program when it is interrupted, and gives the interruption's reason", async () => {
  await withTempDir(async (dir) => {
    const reason = new Error("Ctrl+C");
    const interruption = new AbortController();
    const { signal } = interruption;
    const asking = startAsking(await writeProgram(dir, SILENT), { clock: new TestClock(), signal });
    using program = await RunningProgram.start(dir);
    interruption.abort(reason);
    assert.equal(await asking.end(), reason);
    assert.ok(!program.isRunning);
  });
});

Deno.test("requireVersion() waits for a program that is still open for writing", async () => {
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
      // Some systems start a program that is being written.
      await until(() => isOver || clock.awaits(50), "the program is busy, or has answered");
    } finally {
      writer.close();
    }
    await clock.advance(50);
    assert.equal(await answered, undefined);
  });
});
