// Records coverage profiles of tests, and derives line counts from them with Deno.
import { relative } from "node:path";
import { productFiles, REPOSITORY, TEST_PERMISSIONS } from "../../tests/support/repository.ts";
import { COUNTED, isCounted } from "./coverage_report.ts";
import { type FileCoverage, parseLcov } from "./lcov.ts";

/** The environment variable for the folder of profiles. Unlike a flag, it is inherited by the child processes of tests. */
const PROFILE_FOLDER = "DENO_COVERAGE_DIR";

/**
 * Runs the tests and adds their profiles to a folder. Returns the output of the tests if one failed, and undefined if all
 * passed.
 */
export async function profileTests(
  tests: readonly string[],
  folder: string,
): Promise<string | undefined> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--config", "tests/deno.json", ...TEST_PERMISSIONS],
      ...["tests/suite/main.ts", ...tests],
    ],
    env: { [PROFILE_FOLDER]: folder },
    cwd: REPOSITORY,
  }).output();
  const text = new TextDecoder();
  return success ? undefined : text.decode(stdout) + text.decode(stderr);
}

/** Returns the line counts of every counted file, from the profiles in a folder. Paths are relative to the repository. */
export async function countLines(folder: string): Promise<FileCoverage[]> {
  const loaded = await readProfiles(folder);
  const known = new Set(loaded.map(({ path }) => path));
  const unloaded = productFiles().filter((file) => isCounted(file) && !known.has(file));
  return [...loaded, ...await countUnloaded(unloaded)];
}

/**
 * Returns the files that no test loaded, with a count of zero for each line. Deno reports only loaded files, so a process
 * loads these files here. Without these files, the total coverage would be too high.
 */
async function countUnloaded(files: readonly string[]): Promise<FileCoverage[]> {
  if (files.length === 0) return [];
  const folder = await Deno.makeTempDir({ prefix: "inkling-coverage-" });
  try {
    // The module of a worker throws on the main thread, but its lines are reported nevertheless.
    const imports = files.map((file) => `await import("./${file}").catch(() => {});`);
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--config",
        "tests/deno.json",
        "--no-check",
        "--no-prompt",
        "--allow-read",
        "-",
      ],
      env: { [PROFILE_FOLDER]: folder },
      cwd: REPOSITORY,
      stdin: "piped",
      stderr: "inherit",
    }).spawn();
    const program = new Blob([...imports, "Deno.exit(0);"].map((line) => `${line}\n`));
    await program.stream().pipeTo(child.stdin);
    if (!(await child.status).success) {
      throw new Error(`Cannot count the lines of what no test loads: ${files.join(", ")}`);
    }
    return (await readProfiles(folder)).filter(({ path }) => files.includes(path))
      .map(({ path, lines }) => ({
        path,
        lines: new Map([...lines.keys()].map((line) => [line, 0])),
      }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function readProfiles(folder: string): Promise<FileCoverage[]> {
  const report = await new Deno.Command(Deno.execPath(), {
    args: ["coverage", "--lcov", ...COUNTED.map((name) => `--include=/${name}`), folder],
    cwd: REPOSITORY,
  }).output();
  const text = new TextDecoder();
  if (!report.success) throw new Error(text.decode(report.stderr));
  return parseLcov(text.decode(report.stdout))
    .map(({ path, lines }) => ({ path: relative(REPOSITORY, path), lines }))
    .filter(({ path }) => isCounted(path));
}
