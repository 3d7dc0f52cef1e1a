import assert from "node:assert/strict";
import { ApiError, Client, openSocketClient, ServiceUnreachable } from "../../server/client.ts";
import { scripted, streamOf } from "../support/scripted_transport.ts";

Deno.test("Client sends each call to its endpoint", async () => {
  const table: [
    (client: Client) => Promise<unknown>,
    string,
    string,
    unknown?,
  ][] = [
    [(client) => client.health(), "GET", "/health"],
    [(client) => client.info(), "GET", "/info"],
    [(client) => client.shutdown(), "POST", "/shutdown"],
    [(client) => client.agents(), "GET", "/agents"],
    [(client) => client.agent("Café x"), "GET", "/agents/Caf%C3%A9%20x"],
    [(client) => client.run("a/b"), "POST", "/agents/a%2Fb/run", {}],
    [(client) => client.run("a", { args: ["1"] }), "POST", "/agents/a/run", {
      args: ["1"],
    }],
    [(client) => client.runs("a"), "GET", "/agents/a/runs"],
    [
      (client) => client.runs("a", { limit: 3, offset: 1 }),
      "GET",
      "/agents/a/runs?limit=3&offset=1",
    ],
    [(client) => client.reload(), "POST", "/agents/reload"],
    [(client) => client.executions(), "GET", "/executions"],
    [
      (client) => client.executions({ status: ["error", "timeout"], agent: "a b" }),
      "GET",
      "/executions?status=error%2Ctimeout&agent=a+b",
    ],
    [(client) => client.execution(4), "GET", "/executions/4"],
    [
      (client) => client.messages(4, { after: 2 }),
      "GET",
      "/executions/4/messages?after=2",
    ],
    [(client) => client.cancel(4), "DELETE", "/executions/4"],
  ];
  for (const [call, method, path, body] of table) {
    const { fetch, calls } = scripted([Response.json({ ok: true })]);
    assert.deepEqual(await call(new Client({ fetch })), { ok: true });
    assert.deepEqual([calls[0]?.method, calls[0]?.path, calls[0]?.body], [
      method,
      path,
      body,
    ]);
  }
});

Deno.test("Client.run() sends the idempotency key as a header", async () => {
  const { fetch, calls } = scripted([
    Response.json({ execution_id: 1, model: "" }),
  ]);
  await new Client({ fetch }).run("a", {}, { idempotencyKey: "k" });
  assert.equal(calls[0]?.headers.get("idempotency-key"), "k");
  assert.equal(calls[0]?.headers.get("content-type"), "application/json");
});

Deno.test("Client throws ApiError with the status, the detail and a sentence", async () => {
  const issues = [{
    type: "x",
    loc: ["query", "limit"],
    msg: "Too small",
    input: "0",
  }];
  const table: [Response, number, unknown, string][] = [
    [Response.json({ detail: "No" }, { status: 404 }), 404, "No", "No"],
    [
      Response.json({ detail: issues }, { status: 422 }),
      422,
      issues,
      "query.limit: Too small",
    ],
    [new Response("<html>", { status: 502 }), 502, "<html>", "<html>"],
    [
      new Response("", { status: 500 }),
      500,
      "The service gave no reason",
      "The service gave no reason",
    ],
    [
      new Response("hello"),
      200,
      "The service answered GET /agents with no JSON",
      "The service answered GET /agents with no JSON",
    ],
  ];
  for (const [response, status, detail, message] of table) {
    const { fetch } = scripted([response]);
    await assert.rejects(new Client({ fetch }).agents(), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.detail, error.message], [
        status,
        detail,
        message,
      ]);
      return true;
    });
  }
});

Deno.test("Client throws ServiceUnreachable when nothing answers or the connection breaks", async () => {
  const refused = scripted([new TypeError("refused")]);
  await assert.rejects(new Client(refused).agents(), (error) => {
    assert.ok(error instanceof ServiceUnreachable);
    assert.ok(error.cause instanceof TypeError);
    return true;
  });
  await assert.rejects(
    new Client(scripted([streamOf("[", true)])).agents(),
    ServiceUnreachable,
  );
});

Deno.test("Client throws the reason of an aborted signal", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  controller.abort(reason);
  const { fetch } = scripted([new TypeError("aborted")]);
  await assert.rejects(
    new Client({ fetch }).health({ signal: controller.signal }),
    reason,
  );
});

Deno.test("openSocketClient() finds nobody where there is no socket", async () => {
  const directory = await Deno.makeTempDir();
  try {
    using client = openSocketClient(`${directory}/none.sock`);
    await assert.rejects(client.health(), ServiceUnreachable);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("server/client.ts loads nothing but its errors and the parser of event streams", async () => {
  const root = new URL("../../server/", import.meta.url);
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", new URL("client.ts", root).href],
    stderr: "null",
  }).output();
  const graph: {
    modules: { specifier: string; dependencies?: { code?: { specifier: string } }[] }[];
  } = JSON.parse(new TextDecoder().decode(stdout));
  const own = ["client.ts", "client_errors.ts", "event_stream.ts"]
    .map((name) => new URL(name, root).href);
  const loaded = graph.modules.filter(({ specifier }) => own.includes(specifier))
    .flatMap(({ dependencies = [] }) => dependencies.flatMap(({ code }) => code?.specifier ?? []));
  assert.deepEqual(new Set(loaded), new Set(own.slice(1)));
});
