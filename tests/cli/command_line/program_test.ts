// Rules that the declarations of all commands must follow.
import assert from "node:assert/strict";
import { findCommand, parseCommandLine } from "../../../cli/command_line/parse.ts";
import { PROGRAM } from "../../../cli/program.ts";
import { splitShellWords } from "../../../runtime/tools/skills/shell_words.ts";

Deno.test("PROGRAM declares every command and option once, with a key that fits its name", () => {
  const names = PROGRAM.commands.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)]);
  for (const { name, options } of [PROGRAM, ...PROGRAM.commands]) {
    const spellings = Object.values(options).flatMap(({ short, long }) =>
      short === undefined ? [long] : [short, long]
    );
    assert.deepEqual(spellings, [...new Set(spellings)], name);
    for (const [key, { long, flags, takes }] of Object.entries(options)) {
      assert.equal(long, `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
      const end = takes === "nothing" ? "" : takes === "text" ? " <" : " [";
      assert.ok(flags.includes(`${long}${end}`) && (end !== "" || flags.endsWith(long)), flags);
    }
  }
});

Deno.test("PROGRAM lists valid examples of the right command", () => {
  for (const { name, examples } of PROGRAM.commands) {
    assert.ok(examples.length > 0, name);
    for (const [example] of examples) {
      const [, typed] =
        /^(?:eval "\$\(|crontab -l \| )?inkling (.*?)(?:\)"|\s[<>] .*)?$/.exec(example) ?? [];
      if (typed === undefined) {
        assert.match(example, /^deno task /);
        continue;
      }
      const line = parseCommandLine(PROGRAM, splitShellWords(typed));
      assert.ok(line.kind === "command" && line.name === name, example);
    }
  }
  assert.equal(findCommand(PROGRAM, "nothing"), undefined);
});
