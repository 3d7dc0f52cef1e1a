import assert from "node:assert/strict";
import { SanitisedStream } from "../../../cli/output/sanitised_stream.ts";

Deno.test("SanitisedStream holds no plain text back, and no endless sequence for ever", () => {
  const stream = new SanitisedStream();
  assert.equal(stream.push("plain"), "plain");
  assert.equal(stream.push("\u001b]0;"), "");
  assert.match(stream.push("x".repeat(5_000)), /x{4000}/);
});
