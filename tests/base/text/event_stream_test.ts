import assert from "node:assert/strict";
import { parseEventStream, type ServerSentEvent } from "../../../base/text/event_stream.ts";

/** Returns a body that arrives in pieces of the given sizes. */
function inPieces(text: string, sizes: readonly number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  let start = 0;
  for (const size of sizes) {
    pieces.push(bytes.slice(start, start + size));
    start += size;
  }
  pieces.push(bytes.slice(start));
  return ReadableStream.from(pieces);
}

async function parse(text: string, sizes: readonly number[] = []): Promise<ServerSentEvent[]> {
  return await Array.fromAsync(parseEventStream(inPieces(text, sizes)));
}

Deno.test("parseEventStream() follows the standard's rules", async () => {
  const table: [string, ServerSentEvent[]][] = [
    ["", []],
    [": comment\n\n", []],
    ["data: a\n\n", [{ event: "message", data: "a", id: undefined }]],
    ["event: x\ndata:a\nid: 7\n\n", [{ event: "x", data: "a", id: "7" }]],
    ["data:  two\ndata\ndata: c\n\n", [{ event: "message", data: " two\n\nc", id: undefined }]],
    ["event: x\n\ndata: b\n\n", [{ event: "message", data: "b", id: undefined }]],
    ["retry: 5\nunknown: y\ndata: a\n\n", [{ event: "message", data: "a", id: undefined }]],
    ["id: a\0b\ndata: a\n\n", [{ event: "message", data: "a", id: undefined }]],
    ["\uFEFFdata: a\n\n", [{ event: "message", data: "a", id: undefined }]],
    ["data: cut off\n", []],
    ["data: a\r\rdata: b\r\n\r\n", [
      { event: "message", data: "a", id: undefined },
      { event: "message", data: "b", id: undefined },
    ]],
  ];
  for (const [text, expected] of table) {
    assert.deepEqual(await parse(text), expected, JSON.stringify(text));
  }
});

Deno.test("parseEventStream() keeps a byte order mark after the beginning", async () => {
  const text = "\uFEFFdata: a\uFEFFb\n\ndata: \uFEFF\n\n";
  for (let cut = 0; cut < new TextEncoder().encode(text).length; cut++) {
    const read = (await parse(text, [cut])).map(({ data }) => data);
    assert.deepEqual(read, ["a\uFEFFb", "\uFEFF"], `cut at ${cut}`);
  }
});

Deno.test("parseEventStream() cancels the body when its reader stops", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("data: a\n\n")),
    cancel: () => {
      cancelled = true;
    },
  });
  for await (const { data } of parseEventStream(body)) {
    assert.equal(data, "a");
    break;
  }
  assert.ok(cancelled);
});
