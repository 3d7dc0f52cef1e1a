// What `deno task compile` puts into an executable. The runtime image is a stand-in, so it is read and not started.
import assert from "node:assert/strict";
import { join } from "node:path";
import denoJson from "../../deno.json" with { type: "json" };
import { VERSION } from "../../release/product.ts";
import { shippedFiles, WORKERS } from "../../release/shipped_files.ts";
import {
  checkMetadata,
  type EmbeddedProgram,
  imageStandIn,
  readEmbeddedProgram,
} from "../../tests/release/embedded_program.ts";
import {
  FOREIGN_TARGET,
  IMAGE_MISSING,
  openTempFolder,
  runReleaseTask,
} from "../../tests/release/task_run.ts";
import { denoDirectory, REPOSITORY } from "../../tests/support/repository.ts";
import testsJson from "../../tests/deno.json" with { type: "json" };
import { step } from "./step.ts";

/** `zod` of `zod/v4`, `@x/y` of `@x/y/z`. */
const packageOf = (specifier: string) =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");

/** Makes an executable and looks into it; then once more, with no image to be had. Rejects where something is wrong. */
export async function tryExecutable(): Promise<void> {
  await using folder = await openTempFolder();
  const output = join(folder.path, "inkling");
  const program = await step("compiled with a stand-in for the image", () => compile(output));
  checkMetadata(program.metadata);
  await checkFiles(program);
  await checkTraces(program, output);
  console.log(`${program.files.size} files are in it, all that run and no others`);
  await step("told that there is no image", () => compileWithoutImage(folder.path, output));
}

async function compile(output: string): Promise<EmbeddedProgram> {
  const image = `${output}.image`;
  await Deno.writeFile(image, imageStandIn());
  const args = ["--target", FOREIGN_TARGET, "--output", output];
  const address = ["--address", "https://example.org/new"];
  // The surroundings of whoever compiles leave no trace: telemetry would be on for good.
  const env = { DENORT_BIN: image, OTEL_DENO: "true" };
  const run = await runReleaseTask("compile", [...args, ...address], env);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.stdout, `${output}\n`);
  await Deno.remove(image);
  return await readEmbeddedProgram(output);
}

async function checkFiles({ files, metadata }: EmbeddedProgram): Promise<void> {
  const own = await shippedFiles();
  assert.ok(own.length > 300, `${own.length} files`);
  assert.ok(WORKERS.every((worker) => own.includes(worker)));
  assert.deepEqual(
    own.filter((file) => !files.has(file)),
    [],
    "left out of what an import reaches",
  );
  assert.equal(metadata.unstable_config.lazy_dynamic_imports, false);
  const assets = own.filter((file) => !file.endsWith(".ts"));
  assert.ok(assets.some((file) => file.startsWith("server/docs_assets/")));
  assert.ok(assets.some((file) => file.startsWith("server/dashboard/assets/")));
  for (const file of assets) {
    assert.equal(files.get(file), await Deno.readTextFile(join(REPOSITORY, file)), file);
  }
  for (const name of Object.keys(denoJson.imports)) {
    const inside = [...files.keys()].filter((file) => file.startsWith(`node_modules/${name}/`));
    assert.ok(inside.includes(`node_modules/${name}/package.json`), name);
    assert.ok(inside.some((file) => /\.(js|mjs|cjs)$/.test(file)), name);
  }
  const prices = [...files].filter(([file]) => file.includes("/genai-prices/"));
  assert.ok(prices.some(([, content]) => content.includes("claude-")), "the price table");
  assert.deepEqual(strangersAmong(files), [], "no test, no tool, no types");
  assert.equal(JSON.parse(files.get("deno.json") ?? "{}").version, VERSION);
  assert.match(files.get("THIRD_PARTY_LICENSES.txt") ?? "", /zod \d/);
  const address = files.get("cli/update/release_address.ts") ?? "";
  assert.match(address, /const BUILT_IN: .* = "https:\/\/example\.org\/new\/";/);
}

function strangersAmong(files: ReadonlyMap<string, string>): string[] {
  const licences = files.get("THIRD_PARTY_LICENSES.txt") ?? "";
  // What a package that ships needs may be a package of the tests, too.
  const testsOnly = Object.keys(testsJson.imports)
    .filter((name) => !(name in denoJson.imports)).map(packageOf)
    .filter((name) => !licences.includes(`${name} `));
  assert.ok(testsOnly.includes("fast-check"));
  return [...files.keys()].filter((file) =>
    /^(tests|release|demo|scoped|docs)\//.test(file) ||
    file.startsWith("server/dashboard/client/") ||
    /^node_modules\/.*\.(ts|mts|cts|map)$/.test(file) ||
    file.startsWith("node_modules/@types/") ||
    testsOnly.some((name) => file.startsWith(`node_modules/${name}/`))
  );
}

/** Nothing tells where it was made, and whoever compiles the same sources gets the same bytes. */
async function checkTraces({ times }: EmbeddedProgram, output: string): Promise<void> {
  assert.deepEqual([...times], [Date.UTC(2000, 0)]);
  const bytes = await Deno.readTextFile(output);
  assert.ok(!bytes.includes(REPOSITORY), "the place of the sources is in it");
  assert.ok(!bytes.includes("inkling-stage-"), "the place where it was made is in it");
}

async function compileWithoutImage(folder: string, output: string): Promise<void> {
  await Deno.writeTextFile(output, "an older one");
  // Packages are at hand, an image is not.
  const cache = join(folder, "cache");
  await Deno.mkdir(cache);
  await Deno.symlink(join(denoDirectory(), "npm"), join(cache, "npm"));
  const nowhere = "http://127.0.0.1:1";
  const run = await runReleaseTask("compile", ["--target", FOREIGN_TARGET, "--output", output], {
    DENO_DIR: cache,
    ...{ HTTPS_PROXY: nowhere, https_proxy: nowhere, NO_PROXY: "", no_proxy: "" },
  });
  assert.equal(run.code, 69, run.stderr);
  assert.match(run.stderr, IMAGE_MISSING);
  assert.equal(await Deno.readTextFile(output), "an older one");
  const left = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assert.deepEqual(left, ["cache", "inkling"]);
}
