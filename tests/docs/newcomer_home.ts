// A newcomer's home: empty, with `inkling` on the PATH and no key.
import { join } from "node:path";
import { killService } from "../e2e/real_process.ts";
import { programCommand } from "../support/program.ts";
import { denoDirectory } from "../support/repository.ts";

export interface NewcomerHome extends AsyncDisposable {
  path: string;
  /** Runs a line or script of Bash, by default in the home. */
  run(script: string, cwd?: string): Promise<{ code: number; output: string }>;
}

/** Creates a newcomer's home. Disposing it stops a service that still runs there, and removes the folder. */
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
