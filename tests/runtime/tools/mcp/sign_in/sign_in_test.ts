// Tests the sign-in to remote MCP servers with a real authorization server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { SignInRequired } from "../../../../../runtime/tools/failures/sign_in_required.ts";
import { ToolsUnavailable } from "../../../../../runtime/tools/failures/tools_unavailable.ts";
import { SignInFailure } from "../../../../../runtime/tools/mcp/sign_in/sign_in_needed.ts";
import { openSignInWorld, type SignInWorld } from "./sign_in_world.ts";

const NEEDED = /"remote" cannot be used: it needs a sign-in: inkling mcp login remote$/;

const FIVE_MINUTES = 5 * 60_000;

function test(name: string, body: (world: SignInWorld) => Promise<void>): void {
  Deno.test(name, async () => {
    await using world = await openSignInWorld();
    await body(world);
  });
}

async function echo(world: SignInWorld): Promise<string> {
  const tools = await world.tools(["remote"]);
  return await world.call(tools.get("echo"), { text: "hi" });
}

/** Returns the message of the failed sign-in. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(() => undefined, (thrown) => thrown);
  assert.ok(error instanceof SignInFailure, `expected SignInFailure, got ${error}`);
  return error.message;
}

test("a server that wants a sign-in says so, and works after it", async (world) => {
  const { auth, server } = world;
  await assert.rejects(echo(world), (error) => {
    assert.ok(error instanceof ToolsUnavailable);
    assert.match(error.message, NEEDED);
    return true;
  });
  assert.deepEqual(auth.requests, [], "no request without a person");
  await world.signIn();
  await world.clock.advance(1_000);
  assert.equal(await echo(world), "hi");
  assert.equal(auth.to("/register").length, 1);
  const [exchange] = auth.to("/token");
  assert.equal(exchange?.body.get("resource"), server.url);
  assert.ok((exchange?.body.get("code_verifier") ?? "").length >= 43);
  // The registered client is used again.
  await world.signIn();
  assert.equal(auth.to("/register").length, 1);
});

test("the tokens are in a file of their owner, and are redacted", async (world) => {
  await world.signIn();
  const folder = join(world.stateDir, "mcp-tokens");
  const files = await Array.fromAsync(Deno.readDir(folder));
  assert.equal(files.length, 2);
  for (const { name } of files) {
    assert.equal((await Deno.stat(join(folder, name))).mode! & 0o777, 0o600, name);
  }
  assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
  const known = world.secrets.list.map(({ value }) => value);
  for (const secret of [...world.auth.accessTokens.keys(), ...world.auth.refreshTokens]) {
    assert.ok(known.includes(secret));
  }
});

test("a token is renewed before its end, and the refresh token is replaced", async (world) => {
  const { auth, clock } = world;
  await world.signIn();
  const [first] = auth.refreshTokens;
  assert.equal(await echo(world), "hi");
  await clock.advance(2_879_000);
  assert.equal(await echo(world), "hi");
  assert.equal(auth.to("/token").length, 1);
  await clock.advance(2_000);
  assert.equal(await echo(world), "hi");
  const [, refresh] = auth.to("/token");
  assert.equal(refresh?.body.get("refresh_token"), first);
  assert.notDeepEqual([...auth.refreshTokens], [first]);
  // The replaced refresh token is the one that counts the next time.
  await clock.advance(3_000_000);
  assert.equal(await echo(world), "hi");
  assert.equal(auth.to("/token").length, 3);
});

test("a refresh token that is not replaced is used again", async (world) => {
  const { auth, clock } = world;
  auth.rotates = false;
  await world.signIn();
  for (let round = 1; round <= 2; round++) {
    await clock.advance(3_000_000);
    assert.equal(await echo(world), "hi");
    assert.equal(auth.to("/token").length, round + 1);
  }
});

test("a revoked refresh token needs another sign-in, which then continues", async (world) => {
  const { auth, clock } = world;
  await world.signIn();
  assert.equal(await echo(world), "hi");
  auth.refreshTokens.clear();
  await clock.advance(3_700_000);
  const tools = () => world.tools(["remote"]);
  await assert.rejects(tools(), NEEDED);
  const sent = auth.to("/token").length;
  await clock.advance(60_000);
  await assert.rejects(tools(), NEEDED);
  assert.equal(auth.to("/token").length, sent, "the refused token is not sent again");
  await world.signIn();
  await clock.advance(60_000);
  assert.equal(await echo(world), "hi");
});

test("a token that ends in the middle of the calls is renewed once", async (world) => {
  const { auth } = world;
  await world.signIn();
  const tools = await world.tools(["remote"]);
  auth.accessTokens.clear();
  const calls = ["a", "b", "c"].map((text) => world.call(tools.get("echo"), { text }));
  assert.deepEqual(await Promise.all(calls), ["a", "b", "c"]);
  assert.equal(auth.to("/token").length, 2);
});

test("a token that is refused during a call reports that the call was not executed", async (world) => {
  const { auth } = world;
  await world.signIn();
  const tools = await world.tools(["remote"]);
  auth.accessTokens.clear();
  auth.refreshTokens.clear();
  await assert.rejects(world.call(tools.get("echo"), { text: "a" }), (error) => {
    assert.ok(error instanceof SignInRequired);
    assert.equal(error.server, "remote");
    assert.match(error.message, /refused the call: it needs a sign-in: inkling mcp login remote$/);
    return true;
  });
});

for (const [name, offset] of [["late", -FIVE_MINUTES], ["early", FIVE_MINUTES]] as const) {
  test(`a clock that is five minutes ${name} makes no difference`, async (world) => {
    const { auth, clock } = world;
    auth.now = () => clock.now() - offset;
    auth.lifetime = 120;
    await world.signIn();
    for (let minute = 0; minute < 4; minute++) {
      assert.equal(await echo(world), "hi");
      await clock.advance(97_000);
    }
    assert.equal(auth.to("/token").length, 4);
  });
}

test("an unavailable authorization server does not end a valid token", async (world) => {
  const { auth, clock } = world;
  await world.signIn();
  let isDown = true;
  auth.intercept = ({ path }) =>
    isDown && path === "/token" ? new Response("down", { status: 503 }) : undefined;
  await clock.advance(3_000_000);
  assert.equal(await echo(world), "hi");
  assert.match(JSON.stringify(world.log.lines), /could not be renewed, and is valid for 600 s/);
  await clock.advance(700_000);
  const tools = world.tools(["remote"]);
  await assert.rejects(tools, /"remote".*\/token answered HTTP 503/);
  isDown = false;
  await clock.advance(60_000);
  assert.equal(await echo(world), "hi");
});

Deno.test("another issuer than the entry's is refused before anything is sent to it", async () => {
  await using world = await openSignInWorld({ oauth: { issuer: "https://auth.example.com" } });
  const message = await refusalOf(world.signIn());
  assert.match(
    message,
    /names the authorization server http:\/\/127\.0\.0\.1:\d+, but oauth\.issuer/,
  );
  assert.deepEqual(world.auth.to("/register"), []);
});

test("an authorization server that calls itself by another name is refused", async (world) => {
  world.auth.metadata = { issuer: "https://evil.example.com" };
  await refusalOf(world.signIn());
  assert.deepEqual(world.auth.to("/register"), []);
});

test("a changed authorization server is refused until the sign-in is forgotten", async (world) => {
  await using other = await openSignInWorld();
  await world.signIn();
  world.server.intercept = (request) => other.auth.guard(request);
  const message = await refusalOf(world.signIn());
  assert.match(message, /another authorization server than before.*inkling mcp logout remote$/);
  assert.deepEqual(other.auth.to("/register"), []);
});

test("an answer of another authorization server, or of another sign-in, is refused", async (world) => {
  world.auth.iss = "https://evil.example.com";
  assert.match(await refusalOf(world.signIn()), /names another authorization server/);
  world.auth.iss = undefined;
  const change = (answer: URL) => answer.searchParams.set("state", "x");
  assert.match(await refusalOf(world.signIn({ change })), /belongs to another sign-in/);
  const deny = (answer: URL) => {
    answer.searchParams.delete("code");
    answer.searchParams.set("error", "access_denied\u001b[31m");
  };
  assert.match(
    await refusalOf(world.signIn({ change: deny })),
    /refused the sign-in: access_denied/,
  );
  assert.deepEqual(world.auth.to("/token"), []);
});

test("a redirect to another host is refused, wherever it comes from", async (world) => {
  const { auth, server } = world;
  const away = new Response(null, {
    status: 307,
    headers: { location: "https://evil.example.com/" },
  });
  server.intercept = (request) =>
    request.url.includes("oauth-protected-resource") ? away.clone() : auth.guard(request);
  assert.match(await refusalOf(world.signIn()), /redirects to evil\.example\.com, which is not/);
  server.intercept = (request) => auth.guard(request);
  for (const path of ["/.well-known/oauth-authorization-server", "/register", "/token"]) {
    auth.intercept = (request) => request.path === path ? away.clone() : undefined;
    assert.match(await refusalOf(world.signIn()), /redirects to evil\.example\.com/, path);
  }
  auth.intercept = () => undefined;
  await world.signIn();
  auth.intercept = ({ path }) => path === "/token" ? away.clone() : undefined;
  await world.clock.advance(3_700_000);
  await assert.rejects(world.tools(["remote"]), /redirects to evil\.example\.com/);
});

test("an address without https is not opened, and gets no token", async (world) => {
  world.auth.metadata = { authorization_endpoint: "file:///usr/bin/calculator" };
  assert.match(await refusalOf(world.signIn()), /file:/);
  world.auth.metadata = { authorization_endpoint: "http://auth.example.com/authorize" };
  assert.match(await refusalOf(world.signIn()), /wants to open http:.*not https/);
  world.auth.metadata = { token_endpoint: "http://auth.example.com/token" };
  await refusalOf(world.signIn());
});

test("an error text of the authorization server is not repeated", async (world) => {
  const { auth, clock } = world;
  await world.signIn();
  const [token = ""] = auth.refreshTokens;
  const replies = [
    () => Response.json({ error: `no ${token}`, error_description: token }, { status: 500 }),
    () => new Response(token, { status: 200 }),
    () => Response.json({ access_token: [token] }),
  ];
  await clock.advance(3_700_000);
  for (const reply of replies) {
    auth.intercept = ({ path }) => path === "/token" ? reply() : undefined;
    const failure = await world.tools(["remote"]).then(() => "", String);
    assert.match(failure, /cannot be used/);
    assert.ok(!failure.includes(token));
    await clock.advance(120_000);
  }
});

test("a server that repeats its token gets no error text with it", async (world) => {
  const { auth, server } = world;
  await world.signIn();
  server.intercept = (request) => {
    const token = request.headers.get("authorization") ?? "";
    return auth.guard(request) ?? new Response(`no ${token}`, { status: 418 });
  };
  await assert.rejects(
    world.tools(["remote"]),
    /HTTP 418: no Bearer \[redacted:token of remote\]/,
  );
});

test("a server without registration asks for a client", async (world) => {
  world.auth.metadata = { registration_endpoint: undefined };
  assert.match(await refusalOf(world.signIn()), /create a client there.*oauth\.client_id/);
});

Deno.test("a client of the entry signs in with its secret, which is not stored", async () => {
  await using world = await openSignInWorld();
  world.auth.metadata = { registration_endpoint: undefined };
  world.auth.clients.set("mine", { secret: "a-secret-0123456789" });
  const oauth = { ...world.oauth, client_id: "mine", clientSecret: "a-secret-0123456789" };
  Object.assign(world.oauth, oauth);
  await world.signIn();
  const stored = JSON.stringify(await world.credentials.read("remote"));
  assert.ok(!stored.includes("a-secret-0123456789"));
  assert.match(stored, /"client_id":"mine"/);
});

test("tokens are sent only to the address for which they were given", async (world) => {
  await world.signIn();
  await using other = await openSignInWorld();
  await world.define({ remote: { url: other.server.url } });
  await assert.rejects(world.tools(["remote"]), NEEDED);
  for (const { headers } of other.server.requests) assert.equal(headers.get("authorization"), null);
});

test("a server that wants another key than a token keeps its own message", async (world) => {
  world.server.intercept = () => new Response("no", { status: 401 });
  await world.define({ remote: { url: world.server.url, headers: { "x-api-key": "0123456789" } } });
  await assert.rejects(world.tools(["remote"]), /HTTP 401: check the headers of its entry/);
});

test("a server that needs no token has no folder for tokens", async (world) => {
  world.server.intercept = undefined;
  assert.equal(await echo(world), "hi");
  await assert.rejects(Deno.stat(join(world.stateDir, "mcp-tokens")), Deno.errors.NotFound);
});

test("a scope that the token lacks is named", async (world) => {
  await world.signIn();
  await world.tools(["remote"]);
  const challenge = 'Bearer error="insufficient_scope", scope="files:write"';
  world.server.intercept = () =>
    new Response("no", { status: 403, headers: { "www-authenticate": challenge } });
  const failure = world.tokens().send((token) =>
    fetch(world.server.url, { headers: { authorization: `Bearer ${token}` } })
  );
  assert.match(await refusalOf(failure), /the scope "files:write": add it to oauth\.scopes/);
});
