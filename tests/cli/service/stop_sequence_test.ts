import assert from "node:assert/strict";
import { node } from "../../runtime/executions/nodes/fake_nodes.ts";
import { type StopOutcome, stopService } from "../../../cli/service/stop_sequence.ts";
import { createFakeCli, type FakeCli, type FakeProcess } from "../fake_cli.ts";

async function stop(
  cli: FakeCli,
  options: { timeoutMs?: number } = {},
): Promise<{ outcome: StopOutcome; steps: string[]; ms: number }> {
  const steps: string[] = [];
  const places = await cli.app.places();
  const startedAt = cli.clock.now();
  const outcome = await cli.drive(stopService({
    client: cli.app.connect(places),
    places,
    app: cli.app,
    timeoutMs: options.timeoutMs ?? 15_000,
    onStep: (text) => steps.push(text),
  }));
  return { outcome, steps, ms: cli.clock.now() - startedAt };
}

/** Locks the state folder like a live service, and writes a PID file. */
async function holdLock(cli: FakeCli, pidText: string | null): Promise<Disposable> {
  const { lockFile, pidFile } = await cli.app.places();
  const file = await Deno.open(lockFile, { create: true, read: true, write: true });
  await file.lock(true);
  if (pidText !== null) await Deno.writeTextFile(pidFile, pidText);
  return { [Symbol.dispose]: () => file.close() };
}

Deno.test("stopService() sends a request, then SIGTERM, then SIGKILL", async () => {
  const table: [endsOn: FakeProcess["endsOn"][number] | undefined, string[], ms: number][] = [
    ["request", [], 0],
    ["SIGTERM", ["SIGTERM"], 1_000],
    ["SIGKILL", ["SIGTERM", "SIGKILL"], 6_000],
    [undefined, ["SIGTERM", "SIGKILL"], 9_000],
  ];
  for (const [endsOn, signals, leastMs] of table) {
    await using cli = await createFakeCli();
    const process = cli.addProcess(endsOn === undefined ? [] : [endsOn]);
    const { outcome, steps, ms } = await stop(cli, { timeoutMs: 1_000 });
    const kind = endsOn === undefined ? { kind: "survived" } : { kind: "stopped", by: endsOn };
    assert.deepEqual(outcome, { pid: Deno.pid, ...kind });
    assert.deepEqual(process.signals, signals);
    assert.equal(steps.length, signals.length);
    assert.ok(ms >= leastMs, `${endsOn}: ${ms} ms`);
  }
});

Deno.test("stopService() finds no service if nothing answers and no lock is held", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  // The PID file remains after a crash. Another process may have the PID, and must get no signal.
  await Deno.writeTextFile(`${cli.stateDir}/inkling.pid`, "77\n");
  await Deno.writeTextFile(`${cli.stateDir}/inkling.lock`, "");
  const stranger = cli.addProcess(["SIGTERM"], { pid: 77 });
  assert.deepEqual((await stop(cli)).outcome, { kind: "not_running" });
  assert.deepEqual(stranger.signals, []);
});

Deno.test("stopService() uses the PID file of a live service that cannot be reached", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  using _ = await holdLock(cli, "77\n");
  const process = cli.addProcess(["SIGTERM"], { pid: 77 });
  const { outcome, ms } = await stop(cli);
  assert.deepEqual(outcome, { kind: "stopped", pid: 77, by: "SIGTERM" });
  assert.deepEqual(process.signals, ["SIGTERM"]);
  // `stopService` does not wait for an answer, because it could not send a request.
  assert.ok(ms < 5_000);
});

Deno.test("stopService() waits only the given timeout for a silent service", async () => {
  await using cli = await createFakeCli();
  cli.beSilent();
  using _ = await holdLock(cli, "77");
  cli.addProcess(["SIGTERM"], { pid: 77 });
  const { outcome, ms } = await stop(cli, { timeoutMs: 3_000 });
  assert.deepEqual(outcome, { kind: "stopped", pid: 77, by: "SIGTERM" });
  assert.ok(ms >= 8_000 && ms < 10_000, String(ms));
});

Deno.test("stopService() reports an unknown PID", async () => {
  for (const pidText of [null, "", "nonsense", "0", "-1"]) {
    await using cli = await createFakeCli({ isRunning: false });
    using _ = await holdLock(cli, pidText);
    assert.deepEqual((await stop(cli)).outcome, { kind: "unknown_pid" });
  }
});

Deno.test("stop of a node does not list executions of other nodes", async () => {
  await using cli = await createFakeCli();
  cli.addProcess(["request"]);
  cli.runtime.addExecution({ agentId: "elsewhere" });
  cli.runtime.storage = { kind: "postgres", place: "postgres://inkling@db.example/inkling" };
  cli.runtime.nodes.push(node({ isThis: true, runs: 2 }), node({ name: "beta", runs: 1 }));
  assert.equal(await cli.drive(cli.run("stop")), 0);
  assert.equal(
    cli.stderr.text,
    "2 executions of this node: each ends, or continues on another node if its agent has on_restart: resume\n",
  );
});

Deno.test("stop lists the running executions and the longest wait, and counts the resting ones", async () => {
  await using cli = await createFakeCli();
  cli.addProcess(["request"]);
  cli.runtime.addExecution({ agentId: "daily", startedAt: cli.clock.now() - 180_000 });
  cli.runtime.addExecution({ agentId: "done", status: "success" });
  const rest = { until: cli.clock.now() + 7_200_000, reason: "the backup", since: cli.clock.now() };
  cli.runtime.addExecution({ agentId: "rests", rest });
  assert.equal(await cli.drive(cli.run("stop")), 0);
  assert.equal(
    cli.stderr.text,
    "Kept for the next start: 1 resting execution\n" +
      "Execution 1 of daily is running, started 3 min ago\nWaiting up to 15s for the service to end them\n",
  );
});
