// The help of every command as a person reads it. The screens lie in __snapshots__: whoever changes one, reads it.
import assert from "node:assert/strict";
import { widthOf } from "../../../cli/output/width.ts";
import { createFakeCli } from "../fake_cli.ts";

async function helpOf(columns: number, command: readonly string[]): Promise<string> {
  await using cli = await createFakeCli({ isTerminal: true, columns });
  assert.equal(await cli.run(...command, "--help"), 0);
  assert.equal(cli.stderr.text, "");
  return cli.stdout.text;
}

/** Every command that the program's own help names, but for `help` itself. */
async function commands(): Promise<string[]> {
  const [, listed = ""] = /\nCommands:\n([^]*?)\n\n/.exec(await helpOf(100, [])) ?? [];
  return [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = ""]) => name)
    .filter((name) => name !== "help");
}

for (const columns of [80, 40]) {
  Deno.test(`help of every command at ${columns} columns`, async (t) => {
    for (const name of [undefined, ...await commands()]) {
      await t.step(name ?? "inkling", async (t) => {
        const help = await helpOf(columns, name === undefined ? [] : [name]);
        for (const line of help.split("\n")) {
          // A command is not broken: it shall be copied.
          assert.ok(widthOf(line) <= columns || /^( {2}|Usage: )inkling \S/.test(line), line);
        }
        if (name !== undefined) assert.match(help, /\nExamples:\n {2}inkling /);
        await t.assertSnapshot(help, { serializer: (text) => text });
      });
    }
  });
}
