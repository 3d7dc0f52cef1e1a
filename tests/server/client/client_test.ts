import assert from "node:assert/strict";
import type { JsonObject } from "../../../base/json.ts";
import { Client, type Transport } from "../../../server/client.ts";
import { describeApi } from "../../../server/operations/openapi.ts";
import { loadOperations } from "../../../server/operations/operations.ts";
import { importsOf } from "../../support/repository.ts";
import { scripted, streamOf } from "../../support/scripted_transport.ts";

const OPERATIONS = await loadOperations();

Deno.test("Client puts ids, filters and bodies where their endpoint reads them", async () => {
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

Deno.test("Client has a method for every operation of the API description, and no other", async () => {
  const sent = new Set<string>();
  const fetch: Transport = (path, init) => {
    sent.add(`${init.method} ${path.replace(/[?].*/, "").replaceAll("/7", "/{id}")}`);
    return Promise.resolve(streamOf('event: complete\ndata: {"a":1}\n\n'));
  };
  const client = new Client({ fetch });
  const names = Object.getOwnPropertyNames(Client.prototype).filter((name) =>
    name !== "constructor"
  );
  for (const name of names) {
    const answer: unknown = Reflect.get(client, name).call(client, "7");
    // Only what is sent counts; that the answers are none is no matter here.
    if (Symbol.asyncIterator in Object(answer)) {
      await (answer as AsyncGenerator).next();
      await (answer as AsyncGenerator).return(undefined);
    } else await Promise.resolve(answer).catch(() => {});
  }
  const { paths } = describeApi(OPERATIONS, { version: "0" });
  const described = Object.entries(paths as JsonObject).flatMap(([path, methods]) =>
    Object.entries(methods as JsonObject).map(([method, operation]) => {
      const { operationId } = operation as JsonObject;
      assert.ok(names.includes(String(operationId)), `Client has no ${operationId}()`);
      return `${method.toUpperCase()} ${path}`;
    })
  );
  assert.deepEqual([...sent].sort(), described.sort());
});

Deno.test("Client.run() sends the idempotency key as a header", async () => {
  const { fetch, calls } = scripted([Response.json({ execution_id: 1, model: "" })]);
  await new Client({ fetch }).run("a", {}, { idempotencyKey: "k" });
  assert.equal(calls[0]?.headers.get("idempotency-key"), "k");
  assert.equal(calls[0]?.headers.get("content-type"), "application/json");
});

Deno.test("server/client.ts loads nothing but its own small parts and the clock", () => {
  const own = [
    "client.ts",
    "client/client_errors.ts",
    "client/client_request.ts",
    "client/client_stream.ts",
    "client/client_transport.ts",
    "client/socket_request.ts",
    "operations/operation_paths.ts",
    "streams/followed_stream.ts",
  ].map((name) => `server/${name}`);
  const loaded = own.flatMap((file) =>
    importsOf(file).filter(({ typeOnly }) => !typeOnly).map(({ to }) => to)
  );
  // A clock of a few lines and the parser of streams, which load nothing.
  assert.deepEqual(
    new Set(loaded),
    new Set([...own.slice(1), "base/clock.ts", "base/text/event_stream.ts"]),
  );
});
