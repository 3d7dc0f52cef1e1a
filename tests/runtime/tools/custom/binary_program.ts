// Creates a substitute for a compiled executable: a host program with Inkling's permissions built in, without flags.
import { join } from "node:path";
import { hostModule } from "../../../../base/program_files.ts";
import { sourceCommand } from "../../../../cli/self_command.ts";
import type { HostProgram } from "../../../../runtime/tools/custom/host_program.ts";

/** Creates the program in a temporary folder. Disposing of it deletes the folder. */
export async function openBinary(): Promise<AsyncDisposable & { program: HostProgram }> {
  const folder = await Deno.makeTempDir();
  const program = join(folder, "inkling");
  const [deno = "", run = "", ...rest] = sourceCommand();
  const flags = rest.slice(0, -1);
  const command = [deno, run, "--unstable-worker-options", ...flags, hostModule()];
  const text = `#!/bin/sh\nexec ${command.map((part) => `'${part}'`).join(" ")} "$@"\n`;
  await Deno.writeTextFile(program, text, { mode: 0o755 });
  return {
    program: { program },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
