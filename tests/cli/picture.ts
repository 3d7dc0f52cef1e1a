// Compares the output of commands with __snapshots__ beside the tests; read the changes of a snapshot.
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { FakeCli } from "./fake_cli.ts";
import { normalize } from "./golden/world.ts";

/** Compares a text with the snapshot of this test and step. */
export async function assertPicture(
  t: Deno.TestContext,
  text: string,
  module: string,
): Promise<void> {
  // By default the snapshots would be beside the first file of the test group.
  const path = fileURLToPath(new URL(`__snapshots__/${basename(module)}.snap`, module));
  await t.assertSnapshot(text, { path, serializer: (text) => text });
}

/** The function that runs a command and compares its output with the snapshot. */
export type Shows = (t: Deno.TestContext, cli: FakeCli, ...argv: string[]) => Promise<void>;

/**
 * Returns a function that runs commands without a terminal and compares their output with the snapshots of a test module.
 */
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

/** Compares the output of a command so far with the snapshot: standard output, then standard error. */
export async function assertShown(
  t: Deno.TestContext,
  cli: FakeCli,
  module: string,
): Promise<void> {
  const text = `${cli.stdout.text}--- standard error\n${cli.stderr.text}`;
  await assertPicture(t, normalize(text.replaceAll(cli.stateDir, "/state")), module);
}
