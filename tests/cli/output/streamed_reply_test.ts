import assert from "node:assert/strict";
import fc from "fast-check";
import { sanitise } from "../../../cli/output/sanitise.ts";
import { SanitisedStream } from "../../../cli/output/sanitised_stream.ts";
import { StreamedReply } from "../../../cli/output/streamed_reply.ts";

const part = fc.constantFrom(
  ..."a,é,🚀,\n,\r,\r\n,\t,\u001b,\u001b[31m,\u001b]0;title\u0007,\u001b]0;x\u001b\\,\u001b[,\u009b1m"
    .split(","),
  ..."\u001bP,\u202e,\u0090,m,0,;,\\,\u0007,[".split(","),
);

function cutAt(text: string, cuts: readonly number[]): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (const cut of cuts) {
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
}

Deno.test("SanitisedStream makes of any pieces what sanitise() makes of the whole", () => {
  fc.assert(
    fc.property(fc.array(part), fc.array(fc.nat(8)), (parts, cuts) => {
      const text = parts.join("");
      const stream = new SanitisedStream();
      const shown = cutAt(text, cuts).map((piece) => stream.push(piece)).join("") + stream.end();
      assert.equal(shown, sanitise(text));
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("SanitisedStream holds no plain text back, and no endless sequence for ever", () => {
  const stream = new SanitisedStream();
  assert.equal(stream.push("plain"), "plain");
  assert.equal(stream.push("\u001b]0;"), "");
  assert.match(stream.push("x".repeat(5_000)), /x{4000}/);
});

Deno.test("StreamedReply tells what is left of the whole, which is nothing when all was shown", () => {
  const reply = new StreamedReply();
  assert.equal(reply.push("Hel") + reply.push("lo \u001b[3"), "Hello ");
  assert.ok(reply.isOpen);
  assert.equal(reply.end("Hello \u001b[31mworld"), "world");
  assert.ok(!reply.isOpen);
  reply.push("All of it.");
  assert.equal(reply.end("All of it."), "");
});

Deno.test("StreamedReply tells when something else was shown than the reply came to", () => {
  const reply = new StreamedReply();
  reply.push("Begun, then lost");
  assert.equal(reply.end("Begun, and ended"), undefined);
  reply.push("next");
  assert.equal(reply.end("next one"), " one");
});
