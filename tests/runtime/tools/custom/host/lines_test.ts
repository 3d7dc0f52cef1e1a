import assert from "node:assert/strict";
import fc from "fast-check";
import { linesOf } from "../../../../../runtime/tools/custom/host/lines.ts";

Deno.test("linesOf() gives the lines of a stream wherever its chunks end, a byte order mark included", async () => {
  const line = fc.string({ unit: "binary", maxLength: 20 }).map((text) =>
    text.replaceAll("\n", "\ufeff")
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 9 }), async (lines, size) => {
      const bytes = new TextEncoder().encode(lines.map((one) => `${one}\n`).join("") + "no end");
      const chunks = Array.from(
        { length: Math.ceil(bytes.length / size) },
        (_, index) => bytes.subarray(index * size, (index + 1) * size),
      );
      const expected = new TextDecoder("utf-8", { ignoreBOM: true })
        .decode(bytes).split("\n").slice(0, -1);
      assert.deepEqual(await Array.fromAsync(linesOf(ReadableStream.from(chunks))), expected);
    }),
  );
});
