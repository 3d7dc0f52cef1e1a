// Tests the sign-in to a remote MCP server that supports only the older HTTP transport.
import assert from "node:assert/strict";
import { startSignIn } from "../../../../../runtime/tools/mcp/sign_in/sign_in.ts";
import { AuthorizationServer } from "../../../../support/machine/authorization_server.ts";
import { TestClock } from "../../../../support/test_clock.ts";
import { openMcpWorld } from "../mcp_world.ts";
import { FixtureSseServer } from "../sse_server.ts";
import { REDIRECT } from "./sign_in_world.ts";

Deno.test("a server with the older transport needs a sign-in, gets its token and a renewed one", async () => {
  const clock = new TestClock();
  await using auth = new AuthorizationServer();
  auth.now = () => clock.now();
  await using server = await FixtureSseServer.open();
  await using world = await openMcpWorld({ clock });
  const { origin } = new URL(server.url);
  server.intercept = ({ url = "", headers }, reply) => {
    if (url.startsWith("/.well-known/oauth-protected-resource")) {
      reply.writeHead(200, { "content-type": "application/json" }).end(
        JSON.stringify({ resource: server.url, authorization_servers: [auth.issuer] }),
      );
      return true;
    }
    const token = headers.authorization?.replace(/^Bearer /, "") ?? "";
    if ((auth.accessTokens.get(token) ?? 0) > clock.now()) return false;
    const metadata = `${origin}/.well-known/oauth-protected-resource/sse`;
    reply.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
    return true;
  };
  await world.define({ old: { url: server.url } });
  await assert.rejects(world.tools(["old"]), /it needs a sign-in: inkling mcp login old$/);
  const started = await startSignIn({
    server: "old",
    url: server.url,
    oauth: { isDeclared: false, grant: "authorization_code" },
    former: undefined,
    clock,
  }, REDIRECT);
  const answer = new URL(await auth.consent(started.address.href));
  const received = await started.finish(answer.searchParams);
  await world.credentials.change("old", (_before, save) => save(received));
  await clock.advance(1_000);
  server.requests.length = 0;
  const tools = await world.tools(["old"]);
  assert.equal(await world.call(tools.get("echo"), { text: "one" }), "one");
  const [first] = auth.accessTokens.keys();
  assert.ok(server.requests.every(({ authorization }) => authorization === `Bearer ${first}`));
  // The token ends while the event stream is open.
  auth.accessTokens.clear();
  assert.equal(await world.call(tools.get("echo"), { text: "two" }), "two");
  assert.equal(auth.to("/token").length, 2);
  assert.notEqual(server.requests.at(-1)?.authorization, `Bearer ${first}`);
  // The account revokes everything.
  auth.accessTokens.clear();
  auth.refreshTokens.clear();
  await assert.rejects(
    world.call(tools.get("echo"), { text: "three" }),
    /refused the call: it needs a sign-in: inkling mcp login old$/,
  );
});
