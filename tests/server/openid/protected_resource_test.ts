// Tests /mcp as a protected resource: the official MCP client finds the provider by itself, and tokens for others are
// refused.
import assert from "node:assert/strict";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Browser, createOpenIdWorld, KEY, type OpenIdWorld } from "./openid_world.ts";

const CALLBACK = "http://127.0.0.1:1/callback";

/** An MCP client's part of a sign-in. The browser stops at the client's callback. */
function createClientProvider(): { provider: OAuthClientProvider; code: () => URLSearchParams } {
  const kept: Record<string, unknown> = {};
  let returned = new URLSearchParams();
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "test",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code"],
      response_types: ["code"],
      scope: "mcp",
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    clientInformation: () => kept["client"] as never,
    saveClientInformation: (client) => void (kept["client"] = client),
    tokens: () => kept["tokens"] as never,
    saveTokens: (tokens) => void (kept["tokens"] = tokens),
    saveCodeVerifier: (verifier) => void (kept["verifier"] = verifier),
    codeVerifier: () => String(kept["verifier"]),
    async redirectToAuthorization(address) {
      const page = await new Browser().open(address.href, { stopAt: CALLBACK });
      returned = new URL(page.address).searchParams;
    },
  };
  return { provider, code: () => returned };
}

/** Connects an official client, which signs in when the service refuses it. */
async function connect({ origin }: OpenIdWorld): Promise<Client> {
  const { provider, code } = createClientProvider();
  const address = new URL(`${origin}/mcp`);
  const first = new StreamableHTTPClientTransport(address, { authProvider: provider });
  const refused = new Client({ name: "test", version: "1" });
  await assert.rejects(refused.connect(first), UnauthorizedError);
  await first.finishAuth(code());
  await refused.close();
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(address, { authProvider: provider }));
  return client;
}

async function post(origin: string, token: string) {
  const reply = await fetch(`${origin}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const body = await reply.text();
  return { status: reply.status, body, challenge: reply.headers.get("www-authenticate") };
}

Deno.test("the official MCP client finds the provider, signs in and lists the tools", async () => {
  await using world = await createOpenIdWorld();
  const client = await connect(world);
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === "list_agents"));
  await client.close();
});

Deno.test("an MCP client of a person without a group with a role is refused", async () => {
  await using world = await createOpenIdWorld();
  world.provider.current = "id-3";
  await assert.rejects(connect(world));
});

Deno.test("the refusal of /mcp and the document name the resource and the provider", async () => {
  await using world = await createOpenIdWorld();
  const { origin, provider } = world;
  const { status, challenge } = await post(origin, "");
  assert.equal(status, 401);
  const address = `${origin}/.well-known/oauth-protected-resource/mcp`;
  assert.match(challenge ?? "", new RegExp(`^Bearer resource_metadata="${address}"`));
  for (const place of [address, address.replace(/\/mcp$/, "")]) {
    const reply = await fetch(place);
    assert.deepEqual(await reply.json(), {
      resource: `${origin}/mcp`,
      authorization_servers: [provider.issuer],
      bearer_methods_supported: ["header"],
    });
  }
  assert.deepEqual(provider.requests, []);
  // The key of the service is still valid.
  assert.notEqual((await post(origin, KEY)).status, 401);
});

Deno.test("tokens for another audience, of another issuer or key, and expired ones are refused", async () => {
  await using world = await createOpenIdWorld();
  const { origin } = world;
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const keys = { keys: [{ ...await exportJWK(publicKey), kid: "k", alg: "RS256" }] };
  await using signer = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    ({ url }): Response => Response.json(url.endsWith("/keys") ? keys : metadata),
  );
  const issuer = `http://127.0.0.1:${signer.addr.port}`;
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  };
  world.change(`  issuer: ${issuer}\n  client_id: inkling\n  groups: { staff: viewer }\n`);
  const sign = (changes: Record<string, unknown> = {}, key = privateKey) =>
    new SignJWT({
      ...{ iss: issuer, aud: `${origin}/mcp`, sub: "id-1", groups: ["staff"] },
      exp: Math.floor(Date.now() / 1_000) + 600,
      ...changes,
    }).setProtectedHeader({ alg: "RS256", kid: "k" }).sign(key);
  assert.notEqual((await post(origin, await sign())).status, 401);
  const { privateKey: foreign } = await generateKeyPair("RS256");
  const [head = "", claims = ""] = (await sign()).split(".");
  const unsigned = `${btoa('{"alg":"none"}').replaceAll("=", "")}.${claims}.`;
  const refused = [
    await sign({ aud: "inkling" }),
    await sign({ aud: `${origin}/` }),
    await sign({ aud: undefined }),
    await sign({ iss: world.provider.issuer }),
    await sign({ exp: 1 }),
    await sign({ exp: undefined }),
    await sign({ sub: undefined }),
    await sign({}, foreign),
    unsigned,
    `${head}.${claims}.AAAA`,
  ];
  for (const token of refused) {
    const { status, challenge } = await post(origin, token);
    assert.equal(status, 401, token);
    assert.match(challenge ?? "", /error="invalid_token"$/);
  }
  const none = await post(origin, await sign({ groups: ["other"] }));
  assert.equal(none.status, 403);
  assert.match(none.body, /no group of the person has a role/);
  // A token for /mcp opens nothing else.
  const elsewhere = await fetch(`${origin}/agents`, {
    headers: { authorization: `Bearer ${await sign()}` },
  });
  await elsewhere.body?.cancel();
  assert.equal(elsewhere.status, 401);
});
