// One executable: the runtime image with the program in it.
import { dirname, join, resolve } from "node:path";
import { PERMISSION_FLAGS } from "../cli/self_command.ts";
import { lastWords, runCommand } from "./command.ts";
import { filesBelow, forEachFile, writeJson } from "./folder.ts";
import { NAME, PAPERS, requirePinnedDeno, VERSION } from "./product.ts";
import { MAIN, WORKERS } from "./shipped_files.ts";
import { imageTrouble, RuntimeImageMissing } from "./runtime_image.ts";
import { openStage, type Stage, type StageOptions } from "./stage.ts";
import type { Target } from "./target.ts";
import { isBuiltin } from "node:module";

/**
 * How the executable differs from `deno run`:
 * - the permissions, each with its reason in cli/self_command.ts, are fixed in it.
 * - deny-import: what it is given is all the code that it has. `no-remote` and `frozen` are about compiling.
 * - unstable-worker-options: workers with narrower permissions, which custom tools and skill scripts run in.
 * - no-code-cache: it would lie in the temporary folder under a name that can be guessed, where another user may put
 *   one of his own before.
 * - app-name: what Deno would store for the program stays its own, whatever the file is called.
 * - no-check: the types were checked with the sources.
 */
export const COMPILE_FLAGS: readonly string[] = [
  ...PERMISSION_FLAGS,
  "--deny-import",
  "--unstable-worker-options",
  "--no-code-cache",
  `--app-name=${NAME}`,
  "--no-check",
];

/** Deno would write down what this says now, and the executable would export telemetry wherever it runs. */
const NO_TELEMETRY = { OTEL_DENO: "false" };

/** The stage that executables are made from. Disposing removes it. Throws as openStage does. */
export async function openExecutableStage(options: StageOptions): Promise<Stage> {
  const stage = await openStage(options);
  await writeStandIns(stage.directory);
  await unifyDates(stage.directory);
  return stage;
}

/** Executables record the dates of files, and the same sources shall give the same bytes. */
const DATE = new Date("2000-01-01T00:00:00Z");

/** Gives every file below a folder the same date. */
async function unifyDates(directory: string): Promise<void> {
  await forEachFile(await filesBelow(directory), async (file) => {
    const path = join(directory, file);
    // The installer links to files of Deno's cache, which are not ours to touch.
    await Deno.copyFile(path, `${path}.own`);
    await Deno.rename(`${path}.own`, path);
    await Deno.utime(path, DATE, DATE);
  });
}

/** Makes the executable at `output` from a stage. Throws RuntimeImageMissing, and Error for everything else. */
export async function compileExecutable(
  stage: string,
  { target, output }: { target: Target; output: string },
): Promise<void> {
  requirePinnedDeno();
  const result = await runCommand([
    ...[Deno.execPath(), "compile", "--quiet", ...COMPILE_FLAGS],
    ...WORKERS.flatMap((worker) => ["--include", worker]),
    ...PAPERS.flatMap((paper) => ["--include", paper]),
    ...["--target", target, "--output", resolve(output), MAIN],
  ], { cwd: stage, env: NO_TELEMETRY });
  if (result.success) return;
  const trouble = imageTrouble(result.stderr);
  if (trouble !== undefined) throw new RuntimeImageMissing(target, trouble);
  throw new Error(`No executable for ${target}: deno compile failed\n${lastWords(result)}`);
}

/** Throws Error when an executable for this machine does not start, or is another version. */
export async function requireWorking(executable: string): Promise<void> {
  let result;
  try {
    result = await runCommand([resolve(executable), "--version"], { cwd: "." });
  } catch (cause) {
    throw new Error(`${executable} does not start: ${cause}`, { cause });
  }
  if (result.success && result.stdout.trim() === VERSION) return;
  throw new Error(
    `${executable} does not work: asked for its version, ${VERSION}, it says ${lastWords(result)}`,
  );
}

// Packages that other packages ask for and can do without: bufferutil, supports-color and their like. They do not ship, and
// the search for a package that is not there goes on in the folders above. Of an executable, whose files appear below the
// temporary folder, that is a `node_modules` which any user of the machine may make. So each absent package gets a
// stand-in, which is found first and says that it is not there.

const CODE = /\.(js|mjs|cjs)$/;
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
/** The package that a module asks for by a text, in `require`, in `import` as a call or a statement, or after `from`. */
const ASKED =
  /\b(?:(?:require|import)\(\s*|from\s*|import\s*)["']((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][a-z0-9._-]*)(?:\/[\w./-]*)?["']/g;

/** Puts a stand-in into `node_modules` for each package that another one asks for and does not find. Returns their names. */
async function writeStandIns(directory: string): Promise<string[]> {
  const nodeModules = join(directory, "node_modules");
  const files = await filesBelow(nodeModules);
  const there = new Set(files.map((file) => file.replaceAll("\\", "/")));
  const absent = new Set<string>();
  await forEachFile(files.filter((file) => CODE.test(file)), async (file) => {
    const source = await Deno.readTextFile(join(nodeModules, file));
    for (const [, name = ""] of source.replaceAll(COMMENT, "").matchAll(ASKED)) {
      if (!isBuiltin(name) && !isFound(name, file, there)) absent.add(name);
    }
  });
  for (const name of absent) await writeStandIn(join(nodeModules, name), name);
  return [...absent].sort();
}

/** By Node's rules: in the `node_modules` of a package around the file, or among all packages. */
function isFound(name: string, file: string, there: ReadonlySet<string>): boolean {
  const around = file.replaceAll("\\", "/").split("/node_modules/").slice(0, -1);
  const places = around.map((_, depth) =>
    [...around.slice(0, depth + 1), name].join("/node_modules/")
  );
  return [name, ...places].some((place) => there.has(`${place}/package.json`));
}

async function writeStandIn(folder: string, name: string): Promise<void> {
  await Deno.mkdir(dirname(folder), { recursive: true });
  // Fails where there is one: its files may be links to those of Deno's cache.
  await Deno.mkdir(folder);
  // Whatever is asked for in it is this one module: with `exports`, nothing is looked for elsewhere.
  const exports = { ".": "./index.js", "./*": "./index.js" };
  await writeJson(join(folder, "package.json"), { name, version: "0.0.0", exports });
  const message = JSON.stringify(`Cannot find module '${name}': it does not ship`);
  const code = `throw Object.assign(new Error(${message}), { code: "MODULE_NOT_FOUND" });\n`;
  await Deno.writeTextFile(join(folder, "index.js"), code);
}
