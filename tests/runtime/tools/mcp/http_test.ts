// Tests MCP servers at a URL, with a real server on a port of this machine.
import assert from "node:assert/strict";
import type { ActionTool } from "../../../../runtime/tools/definition/tool.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";
import { failureOf, refusalOf } from "../files/sandbox_fixture.ts";
import { FixtureHttpServer } from "./http_server.ts";
import { type McpWorld, openMcpWorld } from "./mcp_world.ts";

interface Remote {
  server: FixtureHttpServer;
  world: McpWorld;
  tools: Map<string, ActionTool>;
}

/** Defines a test that gets a server whose tools were listed once. */
function test(name: string, body: (remote: Remote) => Promise<void>): void {
  Deno.test(name, async () => {
    await using server = new FixtureHttpServer();
    await using world = await openMcpWorld();
    await world.define({ remote: { url: server.url } });
    await body({ server, world, tools: await world.tools(["remote"]) });
  });
}

Deno.test("McpServers opens and calls the tools of a server at a URL", async () => {
  await using server = new FixtureHttpServer();
  await using world = await openMcpWorld();
  world.variables.set("TOKEN", "token-0123456789");
  world.variables.set("PORT_AND_PATH", server.url.slice("http://".length));
  await world.define({
    remote: {
      type: "http",
      url: "http://${PORT_AND_PATH}",
      headers: { Authorization: "Bearer ${TOKEN}" },
    },
  });
  const tools = await world.tools(["remote"]);
  assert.equal(await world.call(tools.get("echo"), { text: "far" }), "far");
  assert.equal(await world.call(tools.get("add"), { a: 1, b: 2 }), '{"sum":3}');
  assert.equal(await failureOf(world.call(tools.get("fail"))), "the disk is full");
  assert.match(await failureOf(world.call(tools.get("throw"))), /thrown inside the server/);
  assert.match(await failureOf(world.call(tools.get("echo"))), /"text" is missing/);
  for (const { headers } of server.requests) {
    assert.equal(headers.get("authorization"), "Bearer token-0123456789");
  }
  await world.servers[Symbol.asyncDispose]();
  assert.deepEqual([server.begun, server.ended], [1, 1]);
});

Deno.test("McpServers uses the newer protocol for a URL that supports no other protocol", async () => {
  await using server = new FixtureHttpServer({ modernOnly: true });
  await using world = await openMcpWorld();
  await world.define({ remote: { url: server.url } });
  const tools = await world.tools(["remote"]);
  assert.equal(await world.call(tools.get("echo"), { text: "new" }), "new");
  const stop = new AbortController();
  const hanging = world.call(tools.get("hang"), {}, { signal: stop.signal }).catch(() => "stopped");
  await until(() => server.seen.hanging === 1, "it hangs");
  assert.ok(server.requests.some(({ headers }) => headers.get("mcp-name") === "hang"));
  stop.abort(new Error("enough"));
  assert.equal(await hanging, "stopped");
  await until(() => server.seen.cancelled === 1, "the server hears of it");
});

test("McpServers reopens a session that the server has forgotten, and calls the tool once", async ({ server, world, tools }) => {
  await server.forget();
  assert.equal(await world.call(tools.get("echo"), { text: "again" }), "again");
  assert.equal(server.begun, 2);
  server.intercept = (request) =>
    request.headers.get("mcp-session-id") === null
      ? undefined
      : new Response('{"error":"Bad Request: No valid session ID provided"}', { status: 400 });
  const message = await failureOf(world.call(tools.get("echo"), { text: "x" }));
  assert.match(message, /400|loses its sessions/);
});

Deno.test("McpServers recognizes a forgotten session by several error codes", async () => {
  for (
    const [status, code, message] of [
      [400, -32000, "Bad Request: Server not initialized"],
      [200, -32001, "Unknown conversation"],
      [410, -32600, "Gone"],
    ] as const
  ) {
    await using server = new FixtureHttpServer();
    await using world = await openMcpWorld();
    await world.define({ remote: { url: server.url } });
    const tools = await world.tools(["remote"]);
    const forgotten = server.requests.at(-1)?.headers.get("mcp-session-id");
    server.intercept = async (request) => {
      const { id = null } = request.method === "POST" ? await request.clone().json() : {};
      if (request.headers.get("mcp-session-id") !== forgotten) return;
      return Response.json({ jsonrpc: "2.0", id, error: { code, message } }, { status });
    };
    assert.equal(await world.call(tools.get("echo"), { text: message }), message);
    assert.equal(server.begun, 2);
  }
});

Deno.test("McpServers gives more time only to a tool that reports progress", async () => {
  await using server = new FixtureHttpServer();
  const clock = new TestClock();
  await using world = await openMcpWorld({ clock });
  await world.define({ remote: { url: server.url } });
  const echo = (await world.tools(["remote"])).get("echo");
  const streams: WritableStreamDefaultWriter<string>[] = [];
  let id: unknown;
  server.intercept = async (request) => {
    const body = request.method === "POST" ? await request.clone().json() : {};
    if (body.method !== "tools/call") return;
    id = body.id;
    const text = new TransformStream<string, string>();
    streams.push(text.writable.getWriter());
    return new Response(text.readable.pipeThrough(new TextEncoderStream()), {
      headers: { "content-type": "text/event-stream" },
    });
  };
  const lines: string[] = [];
  const context = { clock, log: (line: string) => void lines.push(line) };
  const slow = world.call(echo, { text: "x" }, context);
  await until(() => streams.length === 1, "the first call reaches the server");
  const send = (message: object) =>
    void streams[0]?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  for (let progress = 1; progress <= 8; progress++) {
    send({ method: "notifications/progress", params: { progressToken: id, progress, total: 8 } });
    await until(() => lines.length === progress, "the progress arrives");
    await clock.advance(59_000);
  }
  send({ id, result: { content: [{ type: "text", text: "done" }] } });
  assert.equal(await slow, "done");
  const silent = failureOf(world.call(echo, { text: "x" }, context));
  await until(() => streams.length === 2, "the second call reaches the server");
  await clock.advance(60_000);
  assert.equal(await silent, "echo took longer than 60 s");
  // Disposing of the server waits for open replies.
  for (const stream of streams) stream.close().catch(() => {});
});

test("McpServers cancels and disconnects a stopped call", async ({ server, world, tools }) => {
  const stop = new AbortController();
  const hanging = world.call(tools.get("hang"), {}, { signal: stop.signal })
    .catch((error: unknown) => error);
  assert.equal(await world.call(tools.get("echo"), { text: "meanwhile" }), "meanwhile");
  await until(() => server.seen.hanging === 1, "it hangs");
  const reason = new Error("took too long");
  stop.abort(reason);
  assert.equal(await hanging, reason);
  await until(() => server.seen.cancelled === 1, "the server hears of it");
  assert.equal(await world.call(tools.get("echo"), { text: "after" }), "after");

  let isAsked = false;
  let isHungUp = false;
  server.intercept = async (request) => {
    if (request.method !== "POST" || !(await request.clone().text()).includes("tools/call")) return;
    isAsked = true;
    const body = new ReadableStream({ cancel: () => void (isHungUp = true) });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  const again = new AbortController();
  const open = world.call(tools.get("echo"), { text: "x" }, { signal: again.signal })
    .catch((error: unknown) => error);
  await until(() => isAsked, "it is asked");
  again.abort(reason);
  assert.equal(await open, reason);
  await until(() => isHungUp, "the stream is hung up");
});

test("McpServers fails a call at once if its stream ends without an answer", async ({ server, world, tools }) => {
  server.intercept = async (request) => {
    if (request.method !== "POST" || !(await request.clone().text()).includes("tools/call")) return;
    const headers = { "content-type": "text/event-stream" };
    return new Response(": nothing to say\n\n", { headers });
  };
  const message = await failureOf(world.call(tools.get("echo"), { text: "x" }));
  assert.match(message, /failed during the call: the connection ended before the answer\. Whether/);
  server.intercept = undefined;
  assert.equal(await world.call(tools.get("echo"), { text: "y" }), "y");
});

Deno.test("McpServers fails a call if the server goes down, and later reconnects", async () => {
  await using world = await openMcpWorld();
  let server = new FixtureHttpServer();
  const port = Number(new URL(server.url).port);
  await world.define({ remote: { url: server.url } });
  const tools = await world.tools(["remote"]);
  await server[Symbol.asyncDispose]();
  const message = await failureOf(world.call(tools.get("echo"), { text: "x" }));
  const expected = /cannot be reached \((connection refused|connection closed|connection reset)\)/;
  assert.match(message, expected);
  const sentence = await refusalOf(world.tools(["remote"]));
  assert.match(sentence, /"remote" cannot be used: it cannot be reached/);
  server = new FixtureHttpServer({ port });
  try {
    await until(
      async () => await world.call(tools.get("echo"), { text: "y" }).catch(() => "") === "y",
      "it is used again",
    );
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

Deno.test("McpServers redacts header and URL values that a server repeats in its refusal", async () => {
  await using server = new FixtureHttpServer();
  await using world = await openMcpWorld();
  const url = `${server.url}?api_key=query-secret-1`;
  await world.define({ remote: { url, headers: { "X-Key": "header-secret-1" } } });
  server.intercept = (request) =>
    new Response(
      `no: ${request.url} \x1b[1m${request.headers.get("x-key")}\n${"x".repeat(9_000)}`,
      { status: 500 },
    );
  const message = await refusalOf(world.tools(["remote"]));
  assert.match(message, /"remote" cannot be used: it answered HTTP 500: no: http:/);
  assert.match(message, /\[redacted:api_key\] \[redacted:X-Key\]/);
  assert.ok(message.length < 700 && !message.includes("secret"));
  server.intercept = () => new Response("who are you?", { status: 401 });
  await until(
    async () =>
      /HTTP 401: check the headers of its entry/.test(await refusalOf(world.tools(["remote"]))),
    "it is asked again",
  );
});

Deno.test("McpServers sends no headers to a redirect's other origin", async () => {
  await using other = new FixtureHttpServer();
  await using server = new FixtureHttpServer();
  await using world = await openMcpWorld();
  await world.define({ remote: { url: server.url, headers: { "X-Key": "header-secret-1" } } });
  server.intercept = () => Response.redirect(other.url, 307);
  const refusal = await refusalOf(world.tools(["remote"]));
  assert.match(refusal, /^The MCP server "remote" cannot be used: it answered HTTP 307: /);
  assert.ok(refusal.includes(`Redirect to ${other.url} not followed; use that URL`), refusal);
  assert.equal(other.requests.length, 0);
});

test("McpServers disconnects an endless reply", async ({ server, world, tools }) => {
  const flood = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20)),
    });
  for (const type of ["application/json", "text/event-stream"]) {
    server.intercept = async (request) => {
      if (request.method !== "POST" || !(await request.clone().text()).includes("tools/call")) {
        return;
      }
      return new Response(flood(), { headers: { "content-type": type } });
    };
    const expected =
      /failed during the call: (the reply is over 16 MB|the connection ended before the answer)\. /;
    assert.match(await failureOf(world.call(tools.get("echo"), { text: type })), expected);
  }
  server.intercept = undefined;
  assert.equal(await world.call(tools.get("echo"), { text: "fine" }), "fine");
});

Deno.test("McpServers fetches a changed list after a notification or when it is stale", async () => {
  const clock = new TestClock();
  await using server = new FixtureHttpServer();
  await using world = await openMcpWorld({ clock });
  await world.define({ remote: { url: server.url } });
  const tools = await world.tools(["remote"]);
  const isDone = () => server.requests.some(({ method }) => method === "GET");
  await until(isDone, "it listens for changes");
  await world.call(tools.get("change"));
  await until(async () => (await world.tools(["remote"])).has("later"), "the change is told");

  await using deaf = new FixtureHttpServer();
  deaf.intercept = ({ method }) =>
    method === "GET" ? new Response(null, { status: 405 }) : undefined;
  await world.define({ remote: { url: deaf.url } });
  const before = await world.tools(["remote"]);
  await world.call(before.get("change"));
  const message = await failureOf(world.call(before.get("sooner")));
  assert.match(message, /^The MCP server "remote" refused the call: .*sooner/);
  assert.ok(!(await world.tools(["remote"])).has("later"));
  clock.jump(60_001);
  assert.ok((await world.tools(["remote"])).has("later"));
});

Deno.test("McpServers waits only briefly for a server that ignores its session's end", async () => {
  const clock = new TestClock();
  const killMs = 7_654;
  await using server = new FixtureHttpServer();
  await using world = await openMcpWorld({ clock, limits: { killMs } });
  await world.define({ remote: { url: server.url } });
  await world.tools(["remote"]);
  const answer = Promise.withResolvers<Response>();
  const goodbyes = () => server.requests.filter(({ method }) => method === "DELETE").length;
  server.intercept = ({ method }) => method === "DELETE" ? answer.promise : undefined;
  let isLeft = false;
  const leaving = world.servers[Symbol.asyncDispose]().then(() => void (isLeft = true));
  try {
    await until(() => goodbyes() === 1 && clock.awaits(killMs), "the goodbye is said");
    await clock.advance(killMs - 1);
    assert.equal(isLeft, false);
    await clock.advance(1);
    await until(() => isLeft, "the server is left");
    assert.equal(goodbyes(), 1);
  } finally {
    answer.resolve(new Response());
    await leaving;
  }
});
