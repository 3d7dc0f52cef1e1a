import assert from "node:assert/strict";
import { Client } from "../../../api/client/client.ts";
import { importsOf } from "../../support/repository.ts";
import { scripted } from "../../support/scripted_transport.ts";

Deno.test("Client puts ids, filters and bodies into the path, the query and the body", async () => {
  const table: [(client: Client) => Promise<unknown>, string, string, unknown?][] = [
    [(client) => client.agent("Café x"), "GET", "/agents/Caf%C3%A9%20x"],
    [(client) => client.run("a/b"), "POST", "/agents/a%2Fb/run", {}],
    [(client) => client.run("a", { args: ["1"] }), "POST", "/agents/a/run", { args: ["1"] }],
    [
      (client) => client.runs("a", { limit: 3, offset: 1 }),
      "GET",
      "/agents/a/runs?limit=3&offset=1",
    ],
    [
      (client) => client.executions({ status: ["error", "timeout"], agent: "a b", parent: 4 }),
      "GET",
      "/executions?status=error%2Ctimeout&agent=a+b&parent=4",
    ],
    [
      (client) => client.stats({ days: 7, timezone: "Europe/Berlin" }),
      "GET",
      "/stats?days=7&timezone=Europe%2FBerlin",
    ],
    [(client) => client.messages(4, { after: 2 }), "GET", "/executions/4/messages?after=2"],
    [(client) => client.cancel(4), "DELETE", "/executions/4"],
  ];
  for (const [call, method, path, body] of table) {
    const { fetch, calls } = scripted([Response.json({ ok: true })]);
    assert.deepEqual(await call(new Client({ fetch })), { ok: true });
    assert.deepEqual([calls[0]?.method, calls[0]?.path, calls[0]?.body], [method, path, body]);
  }
});

Deno.test("Client.run() sends the idempotency key as a header", async () => {
  const { fetch, calls } = scripted([Response.json({ execution_id: 1, model: "" })]);
  await new Client({ fetch }).run("a", {}, { idempotencyKey: "k" });
  assert.equal(calls[0]?.headers.get("idempotency-key"), "k");
  assert.equal(calls[0]?.headers.get("content-type"), "application/json");
});

Deno.test("api/client/client.ts loads only its own modules and the clock", () => {
  const own = [
    "client/client.ts",
    "client/client_errors.ts",
    "client/client_request.ts",
    "client/client_stream.ts",
    "client/client_transport.ts",
    "client/http_client.ts",
    "operations/operation_paths.ts",
  ].map((name) => `api/${name}`);
  const loaded = own.flatMap((file) =>
    importsOf(file).filter(({ typeOnly }) => !typeOnly).map(({ to }) => to)
  );
  // The clock and the stream parser import no other files.
  assert.deepEqual(
    new Set(loaded),
    new Set([...own.slice(1), "base/clock.ts", "base/text/event_stream.ts"]),
  );
});
