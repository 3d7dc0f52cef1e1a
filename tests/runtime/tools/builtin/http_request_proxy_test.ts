// Tests http_request if environment variables name a proxy. The calls are made in a process of its own, because the
// variables are those of a whole process: other tests would send their requests to the proxy, too.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { serve } from "./http_site.ts";

Deno.test("http_request ignores proxy variables, and reaches no closed address", async () => {
  await using proxy = serve();
  await using site = serve();
  const process = fileURLToPath(new URL("./http_request_proxy_process.ts", import.meta.url));
  const flags = [
    "--no-prompt",
    "--no-check",
    "--allow-read",
    "--allow-env",
    "--allow-net",
    "--allow-sys",
  ];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--config", "tests/deno.json", ...flags, process, String(site.port)],
    env: {
      HTTP_PROXY: proxy.origin,
      HTTPS_PROXY: proxy.origin,
      NODE_USE_ENV_PROXY: "1",
      DENO_NO_UPDATE_CHECK: "1",
    },
  }).output();
  const told = new TextDecoder().decode(stdout);
  assert.notEqual(told, "", new TextDecoder().decode(stderr));
  const { refusals, answer } = JSON.parse(told);
  const closed = /http\.deny in config\.yaml closes private addresses/;
  const own = /this is the service's own port/;
  for (const [index, expected] of [closed, own, closed, own].entries()) {
    assert.match(refusals[index], expected);
  }
  assert.match(answer, /it answers/);
  assert.deepEqual(site.seen, [`http://site.test:${site.port}/`]);
  assert.deepEqual(proxy.seen, []);
});
