import assert from "node:assert/strict";
import { ApiError, ServiceUnreachable } from "../../api/client/client.ts";
import { serve, SocketUnavailable } from "../../server/mod.ts";
import { fakeAgent } from "../support/fake_agent.ts";
import { createTestService } from "../support/test_service.ts";
import { until } from "../support/until.ts";

async function isGone(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => false, (error) => {
    if (error instanceof Deno.errors.NotFound) return true;
    throw error;
  });
}

Deno.test("serve() never replaces a live socket", async () => {
  await using on = await createTestService();
  await on.start();
  await assert.rejects(
    serve(on.runtime),
    new SocketUnavailable(
      `Cannot listen on ${on.socketFile}: another service already answers there`,
    ),
  );
  assert.deepEqual(await on.client.health(), { status: "ok" });
});

Deno.test("serve() never removes a file that is not a socket", async () => {
  await using on = await createTestService();
  await Deno.mkdir(on.runtime.directories.stateDir);
  await Deno.writeTextFile(on.socketFile, "precious");
  await assert.rejects(serve(on.runtime), SocketUnavailable);
  assert.equal(await Deno.readTextFile(on.socketFile), "precious");
});

Deno.test("serve() refuses runs after POST /shutdown while executions finish", async () => {
  await using on = await createTestService();
  const service = await on.start();
  on.runtime.addAgent(fakeAgent("writer"));
  const { execution_id } = await on.client.run("writer");
  const grace = Promise.withResolvers<void>();
  on.runtime.onStop = () => grace.promise;
  assert.deepEqual(await on.client.shutdown(), { message: "shutting down" });
  const refusal = new ApiError(503, "The service is shutting down");
  await assert.rejects(on.client.run("writer"), refusal);
  const frames = Array.fromAsync(on.client.follow(execution_id));
  on.runtime.append(execution_id, "final_answer");
  on.runtime.setStatus(execution_id, "success");
  assert.deepEqual((await frames).map(({ event }) => event), ["final_answer", "complete"]);
  grace.resolve();
  assert.equal(await service.finished, "requested");
  assert.deepEqual([on.runtime.stops, on.runtime.runs.length], [[8_000], 1]);
  assert.ok(await isGone(on.socketFile));
  await assert.rejects(on.client.health(), ServiceUnreachable);
});

Deno.test("serve() closes and logs the error when the runtime cannot stop", async () => {
  await using on = await createTestService();
  const failure = new Error("disk");
  on.runtime.onStop = () => Promise.reject(failure);
  const service = await serve(on.runtime);
  await assert.rejects(service.shutdown("requested"), failure);
  assert.ok(await isGone(on.socketFile));
});

Deno.test("serve() stops when idle, but not while a stream is open", async () => {
  await using on = await createTestService();
  const service = await on.start({ idleTimeoutMs: 60_000 });
  on.runtime.addExecution();
  const frames = on.client.follow(1);
  const next = frames.next();
  await until(async () => (await on.client.info()).active_streams === 1, "1 open streams");
  await on.clock.advance(600_000);
  assert.equal((await on.client.info()).active_streams, 1);
  on.runtime.setStatus(1, "success");
  assert.equal((await next).value?.event, "complete");
  await frames.return();
  await until(async () => (await on.client.info()).active_streams === 0, "0 open streams");
  await on.clock.advance(120_000);
  assert.equal(await service.finished, "idle");
  assert.ok(await isGone(on.socketFile));
});

Deno.test("serve() stops when idle despite health checks", async () => {
  await using on = await createTestService();
  const service = await on.start({ idleTimeoutMs: 60_000 });
  for (let i = 0; i < 6; i++) {
    await on.client.agents();
    await on.clock.advance(40_000);
  }
  await on.client.health();
  await on.clock.advance(10_000);
  await on.client.info();
  await on.clock.advance(20_000);
  assert.equal(await service.finished, "idle");
});

Deno.test("serve() notices that the reader of a silent stream has left", async () => {
  await using on = await createTestService();
  await on.start();
  on.runtime.addExecution();
  const controller = new AbortController();
  const reason = new Error("enough");
  const frames = on.client.follow(1, { signal: controller.signal });
  const next = frames.next();
  await until(async () => (await on.client.info()).active_streams === 1, "1 open streams");
  controller.abort(reason);
  await assert.rejects(next, reason);
  await until(async () => (await on.client.info()).active_streams === 0, "0 open streams");
  assert.equal(on.runtime.followers, 0);
});

Deno.test("serve() buffers only as much of a log as its slow reader reads", async () => {
  await using on = await createTestService();
  await on.start();
  on.runtime.addExecution();
  for (let n = 0; n < 200; n++) {
    on.runtime.append(1, "ai", { content: "x".repeat(100_000) });
  }
  const connection = await Deno.connect({ transport: "unix", path: on.socketFile });
  const request = "GET /executions/1/stream HTTP/1.1\r\nhost: localhost\r\n\r\n";
  await connection.write(new TextEncoder().encode(request));
  await connection.read(new Uint8Array(1_000));
  for (let n = 0; n < 50; n++) await on.client.health();
  const { handedOut } = on.runtime;
  assert.ok(handedOut < 60, `${handedOut} frames left the log`);
  connection.close();
  await until(async () => (await on.client.info()).active_streams === 0, "0 open streams");
});

Deno.test("serve() answers no request before it has read the database", async () => {
  await using on = await createTestService();
  const failure = new Error("the database is away");
  on.runtime.listAgents = () => Promise.reject(failure);
  await assert.rejects(serve(on.runtime), failure);
  assert.ok(await isGone(on.socketFile));
});
