// Fuzzes the readers of model replies with replies that are very large or endless.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import {
  boundReply,
  MAX_ERROR_BYTES,
  MAX_EVENT_BYTES,
} from "../../../runtime/models/providers/provider_fetch.ts";
import { ModelError } from "../../../runtime/models/model.ts";
import { defineTarget } from "../target.ts";

/** The size of a chunk, as networks deliver them. */
const PIECE_BYTES = 64 * 1_024;
const MARKS = ["\n", "\n\n", "\r\n", "\r\n\r\n", "data: x\n", "data: x\r\n", "\r", ""];

/** Generates the parts of a reply. Each part has a length, a text after the part, and a chunk boundary. */
const reply = fc.record({
  parts: fc.array(
    fc.tuple(
      fc.oneof(fc.nat(200), fc.integer({ min: MAX_EVENT_BYTES / 4, max: MAX_EVENT_BYTES / 2 })),
      fc.constantFrom(...MARKS),
      fc.nat(4),
    ),
    { maxLength: 12 },
  ),
  hasEvents: fc.boolean(),
  isGood: fc.boolean(),
});

export const endlessReplies = defineTarget({
  name: "endless-replies",
  claim: "a reply is delivered unchanged, or aborted at an endless part",
  oneIn: 40,
  cases: () => reply,
  async check({ parts, hasEvents, isGood }) {
    const text = parts.map(([length, mark]) => "x".repeat(length) + mark).join("");
    const bytes = new TextEncoder().encode(text);
    let end = 0;
    const cuts = parts.map(([length, mark, cut]) => {
      const at = end + length + Math.min(cut, mark.length);
      end += length + mark.length;
      return at;
    });
    const answer = new Response(inPieces(bytes, cuts), {
      status: isGood ? 200 : 400,
      headers: { "content-type": hasEvents ? "text/event-stream" : "application/x-ndjson" },
    });
    const context = { provider: "mine", baseUrl: "http://h", apiKey: "k", now: () => 0 };
    const body = boundReply(answer, context).arrayBuffer();
    const taken = await body.then((buffer) => new Uint8Array(buffer), (error: unknown) => error);
    if (!isGood) {
      assert.ok(
        taken instanceof Uint8Array &&
          Buffer.compare(taken, bytes.subarray(0, MAX_ERROR_BYTES)) === 0,
      );
      return;
    }
    const longest = longestPart(text, hasEvents);
    if (taken instanceof Uint8Array) {
      assert.ok(Buffer.compare(taken, bytes) === 0, "bytes are missing");
      // The chunk that crosses the limit may be delivered whole.
      assert.ok(longest <= MAX_EVENT_BYTES + PIECE_BYTES, `${longest} bytes were let through`);
      return;
    }
    assert.ok(taken instanceof ModelError && !taken.retryable, String(taken));
    assert.ok(longest > MAX_EVENT_BYTES, `${longest} bytes were refused`);
  },
});

/** Returns the length of the longest event, or of the longest line if the format has no events. */
function longestPart(text: string, hasEvents: boolean): number {
  const parts = text.split(hasEvents ? /(?<=(?:^|\n)\r?\n)/ : /(?<=\n)/);
  return Math.max(0, ...parts.map((part) => part.length));
}

/** Returns a stream of chunks that end at the given places and after PIECE_BYTES. */
function inPieces(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      const next = cuts.find((cut) => cut > at) ?? bytes.length;
      const end = Math.min(next, at + PIECE_BYTES);
      controller.enqueue(bytes.slice(at, end));
      at = end;
    },
  });
}
