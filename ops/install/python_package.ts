// Installs an MCP server from PyPI: wheels of the package and its dependencies, at exact versions, in a folder of
// their own. Source packages are refused because they run code during the installation.
import { join } from "node:path";
import { z } from "zod";
import { ignoreMissing } from "../../base/files/missing.ts";
import { type FetchContext, runFetch } from "./fetch_program.ts";
import { NotInstalled } from "./not_installed.ts";
import type { InstalledPackage, InstallFolders, PackageName } from "./package_name.ts";

/** The report of `pip --report`. */
const reportSchema = z.object({
  install: z.array(z.object({
    requested: z.boolean(),
    metadata: z.object({ name: z.string(), version: z.string() }),
    download_info: z.object({
      archive_info: z.object({ hashes: z.object({ sha256: z.string() }) }),
    }),
  })),
});

const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:(?:@|==)([0-9A-Za-z.!+_-]+))?$/;
/** This file also marks the folder as one package, so that the sandbox shows all of it to the server. */
const LOCK = "pyproject.toml";

/**
 * Parses `name`, `name@version` or `name==version`. Returns undefined for any other text: pip would also accept paths
 * and addresses.
 */
export function parsePythonPackage(text: string): PackageName | undefined {
  const [, name, version] = NAME.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name, ...(version !== undefined && { version }) };
}

/** Installs a package as typed: `name@version`. Throws NotInstalled, or rethrows the signal's reason. */
export async function installPythonPackage(
  typed: string,
  { fresh, folder }: InstallFolders,
  context: FetchContext,
): Promise<InstalledPackage> {
  const { name, version } = parsePythonPackage(typed) ?? { name: typed };
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

/** Returns the package's only program, or the one with the package's name. */
async function findProgram(folder: string, name: string): Promise<string | undefined> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(ignoreMissing) ?? [];
  const names = entries.filter(({ isFile }) => isFile).map((one) => one.name).sort();
  return names.find((one) => toIndexName(one) === toIndexName(name)) ?? names[0];
}

/** Returns the form of a name that the index compares. */
function toIndexName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, "-");
}

/** Returns the PyPI package in a folder with its version; undefined when there is none. */
export async function pythonSource(folder: string): Promise<string | undefined> {
  const lock = await Deno.readTextFile(join(folder, LOCK)).catch(ignoreMissing);
  return /^# (pypi:\S+)$/m.exec(lock ?? "")?.[1];
}
