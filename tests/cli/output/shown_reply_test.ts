import assert from "node:assert/strict";
import { SanitisedStream } from "../../../cli/output/sanitised_stream.ts";
import { ShownReply } from "../../../cli/output/run/shown_reply.ts";

Deno.test("SanitisedStream holds no plain text back, and no endless sequence for ever", () => {
  const stream = new SanitisedStream();
  assert.equal(stream.push("plain"), "plain");
  assert.equal(stream.push("\u001b]0;"), "");
  assert.match(stream.push("x".repeat(5_000)), /x{4000}/);
});

Deno.test("ShownReply tells what is left of the whole, which is nothing when all was shown", () => {
  const reply = new ShownReply();
  assert.equal(reply.push("Hel") + reply.push("lo \u001b[3"), "Hello ");
  assert.ok(reply.isOpen);
  assert.equal(reply.end("Hello \u001b[31mworld"), "world");
  assert.ok(!reply.isOpen);
  reply.push("All of it.");
  assert.equal(reply.end("All of it."), "");
});
