// What every command ends with, and what goes where: results to standard output, everything about them to standard
// error. Neither is a terminal here, as in a script.
import assert from "node:assert/strict";
import { PROGRAM } from "../../cli/program.ts";
import { until } from "../support/until.ts";
import { addWorld, type Expected, type Row, ROWS, successOf } from "./exit_code_table.ts";
import { createFakeCli, type FakeCli } from "./fake_cli.ts";

function matches(text: string, expected: Expected, name: string): void {
  if (expected instanceof RegExp) assert.match(text, expected, name);
  else assert.equal(text, expected ?? "", name);
}

/** Runs the command of a row in its world, and returns its exit code. */
async function perform(cli: FakeCli, { argv, code, before, needs, then }: Row): Promise<number> {
  addWorld(cli);
  before?.(cli);
  await using _ = await needs?.(cli);
  const exit = cli.run(...argv);
  if (then !== undefined) {
    await until(
      () => code === 130 ? cli.proxied.length === 1 : cli.runtime.followers === 1,
      "it waits for what happens",
    );
    then(cli);
  }
  return await (needs === undefined ? cli.drive(exit) : exit);
}

for (const row of ROWS) {
  const { argv, code, out, err, isRunning = true } = row;
  const state = isRunning ? "" : ", while no service runs,";
  const name = `inkling ${argv.join(" ")}${state} exits with ${code}`;
  Deno.test(`${name}: ${describe(out)} on standard output, ${describe(err)} on standard error`, async () => {
    await using cli = await createFakeCli({ isRunning });
    assert.equal(await perform(cli, row), code, cli.stderr.text);
    matches(cli.stdout.text, out, "standard output");
    matches(cli.stderr.text, err, "standard error");
  });
}

function describe(expected: Expected): string {
  return expected === undefined ? "nothing" : "something";
}

Deno.test("every command stands in the table, in success and in failure", () => {
  const declared = PROGRAM.commands.map(({ name }) => name).sort();
  const rows = ROWS.flatMap(({ argv: [name = ""], code }) =>
    name === "" || name.startsWith("-") || name === "nonsense" ? [] : [{ name, code }]
  );
  const inTable = (isSuccess: boolean) => {
    const found = rows.filter(({ name, code }) => (code === successOf(name)) === isSuccess);
    return [...new Set(found.map(({ name }) => name))].sort();
  };
  assert.deepEqual(inTable(true), declared);
  assert.deepEqual(inTable(false), declared);
});

Deno.test("every command ends with 141 and says nothing when nobody reads its output", async () => {
  const ended = new Set<string>();
  for (const row of ROWS) {
    const { argv: [name = ""], out, code, isRunning = true } = row;
    if (out === undefined || code !== successOf(name)) continue;
    await using cli = await createFakeCli({ isRunning });
    cli.stdout.isClosed = true;
    cli.stderr.isClosed = true;
    const { then, ...rest } = row;
    // Whoever cannot show the address of the page does not wait for Ctrl+C.
    const met = code === 0 && then !== undefined ? { ...rest, then } : rest;
    assert.equal(await perform(cli, met), 141, row.argv.join(" "));
    ended.add(name);
  }
  for (const { name } of PROGRAM.commands) assert.ok(ended.has(name), name);
});
