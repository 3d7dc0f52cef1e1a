// Tests the TCP port while the service still starts.
import assert from "node:assert/strict";
import { EarlyPort } from "../../server/early_port.ts";
import { PortUnavailable, serve } from "../../server/mod.ts";
import { createTestService } from "../support/test_service.ts";

const TCP = { port: 0, apiKey: "key" };
const KEY = { headers: { "X-API-Key": TCP.apiKey } };

async function openEarly() {
  const on = await createTestService();
  const { runtime } = on;
  const port = new EarlyPort(TCP, runtime);
  const client = Deno.createHttpClient({});
  return {
    runtime,
    port,
    request: (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${port.listener.port}${path}`, { ...init, client }),
    async [Symbol.asyncDispose]() {
      client.close();
      await port[Symbol.asyncDispose]();
      await on[Symbol.asyncDispose]();
    },
  };
}

Deno.test("The port answers health checks before the runtime is open, and then all requests that waited", async () => {
  await using early = await openEarly();
  const { runtime, port, request } = early;
  const waiting = [
    request("/agents", KEY),
    request("/agents"),
    request("/health", { headers: { Origin: "https://evil.example" } }),
    request("/health", { method: "POST" }),
  ];
  const health = await request("/health");
  assert.deepEqual([health.status, await health.json()], [200, { status: "ok" }]);
  const service = await serve(runtime, { tcp: TCP, port });
  const answers = await Promise.all(waiting);
  assert.deepEqual(answers.map(({ status }) => status), [200, 401, 403, 405]);
  await Promise.all(answers.map((answer) => answer.body?.cancel()));
  assert.deepEqual(await (await request("/health")).json(), { status: "ok" });
  assert.equal(service.ports[0], port.listener.port);
  await service.shutdown("requested");
  await assert.rejects(request("/health"), TypeError);
});

Deno.test("A failed start answers the requests that waited with 503 and closes the port", async () => {
  await using early = await openEarly();
  const { port, request } = early;
  const waiting = request("/agents", KEY);
  await (await request("/health")).body?.cancel();
  await port[Symbol.asyncDispose]();
  const answer = await waiting;
  assert.deepEqual(
    [answer.status, await answer.json()],
    [503, { detail: "The service could not start" }],
  );
  await assert.rejects(request("/health"), TypeError);
});

Deno.test("A port in use is refused before the runtime is opened", async () => {
  await using early = await openEarly();
  const { runtime, port } = early;
  assert.throws(
    () => new EarlyPort({ ...TCP, port: port.listener.port }, runtime),
    PortUnavailable,
  );
});
