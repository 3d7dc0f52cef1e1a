// Tests that a service's programs end with it, also after `kill -9`.
import { join } from "node:path";
import { withTempDir } from "../../../support/temp_dir.ts";
import { REPOSITORY } from "../../../support/repository.ts";
import { until, untilGone } from "../../../support/until.ts";

async function isWatched(leader: number): Promise<boolean> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "args=", "-e"] }).output();
  return new TextDecoder().decode(stdout).split("\n")
    .some((line) => line.endsWith(`inkling-watch ${leader}`));
}

Deno.test("a program and an MCP server end with a service that was killed", () =>
  withTempDir(async (dir) => {
    const service = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--no-prompt", "--config", join(REPOSITORY, "tests/deno.json")],
        ...["--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-sys"],
        ...[join(REPOSITORY, "tests/runtime/tools/processes/doomed_service.ts"), dir],
      ],
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
    const pids: number[] = [];
    for (const kind of ["program", "server"]) {
      let pid = 0;
      await until(async () => {
        pid = Number(await Deno.readTextFile(join(dir, kind)).catch(() => "0"));
        return pid > 0 && await isWatched(pid);
      }, `the ${kind} runs and is watched over`);
      pids.push(pid);
    }
    service.kill("SIGKILL");
    await service.status;
    for (const pid of pids) await untilGone(pid);
  }));
