// What commands show, as files in __snapshots__ beside the tests: whoever changes one, reads it.
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { FakeCli } from "./fake_cli.ts";
import { normalize } from "./golden/world.ts";

/** Compares a text with the one that the snapshots of this module hold under the name of the test and its step. */
export async function assertPicture(
  t: Deno.TestContext,
  text: string,
  module: string,
): Promise<void> {
  // By default they would lie beside what Deno was told to run: a group of files.
  const path = fileURLToPath(new URL(`__snapshots__/${basename(module)}.snap`, module));
  await t.assertSnapshot(text, { path, serializer: (text) => text });
}

/** Runs a command and compares what it shows. */
export type Shows = (t: Deno.TestContext, cli: FakeCli, ...argv: string[]) => Promise<void>;

/** For a module of tests, whose command lines have no terminal. */
export function picturesOf(module: string): Shows {
  return async (t, cli, ...argv) => {
    cli.stdout.text = cli.stderr.text = "";
    const code = await cli.drive(cli.run(...argv));
    const words = argv.map((word) => /^[^\s"]+$/.test(word) ? word : JSON.stringify(word));
    const parts = [
      `$ inkling ${words.join(" ")}\n`,
      cli.stdout.text,
      cli.stderr.text && `--- standard error\n${cli.stderr.text}`,
      code === 0 ? "" : `exit code ${code}\n`,
    ];
    await assertPicture(t, normalize(parts.join("").replaceAll(cli.stateDir, "/state")), module);
  };
}

/** Compares what a command line has shown so far: standard output, then standard error. */
export async function assertShown(
  t: Deno.TestContext,
  cli: FakeCli,
  module: string,
): Promise<void> {
  const text = `${cli.stdout.text}--- standard error\n${cli.stderr.text}`;
  await assertPicture(t, normalize(text.replaceAll(cli.stateDir, "/state")), module);
}
