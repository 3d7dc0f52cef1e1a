// Tests of `inkling test`: the cases that it runs and the results that it prints.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { LiveTrial } from "../../../../ops/testing/live_trial.ts";
import { createFakeCli, type FakeCli } from "../../fake_cli.ts";
import { picturesOf } from "../../picture.ts";
import { offerTests, result, RESULTS } from "../../fake_tests.ts";

async function withTests(
  parts: Parameters<typeof offerTests>[1] = {},
  options: Parameters<typeof createFakeCli>[0] = {},
): Promise<FakeCli> {
  const cli = await createFakeCli(options);
  offerTests(cli, parts);
  return cli;
}

const shows = picturesOf(import.meta.url);

Deno.test("inkling test runs the cases of one agent", async (t) => {
  await using cli = await withTests();
  await shows(t, cli, "test", "tidy");
});

Deno.test("test --junit writes valid XML for any text", async () => {
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
  // Checks that all elements are nested correctly.
  const open: string[] = [];
  for (const [, end, name = "", alone] of xml.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (end) assert.equal(open.pop(), name);
    else if (!alone) open.push(name);
  }
  assert.deepEqual(open, []);
});

Deno.test("test: a case without its judge's vote has neither passed nor failed", async (t) => {
  const open = result("reporter/tone", { unjudged: ["Is the tone friendly?\u001B[2J"] });
  await using cli = await withTests({ results: [result("reporter/quiet-week"), open] });
  const path = join(cli.stateDir, "report.xml");
  await shows(t, cli, "test", "--junit", path);
  const xml = await Deno.readTextFile(path);
  assert.match(xml, /tests="2" failures="0" errors="0" skipped="1"/);
  assert.match(xml, /<skipped message="Not judged: needs --live">Is the tone friendly\?/);
  await shows(t, cli, "test", "--json");
  // A CI job fails if no case passed.
  await using alone = await withTests({ results: [open] });
  await shows(t, alone, "test");
});

Deno.test("test --live prints the judges' votes with the cost", async (t) => {
  await using cli = await withTests({
    openTrial: () =>
      Promise.resolve({
        unplayable: [],
        estimate: { runs: 2, votes: 6, costUsd: 0.5, unknown: 2 },
        run: () => Promise.resolve([]),
        [Symbol.dispose]: () => {},
      } as unknown as LiveTrial),
  });
  await shows(t, cli, "test", "--live", "--yes");
});

Deno.test("test --watch runs the cases again after a change, until Ctrl+C", async () => {
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

Deno.test("test --live prints the cost, and calls no model without a confirmation", async (t) => {
  await using cli = await withTests();
  await shows(t, cli, "test", "--live");
  await using asked = await withTests({}, { isTerminal: true, hasPerson: true });
  asked.input.answers = [false];
  await shows(t, asked, "test", "--live");
  await shows(t, cli, "test", "--live", "--yes");
});
