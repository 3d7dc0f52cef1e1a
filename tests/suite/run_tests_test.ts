import assert from "node:assert/strict";
import { join } from "node:path";
import { runTests } from "./run_tests.ts";

Deno.test("runTests() interrupts a run in which a test hangs, and the output names the test", async () => {
  const folder = await Deno.makeTempDir({ prefix: "inkling-hung-" });
  try {
    const path = join(folder, "hung_test.ts");
    await Deno.writeTextFile(
      path,
      'Deno.test("adds", () => {});\n' +
        'Deno.test("hangs", async () => { setInterval(() => {}, 1_000); await new Promise(() => {}); });\n',
    );
    const lines: string[] = [];
    const code = await runTests({
      modules: [path],
      args: [],
      env: {},
      silenceMs: 1_500,
      onLine: (line) => lines.push(line),
    });
    assert.equal(code, 130);
    assert.match(
      lines.join("\n"),
      /No test has ended for 1\.5 s[^]*pending:\s+hangs => .*hung_test\.ts:2/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
