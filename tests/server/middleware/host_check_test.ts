import assert from "node:assert/strict";
import { hostCheck } from "../../../server/middleware/host_check.ts";
import { createTestApp } from "../../support/test_app.ts";

function on(options: Partial<Parameters<typeof hostCheck>[0]> = {}) {
  const { app } = createTestApp({
    guards: [hostCheck({ hosts: ["127.0.0.1"], origins: [], ...options })],
  });
  return async (host: string, headers: Record<string, string> = {}) => {
    const url = URL.canParse(`http://${host}/health`) ? `http://${host}/health` : "http://x/health";
    const response = await app.request(url, { headers: { host, ...headers } });
    return response.status;
  };
}

const HOSTS: [what: string, status: number, configured: string[], hosts: string[]][] = [
  ["answers to localhost and to addresses, with and without a port", 200, [], [
    ...["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "10.1.2.3", "[::1]", "[fe80::1]:8080"],
  ]],
  ["refuses every other name", 421, [], [
    ...["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example"],
    ...["xlocalhost", "a b", "localhost/x", "localhost:80:80", "127.0.0.1@evil.example"],
  ]],
  ["answers to the bound host and to http.hosts", 200, ["Box.example", "proxy.example"], [
    ...["box.example", "BOX.example:9000", "proxy.example"],
  ]],
  ["refuses a name below one of http.hosts", 421, ["Box.example"], ["sub.box.example"]],
  ["answers to the ASCII form in which browsers send a Unicode name", 200, ["BÜCHER.example"], [
    ...["xn--bcher-kva.example", "XN--BCHER-KVA.example:8420"],
  ]],
  ["refuses an ASCII name that resembles an allowed Unicode name", 421, ["BÜCHER.example"], [
    "bucher.example",
  ]],
  ["ignores the port of an entry in http.hosts", 200, ["proxy.example:8443"], [
    ...["proxy.example", "proxy.example:8443"],
  ]],
];

for (const [what, status, configured, hosts] of HOSTS) {
  Deno.test(`hostCheck() ${what}`, async () => {
    const ask = on({ hosts: configured });
    for (const host of hosts) assert.equal(await ask(host), status, host);
  });
}

Deno.test("hostCheck() refuses a request without a Host or with another host in its URL", async () => {
  const { app } = createTestApp({ guards: [hostCheck({ hosts: [], origins: [] })] });
  const status = async (url: string, headers: Record<string, string>) =>
    (await app.request(url, { headers })).status;
  assert.equal(await status("http://localhost/health", { host: "localhost" }), 200);
  assert.equal(await status("http://localhost/health", {}), 421);
  assert.equal(await status("http://evil.example/health", {}), 421);
  assert.equal(await status("http://evil.example/health", { host: "localhost" }), 421);
  assert.equal(await status("http://localhost/health", { host: "evil.example" }), 421);
});

Deno.test("hostCheck() refuses a foreign Origin with 403", async () => {
  const ask = on();
  const origins: [string, number][] = [
    ["http://localhost:8080", 200],
    ["http://localhost", 403],
    ["https://localhost:8080", 403],
    ["http://evil.example", 403],
    ["null", 403],
  ];
  for (const [origin, status] of origins) {
    assert.equal(await ask("localhost:8080", { origin }), status, origin);
  }
});

Deno.test("hostCheck() refuses a cross-site request of a browser", async () => {
  const ask = on();
  const sites = { "cross-site": 403, "same-origin": 200, "same-site": 200, none: 200 };
  for (const [site, status] of Object.entries(sites)) {
    assert.equal(await ask("localhost", { "sec-fetch-site": site }), status, site);
  }
});

Deno.test("hostCheck() accepts the origins of http.origins, also across sites", async () => {
  const ask = on({ origins: ["https://Proxy.example/"] });
  const origin = "https://proxy.example";
  assert.equal(await ask("localhost", { origin, "sec-fetch-site": "cross-site" }), 200);
  assert.equal(await ask("localhost", { "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await ask("localhost", { origin: "https://other.example" }), 403);
});

Deno.test("hostCheck() accepts the origin of an app by its own scheme, never `null`", async () => {
  const ask = on({ origins: ["app://Obsidian.md/", "null", "inkling.example:8443", ""] });
  for (const site of [{}, { "sec-fetch-site": "cross-site" }]) {
    for (const origin of ["app://obsidian.md", "app://Obsidian.md"]) {
      assert.equal(await ask("localhost", { origin, ...site }), 200, origin);
    }
    for (
      const origin of [
        "null",
        "",
        "app://obsidian.md.evil.example",
        "inkling.example:8443",
        "app://",
      ]
    ) assert.equal(await ask("localhost", { origin, ...site }), 403, origin);
  }
});

Deno.test("hostCheck() checks the host before the origin", async () => {
  assert.equal(await on()("evil.example", { origin: "http://evil.example" }), 421);
});
