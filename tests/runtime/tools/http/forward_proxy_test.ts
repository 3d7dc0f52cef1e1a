// Tests the hosts that sandboxed programs reach through the proxy, and the hosts that it refuses.
import assert from "node:assert/strict";
import { join } from "node:path";
import { ForwardProxy } from "../../../../runtime/tools/http/forward_proxy.ts";

/** Starts a proxy and a web server on this machine. Host names resolve to this machine or to another address. */
async function open(options: { ownPort?: boolean } = {}) {
  const folder = await Deno.makeTempDir({ prefix: "inkling-test-" });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    return new Response(`${request.method} ${pathname} of ${request.headers.get("host")}`);
  });
  const { port } = server.addr;
  const asked: string[] = [];
  const refused: string[] = [];
  const proxy = new ForwardProxy({
    socketFile: join(folder, "proxy.net"),
    ownPorts: () => options.ownPort ? [port] : [],
    resolveHost: (host) => {
      asked.push(host);
      const address = host === "cloud.example" ? "169.254.169.254" : "127.0.0.1";
      return Promise.resolve([{ address, family: 4 }]);
    },
  });
  return {
    port,
    proxy,
    asked,
    refused,
    admit: (...hosts: string[]) => proxy.admit(hosts, (host) => refused.push(host)),
    async [Symbol.asyncDispose]() {
      proxy[Symbol.dispose]();
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

interface Route {
  socketFile: string;
  credentials: string;
}

/** Sends a request to the proxy and returns the whole answer. Sends `then` when the answer has begun. */
async function say(route: Route, lines: string[], then?: string): Promise<string> {
  using connection = await Deno.connect({ transport: "unix", path: route.socketFile });
  const own = `proxy-authorization: Basic ${btoa(route.credentials)}`;
  const head = [lines[0], own, ...lines.slice(1), "", ""].join("\r\n");
  await connection.write(new TextEncoder().encode(head));
  let answer = "";
  const buffer = new Uint8Array(4096);
  for (let isFirst = true;; isFirst = false) {
    const count = await connection.read(buffer);
    if (count === null) return answer;
    answer += new TextDecoder().decode(buffer.subarray(0, count));
    if (isFirst && then !== undefined) {
      // The write may fail, because a refusal closes the connection.
      await connection.write(new TextEncoder().encode(then)).catch(() => {});
    }
  }
}

Deno.test("ForwardProxy sends requests and opens tunnels to the hosts of a program", async () => {
  await using world = await open();
  const { port } = world;
  const { route } = world.admit("localhost", `127.0.0.1:${port}`);
  const plain = await say(route, [
    `GET http://localhost:${port}/a?b HTTP/1.1`,
    "host: elsewhere.example",
    "accept: */*",
  ]);
  assert.match(plain, /^HTTP\/1\.1 200 /);
  // The proxy uses the host in the request's URL, not the client's Host header.
  assert.match(plain, new RegExp(`GET /a of localhost:${port}$`));
  const inside = "GET /inside HTTP/1.1\r\nhost: me\r\nconnection: close\r\n\r\n";
  const tunnel = await say(route, [`CONNECT 127.0.0.1:${port} HTTP/1.1`], inside);
  assert.match(tunnel, /^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 /);
  assert.match(tunnel, /GET \/inside of me$/);
  assert.deepEqual(world.refused, []);
});

Deno.test("ForwardProxy refuses and reports undeclared hosts of a program", async () => {
  await using world = await open();
  const { route } = world.admit("a.example", "b.example:8443", "*.c.example");
  const hosts = ["other.example:443", "xa.example:80", "a.example.evil.example:80"];
  const ports = ["b.example:443", "c.example:443", "xc.example:443", "127.0.0.1:22"];
  for (const target of [...hosts, ...ports]) {
    const answer = await say(route, [`CONNECT ${target} HTTP/1.1`]);
    assert.match(answer, /^HTTP\/1\.1 403 .*is not among the hosts that this program may reach/s);
  }
  assert.deepEqual(world.asked, []);
  assert.deepEqual(world.refused, [
    ...["other.example", "xa.example", "a.example.evil.example"],
    ...["b.example", "c.example", "xc.example", "127.0.0.1:22"],
  ]);
});

Deno.test("ForwardProxy refuses names that resolve to this machine or to cloud metadata", async () => {
  await using world = await open();
  const { route } = world.admit("a.example", "cloud.example", "169.254.169.254", "metadata");
  const inside = "GET / HTTP/1.0\r\n\r\n";
  const tunnelTo = (target: string) => say(route, [`CONNECT ${target} HTTP/1.1`], inside);
  assert.match(await tunnelTo(`a.example:${world.port}`), /403.*address of this machine/s);
  assert.match(await tunnelTo("cloud.example:80"), /403.*metadata and reserved addresses/s);
  assert.match(await tunnelTo("169.254.169.254:80"), /403.*metadata and reserved addresses/s);
  assert.match(await tunnelTo("metadata:80"), /403.*cloud metadata/s);
});

Deno.test("ForwardProxy never connects to the service's port", async () => {
  await using world = await open({ ownPort: true });
  const { route } = world.admit("localhost", "127.0.0.1");
  for (const host of ["localhost", "127.0.0.1"]) {
    const answer = await say(route, [`CONNECT ${host}:${world.port} HTTP/1.1`]);
    assert.match(answer, /^HTTP\/1\.1 403 .*the service's own port/s);
  }
});

Deno.test("ForwardProxy identifies a program by its password until the program ends", async () => {
  await using world = await open();
  const target = `CONNECT localhost:${world.port} HTTP/1.1`;
  const grant = world.admit("localhost");
  const other = world.admit("other.example");
  assert.match(await say(other.route, [target]), /^HTTP\/1\.1 403 /);
  const forged = { ...grant.route, credentials: "sandbox:" };
  assert.match(await say(forged, [target]), /^HTTP\/1\.1 407 .*proxy-authenticate: Basic/s);
  using open1 = await Deno.connect({ transport: "unix", path: grant.route.socketFile });
  const head = `${target}\r\nproxy-authorization: Basic ${btoa(grant.route.credentials)}\r\n\r\n`;
  await open1.write(new TextEncoder().encode(head));
  const buffer = new Uint8Array(100);
  assert.notEqual(await open1.read(buffer), null);
  grant.close();
  assert.equal(await open1.read(buffer), null);
  assert.match(await say(grant.route, [target]), /^HTTP\/1\.1 407 /);
});

Deno.test("ForwardProxy answers invalid requests and requests for unreachable hosts", async () => {
  await using world = await open();
  const { route } = world.admit("localhost");
  const cases = [
    ...["GET / HTTP/1.1", "nonsense", "GET https://localhost/ HTTP/1.1"],
    ...["GET ftp://localhost/ HTTP/1.1", "CONNECT localhost:99999 HTTP/1.1"],
  ];
  for (const line of cases) assert.match(await say(route, [line]), /^HTTP\/1\.1 400 /);
  assert.match(await say(route, ["CONNECT localhost:1 HTTP/1.1"]), /^HTTP\/1\.1 502 /);
});

Deno.test("ForwardProxy creates a socket that only its owner can use, and removes it", async () => {
  const world = await open();
  const { route: { socketFile } } = world.admit("localhost");
  assert.equal((await Deno.stat(socketFile)).mode! & 0o777, 0o600);
  world.proxy[Symbol.dispose]();
  await assert.rejects(Deno.stat(socketFile), Deno.errors.NotFound);
  await world[Symbol.asyncDispose]();
});
