import assert from "node:assert/strict";
import { toAscii } from "../../release/bundle.ts";

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

function valueOf(code: string): unknown {
  return new Function(`return ${code};`)();
}
