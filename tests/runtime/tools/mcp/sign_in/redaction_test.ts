// Tests that no output of a run contains a token of a remote MCP server.
import assert from "node:assert/strict";
import { AuthorizationServer } from "../../../../support/machine/authorization_server.ts";
import { payloadsOf, runToEnd, toEnd } from "../../../../support/test_workspace.ts";
import { FixtureHttpServer } from "../http_server.ts";
import { createPlace, entryOf } from "../mcp_place.ts";
import { signInAsPerson } from "./sign_in_world.ts";

Deno.test("a token is in no frame, log line or error, however old it is", async () => {
  await using auth = new AuthorizationServer();
  await using server = new FixtureHttpServer();
  const said: string[] = [];
  server.intercept = async (request) => {
    const refused = auth.guard(request);
    if (refused !== undefined) return refused;
    const text = request.method === "POST" ? await request.clone().text() : "{}";
    const { method, id } = JSON.parse(text);
    if (method !== "tools/call") return undefined;
    // The server repeats every secret of the sign-in, also those that it should not know.
    said.push(...auth.secrets.filter((one) => /^(access|refresh)/.test(one)));
    const content = [{ type: "text", text: said.join(" ") }];
    const isError = said.length > 4;
    return Response.json({ jsonrpc: "2.0", id, result: { content, isError } });
  };
  await using place = await createPlace({ remote: entryOf(server) });
  const echo = { name: "echo", arguments: { text: "x" } };
  await place.writeScript("caller", [
    { call: [echo] },
    { call: [echo] },
    { say: "{result}" },
  ], "mcp: [remote]");
  const runtime = await place.open();
  try {
    const waiting = await runToEnd(runtime, "caller");
    assert.equal(waiting.status, "waiting");
    const asked = await runtime.pendingRequest(waiting.id);
    await signInAsPerson(await place.settings(), auth);
    // The service finds the sign-in by itself.
    const { requestId } = asked;
    await runtime.respond(waiting.id, { requestId, answer: { approved: true } });
    const first = await toEnd(runtime, waiting.id);
    assert.equal(first.status, "success", first.error ?? "");
    // The next run renews the token.
    auth.accessTokens.clear();
    const second = await runToEnd(runtime, "caller");
    const frames = await Promise.all([first, second].map(({ id }) => payloadsOf(runtime, id)));
    const output = JSON.stringify([waiting, asked, first, second, frames, place.logged]);
    assert.match(output, /\[redacted:token of remote\]/);
    assert.ok(said.length >= 4);
    for (const secret of auth.secrets) assert.ok(!output.includes(secret), secret.slice(0, 12));
  } finally {
    await runtime[Symbol.asyncDispose]();
  }
});
