// Tests requests of strangers and malformed requests below /v1.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readChatRequest } from "../../../reach/openai/chat_completions.ts";
import { OpenAiError } from "../../../reach/openai/openai_error.ts";
import { readAnswer } from "../../../base/text/answer_words.ts";
import { readMark } from "../../../reach/question_words.ts";
import { readResponseRequest } from "../../../reach/openai/responses.ts";
import { KEY, served } from "../served.ts";

const body = { model: "talk", messages: [{ role: "user", content: "Hi" }] };

Deno.test("without the key, or for another origin or host, nothing below /v1 answers", async () => {
  await using on = await served();
  const path = "/v1/chat/completions";
  const refused: [headers: Record<string, string>, status: number][] = [
    [{ authorization: "" }, 401],
    [{ authorization: "Bearer wrong" }, 401],
    [{ authorization: `Basic ${btoa(`user:${KEY}`)}` }, 401],
    [{ origin: "https://evil.example" }, 403],
  ];
  for (const [headers, status] of refused) {
    const response = await on.send(path, { json: body, headers });
    assert.equal(response.status, status, JSON.stringify(headers));
    const text = await response.text();
    if (status === 401) assert.equal(JSON.parse(text).error.code, "invalid_api_key");
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

Deno.test("readers of requests return a turn or an OpenAiError for any JSON", () => {
  const message = fc.record({
    role: fc.constantFrom("user", "assistant", "system", "tool", "x"),
    content: fc.oneof(
      fc.string(),
      fc.jsonValue(),
      fc.array(fc.record({
        type: fc.constantFrom("text", "image_url", "input_text", "input_image", "file"),
        text: fc.jsonValue(),
        image_url: fc.oneof(fc.string(), fc.constant("data:image/png;base64,AAAA"), fc.jsonValue()),
      }, { requiredKeys: ["type"] })),
    ),
  }, { requiredKeys: [] });
  const request = fc.oneof(
    fc.jsonValue(),
    fc.record({
      model: fc.string(),
      messages: fc.array(message),
      input: fc.oneof(fc.string(), fc.array(message)),
      previous_response_id: fc.option(fc.string()),
      tools: fc.oneof(fc.constant([]), fc.jsonValue()),
      stream: fc.jsonValue(),
    }, { requiredKeys: ["model"] }),
  );
  fc.assert(
    fc.property(request, (value) => {
      for (const read of [readChatRequest, readResponseRequest]) {
        try {
          const { turn } = read(value);
          assert.equal(typeof turn.message, "string");
          assert.notEqual(turn.message.trim(), "");
        } catch (error) {
          if (!(error instanceof OpenAiError)) throw error;
          assert.ok(error.status >= 400 && error.status < 500 && error.message !== "");
        }
      }
    }),
    { numRuns: 300 },
  );
  fc.assert(fc.property(fc.string(), (text) => {
    readMark(text);
    for (const kind of ["confirm", "choice"] as const) {
      const answer = readAnswer({ kind, options: ["a", "b"], multi: text.length % 2 === 0 }, text);
      if (answer && "selected" in answer) {
        assert.ok(answer.selected.every((one) => "ab".includes(one)));
      }
    }
  }));
});
