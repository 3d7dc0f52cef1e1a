// Tests the check of `doctor` that reads the discovery document of the OpenID provider.
import assert from "node:assert/strict";
import { checkOwner, checkSignIn } from "../../../ops/doctor/sign_in_check.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";

async function problemsOf(
  issuer: string,
  { secret = "s", lines = "" }: { secret?: string; lines?: string } = {},
): Promise<string[]> {
  await using place = await createTestWorkspace({
    config: `public_url: https://inkling.example
sign_in: { issuer: "${issuer}", client_id: inkling, groups: { staff: viewer }${lines} }
`,
    shell: { SIGN_IN_SECRET: secret },
  });
  return (await checkSignIn(await place.settings())).map(({ problem }) => problem);
}

Deno.test("doctor reports a provider that cannot be reached or has another discovery document", async () => {
  let reply = (_issuer: string): Response => new Response("no", { status: 404 });
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (): Response => reply(issuer),
  );
  const issuer = `http://127.0.0.1:${server.addr.port}`;
  const address = `${issuer}/.well-known/openid-configuration`;
  const whole = (named: string) => ({
    issuer: named,
    ...{ authorization_endpoint: "a", token_endpoint: "b", jwks_uri: "c" },
  });
  assert.deepEqual(await problemsOf(issuer), [`${address} responds with status 404`]);
  reply = () => new Response("<html>");
  assert.deepEqual(await problemsOf(issuer), [
    `${address} is not the document of an OpenID provider`,
  ]);
  reply = () => Response.json(whole("https://other.example"));
  assert.deepEqual(await problemsOf(issuer), [
    `${address} names another issuer: https://other.example`,
  ]);
  reply = (named) => Response.json({ issuer: named, token_endpoint: "b" });
  assert.deepEqual(await problemsOf(issuer), [
    `${address} has no authorization_endpoint and no jwks_uri`,
  ]);
  reply = (named) => Response.json(whole(named));
  assert.deepEqual(await problemsOf(`${issuer}/`), []);
  const lines = ", client_secret_env: SIGN_IN_SECRET";
  assert.deepEqual(await problemsOf(issuer, { lines, secret: "" }), [
    "Nobody can sign in: SIGN_IN_SECRET is not set",
  ]);
  assert.deepEqual(await problemsOf(issuer, { lines }), []);
  const [unreachable = ""] = await problemsOf("http://127.0.0.1:1");
  assert.match(unreachable, /^http:\/\/127\.0\.0\.1:1\/\S+ cannot be read: /);
});

Deno.test("doctor reports that the person on the machine has no name, and the line that gives one", async () => {
  await using place = await createTestWorkspace();
  const [found] = checkOwner(await place.settings());
  assert.match(found?.problem ?? "", /have no name.*neither USER nor LOGNAME is set/);
  assert.match(found?.remedy ?? "", /config\.yaml: service: \{ owner: … \}$/);
  await using named = await createTestWorkspace({ shell: { LOGNAME: "ada" } });
  assert.deepEqual(checkOwner(await named.settings()), []);
  await using configured = await createTestWorkspace({ config: "service: { owner: ada }\n" });
  assert.deepEqual(checkOwner(await configured.settings()), []);
});
