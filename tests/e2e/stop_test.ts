// The stop sequence against a real process that does not want to go. Its waits pass fifty times faster.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Clock } from "../../cli/app.ts";
import { systemProcesses } from "../../cli/processes.ts";
import { stopService } from "../../cli/stop_sequence.ts";
import { SystemClock } from "../../runtime/clock.ts";
import { openSocketClient } from "../../server/client.ts";

const SPEED = 50;
const real = new SystemClock();
const fast: Clock = {
  now: () => real.now() * SPEED,
  sleep: (ms, signal) => real.sleep(ms / SPEED, signal),
};

/** Answers as the service does, and neither a shutdown nor SIGTERM makes it go. */
const STUBBORN = `
  Deno.addSignalListener("SIGTERM", () => {});
  Deno.serve({ path: Deno.args[0], onListen: () => console.log("ready") }, (request) =>
    Response.json(new URL(request.url).pathname === "/info" ? { pid: Deno.pid } : { message: "shutting down" }));
`;

Deno.test("stop tells success of a process that ignores the request and SIGTERM only when it is gone", async () => {
  const stateDir = await Deno.makeTempDir({ prefix: "inkling-" });
  const socketFile = join(stateDir, "service.sock");
  const script = join(stateDir, "stubborn.ts");
  await Deno.writeTextFile(script, STUBBORN);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-net",
      "--allow-read",
      "--allow-write",
      script,
      socketFile,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  try {
    const reader = child.stdout.getReader();
    await reader.read();
    using client = openSocketClient(socketFile);
    const steps: string[] = [];
    const outcome = await stopService({
      client,
      places: {
        stateDir,
        socketFile,
        pidFile: join(stateDir, "inkling.pid"),
        lockFile: join(stateDir, "inkling.lock"),
        logFile: join(stateDir, "inkling.log"),
      },
      processes: systemProcesses,
      clock: fast,
      timeoutMs: 15_000,
      onStep: (text) => steps.push(text),
    });
    assert.deepEqual(outcome, { kind: "stopped", pid: child.pid, by: "SIGKILL" });
    assert.equal(steps.length, 2, "SIGTERM was tried first");
    assert.equal(await systemProcesses.isAlive(child.pid), false);
    await reader.cancel();
  } finally {
    const { signal } = await child.status;
    assert.equal(signal, "SIGKILL");
    await Deno.remove(stateDir, { recursive: true });
  }
});
