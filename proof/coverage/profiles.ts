// The coverage profiles, and the line counts that Deno derives from them.
import { relative } from "node:path";
import { productFiles, REPOSITORY, TEST_PERMISSIONS } from "../../tests/support/repository.ts";
import { COUNTED, isCounted } from "./coverage_report.ts";
import { type FileCoverage, parseLcov } from "./lcov.ts";

/** Set as a variable instead of a flag, so that the child processes of tests inherit it. */
const PROFILE_FOLDER = "DENO_COVERAGE_DIR";

/**
 * Runs these tests and adds their profiles to a folder. Returns the tests' output when one failed, and undefined when
 * all passed.
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

/** Returns every counted file, relative to the repository, with its line counts by the profiles in a folder. */
export async function countLines(folder: string): Promise<FileCoverage[]> {
  const loaded = await readProfiles(folder);
  const known = new Set(loaded.map(({ path }) => path));
  const unloaded = productFiles().filter((file) => isCounted(file) && !known.has(file));
  return [...loaded, ...await countUnloaded(unloaded)];
}

/**
 * Returns the files that no test loaded, with a count of zero. Deno counts only loaded files, so these are loaded
 * here; otherwise the total would be too high.
 */
async function countUnloaded(files: readonly string[]): Promise<FileCoverage[]> {
  if (files.length === 0) return [];
  const folder = await Deno.makeTempDir({ prefix: "inkling-coverage-" });
  try {
    // A worker's module throws on the main thread; its lines are counted all the same.
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
