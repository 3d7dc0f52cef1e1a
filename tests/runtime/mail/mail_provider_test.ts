// The sign-in of a mail account at a real OpenID provider (the package oidc-provider), and at one that names no organization.
import assert from "node:assert/strict";
import { signIn, type SignInDialog, signOut } from "../../../ops/install/server_sign_in.ts";
import { signInNameOf } from "../../../runtime/vocabulary/sign_in_names.ts";
import { mailOpener } from "../../../runtime/wiring/open_mail.ts";
import { Browser } from "../../server/openid/openid_world.ts";
import { createTestPostgres, HAS_POSTGRES, sharePostgres } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import { HAS_DOVECOT, startSmtp, withDovecot } from "../../support/machine/mail_servers.ts";
import { TestProvider } from "../../support/machine/openid_provider.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace } from "../../support/test_workspace.ts";
import { OAuthWorld } from "./oauth_world.ts";

sharePostgres();

Deno.test("a mail account signs in at an OpenID provider, which renews the token and replaces the refresh token", async () => {
  await using provider = await TestProvider.start({
    callback: "http://127.0.0.1/callback",
    resource: "https://inkling.example",
    secret: "client-secret",
  });
  provider.people.set("ann", { email: "ann@example.com" });
  provider.current = "ann";
  const tokens: string[] = [];
  await using smtp = await startSmtp({ accepts: (token) => tokens.push(token) > 0 });
  await using place = await createTestWorkspace({ shell: { CLIENT_SECRET: "client-secret" } });
  await place.configure(`mail:
  home:
    address: ann@example.com
    imap: 127.0.0.1:9
    smtp: 127.0.0.1:${smtp.port}
    tls: false
    oauth: { issuer: "${provider.issuer}", client_id: inkling, client_secret_env: CLIENT_SECRET, scopes: [openid] }
`);
  const clock = new TestClock(Date.now());
  const options = { settings: await place.settings(), clock };
  const name = signInNameOf("home");
  let callback = "";
  const dialog: SignInDialog = {
    async open(address) {
      ({ address: callback } = await new Browser().open(address));
    },
  };
  const { issuer } = await signIn(name, dialog, {
    ...options,
    signal: AbortSignal.timeout(60_000),
  });
  assert.equal(issuer, provider.issuer);
  assert.match(callback, /^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
  await using resources = new AsyncDisposableStack();
  const accounts = await mailOpener({ ...options, resources })();
  await accounts.checkSending("home");
  for (const _ of [1, 2]) {
    await clock.advance(24 * 3_600_000);
    await accounts.checkSending("home");
  }
  assert.equal(new Set(tokens).size, 3);
  const { wasSignedIn, unrevoked } = await signOut(name, options);
  assert.ok(wasSignedIn);
  // This provider has no endpoint for it.
  assert.equal(unrevoked, `${provider.issuer} revokes no tokens`);
});

withDovecot.test("a document for all organizations names none of them, as Microsoft's does", async () => {
  await using world = await OAuthWorld.create();
  const { auth, place } = world;
  const given = `${auth.issuer}/common/v2.0`;
  const path = `${place.configDir}/config.yaml`;
  const config = await Deno.readTextFile(path);
  await Deno.writeTextFile(path, config.replace(`issuer: ${auth.issuer}`, `issuer: ${given}`));
  let named = `${auth.issuer}/{tenantid}/v2.0`;
  auth.intercept = ({ path }) => {
    if (!path.includes("/.well-known/")) return undefined;
    if (path !== "/common/v2.0/.well-known/openid-configuration") {
      return new Response("no", { status: 404 });
    }
    return Response.json({
      issuer: named,
      authorization_endpoint: `${auth.issuer}/authorize`,
      token_endpoint: `${auth.issuer}/token`,
      jwks_uri: `${auth.issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["pairwise"],
      id_token_signing_alg_values_supported: ["RS256"],
    });
  };
  await world.signIn((answer) => answer.searchParams.delete("iss"));
  assert.equal((await world.signOut()).wasSignedIn, true);
  named = `${auth.issuer}/another/v2.0`;
  await assert.rejects(world.signIn(), /names itself \S+\/another\/v2\.0/);
});

Deno.test({
  name: "nodes with a common key share the sign-in of a mail account, and renew its token once",
  ignore: !HAS_POSTGRES || !HAS_DOVECOT,
  async fn() {
    await using database = await createTestPostgres();
    const key = new Uint8Array(32).fill(7).toBase64();
    await using world = await OAuthWorld.create("", {
      INKLING_DATABASE_URL: database.address,
      INKLING_TOKEN_KEY: key,
    });
    const { place, auth, clock } = world;
    await (await place.open())[Symbol.asyncDispose]();
    await world.signIn();
    await assert.rejects(Deno.stat(`${place.stateDir}/mcp-tokens`), Deno.errors.NotFound);
    const nodes = [await world.accounts(), await world.accounts()];
    await clock.advance(3_000_000);
    let isDone = false;
    const done = Promise.all(nodes.map((node) => node.checkSending("home")))
      .finally(() => isDone = true);
    await until(async () => {
      // The time between two attempts to acquire the lease.
      await clock.advance(100);
      return isDone;
    }, "both nodes have a token");
    await done;
    assert.equal(auth.to("/token").length, 2);
    assert.deepEqual(await world.signOut(), { wasSignedIn: true, unrevoked: undefined });
    for (const node of nodes) {
      await assert.rejects(node.checkSending("home"), /needs a sign-in/);
    }
  },
});
