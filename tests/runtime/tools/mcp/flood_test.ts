// Tests MCP servers that send too many messages: they are disconnected with the reason, and available again for the next
// run.
import { ForwardProxy } from "../../../../runtime/tools/http/forward_proxy.ts";
import assert from "node:assert/strict";
import { HttpTransport } from "../../../../runtime/tools/mcp/http_transport.ts";
import { MCP_LIMITS } from "../../../../runtime/tools/mcp/mcp_limits.ts";
import type { SessionPorts } from "../../../../runtime/tools/mcp/server_link.ts";
import { StdioTransport } from "../../../../runtime/tools/mcp/stdio_transport.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { noSandbox } from "../../sandbox/system_sandbox.ts";
import { refusalOf } from "../files/sandbox_fixture.ts";
import { FixtureHttpServer, openMcpWorld } from "./mcp_world.ts";

/** A proxy that never listens, because no program in this test is sandboxed. */
const NO_PROXY = new ForwardProxy({ socketFile: "/nonexistent", ownPorts: () => [] });

/** Objects for one connection. The stored sign-ins are not used, because no server needs one. */
const PORTS: SessionPorts = {
  clock: new TestClock(),
  log: new LogLines(),
  limits: MCP_LIMITS,
  confinement: { sandbox: noSandbox(), home: "/", closed: [], proxy: NO_PROXY },
  version: "0.0.0-test",
  credentials: {
    read: () => assert.fail(),
    change: () => assert.fail(),
    forget: () => assert.fail(),
  },
  variableNames: () => [],
};

const NOTE =
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';

const limits = { messagesPerMinute: 100 };
/** The number of messages that a server sends. A client that reads all of them fails the test. */
const TOO_MANY = 200;
const REFUSAL = 'The MCP server "floods" cannot be used: it sends over 100 messages a minute';

Deno.test("McpServers disconnects a program that sends endless messages", async () => {
  await using world = await openMcpWorld({ clock: new TestClock(), limits });
  // Empty lines count, too.
  const args = ["-c", 'yes "" | head -n "$1"', "sh", String(TOO_MANY)];
  await world.define({ floods: { command: "sh", args } });
  assert.equal(await refusalOf(world.tools(["floods"])), REFUSAL);
});

Deno.test("StdioTransport disconnects a program that never reads its answers", async () => {
  const transport = new StdioTransport("deaf", {
    kind: "program",
    command: "sleep",
    args: ["60"],
    env: { PATH: Deno.env.get("PATH") ?? "" },
    cwd: "/",
    startsInOwnFolder: false,
    ownFolder: "/",
    sandbox: null,
    workspace: "/",
    secrets: [],
  }, PORTS);
  const closed = Promise.withResolvers<void>();
  transport.onclose = closed.resolve;
  await transport.start();
  const answer = { jsonrpc: "2.0", id: 1, result: { text: "x".repeat(1024 * 1024) } } as const;
  const sent = Array.from({ length: 20 }, () => transport.send(answer));
  await closed.promise;
  await Promise.all(sent);
  assert.equal(transport.endReason, "it does not read its input");
});

/** Returns a streamed response with one server-sent event for each message. */
function events(messages: readonly string[]): Response {
  const body = messages.map((message) => `data: ${message}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

Deno.test("McpServers disconnects a server at a URL that sends endless messages", async () => {
  await using server = new FixtureHttpServer();
  await using world = await openMcpWorld({ clock: new TestClock(), limits });
  await world.define({ floods: { url: server.url } });
  server.intercept = async (request) => {
    if (request.method !== "POST") return undefined;
    const { id } = await request.clone().json();
    const last = { jsonrpc: "2.0", id, error: { code: -32603, message: "all was taken" } };
    return events([...Array(TOO_MANY).fill(NOTE), JSON.stringify(last)]);
  };
  assert.equal(await refusalOf(world.tools(["floods"])), REFUSAL);
});

Deno.test("HttpTransport limits the answers to a server that does not read them", async () => {
  await using server = new FixtureHttpServer();
  const held = Promise.withResolvers<Response>();
  server.intercept = () => held.promise;
  const transport = new HttpTransport(
    "deaf",
    { kind: "endpoint", url: server.url, headers: {}, secrets: [] },
    PORTS,
  );
  await transport.start();
  const answer = { jsonrpc: "2.0", id: 1, result: {} } as const;
  const outcomes = Promise.allSettled(Array.from({ length: 100 }, () => transport.send(answer)));
  held.resolve(new Response(null, { status: 202 }));
  const refused = (await outcomes).filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 68);
  await transport.close();
});
