// Tests that a service's programs end with it, also after `kill -9`.
import { join } from "node:path";
import { systemProcesses } from "../../../../cli/context/processes.ts";
import { withTempDir } from "../../../support/temp_dir.ts";
import { REPOSITORY } from "../../../support/repository.ts";
import { until } from "../../../support/until.ts";

async function isWatched(leader: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "args=", "-e"] }).output();
  return new TextDecoder().decode(stdout).split("\n")
    .some((line) => line.endsWith(`inkling-watch ${leader}`));
}

for (const kind of ["program", "server"]) {
  Deno.test(`a ${kind} ends with a service that was killed`, async () => {
    await withTempDir(async (dir) => {
      const service = new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--quiet", "--no-prompt", "--config", join(REPOSITORY, "tests/deno.json")],
          ...["--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-sys"],
          ...[join(REPOSITORY, "tests/runtime/tools/processes/doomed_service.ts"), kind, dir],
        ],
        stdin: "null",
        stdout: "inherit",
        stderr: "inherit",
      }).spawn();
      let pid = 0;
      await until(async () => {
        pid = Number(await Deno.readTextFile(join(dir, "pid")).catch(() => "0"));
        return pid > 0 && await isWatched(pid);
      }, "the program runs and is watched over");
      service.kill("SIGKILL");
      await service.status;
      await until(async () => !(await systemProcesses.isAlive(pid)), "the program is gone");
    });
  });
}
