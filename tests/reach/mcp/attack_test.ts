import assert from "node:assert/strict";
import { KEY } from "../../support/test_service.ts";
import { createMcpWorld, type McpWorld } from "./mcp_world.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
const CALL = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "sums", arguments: { message: "2 + 2" } },
};

const createWorld = () =>
  createMcpWorld((place) => place.writeScript("sums", [{ say: "4" }], "expose: true"));

/** Sends a body to /mcp, and returns the status and the text of the response. */
async function post(
  { address }: Pick<McpWorld, "address">,
  body: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${KEY}` },
): Promise<{ status: number; text: string }> {
  const response = await fetch(address, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** Sends a request with a `Host` header of its own, and returns the status line. */
async function statusWithHost({ address }: McpWorld, host: string): Promise<string> {
  const { port } = new URL(address);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  const body = JSON.stringify(CALL);
  const head = [
    ...["POST /mcp HTTP/1.1", `Host: ${host}`, `X-API-Key: ${KEY}`, "Connection: close"],
    ...["Content-Type: application/json", "Accept: application/json, text/event-stream"],
    `Content-Length: ${body.length}`,
  ];
  await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`));
  const text = await new Response(connection.readable).text();
  return text.split("\r\n", 1)[0] ?? "";
}

Deno.test("/mcp refuses a request without the key, of another origin, or of a rebound host", async () => {
  await using world = await createWorld();
  const bearer = { authorization: `Bearer ${KEY}` };
  for (const headers of [{}, { authorization: "Bearer wrong" }, { "x-api-key": "wrong" }]) {
    for (const body of [LIST, CALL, "{"]) {
      const { status, text } = await post(world, body, headers);
      assert.equal(status, 401);
      assert.doesNotMatch(text, /sums/);
    }
  }
  const foreign = { ...bearer, origin: "https://evil.example" };
  assert.equal((await post(world, CALL, foreign)).status, 403);
  const cross = { ...bearer, "sec-fetch-site": "cross-site" };
  assert.equal((await post(world, CALL, cross)).status, 403);
  assert.match(await statusWithHost(world, "evil.example"), / 421 /);
  assert.match(await statusWithHost(world, "evil.example:8420"), / 421 /);
  assert.equal((await world.runtime.listExecutions({ limit: 9, offset: 0 })).length, 0);
  assert.match(await statusWithHost(world, "localhost"), / 200 /);
  assert.equal((await world.runtime.listExecutions({ limit: 9, offset: 0 })).length, 1);
});

Deno.test("/mcp answers malformed bodies with an error, and starts no run", async () => {
  await using world = await createWorld();
  const odd: unknown[] = [
    ...["", "{", "[]", "null", "1", '"x"', "\u0000", "[".repeat(10_000)],
    ...[{}, [], [[]], { jsonrpc: "1.0", id: 1, method: "tools/call" }],
    ...[{ ...CALL, id: {} }, { ...CALL, method: 7 }, { ...CALL, params: [] }],
    { ...CALL, params: { name: 1 } },
    { ...CALL, params: { name: "sums", arguments: [] } },
    { ...CALL, params: { name: "sums", arguments: { message: {} } } },
    { ...CALL, params: { name: "sums", arguments: { message: "x", more: 1 } } },
    { ...CALL, params: { name: "__proto__", arguments: {} } },
    { ...LIST, method: "resources/read", params: { uri: "inkling://executions/../../x" } },
    { ...LIST, method: "resources/read", params: { uri: "file:///etc/passwd" } },
    { ...LIST, method: "no/such" },
  ];
  for (const body of odd) {
    const { status, text } = await post(world, body);
    const isRefused = status >= 400 && status < 500;
    const isError = status === 200 && /"error":|"isError":true/.test(text);
    assert.ok(isRefused || isError, `${status} ${JSON.stringify(body)} ${text}`);
  }
  const big = JSON.stringify({ ...CALL, params: { name: "sums", x: "y".repeat(1_100_000) } });
  assert.equal((await post(world, big)).status, 413);
  assert.equal(
    (await post(world, CALL, { authorization: `Bearer ${KEY}`, "content-type": "text/plain" }))
      .status,
    415,
  );
  for (const method of ["GET", "DELETE"]) {
    const response = await fetch(world.address, {
      method,
      headers: { authorization: `Bearer ${KEY}`, accept: "text/event-stream" },
    });
    await response.body?.cancel();
    assert.equal(response.status, 405, method);
  }
  assert.equal((await world.runtime.listExecutions({ limit: 9, offset: 0 })).length, 0);
  assert.match((await post(world, CALL)).text, /"text":"4"/, "the endpoint still works");
});
