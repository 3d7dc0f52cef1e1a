// Tests of stopping the real service during runs, with a short timeout.
import assert from "node:assert/strict";
import type { CliApp } from "../../cli/context/app.ts";
import { runCli } from "../../cli/mod.ts";
import { systemProcesses } from "../../cli/context/processes.ts";
import { settle } from "../support/test_clock.ts";
import { until } from "../support/until.ts";
import { createFakeCli, placesIn } from "../cli/fake_cli.ts";
import { createRealHome, isAlive, untilFound } from "./real_process.ts";

Deno.test("stop --timeout shortens the grace period, and runs end as aborted", async () => {
  await using home = await createRealHome();
  await home.writeScript("slow", [{ say: "late", delay_ms: 600_000 }]);
  await home.startService();
  using client = home.client();
  const { pid } = await client.info();
  const { execution_id: id } = await client.run("slow");
  await untilFound("the run", async () => (await client.execution(id)).status === "running");
  const { stdout } = await home.succeed("stop", "--timeout", "1");
  assert.match(stdout, /has stopped \(PID \d+\) with SIGTERM/);
  assert.equal(await isAlive(pid), false);
  const [run] = await home.all<{ status: string; error: string }>(
    "SELECT status, error FROM executions",
  );
  assert.deepEqual({ ...run }, { status: "aborted", error: "Aborted: service stopped" });
});

Deno.test("stop kills a frozen service with SIGKILL and exits with 0", async () => {
  await using home = await createRealHome();
  await home.startService();
  using client = home.client();
  const { pid } = await client.info();
  // The service and the signals are real. Only the ten seconds that `stop` waits pass on a test clock.
  await using cli = await createFakeCli();
  const { clock } = cli;
  const { stateDir } = home;
  const signals: string[] = [];
  const app: CliApp = {
    ...cli.app,
    places: () => Promise.resolve(placesIn(stateDir)),
    connect: () => home.client(),
    processes: {
      ...systemProcesses,
      signal(pid, name) {
        signals.push(`${name} ${pid}`);
        return systemProcesses.signal(pid, name);
      },
    },
  };
  Deno.kill(pid, "SIGSTOP");
  let code: number | undefined;
  const stopping = runCli(["stop", "--timeout", "0.1"], app).then((exit) => code = exit);
  await until(async () => {
    if (code !== undefined) return true;
    // The test clock must not advance while the system removes the killed process.
    const isDying = signals.some((one) => one.startsWith("SIGKILL")) && await isAlive(pid);
    await (isDying ? settle() : clock.advance(500));
    return false;
  }, "it has stopped");
  await stopping;
  assert.equal(code, 0, cli.stderr.text);
  assert.deepEqual(signals, [`SIGTERM ${pid}`, `SIGKILL ${pid}`]);
  assert.equal(
    cli.stderr.text,
    `Process ${pid} has not stopped: sending SIGTERM\nProcess ${pid} has not stopped: sending SIGKILL\n`,
  );
  assert.equal(cli.stdout.text, `Inkling has stopped (PID ${pid}) with SIGKILL\n`);
  assert.equal(await isAlive(pid), false);
});
