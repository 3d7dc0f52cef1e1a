// Tests the renewal of tokens by many runs and processes at once, and the sign-in of clients without a person.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { createGuardedFetch } from "../../../../../runtime/tools/mcp/sign_in/guarded_fetch.ts";
import { SandboxFixture } from "../../files/sandbox_fixture.ts";
import { TestClock } from "../../../../support/test_clock.ts";
import { until } from "../../../../support/until.ts";
import { openMcpWorld } from "../mcp_world.ts";
import { openSignInWorld, type SignInWorld } from "./sign_in_world.ts";

const SECRET = "client-secret-0123456789";

async function echo(world: Pick<SignInWorld, "tools" | "call">): Promise<string> {
  const tools = await world.tools(["remote"]);
  return await world.call(tools.get("echo"), { text: "hi" });
}

Deno.test("many runs that need a new token send one request", async () => {
  await using world = await openSignInWorld();
  const { auth, clock } = world;
  await world.signIn();
  const tools = await world.tools(["remote"]);
  await clock.advance(3_000_000);
  let isFirst = true;
  auth.intercept = async ({ path }) => {
    // A slow reply, during which the others need the token, too.
    if (path === "/token" && isFirst) {
      isFirst = false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  };
  const calls = Array.from({ length: 8 }, () => world.call(tools.get("echo"), { text: "x" }));
  assert.deepEqual(await Promise.all(calls), Array(8).fill("x"));
  assert.equal(auth.to("/token").length, 2);
});

Deno.test("two processes with one state folder send one request, and both continue", async () => {
  await using place = await SandboxFixture.open();
  await using world = await openSignInWorld({ fixture: place });
  await using other = await openMcpWorld({ clock: world.clock, fixture: place });
  await world.signIn();
  assert.deepEqual([await echo(world), await echo(other)], ["hi", "hi"]);
  world.auth.accessTokens.clear();
  const calls = Promise.all([echo(world), echo(other)]);
  // One of them holds the lock. The other one tries to take it every 50 ms of the clock.
  let isDone = false;
  const done = calls.finally(() => isDone = true);
  await until(async () => {
    await world.clock.advance(50);
    return isDone;
  }, "both have called");
  assert.deepEqual(await done, ["hi", "hi"]);
  assert.equal(world.auth.to("/token").length, 2);
});

Deno.test("a restarted service continues with the stored tokens", async () => {
  await using place = await SandboxFixture.open();
  await using world = await openSignInWorld({ fixture: place });
  await world.signIn();
  await world.servers[Symbol.asyncDispose]();
  await using next = await openMcpWorld({ clock: world.clock, fixture: place });
  assert.equal(await echo(next), "hi");
  await world.clock.advance(3_700_000);
  assert.equal(await echo(next), "hi");
  assert.equal(world.auth.to("/token").length, 2);
});

Deno.test("a damaged file of tokens needs another sign-in", async () => {
  await using world = await openSignInWorld();
  await world.signIn();
  const folder = `${world.stateDir}/mcp-tokens`;
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".json")) await Deno.writeTextFile(`${folder}/${name}`, '{"tokens": {"acc');
  }
  await assert.rejects(echo(world), /it needs a sign-in: inkling mcp login remote/);
  await world.signIn();
  await world.clock.advance(60_000);
  assert.equal(await echo(world), "hi");
});

async function openClientWorld(proof: Record<string, string>): Promise<SignInWorld> {
  const fields = { client_id: "robot", grant: "client_credentials", scopes: ["read"], ...proof };
  // The client package signs assertions with the system's time.
  const world = await openSignInWorld({ oauth: fields, clock: new TestClock(Date.now()) });
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  world.variables.set("CLIENT_SECRET", SECRET);
  world.variables.set("CLIENT_KEY", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
  world.auth.clients.set("robot", {
    secret: SECRET,
    publicKey: publicKey.export({ format: "jwk" }) as JsonWebKey,
  });
  return world;
}

for (
  const proof of [{ client_secret_env: "CLIENT_SECRET" }, { private_key_env: "CLIENT_KEY" }]
) {
  const [kind] = Object.keys(proof);
  Deno.test(`client_credentials with ${kind} needs no person`, async () => {
    await using world = await openClientWorld(proof);
    const { auth, clock } = world;
    // The assertion is valid for servers whose clocks are five minutes off.
    for (const offset of [0, 5 * 60_000, -5 * 60_000]) {
      auth.now = () => clock.now() + offset;
      auth.accessTokens.clear();
      assert.equal(await echo(world), "hi");
      await clock.advance(60_000);
    }
    assert.equal(auth.to("/token").length, 3);
    assert.equal(auth.to("/token")[0]?.body.get("scope"), "read");
    assert.equal(auth.to("/token")[0]?.body.get("resource"), world.server.url);
    auth.now = Date.now;
    await clock.advance(3_700_000);
    assert.equal(await echo(world), "hi");
    assert.equal(auth.to("/token").length, 4);
  });
}

Deno.test("client_credentials with a wrong secret or key says so", async () => {
  await using world = await openClientWorld({ client_secret_env: "CLIENT_SECRET" });
  world.auth.clients.set("robot", { secret: "another" });
  await assert.rejects(echo(world), /\/token answered "invalid_client"$/);
  world.variables.delete("CLIENT_SECRET");
  await assert.rejects(echo(world), /oauth names CLIENT_SECRET, which is not set/);
  await using keyed = await openClientWorld({ private_key_env: "CLIENT_KEY" });
  keyed.variables.set("CLIENT_KEY", "-----BEGIN PRIVATE KEY-----\nnonsense\n");
  const failure = await echo(keyed).then(() => "", String);
  assert.match(failure, /private_key_env contains no private key in PEM or JWK notation/);
  assert.ok(!failure.includes("nonsense"));
});

Deno.test("an authorization server at a private address is refused for a public server", async () => {
  const clock = new TestClock();
  const open = (url: string) => createGuardedFetch({ url, clock });
  for (
    const target of ["https://127.0.0.1:1/x", "https://10.0.0.1/x", "https://169.254.169.254/"]
  ) {
    const guarded = await open("https://93.184.216.34/mcp");
    await assert.rejects(guarded.fetch(target), /private addresses|closed to agents/);
    assert.ok(guarded.refusal !== undefined);
  }
  // A server on this machine may use one on this machine, but never the addresses of cloud metadata.
  const own = await open("http://127.0.0.1:2/mcp");
  await assert.rejects(own.fetch("http://127.0.0.1:1/x"), /connection refused/);
  await assert.rejects(own.fetch("https://169.254.169.254/"), /closed to agents/);
  await assert.rejects(own.fetch("http://10.0.0.1/x"), /not https/);
});
