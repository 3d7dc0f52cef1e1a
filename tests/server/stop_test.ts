// Tests of stopping a service that is in use.
import assert from "node:assert/strict";
import { openSocketClient } from "../../api/client/client.ts";
import { serve, type Service } from "../../server/mod.ts";
import { BODY_TIMEOUT_MS } from "../../api/operations/request_body.ts";
import { fakeAgent } from "../support/fake_agent.ts";
import type { FakeRuntime } from "../support/fake_runtime.ts";
import { createTcpClient } from "../support/machine/tcp_client.ts";
import { TestClock } from "../support/test_clock.ts";
import { IS_POSTGRES } from "../support/test_database.ts";
import { createTestService } from "../support/test_service.ts";
import { createTestWorkspace } from "../support/test_workspace.ts";
import { until } from "../support/until.ts";

/** Advances the clock until the service has finished. Returns the elapsed milliseconds, and fails above `most`. */
async function timeToFinish(
  { service, clock }: { service: Service; clock: TestClock },
  options: { most: number; step?: number },
): Promise<number> {
  const { most, step = 100 } = options;
  const start = clock.now();
  let finished = false;
  const done = service.finished.then(() => finished = true);
  while (!finished) {
    assert.ok(clock.now() - start <= most, `not finished after ${most} ms`);
    await clock.advance(step);
    // A database server answers in real time, not on the manual clock.
    if (IS_POSTGRES) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await done;
  return clock.now() - start;
}

Deno.test("serve() stops forty streams and ten executions within its grace period", async () => {
  await using workspace = await createTestWorkspace();
  await workspace.writeScript("endless", [{ delay_ms: 3_600_000, say: "Never." }]);
  const clock = new TestClock();
  await using runtime = await workspace.open({ clock });
  const service = await serve(runtime, { tcp: { port: 0, apiKey: "key" } });
  using socket = openSocketClient(runtime.directories.socketFile);
  using tcp = createTcpClient({ host: "127.0.0.1", port: service.ports[0] ?? 0, apiKey: "key" });
  const ids: number[] = [];
  for (let n = 0; n < 10; n++) ids.push((await socket.run("endless")).execution_id);
  const clients = [socket, tcp];
  const frames = Array.from(
    { length: 24 },
    (_, n) =>
      Array.fromAsync((clients[n % 2] ?? socket).follow(ids[n % ids.length] ?? 0))
        .then((all) => all.at(-1)),
  );
  const events = Array.from(
    { length: 16 },
    (_, n) => Array.fromAsync((clients[n % 2] ?? socket).events()).then((all) => all.at(-1)),
  );
  await until(async () => (await socket.info()).active_streams === 40, "40 open streams");
  void service.shutdown("signal");
  assert.ok(
    await timeToFinish({ service, clock }, { most: 10_000 }) >= 8_000,
    "runs get their grace",
  );
  for (const last of await Promise.all(frames)) {
    assert.ok(
      last !== undefined && ["complete", "shutdown"].includes(last.event),
      last?.event ?? "",
    );
    if (last.event === "complete") assert.equal(last.payload["error"], "Aborted: service stopped");
    else assert.equal(last.payload["reason"], "signal");
  }
  for (const last of await Promise.all(events)) {
    assert.deepEqual(last, { event: "shutdown", payload: { reason: "signal" } });
  }
  assert.deepEqual(await runtime.countExecutions(), { running: 0, waiting: 0, resting: 0 });
  for (const id of ids) {
    const { status, error } = await runtime.getExecution(id);
    assert.deepEqual([status, error], ["aborted", "Aborted: service stopped"]);
  }
});

Deno.test("a second stop request ends the grace period, and stores the running execution as aborted", async () => {
  await using workspace = await createTestWorkspace();
  await workspace.writeScript("endless", [{ delay_ms: 3_600_000, say: "Never." }]);
  const clock = new TestClock();
  await using runtime = await workspace.open({ clock });
  const service = await serve(runtime);
  using client = openSocketClient(runtime.directories.socketFile);
  const { execution_id: id } = await client.run("endless");
  await until(() => clock.awaits(3_600_000), "its model");
  await client.shutdown();
  void service.shutdown("signal");
  const took = await timeToFinish({ service, clock }, { most: 7_000 });
  assert.ok(took < 8_000);
  assert.equal(await service.finished, "requested");
  const { status, error } = await runtime.getExecution(id);
  assert.deepEqual([status, error], ["aborted", "Aborted: service stopped"]);
});

/** Calls `use` with a service over a fake runtime, and with a connection that has sent only these bytes. */
async function withHalfSent(
  bytes: string,
  use: (on: {
    clock: TestClock;
    runtime: FakeRuntime;
    service: Service;
    connection: Deno.Conn;
  }) => Promise<void>,
): Promise<void> {
  await using on = await createTestService();
  const { clock, runtime } = on;
  runtime.addAgent(fakeAgent("writer"));
  const service = await on.start({ idleTimeoutMs: 60_000 });
  const connection = await Deno.connect({ transport: "unix", path: on.socketFile });
  await connection.write(new TextEncoder().encode(bytes));
  try {
    await use({ clock, runtime, service, connection });
  } finally {
    connection.close();
    void service.shutdown("requested");
    await timeToFinish({ service, clock }, { most: 60_000, step: 1_000 });
  }
}

const HALF_BODY = "POST /agents/writer/run HTTP/1.1\r\nhost: localhost\r\n" +
  "content-type: application/json\r\ncontent-length: 100\r\n\r\n{";

/**
 * Waits until the service reads the body. The timeout of the read is the second sleep, beside the sleep of the idle watch.
 */
async function untilBodyIsRead(clock: TestClock): Promise<void> {
  await until(() => clock.sleeping >= 2, "two sleepers");
}

Deno.test("serve() returns 408 for an endless body", async () => {
  await withHalfSent(HALF_BODY, async ({ clock, runtime, connection }) => {
    await untilBodyIsRead(clock);
    await clock.advance(BODY_TIMEOUT_MS);
    const buffer = new Uint8Array(4_096);
    const read = await connection.read(buffer);
    const text = new TextDecoder().decode(buffer.subarray(0, read ?? 0));
    assert.match(text, /^HTTP\/1\.1 408 /);
    assert.match(text, /\{"detail":"The request body did not arrive in time"\}/);
    assert.equal(runtime.runs.length, 0);
  });
});

Deno.test("serve() does not stay alive for an endless body", async () => {
  await withHalfSent(HALF_BODY, async (on) => {
    await untilBodyIsRead(on.clock);
    assert.ok(await timeToFinish(on, { most: 120_000, step: 5_000 }) >= 60_000);
    assert.equal(await on.service.finished, "idle");
  });
});

Deno.test("serve() stops despite an endless body or head", async () => {
  for (const bytes of [HALF_BODY, HALF_BODY.slice(0, 30)]) {
    await withHalfSent(bytes, async ({ clock, service }) => {
      if (bytes === HALF_BODY) await untilBodyIsRead(clock);
      void service.shutdown("signal");
      await timeToFinish({ service, clock }, { most: 2_200 });
    });
  }
});
