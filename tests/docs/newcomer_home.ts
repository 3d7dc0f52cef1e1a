// A newcomer's home: it is empty, the PATH contains `inkling`, and no key is set.
import { join } from "node:path";
import { killService } from "../e2e/real_process.ts";
import { programCommand } from "../support/program.ts";
import { denoDirectory } from "../support/repository.ts";

export interface NewcomerHome extends AsyncDisposable {
  path: string;
  /** Runs a Bash script, by default in the home. Returns its exit code and its output. */
  run(script: string, cwd?: string): Promise<{ code: number; output: string }>;
}

/** Creates a newcomer's home. Disposing stops a running service and removes the home. */
export async function createNewcomerHome(): Promise<NewcomerHome> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "inkling-newcomer-" }));
  const bin = join(path, "bin");
  await Deno.mkdir(bin);
  const self = programCommand().map((part) => `'${part}'`).join(" ");
  await Deno.writeTextFile(join(bin, "inkling"), `#!/bin/sh\nexec ${self} "$@"\n`, { mode: 0o755 });
  const env = {
    HOME: path,
    PATH: `${bin}:${Deno.env.get("PATH")}:${join(Deno.execPath(), "..")}`,
    DENO_DIR: denoDirectory(),
    NO_COLOR: "1",
  };
  return {
    path,
    async run(script, cwd = path) {
      const args = ["-c", script];
      const options = { args, cwd, clearEnv: true, env, stdin: "null" } as const;
      const { code, stdout, stderr } = await new Deno.Command("bash", options).output();
      const text = new TextDecoder();
      return { code, output: text.decode(stdout) + text.decode(stderr) };
    },
    async [Symbol.asyncDispose]() {
      await killService(join(path, ".local/state/inkling"));
      await Deno.remove(path, { recursive: true });
    },
  };
}
