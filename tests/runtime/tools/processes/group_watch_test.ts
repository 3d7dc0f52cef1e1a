// What a service started ends with it, even where nothing can be tidied up.
import assert from "node:assert/strict";
import { join } from "node:path";
import { systemProcesses } from "../../../../cli/service/processes.ts";
import { startGroup } from "../../../../runtime/tools/processes/process_group.ts";
import { withTempDir } from "../../../support/temp_dir.ts";
import { REPOSITORY } from "../../../support/repository.ts";
import { until } from "../../../support/until.ts";

async function isWatched(leader: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "args=", "-e"] }).output();
  return new TextDecoder().decode(stdout).split("\n")
    .some((line) => line.endsWith(`inkling-watch ${leader}`));
}

for (const kind of ["program", "server"]) {
  Deno.test(`a ${kind} does not outlive a service that was killed`, async () => {
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

Deno.test("startGroup(): what a leader left behind is gone with it, and so is what watched over them", async () => {
  const { child, status } = startGroup("sh", {
    args: [
      "-c",
      "sleep 600 >&- 2>&- & echo $!; until ps -o pid=,args= -e | grep '[i]nkling-watch '$$; do :; done",
    ],
    cwd: "/",
    environment: { PATH: "/usr/bin:/bin" },
    stdin: "null",
  });
  const { stdout } = await child.output();
  await status;
  const pids = new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
    Number.parseInt(line)
  );
  assert.equal(pids.length, 2);
  for (const pid of pids) {
    await until(async () => !(await systemProcesses.isAlive(pid)), `${pid} is gone`);
  }
});
