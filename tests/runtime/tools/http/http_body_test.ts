import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { readBody, type ReplyStream } from "../../../../runtime/tools/http/http_body.ts";

/** A reply whose body arrives in these pieces. */
function reply(pieces: Uint8Array[], encoding?: string): ReplyStream {
  const headers = encoding === undefined ? {} : { "content-encoding": encoding };
  return Object.assign(Readable.from(pieces), { headers });
}

const bytes = (text: string) => new TextEncoder().encode(text);
const GET = { method: "GET", maxBytes: 10 };

/** The text that was read, and whether there was more. */
async function read(message: ReplyStream, options = GET): Promise<[string, boolean]> {
  const { body, cut } = await readBody(message, options);
  return [new TextDecoder().decode(body), cut];
}

Deno.test("readBody() joins the pieces, and cuts at the limit exactly", async () => {
  assert.deepEqual(await read(reply([])), ["", false]);
  assert.deepEqual(await read(reply([bytes("01234"), bytes("56789")])), ["0123456789", false]);
  assert.deepEqual(await read(reply([bytes("01234"), bytes("567890")])), ["0123456789", true]);
  assert.deepEqual(await read(reply([bytes("x".repeat(1_000))])), ["x".repeat(10), true]);
});

Deno.test("readBody() stops reading at the limit", async () => {
  let sent = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) {
      sent++;
      yield await Promise.resolve(bytes("0123456789"));
    }
  }
  const message = Object.assign(Readable.from(endless()), { headers: {} });
  assert.deepEqual(await read(message), ["0123456789", true]);
  assert.ok(message.destroyed && sent < 100, `${sent} pieces were asked for`);
});

Deno.test("readBody() decompresses what it knows, in any spelling, and counts what comes out", async () => {
  const known = [
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    [" deflate ", deflateSync],
    ["br", brotliCompressSync],
  ] as const;
  for (const [encoding, compress] of known) {
    assert.deepEqual(await read(reply([compress("hello")], encoding)), ["hello", false], encoding);
    const bomb = compress(new Uint8Array(1_000_000));
    assert.deepEqual(await read(reply([bomb], encoding)), ["\0".repeat(10), true], encoding);
  }
  assert.deepEqual(await read(reply([bytes("plain")], "identity")), ["plain", false]);
});

Deno.test("readBody() rejects for a body that is broken, and for a connection that breaks", async () => {
  await assert.rejects(read(reply([bytes("no gzip")], "gzip")));
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(gzipSync("hello").subarray(0, 5));
    throw new Error("reset");
  }
  const message = Object.assign(Readable.from(broken()), {
    headers: { "content-encoding": "gzip" },
  });
  await assert.rejects(read(message), /reset/);
});

Deno.test("readBody() takes the reply to HEAD for empty, whatever its headers promise", async () => {
  assert.deepEqual(await read(reply([], "gzip"), { ...GET, method: "HEAD" }), ["", false]);
});
