import assert from "node:assert/strict";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { toAscii, toLineMappings } from "../../release/bundle.ts";

Deno.test("code in ASCII has the same values", () => {
  const samples = ['"–"', '"é😀"', "`${1}…`", String.raw`"\\–"`, String.raw`"\–"`, "({ ä: 1 }).ä"];
  for (const sample of [...samples, "/^[–é]$/.test('–')", String.raw`/^\–$/.test("–")`]) {
    const code = toAscii(sample);
    assert.match(code, /^\p{ASCII}+$/u);
    assert.deepEqual(valueOf(code), valueOf(sample), sample);
  }
  assert.equal(valueOf(toAscii("/^[😀]$/u.test('😀')")), true);
});

Deno.test("code in ASCII keeps its lines, and refuses String.raw with other characters", () => {
  assert.equal(toAscii('// –\n"x";'), '// \\u2013\n"x";');
  assert.throws(() => toAscii("const a = String.raw`x–`;"), /needs ASCII/);
});

Deno.test("a source map of lines names the same file and line for each place, and begins with its first column", () => {
  const mappings = encode([
    [[0, 0, 4, 2], [8, 0, 4, 10, 0], [12, 0, 5, 0], [20, 1, 5, 0], [30], [34, 1, 5, 7], [
      40,
      1,
      5,
      9,
    ]],
    [],
    [[0, 1, 6, 0], [2, 1, 6, 3]],
  ]);
  assert.deepEqual(decode(toLineMappings(mappings)), [
    [[0, 0, 4, 2], [12, 0, 5, 0], [20, 1, 5, 0], [30], [34, 1, 5, 7]],
    [],
    [[0, 1, 6, 0]],
  ]);
});

function valueOf(code: string): unknown {
  return new Function(`return ${code};`)();
}
