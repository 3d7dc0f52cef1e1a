// Tests servers that support only the older HTTP transport, with a real server on a port of this machine.
import assert from "node:assert/strict";
import { until } from "../../../support/until.ts";
import { failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { openMcpWorld } from "./mcp_world.ts";
import { FixtureSseServer } from "./sse_server.ts";

Deno.test("McpServers uses the older HTTP transport for type sse, with the entry's headers", async () => {
  await using server = await FixtureSseServer.open();
  await using world = await openMcpWorld();
  world.variables.set("TOKEN", "token-0123456789");
  const headers = { Authorization: "Bearer ${TOKEN}" };
  await world.define({ old: { type: "sse", url: server.url, headers } });
  const tools = await world.tools(["old"]);
  assert.equal(await world.call(tools.get("echo"), { text: "hello" }), "hello");
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  assert.equal(await world.call(tools.get("talk"), {}, { log }), "done");
  assert.match(lines[0] ?? "", /^1\/100 on it$/);
  assert.equal(server.requests[0]?.method, "GET");
  for (const { authorization } of server.requests) {
    assert.equal(authorization, "Bearer token-0123456789");
  }
  await world.servers[Symbol.asyncDispose]();
  await until(() => server.sessions === 0, "the event stream is closed");
});

Deno.test("McpServers detects the older HTTP transport by the statuses of the specification", async () => {
  for (const refusal of [400, 404, 405]) {
    await using server = await FixtureSseServer.open({ refusal });
    await using world = await openMcpWorld();
    await world.define({ old: { url: server.url } });
    const tools = await world.tools(["old"]);
    assert.equal(await world.call(tools.get("echo"), { text: "found" }), "found");
    assert.equal(server.requests[0]?.method, "POST");
  }
  await using server = await FixtureSseServer.open({ refusal: 403 });
  await using world = await openMcpWorld();
  await world.define({ old: { url: server.url } });
  const message = await refusalOf(world.tools(["old"]));
  assert.match(message, /answered HTTP 403: check the headers/);
  assert.ok(server.requests.every(({ method }) => method === "POST"));
});

Deno.test("McpServers reports the first refusal if the address supports neither transport", async () => {
  await using server = await FixtureSseServer.open({ refusal: 404 });
  server.intercept = (request, reply) => {
    if (request.method !== "GET") return false;
    reply.writeHead(500).end("broken stream");
    return true;
  };
  await using world = await openMcpWorld();
  await world.define({ any: { url: server.url }, old: { type: "sse", url: server.url } });
  assert.match(await refusalOf(world.tools(["any"])), /answered HTTP 404: no/);
  assert.match(await refusalOf(world.tools(["old"])), /answered HTTP 500: broken stream/);
});

Deno.test("McpServers opens a new session after the event stream of the older transport ended", async () => {
  await using server = await FixtureSseServer.open();
  await using world = await openMcpWorld();
  await world.define({ old: { type: "sse", url: server.url } });
  const tools = await world.tools(["old"]);
  const stop = new AbortController();
  const hanging = failureOf(world.call(tools.get("hang"), {}, { signal: stop.signal }));
  await until(() => server.requests.length >= 5, "the call is sent");
  await server.forget();
  assert.match(
    await hanging,
    /failed during the call: its event stream ended\. Whether the call took effect is unknown/,
  );
  assert.equal(await world.call(tools.get("echo"), { text: "again" }), "again");
  assert.equal(server.requests.filter(({ method }) => method === "GET").length, 2);
});

Deno.test("McpServers reports a refused message of the older transport with its status", async () => {
  await using server = await FixtureSseServer.open();
  await using world = await openMcpWorld();
  await world.define({ old: { type: "sse", url: server.url } });
  const tools = await world.tools(["old"]);
  server.intercept = (request, reply) => {
    if (request.method !== "POST") return false;
    reply.writeHead(413).end("too big");
    return true;
  };
  const message = await failureOf(world.call(tools.get("echo"), { text: "x" }));
  assert.match(message, /refused the call: it answered HTTP 413: too big/);
});

Deno.test("McpServers sends the messages of the older transport only to the origin of the entry", async () => {
  await using server = await FixtureSseServer.open();
  await using other = await FixtureSseServer.open();
  await using world = await openMcpWorld();
  await world.define({ old: { type: "sse", url: server.url } });
  server.intercept = (_request, reply) => {
    reply.writeHead(200, { "content-type": "text/event-stream" });
    reply.write(`event: endpoint\ndata: ${other.url}\n\n`);
    return true;
  };
  assert.match(await refusalOf(world.tools(["old"])), /origin does not match/i);
  server.intercept = (_request, reply) => {
    reply.writeHead(307, { location: other.url }).end();
    return true;
  };
  await using second = await openMcpWorld();
  await second.define({ old: { type: "sse", url: server.url } });
  assert.match(await refusalOf(second.tools(["old"])), /Redirect to .* not followed; use that URL/);
  assert.equal(other.requests.length, 0);
});
