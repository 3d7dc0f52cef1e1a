// Tests of `--url`, which uses the service at an address.
import assert from "node:assert/strict";
import { createTestApp } from "../../support/test_app.ts";
import { createFakeCli } from "../fake_cli.ts";

Deno.test("--url uses the service there with the key of the named variable", async () => {
  const { app } = createTestApp({ caller: { via: "api", name: "sam", role: "viewer" } });
  const keys: (string | null)[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    keys.push(request.headers.get("x-api-key"), request.headers.get("x-inkling-via"));
    return app.fetch(request);
  });
  await using cli = await createFakeCli({ isRunning: false });
  cli.environment = { MY_KEY: "secret" };
  const url = `http://127.0.0.1:${server.addr.port}`;
  assert.equal(await cli.run("--url", url, "--key-env", "MY_KEY", "whoami", "--json"), 0);
  assert.equal(JSON.parse(cli.stdout.text).name, "sam");
  assert.deepEqual(new Set(keys), new Set(["secret", "terminal"]));
  assert.equal(cli.stderr.text, "");

  assert.equal(await cli.run("--url", url, "--key-env", "MY_KEY", "status", "-q"), 0);
  assert.match(cli.stdout.text, /Inkling is running/);
  assert.equal(await cli.run("--url", url, "--key-env", "MY_KEY", "logs"), 0);
  assert.equal(await cli.run("--url", url, "--key-env", "MY_KEY", "logs", "-f"), 2);
  assert.match(cli.stderr.text, /The service's log is a file on its machine/);
  assert.equal(await cli.run("--url", url, "whoami"), 2);
  assert.match(cli.stderr.text, /Set INKLING_API_KEY to your key for http:\/\/127/);
  assert.equal(await cli.run("--url", url, "stop"), 2);
  assert.match(cli.stderr.text, /"inkling stop" works on this machine only/);
});

Deno.test("--url with http to another machine warns that the key is not encrypted", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.environment = { INKLING_API_KEY: "secret" };
  // Nothing listens at this address, which is not one of this machine by its name.
  assert.equal(await cli.run("--url", "http://0.0.0.0:1", "whoami"), 3);
  assert.match(cli.stderr.text, /^Warning: Your key .* http:\/\/0\.0\.0\.0:1 without encryption/);
  assert.match(cli.stderr.text, /No service answers at http:\/\/0\.0\.0\.0:1/);
  // The own service is not meant, so there is no hint to start it.
  assert.equal(await cli.run("--url", "http://0.0.0.0:1", "status"), 3);
});

Deno.test("--url follows no redirect, so that no other address gets the key", async () => {
  const keys: (string | null)[] = [];
  await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    keys.push(request.headers.get("x-api-key"));
    return Response.json([]);
  });
  const location = `http://127.0.0.1:${other.addr.port}/login`;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(null, { status: 302, headers: { location } }),
  );
  await using cli = await createFakeCli({ isRunning: false });
  cli.environment = { INKLING_API_KEY: "secret" };
  assert.equal(await cli.run("--url", `http://127.0.0.1:${server.addr.port}`, "list"), 1);
  assert.match(
    cli.stderr.text,
    /redirects to http:\/\/127\.0\.0\.1:\d+, which does not get your key/,
  );
  assert.deepEqual(keys, []);
});
