// Tests postToProvider() with real servers: redirects, limits of size, and the request itself.
import assert from "node:assert/strict";
import { ModelError } from "../../../../runtime/models/model.ts";
import {
  boundReply,
  MAX_ERROR_BYTES,
  MAX_EVENT_BYTES,
  MAX_REPLY_BYTES,
  postToProvider,
} from "../../../../runtime/models/providers/provider_fetch.ts";
import { collectReply, failureOf, modelRequest } from "../../../support/collect_reply.ts";
import { ADAPTERS, open } from "../../../support/models/model_adapters.ts";
import type { ModelServer } from "../../../support/models/model_server.ts";

/** Starts a server with a request handler. The dispose stops the server. */
function serve(handler: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handler);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return { origin, [Symbol.asyncDispose]: () => server.shutdown() };
}

function send(origin: string, body = "{}"): Promise<Response> {
  const context = { provider: "mine", baseUrl: origin, apiKey: "secret-key", now: () => 0 };
  const headers = { "x-api-key": "secret-key" };
  return postToProvider(context, { url: `${origin}/v1/chat`, headers, body });
}

async function refusalOf(answer: Promise<unknown>): Promise<ModelError> {
  const error = await answer.then(() => assert.fail("it was let through"), (error) => error);
  assert.ok(error instanceof ModelError, String(error));
  return error;
}

Deno.test("postToProvider() follows a redirect within the origin", async () => {
  for (const status of [301, 302, 307, 308]) {
    const seen: unknown[] = [];
    await using server = serve(async (request) => {
      const { pathname } = new URL(request.url);
      seen.push([request.method, pathname, request.headers.get("x-api-key"), await request.text()]);
      return pathname === "/v2/chat"
        ? new Response("fine")
        : new Response(null, { status, headers: { location: "/v2/chat" } });
    });
    assert.equal(await (await send(server.origin, '{"a":1}')).text(), "fine");
    assert.deepEqual(seen, [
      ["POST", "/v1/chat", "secret-key", '{"a":1}'],
      ["POST", "/v2/chat", "secret-key", '{"a":1}'],
    ]);
  }
});

for (const adapter of ADAPTERS) {
  Deno.test(`${adapter.provider}: a redirect to another host fails with both hosts in the message`, async () => {
    let asked = 0;
    await using other = serve(() => {
      asked++;
      return new Response();
    });
    await using server = serve(() => Response.redirect(`${other.origin}/v1/chat`, 307));
    const model = await open(adapter, { origin: server.origin } as ModelServer);
    const error = await failureOf(model);
    assert.ok(
      error.message.includes(`${server.origin} redirects to ${other.origin}:`),
      error.message,
    );
    assert.deepEqual([error.retryable, asked], [false, 0]);
  });

  Deno.test(`${adapter.provider}: a lone surrogate in any part of the request is replaced`, async () => {
    await using server = adapter.serve([{ text: "Fine" }]);
    const model = await open(adapter, server);
    await collectReply(
      model,
      modelRequest({
        messages: [
          { role: "system", content: "told \ud800" },
          { role: "user", content: "asked \udc00 and 😀 and \\ud800" },
          {
            role: "assistant",
            content: "said \ud83d",
            toolCalls: [{ id: "c", name: "t", arguments: '{"a":"\\ud800"}' }],
          },
          { role: "tool", toolCallId: "c", toolName: "t", content: "found \ude00", isError: false },
        ],
      }),
    );
    const texts: string[] = [];
    JSON.stringify(server.request(0).body, (_key, value) => {
      if (typeof value === "string") texts.push(value);
      return value;
    });
    assert.deepEqual(texts.filter((text) => !text.isWellFormed()), []);
    assert.ok(texts.includes("asked \ufffd and 😀 and \\ud800"), texts.join("\n"));
  });
}

Deno.test("postToProvider() fails for redirects without an address and for redirect loops", async () => {
  await using circle = serve((request) =>
    Response.redirect(`${new URL(request.url).origin}/x`, 307)
  );
  assert.match((await refusalOf(send(circle.origin))).message, /redirects again and again/);
  await using nowhere = serve(() =>
    new Response(null, { status: 307, headers: { location: "http://" } })
  );
  assert.match((await refusalOf(send(nowhere.origin))).message, /redirects to no address/);
});

Deno.test("postToProvider() limits replies, lines and events, and cuts long errors", async () => {
  // The body ends at twice the limit, so that code without a limit fails the test before it fills the memory.
  const endless = (piece: string, { bytes, status = 200 }: { bytes: number; status?: number }) => {
    const part = new TextEncoder().encode(piece.repeat(1_000));
    return () => {
      let left = 2 * bytes;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (left <= 0) return controller.close();
          controller.enqueue(part);
          left -= part.length;
        },
      });
      return new Response(body, { status, headers: { "content-type": "text/event-stream" } });
    };
  };
  const megabytes = (bytes: number) => `longer than ${bytes / 1_048_576} MB`;
  await using lines = serve(endless(`data: ${"x".repeat(100)}\n\n`, { bytes: MAX_REPLY_BYTES }));
  const reply = await refusalOf((await send(lines.origin)).text());
  assert.ok(reply.message.includes(megabytes(MAX_REPLY_BYTES)), reply.message);
  assert.equal(reply.retryable, false);
  // A line without an end, and events whose lines never end the event.
  for (const piece of ["x".repeat(100), "data: x\n", "data: x\r\n"]) {
    await using part = serve(endless(piece, { bytes: MAX_EVENT_BYTES }));
    const one = await refusalOf((await send(part.origin)).text());
    assert.ok(one.message.includes(megabytes(MAX_EVENT_BYTES)), one.message);
  }
  await using error = serve(endless("no ", { bytes: MAX_ERROR_BYTES, status: 400 }));
  assert.equal((await (await send(error.origin)).text()).length, MAX_ERROR_BYTES);
});

Deno.test("boundReply() finds the end of an event that is split between chunks", async () => {
  const context = { provider: "mine", baseUrl: "http://h", apiKey: "k", now: () => 0 };
  const part = "x".repeat(MAX_EVENT_BYTES * 3 / 4);
  for (const [first = "", second = ""] of [["\n", "\n"], ["\r\n\r", "\n"], ["\r\n", "\r\n"]]) {
    const pieces = [part + first, second, part];
    const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
    const answer = new Response(body, { headers: { "content-type": "text/event-stream" } });
    assert.equal(await boundReply(answer, context).text(), pieces.join(""));
  }
});
