// Tests of the command that starts the program itself: an executable's path alone, or Deno with the sources.
import assert from "node:assert/strict";
import { selfCommand, sourceCommand } from "../../cli/self_command.ts";
import { ownDistribution } from "../../cli/context/distribution.ts";
import { ownProgram } from "../../runtime/tools/custom/host_program.ts";
import { hostModule } from "../../base/program_files.ts";
import { REPOSITORY } from "../support/repository.ts";

/** Calls `run` as if in an executable: with the program's path, and with Deno's standalone mark. */
function standingAlone<T>(path: string, run: () => T): T {
  const { build, execPath } = Deno;
  Object.defineProperty(Deno, "build", { value: { ...build, standalone: true } });
  Object.defineProperty(Deno, "execPath", { value: () => path });
  try {
    return run();
  } finally {
    Object.defineProperty(Deno, "build", { value: build });
    Object.defineProperty(Deno, "execPath", { value: execPath });
  }
}

Deno.test("selfCommand() and ownProgram() start an executable by its path alone", () => {
  const path = "/opt/inkling";
  assert.deepEqual(standingAlone(path, selfCommand), [path]);
  assert.deepEqual(standingAlone(path, ownProgram), { program: path });
  assert.deepEqual(standingAlone(path, ownDistribution), {
    kind: "binary",
    path,
    target: Deno.build.target,
    keys: [],
  });
  assert.deepEqual(ownDistribution(), { kind: "source", directory: REPOSITORY });
  assert.deepEqual(selfCommand(), sourceCommand());
  assert.equal(selfCommand()[0], Deno.execPath());
  assert.deepEqual(ownProgram(), { program: Deno.execPath(), main: hostModule() });
});
