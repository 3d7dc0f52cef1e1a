// test: what is played, and what becomes of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { LiveTrial } from "../../../../runtime/authoring/testing/live_trial.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { offerTests, result, RESULTS } from "../../fake_tests.ts";

async function withTests(
  parts: Parameters<typeof offerTests>[1] = {},
  options: Parameters<typeof createFakeCli>[0] = {},
): Promise<FakeCli> {
  const cli = await createFakeCli(options);
  offerTests(cli, parts);
  return cli;
}

Deno.test("test of one agent plays its cases", async () => {
  await using cli = await withTests();
  assert.equal(await cli.run("test", "tidy"), 1);
  assert.match(cli.stdout.text, /^✖ tidy\n[^]*\n0 passed, 1 failed\n$/);
});

Deno.test("test --junit writes XML that a parser reads, whatever stands in it", async () => {
  const nasty = `<&>"']]> \u0000\u001B[2J \uD800 ü 😀\r\n`;
  await using cli = await withTests({
    results: [
      ...RESULTS,
      result(nasty, { failures: [{ what: nasty, expected: nasty, got: nasty }] }),
    ],
  });
  const path = join(cli.stateDir, "report.xml");
  assert.equal(await cli.run("test", "--junit", path), 1);
  const xml = await Deno.readTextFile(path);
  assert.match(
    xml,
    /<testsuite name="inkling" tests="4" failures="2" errors="1" skipped="0" time="0\.048">/,
  );
  assert.match(xml, /<testcase classname="reporter" name="reporter\/quiet-week" time="0\.012"\/>/);
  const shown = `&lt;&amp;&gt;&quot;&apos;]]&gt; \uFFFD\uFFFD[2J \uFFFD ü 😀&#13;\n`;
  assert.ok(
    xml.includes(`<failure message="${shown}">expected:\n${shown}\n\ngot:\n${shown}<`),
    xml,
  );
  // What is left of the markup nests.
  const open: string[] = [];
  for (const [, end, name = "", alone] of xml.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (end) assert.equal(open.pop(), name);
    else if (!alone) open.push(name);
  }
  assert.deepEqual(open, []);
});

Deno.test("test: a case whose judge was not asked has neither passed nor failed", async () => {
  const open = result("reporter/tone", { unjudged: ["Is the tone friendly?\u001B[2J"] });
  await using cli = await withTests({ results: [result("reporter/quiet-week"), open] });
  const path = join(cli.stateDir, "report.xml");
  assert.equal(await cli.run("test", "--junit", path), 0);
  assert.match(
    cli.stdout.text,
    /\n\? reporter\/tone\n {2}Not judged \(needs --live\): Is the tone friendly\?.*\n1 passed, 0 failed, 1 not judged\n$/,
  );
  const xml = await Deno.readTextFile(path);
  assert.match(xml, /tests="2" failures="0" errors="0" skipped="1"/);
  assert.match(xml, /<skipped message="Not judged: needs --live">Is the tone friendly\?/);
  cli.stdout.text = "";
  assert.equal(await cli.run("test", "--json"), 0);
  const { passed, failed, not_judged: unjudged, results } = JSON.parse(cli.stdout.text);
  assert.deepEqual([passed, failed, unjudged], [1, 0, 1]);
  assert.deepEqual([results[1].passed, results[1].not_judged.length], [false, 1]);
  // Nothing passed: a CI must not take it for a pass.
  await using alone = await withTests({ results: [open] });
  assert.equal(await alone.run("test"), 1);
  assert.match(alone.stderr.text, /No case passed: .*--live/);
});

Deno.test("test --live says the votes of judges with the cost", async () => {
  await using cli = await withTests({
    openTrial: () =>
      Promise.resolve({
        unplayable: [],
        estimate: { runs: 2, votes: 6, costUsd: 0.5, unknown: 2 },
        run: () => Promise.resolve([]),
        [Symbol.dispose]: () => {},
      } as unknown as LiveTrial),
  });
  await cli.run("test", "--live", "--yes");
  assert.match(
    cli.stderr.text,
    /^2 runs and 6 votes of judges with real models: about \$0\.50\S*, and 2 runs of unknown cost/,
  );
});

Deno.test("test --watch plays again at a change, until Ctrl+C", async () => {
  let count = 0;
  await using cli = await withTests({
    run: () => Promise.resolve([result(`tidy/${++count}`)]),
    async watch(changed, signal) {
      await changed();
      assert.ok(cli.interrupt());
      assert.ok(signal.aborted);
    },
  });
  assert.equal(await cli.run("test", "--watch"), 130);
  assert.match(cli.stdout.text, /^✔ tidy\/1\n1 passed, 0 failed\n\n✔ tidy\/2\n/);
});

Deno.test("test --live says the cost, and asks nobody's model without a yes", async () => {
  await using cli = await withTests();
  assert.equal(await cli.run("test", "--live"), 2);
  assert.match(
    cli.stderr.text,
    /^10 runs with real models: about \$0\.04\S*, and 5 runs of unknown/,
  );
  await using asked = await withTests({}, { isTerminal: true, hasPerson: true });
  asked.input.answers = [false];
  assert.equal(await asked.run("test", "--live"), 1);
  assert.match(asked.stderr.text, /No model was asked/);
  assert.ok(!asked.stdout.text.includes("gpt-5"));
  await using yes = await withTests();
  assert.equal(await yes.run("test", "--live", "--yes"), 1);
  assert.match(yes.stdout.text, /openai\/gpt-5 +5\/5/);
});
