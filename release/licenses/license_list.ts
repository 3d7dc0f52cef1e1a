// Writes THIRD_PARTY_LICENSES.txt: the third-party software that ships with the program, with its license texts.
import { dirname, join } from "node:path";
import bundledJson from "../../page/deno.json" with { type: "json" };
import { type PackageFolder, packageFolders } from "../package_folder.ts";
import { DENO_VERSION, REPOSITORY } from "../product.ts";
import type { Stage } from "../stage.ts";
import { vendorPackages } from "../vendored_packages.ts";

/** Matches the license texts of third-party assets, which are beside the assets in the sources. */
const BESIDE_ASSET = /\.(LICENSE|NOTICE)\.txt$/;

const WIDTH = 100;

/** The packages that contain the code of another project without its license text, each with the note for the list. */
const EMBEDDED_NOTES: Readonly<Record<string, string>> = {
  unpdf: "; in it pdf.js, Copyright Mozilla Foundation: Apache-2.0",
};

/** Returns the packages of the program and of the dashboard. */
export async function shippedPackages(
  { packages: own }: Pick<Stage, "packages">,
): Promise<PackageFolder[]> {
  const names = own.map(({ name }) => name);
  return [...own, ...(await dashboardPackages()).filter(({ name }) => !names.includes(name))];
}

/** Returns the text of the list for these files and packages. */
export async function writeLicenseList(
  { files, packages }: Pick<Stage, "files" | "packages">,
): Promise<string> {
  const deno = `Deno ${DENO_VERSION}`;
  /** The names of the works by the license text that covers them. */
  const texts = new Map<string, string[]>();
  for (const one of packages) {
    for (const paper of one.legalTexts) addText(texts, titleOf(one), paper);
  }
  for (const file of await assetLicenses(files)) {
    addText(texts, file.replace(BESIDE_ASSET, ""), await readSource(file));
  }
  addText(texts, deno, await readSource("release/licenses/deno.LICENSE.txt"));
  return [
    "Inkling ships with third-party software, which its own license does not cover.",
    '"deno task licenses" writes this list from the packages themselves.',
    "",
    "PACKAGES",
    "",
    ...packages.map(entryOf),
    "",
    "Assets of others stand in the sources, named below with their texts. Executables hold the",
    `runtime of ${deno} (MIT), which brings V8 and other software: its sources list them.`,
    "",
    "TEXTS",
    ...[...texts].flatMap(([text, of]) => ["", "-".repeat(WIDTH), ...wrapNames(of), "", text]),
    "",
  ].join("\n");
}

/**
 * Returns the list's line for a package. A package that names a license but does not contain its text is listed with its
 * home page.
 */
function entryOf(one: PackageFolder): string {
  const line = `${titleOf(one)}: ${one.license}${EMBEDDED_NOTES[one.name] ?? ""}`;
  return one.legalTexts.length > 0 || one.home === ""
    ? line
    : `${line} (no text in it; ${one.home})`;
}

function titleOf({ name, version }: PackageFolder): string {
  return `${name} ${version}`;
}

function addText(texts: Map<string, string[]>, of: string, raw: string): void {
  const text = raw.replaceAll(/[ \t\r]+$/gm, "").replace(/^\n+|\n+$/g, "");
  const names = texts.getOrInsert(text, []);
  if (!names.includes(of)) names.push(of);
}

function wrapNames(names: readonly string[]): string[] {
  const lines = [""];
  for (const [index, name] of names.entries()) {
    const word = index === names.length - 1 ? name : `${name}, `;
    const line = `${lines.at(-1)}${word}`;
    if (line.trimEnd().length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line) => line.trimEnd());
}

/** Returns the license texts of third-party assets, which are in folders without program code. */
async function assetLicenses(files: readonly string[]): Promise<string[]> {
  const folders = new Set(
    files.filter((file) => !file.endsWith(".ts")).map((file) => dirname(file)),
  );
  const papers: string[] = [];
  for (const folder of folders) {
    for await (const { name } of Deno.readDir(join(REPOSITORY, folder))) {
      if (BESIDE_ASSET.test(name)) papers.push(`${folder}/${name}`);
    }
  }
  return papers.sort();
}

function readSource(file: string): Promise<string> {
  return Deno.readTextFile(join(REPOSITORY, file));
}

/** Returns the packages that `deno task dashboard` bundles into the page. */
async function dashboardPackages(): Promise<PackageFolder[]> {
  const directory = await Deno.makeTempDir({ prefix: "inkling-dashboard-" });
  try {
    const lock = join(REPOSITORY, "page/deno.lock");
    await vendorPackages(directory, { imports: bundledJson.imports, lock });
    return await packageFolders(join(directory, "node_modules"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
