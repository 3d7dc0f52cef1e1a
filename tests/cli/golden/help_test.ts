// The help of every command. The screens are in __snapshots__; read the changes of a snapshot.
import assert from "node:assert/strict";
import { widthOf } from "../../../cli/output/width.ts";
import { createFakeCli } from "../fake_cli.ts";
import { assertPicture } from "../picture.ts";

for (const columns of [80, 40]) {
  Deno.test(`help of every command at ${columns} columns`, async (t) => {
    await using cli = await createFakeCli({ isTerminal: true, columns });
    const helpOf = async (...command: string[]): Promise<string> => {
      cli.stdout.text = "";
      assert.equal(await cli.run(...command, "--help"), 0);
      assert.equal(cli.stderr.text, "");
      return cli.stdout.text;
    };
    // The commands that the program's help lists, except `help`.
    const [, listed = ""] = /\nCommands:\n([^]*?)\n\n/.exec(await helpOf()) ?? [];
    const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = ""]) => name);
    for (const name of [undefined, ...names.filter((name) => name !== "help")]) {
      await t.step(name ?? "inkling", async (t) => {
        const help = await (name === undefined ? helpOf() : helpOf(name));
        for (const line of help.split("\n")) {
          // Commands are not wrapped, so that people can copy them.
          assert.ok(widthOf(line) <= columns || /^( {2}|Usage: )inkling \S/.test(line), line);
        }
        if (name !== undefined) assert.match(help, /\nExamples:\n {2}inkling /);
        await assertPicture(t, help, import.meta.url);
      });
    }
  });
}
