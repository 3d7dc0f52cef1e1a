import assert from "node:assert/strict";
import { SanitizedStream } from "../../../cli/output/sanitized_stream.ts";

Deno.test("SanitizedStream returns plain text at once, and an endless sequence after a limit", () => {
  const stream = new SanitizedStream();
  assert.equal(stream.push("plain"), "plain");
  assert.equal(stream.push("\u001b]0;"), "");
  assert.match(stream.push("x".repeat(5_000)), /x{4000}/);
});
