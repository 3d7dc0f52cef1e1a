import assert from "node:assert/strict";
import { OutputClosed, writeAll } from "../../../cli/output/terminal.ts";

/** Creates a stream that accepts the number of bytes of each step, or throws its error. */
function createStream(steps: (number | Error)[]) {
  const bytes: number[] = [];
  return {
    text: () => new TextDecoder().decode(Uint8Array.from(bytes)),
    writeSync(chunk: Uint8Array): number {
      const step = steps.shift() ?? chunk.length;
      if (step instanceof Error) throw step;
      bytes.push(...chunk.subarray(0, step));
      return Math.min(step, chunk.length);
    },
  };
}

Deno.test("writeAll() continues after a short write, also within a character", () => {
  const stream = createStream([1, 2, 1]);
  writeAll(stream, "日本語");
  assert.equal(stream.text(), "日本語");
});

Deno.test("writeAll() waits for a full non-blocking pipe", () => {
  const stream = createStream([2, new Deno.errors.WouldBlock("full")]);
  writeAll(stream, "text");
  assert.equal(stream.text(), "text");
});

Deno.test("writeAll() distinguishes a closed output from other errors", () => {
  assert.throws(
    () => writeAll(createStream([new Deno.errors.BrokenPipe("gone")]), "text"),
    OutputClosed,
  );
  assert.throws(() => writeAll(createStream([new Error("disk full")]), "text"), /disk full/);
});
