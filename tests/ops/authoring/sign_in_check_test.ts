// Tests that `validate` and `mcp list` report a server that needs a sign-in before the first run.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../../base/clock.ts";
import { createSignInCheck } from "../../../ops/authoring/sign_in_check.ts";
import { validateWorkspace } from "../../../ops/authoring/workspace_validation.ts";
import { examine } from "../../../ops/doctor/examine.ts";
import { signIn } from "../../../ops/install/server_sign_in.ts";
import { ServerInstaller } from "../../../ops/install/server_installer.ts";
import { AuthorizationServer } from "../../support/machine/authorization_server.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

const NEEDED = "it needs a sign-in: inkling mcp login remote";

Deno.test("validate asks a server once and reports that it needs a sign-in, until there is one", async () => {
  await using place = await createTestWorkspace();
  await using auth = new AuthorizationServer();
  let requests = 0;
  await using resource = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      if (request.method === "POST") requests++;
      return auth.guard(request) ?? Response.json({ jsonrpc: "2.0", id: 1, result: {} });
    },
  );
  const url = `http://127.0.0.1:${resource.addr.port}/mcp`;
  await Deno.mkdir(join(place.agentsDir, "_config"), { recursive: true });
  const define = (entry: Record<string, unknown>) =>
    Deno.writeTextFile(
      join(place.agentsDir, "_config/mcp-servers.json"),
      JSON.stringify({ remote: { url, ...entry } }),
    );
  await define({});
  for (const id of ["one", "two"]) await place.writeScript(id, [{ say: "x" }], "mcp: [remote]");
  const settings = await place.settings();
  const validate = async () => {
    requests = 0;
    const files = await validateWorkspace(settings, undefined, { cwd: place.root });
    return files.flatMap(({ diagnostics }) => diagnostics)
      .filter(({ message }) => message.includes("The MCP server remote"));
  };
  const found = await validate();
  assert.equal(requests, 1);
  assert.equal(found.length, 2);
  for (const { severity, message } of found) {
    assert.equal(severity, "warning");
    assert.ok(message.endsWith(NEEDED), message);
  }
  const { signal } = new AbortController();
  const clock = new SystemClock();
  const open = async (address: string) =>
    void (await (await fetch(await auth.consent(address))).body?.cancel());
  await signIn("remote", { open }, { settings, clock, signal });
  assert.deepEqual(await validate(), []);
  assert.equal(requests, 0);
  const installer = new ServerInstaller({
    settings,
    clock,
    cwd: place.root,
    version: "0.0.0-test",
  });
  assert.deepEqual((await installer.list()).map(({ signIn }) => signIn.state), ["done"]);
  // An entry that declares the sign-in needs no request.
  await installer.signOut("remote");
  assert.deepEqual((await installer.list()).map(({ signIn }) => signIn.state), [undefined]);
  await define({ oauth: { scopes: ["read"] } });
  assert.equal((await validate()).length, 2);
  assert.equal(requests, 0);
  // Doctor reports it once, not at each agent, too.
  const { findings } = await examine(settings, { version: "0.0.0-test", isRunning: true });
  const needed = findings.filter((one) => JSON.stringify(one).includes("sign-in"));
  assert.deepEqual(needed.map(({ subject, remedy }) => [subject, remedy]), [
    ["MCP server remote", "inkling mcp login remote"],
  ]);
  // A server with another kind of key is not asked.
  await define({ headers: { "x-api-key": "0123456789" } });
  assert.deepEqual(await validate(), []);
  assert.equal(requests, 0);
});

Deno.test("the check waits two seconds at most, and reports no server that does not answer", async () => {
  const { promise: answer, resolve } = Promise.withResolvers<Response>();
  let asked = false;
  await using silent = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => {
      asked = true;
      return answer;
    },
  );
  const clock = new TestClock();
  const stateDir = await Deno.makeTempDir({ prefix: "inkling-" });
  const check = createSignInCheck({ database: undefined, directories: { stateDir } }, clock);
  const definition = {
    kind: "endpoint" as const,
    url: `http://127.0.0.1:${silent.addr.port}/mcp`,
    headers: {},
    oauth: { isDeclared: false, grant: "authorization_code" as const },
  };
  const checked = check("remote", definition);
  await until(() => asked && clock.awaits(2_000), "it waits");
  await clock.advance(2_000);
  assert.deepEqual(await checked, []);
  resolve(new Response());
  assert.deepEqual(await check("gone", { ...definition, url: "http://127.0.0.1:1/mcp" }), []);
  await Deno.remove(stateDir, { recursive: true });
});
