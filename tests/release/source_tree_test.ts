// The program works without the tree that it was written in: what would tie it to a checkout stands where both ways of
// running are thought of, and what is loaded late can be found beforehand.
import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { selfCommand, sourceCommand } from "../../cli/self_command.ts";
import { ownDistribution } from "../../cli/update/distribution.ts";
import { ownProgram } from "../../runtime/tools/custom/host_program.ts";
import { filesBelow, REPOSITORY } from "../support/repository.ts";

const MODULES = ["base", "cli", "composition", "runtime", "server"]
  .flatMap((folder) => filesBelow(join(REPOSITORY, folder)))
  .map((file) => relative(REPOSITORY, file)).concat("main.ts")
  .filter((file) => file.endsWith(".ts") && !file.startsWith("server/dashboard/client/"));

/** Lines of code that match, with the file that they stand in. Comments do not run. */
function linesWith(what: RegExp): { file: string; line: string }[] {
  return MODULES.flatMap((file) =>
    Deno.readTextFileSync(join(REPOSITORY, file))
      .replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "")
      .split("\n").filter((line) => what.test(line)).map((line) => ({ file, line: line.trim() }))
  );
}

const filesWith = (what: RegExp) => [...new Set(linesWith(what).map(({ file }) => file))];

/** Runs something as an executable would: its path is that of the program, and it knows that it stands alone. */
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

Deno.test("the program asks for the place of its own files only where both ways of running are thought of", () => {
  assert.deepEqual(filesWith(/import\.meta(?!\.main)\b/), [
    // A file that is sure to be there.
    "base/free_descriptors.ts",
    // Where the program's own files are.
    "base/program_files.ts",
  ]);
});

Deno.test("the program takes the folder that it is started in for the user's alone", () => {
  assert.deepEqual(filesWith(/\b(Deno|process)\.cwd\(/), [
    // What a person writes relative to where they are.
    "base/plain_path.ts",
    "composition/app.ts",
  ]);
});

Deno.test("the program reads deno.json as a module, never as a file of a checkout", () => {
  const lines = linesWith(/deno\.(json|lock)/);
  // How the program is started names it to Deno; a server's own may lie beside it.
  const others = ["base/program_files.ts", "runtime/tools/mcp/server_sandbox.ts"];
  assert.deepEqual(lines.filter(({ file }) => !others.includes(file)), [
    { file: "main.ts", line: 'import denoJson from "./deno.json" with { type: "json" };' },
  ]);
});

Deno.test("every late import names its module outright, but for a user's tool", () => {
  // Of a pattern that finds imports, the question mark is no module.
  const dynamic = /(?<![\w.])import\(\s*(?!["?])\S/;
  assert.deepEqual(linesWith(dynamic).map(({ file }) => file), [
    "runtime/tools/custom/host/tool_worker.ts",
  ]);
});

Deno.test("workers are started in two places, which the bundle knows", () => {
  assert.deepEqual(filesWith(/\bnew (Worker|Thread)\(/), [
    "runtime/tools/custom/host/confined_worker.ts",
    // A thread of a user's script.
    "runtime/tools/custom/host/script_worker.ts",
  ]);
});

Deno.test("selfCommand() and ownProgram() start an executable by its path alone, and the sources by Deno", () => {
  const path = "/opt/inkling";
  assert.deepEqual(standingAlone(path, selfCommand), [path]);
  assert.deepEqual(standingAlone(path, ownProgram), { program: path });
  assert.deepEqual(standingAlone(path, ownDistribution), {
    kind: "binary",
    path,
    target: Deno.build.target,
  });
  assert.deepEqual(selfCommand(), sourceCommand());
  assert.equal(selfCommand()[0], Deno.execPath());
  assert.deepEqual(ownProgram(), { program: Deno.execPath(), main: join(REPOSITORY, "main.ts") });
});
