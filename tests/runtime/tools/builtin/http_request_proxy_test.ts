// Tests http_request if environment variables name a proxy. The tests are in a file of their own, because Deno reads these
// variables only once.
import assert from "node:assert/strict";
import type { HttpPolicy } from "../../../../runtime/tools/http/http_policy.ts";
import { failureOf } from "../files/sandbox_fixture.ts";
import { ask as askSite, serve } from "./http_site.ts";

const ask = (url: string, policy: Partial<HttpPolicy> = {}) =>
  askSite({ url }, {
    policy,
    options: { resolveHost: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]) },
  });

Deno.test("http_request ignores proxy variables, and reaches no closed address", async () => {
  await using proxy = serve();
  await using site = serve();
  const variables = {
    // The variables are those of the whole process: other tests that run now must reach their servers.
    NO_PROXY: "127.0.0.1,localhost,::1",
    HTTP_PROXY: proxy.origin,
    HTTPS_PROXY: proxy.origin,
    NODE_USE_ENV_PROXY: "1",
  };
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    const names = [`http://site.test:${site.port}/`, `https://site.test:${site.port}/`];
    for (const url of names) {
      const message = await failureOf(ask(url, { deny: ["private"] }));
      assert.match(message, /http\.deny in config\.yaml closes private addresses/);
      const sentence = await failureOf(ask(url, { ownPorts: () => [site.port] }));
      assert.match(sentence, /this is the service's own port/);
    }
    assert.match(await ask(`http://site.test:${site.port}/`), /it answers/);
    assert.deepEqual(site.seen, [`http://site.test:${site.port}/`]);
    assert.deepEqual(proxy.seen, []);
  } finally {
    for (const name of Object.keys(variables).reverse()) Deno.env.delete(name);
  }
});

Deno.test({
  name: "http_request uses no proxy if Deno's flags allow only some names",
  permissions: { net: ["localhost", "127.0.0.1"], read: true, write: true, env: true, sys: true },
  async fn() {
    await using site = serve();
    assert.match(await ask(`http://localhost:${site.port}/`), /it answers/);
    assert.deepEqual(site.seen, [`http://localhost:${site.port}/`]);
  },
});
