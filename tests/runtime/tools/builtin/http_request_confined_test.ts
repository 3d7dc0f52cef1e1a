// Tests http_request if Deno's flags allow only some names: each name is resolved and checked, and a refusal does not end
// the process.
import assert from "node:assert/strict";
import type { HttpPolicy } from "../../../../runtime/tools/http/http_policy.ts";
import { failureOf } from "../files/sandbox_fixture.ts";
import { ask as askSite, serve as serveAt } from "./http_site.ts";

/** Permissions for a host name, but not for its address. */
const ONE_NAME: Deno.TestDefinition["permissions"] = {
  net: ["localhost"],
  read: true,
  write: true,
  env: true,
  sys: true,
};

const serve = () =>
  serveAt(
    ({ url }) =>
      new URL(url).pathname === "/away"
        ? new Response(null, { status: 302, headers: { location: "http://elsewhere.test/" } })
        : new Response("it answers"),
    "localhost",
  );

const ask = (url: string, policy: Partial<HttpPolicy> = {}) => askSite({ url }, { policy });

Deno.test({
  name: "http_request reaches a host that Deno's flags allow by name only",
  permissions: ONE_NAME,
  async fn() {
    await using site = serve();
    assert.match(await ask(`http://localhost:${site.port}/`), /it answers/);
  },
});

Deno.test({
  name: "http_request checks the addresses of a name before it connects",
  permissions: ONE_NAME,
  async fn() {
    await using site = serve();
    for (const scheme of ["http", "https"]) {
      const url = `${scheme}://localhost:${site.port}/`;
      const refusals = await Promise.all([
        failureOf(ask(url, { deny: ["127.0.0.1"] })),
        failureOf(ask(url, { ownPorts: () => [site.port] })),
        failureOf(ask(url, { deny: ["private"] })),
      ]);
      const expected = /Cannot request localhost: http\.deny in config\.yaml closes 127\.0\.0\.1/;
      assert.match(refusals[0], expected);
      assert.match(refusals[1], /Cannot request localhost: this is the service's own port/);
      assert.match(refusals[2], /Cannot request localhost: .* closes private addresses/);
    }
    assert.equal(site.seen.length, 0);
  },
});

Deno.test({
  name: "http_request reports the missing flag and setting for other hosts",
  permissions: ONE_NAME,
  async fn() {
    await using site = serve();
    const refused = (host: string) =>
      `Cannot request ${host}: Inkling was started without --allow-net=${host}. Name the host under http.allow in ` +
      "config.yaml, then start it again with the flags that " +
      '"inkling permissions" prints for config.yaml and the agents.';
    const cases = ["elsewhere.test", "8.8.8.8", "[2001:4860:4860::8888]", "under_score.test"];
    for (const host of cases) {
      for (const scheme of ["http", "https"]) {
        assert.equal(await failureOf(ask(`${scheme}://${host}/`)), refused(host));
      }
    }
    const found = await failureOf(ask(`http://localhost:${site.port}/away`));
    assert.equal(found, refused("elsewhere.test"));
  },
});
