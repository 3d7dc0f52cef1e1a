import assert from "node:assert/strict";
import { systemProcesses } from "../../../cli/context/processes.ts";
import { until } from "../../support/until.ts";
import { createTempDir } from "../../support/temp_dir.ts";

Deno.test("systemProcesses.isAlive() returns false for a zombie", async () => {
  // The shell starts a child and is then replaced by a program that never waits for that child.
  const parent = new Deno.Command("sh", {
    args: ["-c", "sleep 0 & echo $!; exec cat"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = parent.stdout.getReader();
  const pid = Number(new TextDecoder().decode((await reader.read()).value));
  await until(async () => !(await systemProcesses.isAlive(pid)), "the zombie counts as dead");
  await parent.stdin.close();
  await reader.cancel();
  await parent.status;
});

Deno.test("systemProcesses.spawnDetached() appends the output to a private log", async () => {
  await using directory = await createTempDir();
  const logFile = `${directory.path}/a.log`;
  const child = await systemProcesses.spawnDetached(
    ["sh", "-c", 'echo "out in $PWD $GIVEN"; echo err >&2; exit 3'],
    { logFile, environment: { PATH: "/usr/bin:/bin", GIVEN: "value" } },
  );
  await until(() => child.ended !== undefined, "the child ends");
  assert.deepEqual(child.ended, { code: 3 });
  assert.equal(await Deno.readTextFile(logFile), "out in / value\nerr\n");
  assert.equal(((await Deno.stat(logFile)).mode ?? 0) & 0o777, 0o600);
});

Deno.test({
  name: "systemProcesses.spawnDetached() passes no descriptor of the log beside the output",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using directory = await createTempDir();
    const logFile = `${directory.path}/a.log`;
    const child = await systemProcesses.spawnDetached(
      ["sh", "-c", "for f in /proc/$$/fd/*; do echo ${f##*/} $(readlink $f); done"],
      { logFile, environment: { PATH: "/usr/bin:/bin" } },
    );
    await until(() => child.ended !== undefined, "the child ends");
    const lines = (await Deno.readTextFile(logFile)).split("\n");
    const descriptors = lines.filter((line) => line.endsWith("/a.log"));
    assert.deepEqual(descriptors.map((line) => line.split(" ")[0]), ["1", "2"]);
  },
});

Deno.test("systemProcesses.spawnDetached() rejects for a missing program", async () => {
  await using directory = await createTempDir();
  await assert.rejects(
    systemProcesses.spawnDetached(["/nowhere/inkling"], {
      logFile: `${directory.path}/a.log`,
      environment: {},
    }),
    /inkling is not installed/,
  );
});
