// Tests requests of strangers and malformed requests below /v1.
import assert from "node:assert/strict";
import { KEY } from "../../support/test_service.ts";
import { served } from "../served.ts";

const body = { model: "talk", messages: [{ role: "user", content: "Hi" }] };

Deno.test("without the key, or for another origin, nothing below /v1 answers", async () => {
  await using on = await served();
  const path = "/v1/chat/completions";
  const requests: [path: string, json?: object][] = [
    ...[[path, body], ["/v1/responses", { model: "talk", input: "Hi" }]] as [string, object][],
    ...[["/v1/models"], ["/v1/models/talk"]] as [string][],
  ];
  const refused: [headers: Record<string, string>, status: number][] = [
    [{ authorization: "" }, 401],
    [{ authorization: "Bearer wrong" }, 401],
    [{ authorization: "", "x-api-key": "wrong" }, 401],
    [{ authorization: `Basic ${btoa(`user:${KEY}`)}` }, 401],
    [{ authorization: "", cookie: `key=${KEY}` }, 401],
    [{ origin: "https://evil.example" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
  ];
  for (const [headers, status] of refused) {
    for (const [path, json] of requests) {
      const response = await on.send(path, { ...(json && { json }), headers });
      assert.equal(response.status, status, `${path} ${JSON.stringify(headers)}`);
      const text = await response.text();
      assert.doesNotMatch(text.replaceAll(path, ""), /talk/);
      if (status === 401) assert.equal(JSON.parse(text).error.code, "invalid_api_key");
    }
  }
  assert.deepEqual(await on.client.executions(), []);
  const response = await on.send(path, { json: body });
  assert.equal((await response.json()).choices[0].message.content, "Answer 1");
});

Deno.test("a body over 20 MB, of another type or without JSON is refused in OpenAI's shape", async () => {
  await using on = await served();
  const path = "/v1/chat/completions";
  const large = await on.send(path, { json: { ...body, user: "x".repeat(21 * 1_048_576) } });
  assert.equal(large.status, 413);
  assert.match((await large.json()).error.message, /larger than 20 MiB/);
  // JSON.stringify() writes a lone surrogate as an escape.
  const unknown = await on.send(path, { json: { ...body, model: "\udc00" } });
  assert.deepEqual([unknown.status, (await unknown.json()).error.code], [404, "model_not_found"]);
  const broken = await on.send(path, { method: "POST", body: "{" });
  assert.deepEqual([broken.status, (await broken.json()).error.type], [
    422,
    "invalid_request_error",
  ]);
  const text = await on.send(path, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "text/plain" },
  });
  assert.equal(text.status, 415);
  await text.body?.cancel();
  for (
    const [method, path] of [["GET", "/v1/chat/completions"], ["POST", "/v1/models"], [
      "GET",
      "/v1/files",
    ]]
  ) {
    const response = await on.send(`${path}`, { method: `${method}` });
    assert.deepEqual([response.status, (await response.json()).error.code], [404, "not_found"]);
  }
  assert.deepEqual(await on.client.executions(), []);
  // A history of more than the API's own limit of 1 MiB is taken.
  const history = [{ role: "user", content: "x".repeat(3_000_000) }, {
    role: "assistant",
    content: "y",
  }];
  const long = await on.send(path, { json: { ...body, messages: [...history, ...body.messages] } });
  assert.equal(long.status, 200);
  await long.body?.cancel();
});
