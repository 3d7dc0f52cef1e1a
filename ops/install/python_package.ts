// Installs an MCP server from PyPI: the wheels of a package and of its dependencies, at exact versions, into one folder.
// Source packages are refused because their installation runs code.
import { join } from "../../base/plain_path.ts";
import { z } from "zod";
import { ignoreMissing } from "../../base/files/missing.ts";
import { type FetchContext, runFetch } from "./fetch_program.ts";
import { NotInstalled } from "./not_installed.ts";
import type { InstalledPackage, InstallFolders, PackageName } from "./package_name.ts";

/** The part of a `pip --report` file that is read. */
const reportSchema = z.object({
  install: z.array(z.object({
    requested: z.boolean(),
    metadata: z.object({ name: z.string(), version: z.string() }),
    download_info: z.object({
      archive_info: z.object({ hashes: z.object({ sha256: z.string() }) }),
    }),
  })),
});

/**
 * The file with the installed versions. Its name makes the sandbox treat the folder as one package and show all of it to
 * the server.
 */
const LOCK = "pyproject.toml";

/** Installs a package and its dependencies. Throws NotInstalled, or rethrows the signal's reason. */
export async function installPythonPackage(
  { name, version }: PackageName,
  { fresh, folder }: InstallFolders,
  context: FetchContext,
): Promise<InstalledPackage> {
  const report = join(context.staging, "report.json");
  const flags = [
    ...["--only-binary=:all:", "--no-compile", "--no-input", "--quiet"],
    ...["--disable-pip-version-check", `--cache-dir=${join(context.staging, "cache")}`],
    ...[`--target=${join(fresh, "lib")}`, `--report=${report}`],
  ];
  const wanted = version === undefined ? name : `${name}==${version}`;
  await runFetch("python3", ["-m", "pip", "install", ...flags, "--", wanted], context);
  const installed = reportSchema.safeParse(JSON.parse(await Deno.readTextFile(report)));
  const own = installed.data?.install.find(({ requested }) => requested);
  if (installed.data === undefined || own === undefined) {
    throw new NotInstalled("pip did not report the version that it installed");
  }
  const locked = installed.data.install.map(({ metadata, download_info: { archive_info } }) =>
    `${metadata.name}==${metadata.version} sha256=${archive_info.hashes.sha256}`
  );
  const pinned = `pypi:${own.metadata.name}@${own.metadata.version}`;
  const { sha256 } = own.download_info.archive_info.hashes;
  const lock = [`# ${pinned}`, ...locked.map((one) => `# ${one}`), "[project]", `name = "server"`];
  await Deno.writeTextFile(join(fresh, LOCK), `${lock.join("\n")}\n`);
  const program = await findProgram(join(fresh, "lib/bin"), name);
  if (program === undefined) {
    throw new NotInstalled(`The package ${name} has no program to start`);
  }
  return {
    pinned: `${pinned} sha256-${sha256}`,
    others: installed.data.install.length - 1,
    command: "python3",
    args: [join(folder, "lib/bin", program)],
    env: { PYTHONPATH: join(folder, "lib") },
  };
}

/**
 * Returns the file name of the program with the package's name, or else of the first program. Undefined if there is no
 * program.
 */
async function findProgram(folder: string, name: string): Promise<string | undefined> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(ignoreMissing) ?? [];
  const names = entries.filter(({ isFile }) => isFile).map((one) => one.name).sort();
  return names.find((one) => toIndexName(one) === toIndexName(name)) ?? names[0];
}

/** Returns the normalized form of a package name. PyPI treats names with the same form as one package. */
function toIndexName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

/** Returns the PyPI package in a folder as `pypi:name@version`, or undefined if the folder contains no PyPI package. */
export async function pythonSource(folder: string): Promise<string | undefined> {
  const lock = await Deno.readTextFile(join(folder, LOCK)).catch(ignoreMissing);
  return /^# (pypi:\S+)$/m.exec(lock ?? "")?.[1];
}
