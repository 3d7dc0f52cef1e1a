import assert from "node:assert/strict";
import { PlainLines } from "../../../cli/prompting/plain_lines.ts";

const signal = new AbortController().signal;

function streamOf(...pieces: Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(pieces);
}

async function readAll(lines: PlainLines): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const line = await lines.read("> ", { signal });
    if (line === undefined) return found;
    found.push(line);
  }
}

Deno.test("PlainLines returns whole lines from any pieces of input", async () => {
  const bytes = new TextEncoder().encode("Zoë 🚀\r\n\ntwo\nlast");
  for (let cut = 0; cut <= bytes.length; cut++) {
    await using lines = new PlainLines(streamOf(bytes.slice(0, cut), bytes.slice(cut)));
    assert.deepEqual(await readAll(lines), ["Zoë 🚀", "", "two", "last"]);
    assert.equal(await lines.read("> ", { signal }), undefined, "the end stays the end");
  }
});

Deno.test("PlainLines.read() rejects with the signal's reason while it waits", async () => {
  const controller = new AbortController();
  await using lines = new PlainLines(new ReadableStream());
  const line = lines.read("> ", { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(line, { message: "enough" });
});
