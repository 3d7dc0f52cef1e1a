import assert from "node:assert/strict";
import { ApiKeyUnusable, PortUnavailable, type TcpOptions } from "../../../server/mod.ts";
import { createTcpClient } from "../../support/machine/tcp_client.ts";
import { createTestService, type TestService } from "../../support/test_service.ts";
import { sendRaw } from "../raw_http.ts";

/** Starts a service that also listens on a port. */
const withPort = (on: TestService, tcp: Partial<TcpOptions> = {}) =>
  on.start({ tcp: { port: 0, apiKey: "key", ...tcp } });

async function isGone(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => false, () => true);
}

Deno.test("serve() listens on an IPv6 address", async () => {
  await using on = await createTestService();
  const { ports: [port = 0], transports } = await withPort(on, { host: "::1" });
  assert.equal(transports[1], `tcp://[::1]:${port}`);
  using client = createTcpClient({ host: "::1", port, apiKey: "key" });
  assert.deepEqual(await client.health(), { status: "ok" });
  const line = on.runtime.log.lines.find(({ fields }) => fields.path === "/health");
  assert.equal(line?.fields.via, "tcp");
});

Deno.test("serve() reports a port in use, and leaves no listener open", async () => {
  await using on = await createTestService();
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  await assert.rejects(
    withPort(on, { port }),
    new PortUnavailable(
      `Cannot listen on 127.0.0.1:${port}: the port is in use; choose another with --port`,
    ),
  );
  assert.ok(await isGone(on.socketFile));
});

Deno.test("serve() reports hosts and ports that it cannot bind", async () => {
  await using on = await createTestService();
  const table: [Partial<TcpOptions>, RegExp][] = [
    [{ host: "192.0.2.1" }, /^Cannot listen on 192\.0\.2\.1:0: this machine has no such address/],
    [{ host: "no such host" }, /^Cannot listen on no such host:0: ./],
    [{ port: 70_000 }, /a port must be a number from 1 to 65535$/],
  ];
  for (const [tcp, message] of table) {
    await assert.rejects(
      withPort(on, { apiKey: "long enough for other machines", ...tcp }),
      (error) => error instanceof PortUnavailable && message.test(error.message),
    );
  }
});

Deno.test("serve() refuses a key that no header can contain, before it listens", async () => {
  await using on = await createTestService();
  for (const apiKey of ["", " ", "key ", "schlüssel", "a\nb"]) {
    await assert.rejects(withPort(on, { apiKey }), ApiKeyUnusable);
    assert.ok(await isGone(on.socketFile));
  }
  await withPort(on, { apiKey: "two words!" });
});

Deno.test("serve() refuses a short key if other machines can reach the port", async () => {
  await using on = await createTestService();
  for (const host of ["0.0.0.0", "::", "192.0.2.1"]) {
    await assert.rejects(
      withPort(on, { host, apiKey: "fifteen letters" }),
      (error) =>
        error instanceof ApiKeyUnusable &&
        /needs at least 16 characters, .* 15; /.test(error.message),
    );
    assert.ok(await isGone(on.socketFile));
  }
  await withPort(on, { host: "0.0.0.0", apiKey: "sixteen letters!" });
});

Deno.test("serve() checks Host over TCP but not over the socket", async () => {
  await using on = await createTestService();
  on.runtime.http = { hosts: ["proxy.example"], origins: [] };
  const { ports: [port = 0] } = await withPort(on, { host: "localhost" });
  const ask = async (connection: Deno.Conn, host: string) => {
    const request = `GET /health HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
    await connection.write(new TextEncoder().encode(request));
    const text = await new Response(connection.readable).text();
    return Number(text.split(" ")[1]);
  };
  const tcp = async (host: string) => await ask(await Deno.connect({ port }), host);
  assert.equal(await tcp("proxy.example"), 200);
  assert.equal(await tcp("localhost"), 200);
  assert.equal(await tcp("evil.example"), 421);
  const path = on.socketFile;
  assert.equal(await ask(await Deno.connect({ transport: "unix", path }), "evil.example"), 200);
});

Deno.test("serve() with TCP stays alive for a waiting execution", async () => {
  for (const tcp of [{ port: 0, apiKey: "key" }, undefined]) {
    await using on = await createTestService();
    on.runtime.addExecution({ status: "waiting" });
    const service = await on.start({ idleTimeoutMs: 1_000, ...(tcp && { tcp }) });
    await on.clock.advance(10_000);
    const stopped = await isGone(on.socketFile);
    assert.equal(stopped, tcp === undefined);
    assert.equal(await service.shutdown("requested"), stopped ? "idle" : "requested");
  }
});

Deno.test("serve() checks the key before Host and Origin", async () => {
  await using on = await createTestService();
  const { ports: [port = 0] } = await withPort(on, { apiKey: "key" });
  const ask = async (lines: Record<string, string>) => {
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const request = `GET /info HTTP/1.1\r\n${head}connection: close\r\n\r\n`;
    return (await sendRaw(() => Deno.connect({ port }), request)).status;
  };
  const foreign = { host: "localhost", origin: "http://evil.example" };
  for (const lines of [{ host: "evil.example" }, foreign]) {
    for (const wrong of [{}, { "x-api-key": "wrong" }]) {
      assert.equal(await ask({ ...lines, ...wrong }), 401, JSON.stringify(lines));
    }
  }
  assert.equal(await ask({ host: "evil.example", "x-api-key": "key" }), 421);
  assert.equal(await ask({ ...foreign, "x-api-key": "key" }), 403);
});
