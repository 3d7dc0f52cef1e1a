// Taking a host's messages and a tool's prints apart, wherever the chunks end.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readHostOutput } from "../../../../runtime/tools/custom/host_output.ts";
import { anyText } from "../../../support/any_text.ts";

async function readChunks(
  chunks: readonly Uint8Array[],
  mark?: string,
): Promise<{ messages: string[]; lines: string[]; bytes: number }> {
  const messages: string[] = [];
  const lines: string[] = [];
  let bytes = 0;
  await readHostOutput(ReadableStream.from(chunks), {
    ...(mark !== undefined && { mark }),
    source: "stdout",
    onMessage: (line) => messages.push(line),
    onLine: ({ text, cut }) => text !== "" && lines.push(cut ? `${text}|` : text),
    onBytes: (size) => bytes += size,
  });
  return { messages, lines, bytes };
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [...new Set([0, ...at.map((one) => one % (bytes.length + 1)), bytes.length])]
    .sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

Deno.test("readHostOutput() tells messages from prints, however the stream is cut", async () => {
  const line = anyText({ maxLength: 30 }).filter((text) => !text.includes("\n"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ text: line, isMessage: fc.boolean() }), { maxLength: 20 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      async (entries, places) => {
        const mark = crypto.randomUUID();
        const text = entries.map(({ text, isMessage }) =>
          isMessage ? `\n${mark}${JSON.stringify(text)}\n` : text
        ).join("");
        const { messages } = await readChunks(cut(new TextEncoder().encode(text), places), mark);
        const expected = entries.filter(({ isMessage }) => isMessage)
          .map(({ text }) => JSON.stringify(text));
        assert.deepEqual(messages, JSON.parse(JSON.stringify(expected)));
      },
    ),
    { numRuns: 15 },
  );
});

Deno.test("readHostOutput() believes no line without the mark at its very beginning", async () => {
  const bytes = new TextEncoder().encode(' mark{"a":1}\nmar\nmark{"b":2}\nxmark{"c":3}\nMARK{}');
  const { messages, lines } = await readChunks([bytes], "mark");
  assert.deepEqual(messages, ['{"b":2}']);
  assert.deepEqual(lines, [' mark{"a":1}', "mar", 'xmark{"c":3}', "MARK{}|"]);
});

Deno.test("readHostOutput() cuts long prints, keeps long messages whole, and counts everything", async () => {
  const long = "x".repeat(100_000);
  const bytes = new TextEncoder().encode(`${long}\nmark"${long}"\n`);
  const result = await readChunks(cut(bytes, [10, 5_000, 100_001, 100_003, 150_000]), "mark");
  assert.deepEqual(result.lines.map(({ length }) => length), [2_001]);
  assert.deepEqual(result.messages, [`"${long}"`]);
  assert.equal(result.bytes, bytes.length);
});
