// A stand-in for a compiled binary: one program with Inkling's permissions built in, without extra flags.
import { join } from "node:path";
import { sourceCommand } from "../../../../cli/self_command.ts";
import type { HostProgram } from "../../../../runtime/tools/custom/host_program.ts";

/** Creates such a program in a temporary folder, which disposing removes. */
export async function openBinary(): Promise<AsyncDisposable & { program: HostProgram }> {
  const folder = await Deno.makeTempDir();
  const program = join(folder, "inkling");
  const [deno = "", run = "", ...rest] = sourceCommand();
  const command = [deno, run, "--quiet", "--unstable-worker-options", ...rest];
  const text = `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(" ")} "$@"\n`;
  await Deno.writeTextFile(program, text, { mode: 0o755 });
  return {
    program: { program },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
