import assert from "node:assert/strict";
import { ApiError, Client, ServiceUnreachable } from "../../../api/client/client.ts";
import { scripted, streamOf } from "../../support/scripted_transport.ts";

Deno.test("Client throws ApiError with the status, the detail and a sentence", async () => {
  const issues = [{ type: "x", loc: ["query", "limit"], msg: "Too small", input: "0" }];
  const whole = [{ type: "x", loc: ["body"], msg: "No such step", input: {} }];
  const table: [Response, number, unknown, string][] = [
    [Response.json({ detail: "No" }, { status: 404 }), 404, "No", "No"],
    [Response.json({ detail: issues }, { status: 422 }), 422, issues, "limit: Too small"],
    [Response.json({ detail: whole }, { status: 422 }), 422, whole, "No such step"],
    [new Response("<html>", { status: 502 }), 502, "<html>", "<html>"],
    [
      new Response("", { status: 500 }),
      500,
      "The service returned an error without a reason",
      "The service returned an error without a reason",
    ],
    [
      new Response("hello"),
      200,
      "The service's response to GET /agents is not JSON",
      "The service's response to GET /agents is not JSON",
    ],
  ];
  for (const [response, status, detail, message] of table) {
    const { fetch } = scripted([response]);
    await assert.rejects(new Client({ fetch }).agents(), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.detail, error.message], [status, detail, message]);
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
  await assert.rejects(new Client(scripted([streamOf("[", true)])).agents(), ServiceUnreachable);
});

Deno.test("Client rejects with the reason of an aborted signal", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  controller.abort(reason);
  const { fetch } = scripted([new TypeError("aborted")]);
  await assert.rejects(new Client({ fetch }).health({ signal: controller.signal }), reason);
});
